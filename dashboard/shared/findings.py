"""What an analysis says in sentences, whose numbers lead to where they stand on pages."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from django.utils.html import escape
from django.utils.safestring import SafeString

from dashboard.shared.newest_analysis import NewestAnalysis

#: So many sentences of an answer are shown; more are folded, but for the leading ones.
SENTENCES_SHOWN = 4
LEADING = 2
#: The cell of a CSV that a number of a sentence comes from.
CELL = re.compile(r'href="(\w+)\.csv#[^"]*"')


@dataclass(frozen=True)
class ShownFinding:
    """The answer of the tables: counting raters (and items), then ratings or wins."""

    title: str
    table: str
    dimension: str
    sound: list[SafeString]
    paper: list[SafeString]
    #: Whether its numbers were made otherwise than planned.
    exploratory: bool = False

    @property
    def first(self) -> SafeString:
        return (self.sound or self.paper)[0]

    @property
    def leading(self) -> list[SafeString]:
        """The sentences that are never folded: how far apart, and how sure that is."""
        return (self.sound or self.paper)[: LEADING if self.is_long else 1]

    @property
    def of_paper(self) -> SafeString | None:
        """The sentence below the leading ones if the rest is folded."""
        return self.paper[0] if self.sound and self.paper and self.is_long else None

    @property
    def is_long(self) -> bool:
        return max(len(self.sound), len(self.paper)) > SENTENCES_SHOWN

    @property
    def rest(self) -> list[tuple[str, list[SafeString]]]:
        """The sentences behind the leading ones, by how they count."""
        n = len(self.leading)
        sound, paper = (self.sound[n:], self.paper) if self.sound else ([], self.paper[n:])
        paper = paper[1:] if self.of_paper else paper
        sides = [("By raters and items", sound), ("By ratings or wins", paper)]
        return [(said, sentences) for said, sentences in sides if sentences]

    @property
    def n_more(self) -> int:
        return sum(len(sentences) for _, sentences in self.rest)


def answers_of(analysis: NewestAnalysis, address: Callable[[str], str]) -> list[ShownFinding]:
    """What a run's tables say, in the order of the report; numbers lead to their tables."""
    return [
        ShownFinding(
            each["title"],
            each["table"],
            each["dimension"],
            sound=[linked(said, address) for said in each["sound"]],
            paper=[linked(said, address) for said in each["paper"]],
            exploratory=each.get("exploratory", False),
        )
        for each in analysis.in_words.get("findings", [])
    ]


def linked(sentence: str, address: Callable[[str], str]) -> SafeString:
    """A stored sentence, in which a number leads to its table instead of to a file.

    `analysis.text` has escaped the sentence.
    """
    return SafeString(CELL.sub(lambda match: f'href="{escape(address(match[1]))}"', sentence))
