"""Tidy files checked cell by cell before anything is written. Pure: bytes in, checked values out.

Every problem names file, line, column and reason. Cells that `export` wrote come back as they
were; what it derived (gold, sigma, included, …) is recognised and left to be derived again.
"""

import math
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from typing import Any, TypeVar

from survey.definition.mapping import FileName, MappedTable, StudyMap
from survey.files.apart import read_apart
from survey.files.csv_text import from_text
from survey.files.digits import as_known, as_whole, ascii_number
from survey.files.problems import DefinitionError, Problem, Problems
from survey.files.suggestions import not_among
from survey.files.table_file import Columns, TableFile
from survey.refusals import RequestRefused

#: What fits in the database's integer columns.
LARGEST = 2**31 - 1
LONGEST_NUMBER = 400
NUMBER = re.compile(r"-?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]{1,3})?")
#: What may be meant as a number, though it is none.
LIKE_A_NUMBER = re.compile(r"[-+]?[0-9., '’]+([eE][-+]?[0-9]+)?")
#: With a comma it may be a number with decimals, or a whole one with its thousands set apart.
THOUSANDS = re.compile(r"-?[1-9][0-9]{0,2},[0-9]{3}")

Row = dict[str, str]
R = TypeVar("R")


class ImportRefused(RequestRefused):
    """Files that can't be imported as a whole; what is wrong in a file is a DefinitionError."""

    about = "file"


def read_upload(function: Callable[..., R], data: bytes, file: str, *args: Any, **kwargs: Any) -> R:
    """What a function of `data`, `file`, more and `findings` reads of a file, in a process of its
    own. What is worth knowing is added to `notices`, if that is given. Raises DefinitionError.
    """
    notices: list[str] = kwargs.pop("notices", [])
    value: R
    value, noted = read_apart(file, _checked, function, data, file, *args, **kwargs)
    notices += noted
    return value


def _checked(function: Callable[..., R], *args: Any, **kwargs: Any) -> tuple[R, list[str]]:
    findings = Findings()
    value = function(*args, findings=findings, **kwargs)
    findings.refuse_if_any()
    return value, findings.all_notices


@dataclass
class Findings:
    """What is wrong with the files, and what is merely worth knowing."""

    problems: Problems = field(default_factory=Problems)
    notices: list[str] = field(default_factory=list)
    _unread: dict[str, tuple[TableFile, list[str]]] = field(default_factory=dict)

    def note_unread(self, table: TableFile, columns: Collection[str]) -> None:
        """Note columns that are not read. A file may be read twice, as participants and ratings:
        then a column is unread if neither reads it.
        """
        _, before = self._unread.get(table.file, (table, columns))
        self._unread[table.file] = table, [name for name in columns if name in before]

    @property
    def all_notices(self) -> list[str]:
        """Each notice once, also those of the columns that are not read."""
        unread = [table.notice_of_unread(names) for table, names in self._unread.values() if names]
        return list(dict.fromkeys([*self.notices, *unread]))

    def refuse_if_any(self) -> None:
        """Raise DefinitionError if there is a problem."""
        if self.problems:
            raise DefinitionError(self.problems)


