"""Answers that have to be options of their question. Pure."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from dashboard.importing.files import TidyFile
from survey.files.problems import listed
from survey.files.suggestions import escaped, nearest

#: What Prolific writes for a person who took back the consent to share an answer, and for an
#: answer that is too old: the answer is missing.
REVOKED, EXPIRED = "CONSENT_REVOKED", "DATA_EXPIRED"
#: Between several answers to one question.
SEVERAL = ";"
#: Wrong answers that a message quotes.
QUOTED = 5


@dataclass(frozen=True)
class Options:
    """What a question may be answered with; `several` of it, if there may be more than one answer.
    `also` are answers that mean the same as an option, or stand for several ones. Where they are
    `open`, others are taken as they are written.
    """

    options: Sequence[str]
    several: bool = False
    also: Sequence[str] = ()
    open: bool = False

    @cached_property
    def _by_plain(self) -> dict[str, str]:
        return {_plain(option): option for option in (*self.also, *self.options)}

    def answer(self, text: str) -> str | None:
        """An answer as the study writes it, whatever its capitals and spaces; None if it is no
        option.
        """
        whole = self._by_plain.get(_plain(text))
        if whole is not None or not self.several:
            return text if whole is None and self.open else whole
        each = [self._by_plain.get(_plain(part)) for part in text.split(SEVERAL)]
        if None in each:
            return None
        return f"{SEVERAL} ".join(one for one in self.options if one in each)


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


@dataclass
class WrongAnswers:
    """Answers of a column that are no options of its question, and the first line with one."""

    line: int
    counts: Counter[str] = field(default_factory=Counter)

    def refuse(self, table: TidyFile, column: str, options: Options) -> None:
        """Note one problem, with all answers and how many rows have each."""
        said = []
        for text, n in self.counts.most_common(QUOTED):
            near = nearest(text, options.options)
            meant = f"; did you mean {near!r}?" if near else ""
            said.append(f"{text!r} ({n} {'row' if n == 1 else 'rows'}{meant})")
        if more := len(self.counts) - len(said):
            said.append(f"{more} more")
        reason = (
            f"no {'options' if len(self.counts) > 1 else 'option'} of the question: "
            f"{', '.join(said)}. It has {listed(options.options)}; a mapping file can rename "
            f"answers, under values.{column}"
        )
        table.problem(self.line, column, escaped(reason))
