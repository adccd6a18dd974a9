"""Tidy files checked cell by cell before anything is written. Pure: bytes in, checked values out.

Every problem names file, line, column and reason. Cells that `export` wrote come back as they
were; what it derived (gold, sigma, included, …) is recognised and left to be derived again.
"""

import difflib
import math
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime

from survey.csv_text import from_text
from survey.definition.csv_file import CsvFile
from survey.definition.problems import DefinitionError, Problem

SHOWN_PROBLEMS = 20
#: What fits in the database's integer columns.
LARGEST = 2**31 - 1
NUMBER = re.compile(r"-?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]{1,3})?")

Row = dict[str, str]


class ImportRefused(Exception):
    """Files that can't be imported; the message lists the first problems."""


@dataclass
class Findings:
    """What is wrong with the files, and what is merely worth knowing."""

    problems: list[Problem] = field(default_factory=list)
    more: int = 0
    notices: list[str] = field(default_factory=list)

    def add(self, problem: Problem) -> None:
        """Note a problem; only the first ones are kept, the others are counted."""
        if len(self.problems) < SHOWN_PROBLEMS:
            self.problems.append(problem)
        else:
            self.more += 1

    def refuse_if_any(self) -> None:
        """Raise ImportRefused if there is a problem."""
        if self.problems:
            lines = [str(problem) for problem in self.problems]
            if self.more:
                lines.append(f"and {self.more} more")
            raise ImportRefused("\n".join(lines))


@dataclass(frozen=True)
class Columns:
    """What a file has to have, may have, and may have but is not read."""

    required: Collection[str]
    optional: Collection[str] = ()
    ignored: Collection[str] = ()


class TidyFile:
    """One file's rows by column name, with a place to note what is wrong with them."""

    def __init__(self, data: bytes, name: str, columns: Columns, findings: Findings) -> None:
        self.name = name
        self.findings = findings
        self.columns: list[str] = []
        self._file: CsvFile | None = None
        try:
            self._file = CsvFile(data, file=name)
        except DefinitionError as error:
            self._take(error)
            return
        self.columns = self._file.columns
        if len(self.columns) == 1 and re.search(r"[;\t]", self.columns[0]):
            self.problem(1, "", "columns have to be separated by commas")
            self._file = None
        else:
            self._check_header(columns)

    def _check_header(self, columns: Columns) -> None:
        known = {*columns.required, *columns.optional, *columns.ignored}
        absent = known - set(self.columns)
        usable = True
        for name in self.columns:
            if name in known:
                continue
            near = difflib.get_close_matches(name, absent, n=1, cutoff=0.8)
            if near:
                self.problem(1, "", f"column {name!r} is unknown; is it meant to be {near[0]!r}?")
                absent.discard(near[0])
                usable = False
            else:
                self.findings.notices.append(f"{self.name}: column {name!r} is ignored")
        for name in columns.required:
            if name in absent:
                self.problem(1, "", f"column {name!r} is missing")
                usable = False
        if not usable:
            self._file = None

    def problem(self, line: int, column: str, reason: str) -> None:
        """Note what is wrong with a cell, or with a line where `column` is empty."""
        message = f"column {column!r}: {reason}" if column else reason
        self.findings.add(Problem(self.name, line, 0, message))

    def rows(self) -> Iterator[tuple[int, Row]]:
        """Each row with its line. None where the header is wrong already."""
        if self._file is None:
            return
        columns = self.columns
        try:
            for line, cells in self._file.records():
                if len(cells) == len(columns):
                    yield line, dict(zip(columns, map(from_text, cells), strict=True))
                else:
                    reason = f"{len(cells)} cells where the header has {len(columns)}"
                    self.problem(line, "", reason)
        except DefinitionError as error:
            self._take(error)

    def _take(self, error: DefinitionError) -> None:
        for problem in error.problems:
            self.findings.add(problem)

    # One function per kind of cell: None where it is empty or wrong.

    def whole(
        self, line: int, row: Row, column: str, *, least: int = 0, most: int = LARGEST
    ) -> int | None:
        """A whole number from `least` to `most`."""
        text = row.get(column, "")
        if not text:
            return None
        if not re.fullmatch(r"-?[0-9]{1,18}", text):
            self.problem(line, column, f"{text!r} is not a whole number")
            return None
        number = int(text)
        if not least <= number <= most:
            self.problem(line, column, f"{text} is not between {least} and {most}")
            return None
        return number

    def number(
        self, line: int, row: Row, column: str, *, least: float = 0, most: float = math.inf
    ) -> float | None:
        """A finite number from `least` to `most`."""
        text = row.get(column, "")
        if not text:
            return None
        number = float(text) if NUMBER.fullmatch(text) else math.nan
        if not math.isfinite(number):
            self.problem(line, column, f"{text!r} is not a number")
            return None
        if number < least:
            self.problem(line, column, f"{text} is less than {least:g}")
            return None
        if number > most:
            self.problem(line, column, f"{text} is more than {most:g}")
            return None
        return number

    def time(self, line: int, row: Row, column: str) -> datetime | None:
        """An ISO 8601 time; without an offset it is UTC."""
        text = row.get(column, "")
        if not text:
            return None
        try:
            time = datetime.fromisoformat(text)
            in_utc = time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
        except (ValueError, OverflowError):
            time = None
        if time is None or not re.match(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}", text):
            example = "2026-03-01T14:05:00Z"
            self.problem(line, column, f"{text!r} is not an ISO 8601 time such as {example}")
            return None
        return in_utc

    def choice(self, line: int, row: Row, column: str, known: Collection[str]) -> str | None:
        """One of `known`; the nearest is named where it is none of them."""
        text = row.get(column, "")
        if text in known:
            return text
        self.problem(line, column, not_among(text, known))
        return None


def not_among(text: str, known: Collection[str]) -> str:
    """Why a name can't be used, with the nearest known one or all of a few."""
    if not text:
        return "is empty"
    near = difflib.get_close_matches(text, known, n=1, cutoff=0.6)
    if near:
        return f"{text!r} is unknown; is it meant to be {near[0]!r}?"
    few = ", ".join(repr(name) for name in list(known)[:8])
    return f"{text!r} is unknown; known are {few}{', …' if len(known) > 8 else ''}"