class TidyFile:
    """One file's rows by column name, with a place to note what is wrong with them.

    `kind` is the sheet of a workbook to read, where it has one of that name, and the section of a
    mapping file that says where the file has the columns. `takes_map` is false where none can be
    given.
    """

    def __init__(
        self,
        data: bytes,
        name: str,
        columns: Columns,
        findings: Findings,
        *,
        kind: FileName,
        study_map: StudyMap | None = None,
        takes_map: bool = True,
    ) -> None:
        self.name = name
        self.takes_map = takes_map
        self.findings = findings
        self.columns: list[str] = []
        self.has_decimal_commas = False
        self._zone: tzinfo = UTC
        self._table: MappedTable | None = None
        try:
            file = TableFile(data, file=name, sheet=kind)
            self.has_decimal_commas = file.has_decimal_commas
            self._table = MappedTable(file, columns, section=kind, study_map=study_map)
        except DefinitionError as error:
            findings.problems.extend(error.problems)
            return
        self.columns = self._table.columns
        self._zone = self._table.zone
        findings.note_unread(file, self._table.unread)

    @property
    def is_unnamed(self) -> bool:
        """Whether the names of scenarios are made from their texts."""
        return self._table is not None and self._table.is_unnamed

    def problem(self, line: int, column: str, reason: str, *values: object) -> None:
        """Note what is wrong with a cell, or with a line where `column` is empty.

        `values` fill the places in the reason (`survey.files.problems.Problem`).
        """
        called = self._table.called(column) if self._table else column
        where = f"column {called!r}: " if called else ""
        problem = Problem(self.name, line, 0, reason, values, about=column, where=where)
        self.findings.problems.add(problem)

    def rows(self, *, of: Sequence[str] = ()) -> Iterator[tuple[int, Row]]:
        """Each row with its line. None where the header is wrong already.

        Rows that are empty in all the columns `of` say nothing. They are left out, and counted in a
        notice.
        """
        if self._table is None:
            return
        empty: list[int] = []
        try:
            for line, row in self._table.rows(self.findings.problems, from_text):
                if of and not any(map(row.get, of)):
                    empty.append(line)
                else:
                    yield line, row
        except DefinitionError as error:
            self.findings.problems.extend(error.problems)
        self.findings.notices += self._table.notices
        if empty:
            n, what = len(empty), " and no ".join(of)
            self.findings.notices.append(
                f"{self.name}: {n} {'rows have' if n > 1 else 'row has'} no {what} and "
                f"{'are' if n > 1 else 'is'} left out (first: line {empty[0]})"
            )

    # One function per kind of cell: None where it is empty or wrong.

    def whole(
        self, line: int, row: Row, column: str, *, least: int = 0, most: int = LARGEST
    ) -> int | None:
        """A whole number from `least` to `most`."""
        text = ascii_number(row.get(column, ""))
        if not text:
            return None
        whole = as_whole(self.with_point(text))
        if not re.fullmatch(r"-?[0-9]{1,18}", whole):
            self._no_number(line, column, "{!r} is not a whole number", text)
            return None
        number = int(whole)
        if not least <= number <= most:
            reason = "{} is less than " + str(least)
            if number > most or most < LARGEST:
                reason = f"{{}} is not between {least} and {most}"
            if number < least == 1:
                reason += f"; the first {column} is 1: add 1 to all if the file counts from 0"
            self.problem(line, column, reason, text)
            return None
        return number

    def _no_number(self, line: int, column: str, reason: str, text: str) -> None:
        """Note a text that is no number: one with words, or a range, may stand for nothing."""
        if self.takes_map and not LIKE_A_NUMBER.fullmatch(text):
            reason += "; a mapping file can rename values, or empty them (null), under values."
            reason += column
        self.problem(line, column, reason, text)

    def number(
        self, line: int, row: Row, column: str, *, least: float = 0, most: float = math.inf
    ) -> float | None:
        """A finite number from `least` to `most`."""
        text = ascii_number(row.get(column, ""))
        if not text:
            return None
        plain = self.with_point(text)
        if "," in plain and self.has_decimal_commas:
            self.problem(line, column, "{!r} is not a number with one decimal comma", text)
            return None
        # The pattern takes quadratic time where a cell of digits ends with something else.
        is_number = len(plain) <= LONGEST_NUMBER and NUMBER.fullmatch(plain)
        number = float(plain) if is_number else math.nan
        if not math.isfinite(number):
            self._no_number(line, column, "{!r} is not a number", text)
            return None
        if plain != text and THOUSANDS.fullmatch(text):
            whole = int(text.replace(",", ""))
            if least <= whole <= most:
                reason = "{!r} may mean {} or {}; write it with a decimal point"
                self.problem(line, column, reason, text, plain, whole)
                return None
        if not least <= number <= most:
            bounds = f"less than {least:g}" if number < least else f"more than {most:g}"
            if math.isfinite(least) and math.isfinite(most):
                bounds = f"not between {least:g} and {most:g}"
            self.problem(line, column, f"{{}} is {bounds}", text)
            return None
        return number

    def with_point(self, text: str) -> str:
        """A number in ASCII with a decimal point, where the file may have commas for them."""
        return self._table.table.with_point(text) if self._table else text

    def time(self, line: int, row: Row, column: str) -> datetime | None:
        """An ISO 8601 time; without an offset it is in the file's time zone, else UTC."""
        text = row.get(column, "")
        if not text:
            return None
        try:
            time = datetime.fromisoformat(text)
            in_utc = (time if time.tzinfo else time.replace(tzinfo=self._zone)).astimezone(UTC)
        except (ValueError, OverflowError):
            time = None
        if time is None or not re.match(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}", text):
            reason = "{!r} is not an ISO 8601 time such as 2026-03-01T14:05:00Z"
            self.problem(line, column, reason, text)
            return None
        return in_utc

    def choice(self, line: int, row: Row, column: str, known: Collection[str]) -> str | None:
        """One of `known`; a problem suggests the nearest for any other text."""
        text = as_known(row.get(column, ""), known)
        if text in known:
            return text
        self.problem(line, column, not_among(text, known), text)
        return None
