"""Questions of a page of results: each with its answer, its figures and its table."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.html import escape
from django.utils.safestring import SafeString

from analysis import catalogue
from analysis.catalogue.spec import Column, FigureSpec, TableSpec
from dashboard.shared.newest_analysis import NewestAnalysis
from dashboard.shared.result_tables import RecipeAgreement, ResultTable

#: So many sentences of an answer are shown; more are folded, but for the first.
SENTENCES_SHOWN = 4
#: What speaks of a and b: a heading with their names, and a meaning for files.
SIDES = re.compile(r"\{[ab]\}|a − b|condition [ab]\b|^ a, b")
#: The name of a column in the meaning of another.
NAME = re.compile(r"\b[a-z]+(?:_[a-z]+)+\b")
#: The cell of a CSV that a number of a sentence comes from.
CELL = re.compile(r'href="(\w+)\.csv#[^"]*"')


@dataclass(frozen=True)
class ResultSection:
    """A table on a page, and where its rows are as CSV."""

    shown: ResultTable
    compared: RecipeAgreement | None
    csv: str
    #: The tables with these rows: one, and that of all raters if both are shown.
    files: list[str]
    lacking: list[tuple[str, str]]


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
    def of_paper(self) -> SafeString | None:
        """The sentence below the first if the rest is folded."""
        return self.paper[0] if self.sound and self.paper and self.is_long else None

    @property
    def is_long(self) -> bool:
        return max(len(self.sound), len(self.paper)) > SENTENCES_SHOWN

    @property
    def rest(self) -> list[tuple[str, list[SafeString]]]:
        """The sentences behind the first, by how they count."""
        sound, paper = (self.sound[1:], self.paper) if self.sound else ([], self.paper[1:])
        paper = paper[1:] if self.of_paper else paper
        sides = [("By raters and items", sound), ("By ratings or wins", paper)]
        return [(said, sentences) for said, sentences in sides if sentences]

    @property
    def n_more(self) -> int:
        return sum(len(sentences) for _, sentences in self.rest)


@dataclass(frozen=True)
class Question:
    """A question, what answers it, and how."""

    about: TableSpec
    answers: list[ShownFinding]
    figures: list[FigureSpec]
    #: None where the filters leave no row, or there is no such table.
    section: ResultSection | None
    why_absent: str
    #: Of each recipe, how it computed the table.
    methods: list[tuple[str, SafeString]]
    columns: list[tuple[str, str]]


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


def _is_explained(column: Column, columns: Sequence[str]) -> bool:
    """Whether a page has a meaning to give: an interval is in the cell of its number."""
    return column.page and bool(column.meaning) and column.of not in columns


def _with_headings(about: TableSpec, meaning: str) -> str:
    """A meaning in which columns are called as on the page."""
    headings = {column.name: f"“{column.heading}”" for column in about.columns}
    return NAME.sub(lambda match: headings.get(match[0], match[0]), meaning)


def question(
    analysis: NewestAnalysis,
    about: TableSpec,
    *,
    address: Callable[[str], str],
    answers: list[ShownFinding],
    figures: Mapping[str, list[FigureSpec]],
    section: ResultSection | None,
    columns: Sequence[str] = (),
) -> Question:
    """What a table with these columns answers, and all that belongs to it."""
    methods: dict[str, Any] = analysis.in_words.get("methods", {}).get(about.name, {})
    declared = catalogue.tables()[about.name]
    shown = [name for name in columns if _is_explained(about.column(name), columns)]
    return Question(
        about=about,
        answers=[answer for answer in answers if answer.table == about.name],
        figures=figures.get(about.name, []),
        section=section,
        why_absent=analysis.not_available.get(about.name, "") if section is None else "",
        methods=[(recipe, linked(said, address)) for recipe, said in methods.items()],
        columns=[
            (about.column(name).heading, _with_headings(about, about.column(name).meaning))
            for name in shown
            if not SIDES.search(f"{declared.column(name).label} {about.column(name).meaning}")
        ],
    )
