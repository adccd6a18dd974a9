"""A table from a file: CSV with commas, semicolons, tabs or bars, or an Excel workbook."""

import csv
import io
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain, islice

from survey.files.digits import ascii_number
from survey.files.encoding import decode
from survey.files.names import one_name
from survey.files.problems import ENOUGH, DefinitionError, Problem, Problems, listed
from survey.files.qualtrics import Qualtrics, has_its_columns, read_further_headers
from survey.files.suggestions import COLUMNS_ALIKE, SYNONYMS, nearest, synonym
from survey.files.workbook import is_workbook, read_workbook
from survey.files.workbook_parts import MOST_COLUMNS

DELIMITERS = ",;\t"
#: Names may have it in them, so it is between columns only where nothing else is.
RARE_DELIMITER = "|"
_BETWEEN = "commas, semicolons, tabs or |"
#: Of a CSV file; columns are as many as in a workbook. No study has nearly as many.
MOST_LINES = 10_000_000
LONGEST_LINE = 5_000_000
#: Columns of names and numbers; how a column of texts is called says little.
NAMED = [name for name in SYNONYMS if name != "response"]
#: Rows that are looked at to see what columns have.
FIRST = 1000
_SEPARATOR = re.compile(r"\ufeff?\"?sep=([,;\t|])\"?[,;\t ]*(?=[\r\n])", re.IGNORECASE)
DECIMAL_COMMA = re.compile(r"-?[0-9]*,[0-9]+")
#: The first bytes of other kinds of files, and what these are called.
OTHER_KINDS = {
    b"%PDF": "a PDF document",
    b"\x89PNG": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"GIF8": "a GIF image",
    b"\x1f\x8b": "a gzip archive",
    b"7z\xbc\xaf": "a 7z archive",
    b"Rar!": "a RAR archive",
    b"SQLite format 3": "an SQLite database",
    b"PAR1": "a Parquet file",
    b"$FL2": "an SPSS file",
    b"<stata_dta": "a Stata file",
    b"<!DOCTYPE": "a web page",
    b"<html": "a web page",
    b"{": "a JSON file",
    b"[": "a JSON file",
}

#: The line that a record starts on (of a workbook: its row), and its cells.
Record = tuple[int, list[str]]


@dataclass(frozen=True)
class Columns:
    """The required and optional columns of a table, and known columns that are not read.

    `numbered` is the beginning of the names of numbered columns: `call_` for `call_1`, `call_2`.
    `made_from` are required columns that can be made from another one, which is then needed.
    `hints` say of required columns what to do where they are missing. `presumed` are optional
    columns without which a column of a similar name is a problem.
    """

    required: Collection[str]
    optional: Collection[str] = ()
    ignored: Collection[str] = ()
    numbered: str = ""
    made_from: Mapping[str, str] = field(default_factory=dict)
    hints: Mapping[str, str] = field(default_factory=dict)
    presumed: Collection[str] = ()

    def knows(self, name: str) -> bool:
        """Whether a table may have the column."""
        everything = (*self.required, *self.optional, *self.ignored)
        return name in everything or self.is_numbered(name)

    def means(self, name: str) -> bool:
        """Whether a name is that of a column, or one that other tools give to it."""
        return self.knows(name.lower()) or bool(synonym(name, list(NAMED)))

    def may_lack(self, names: Collection[str]) -> "Columns":
        """The same columns, of which some need not be there. A file that has several models or
        conditions, and calls the column otherwise, would seem to be about the only one.
        """
        also = [name for name in self.required if name in names]
        required = [name for name in self.required if name not in names]
        presumed = [name for name in also if name in ("model", "condition")]
        optional = [*self.optional, *also]
        return replace(self, required=required, optional=optional, presumed=presumed)

    def is_numbered(self, name: str) -> bool:
        """Whether it is one of the numbered columns."""
        return bool(self.numbered and re.fullmatch(re.escape(self.numbered) + "[0-9]+", name))


class TableFile:
    """A table's header and records, read from bytes. A record can span lines.

    `sheet` is the sheet to read of a workbook; if there is none of that name, the first is read.
    An export of Qualtrics has further rows of headers; they are not records. Raises DefinitionError
    for a file that is no table, is not UTF-8, contains a NUL, has no header, or has a column twice.
    """

    def __init__(self, data: bytes, *, file: str, sheet: str = "") -> None:
        self.file = file
        self.notices: list[str] = []
        self.has_decimal_commas = False
        self._resembles: dict[str, str] = {}
        self._records = self._read(data, sheet)
        with_cells = (record for record in self._records if any(map(str.strip, record[1])))
        self.header_line, header = next(with_cells, (1, []))
        self._width = len(header)
        while header and not header[-1].strip():
            header.pop()
        if len(header) > MOST_COLUMNS:
            message = f"the header has {len(header):,} columns, more than {MOST_COLUMNS:,}"
            raise DefinitionError([Problem(file, self.header_line, 0, message)])
        self.columns = [one_name(name.strip()) for name in header]
        if not self.columns:
            raise DefinitionError([Problem(file, self.header_line, 0, "there is no header")])
        twice = sorted(name for name, n in Counter(self.columns).items() if n > 1)
        if twice:
            raise DefinitionError(
                Problem(file, self.header_line, 0, f"column {name!r} appears twice")
                if name
                else Problem(file, self.header_line, 0, "several columns have no name")
                for name in twice
            )
        self.qualtrics: Qualtrics | None = None
        if has_its_columns(self.columns):
            self.qualtrics, self._records = read_further_headers(
                self._records, self.columns, file=file
            )
        if self.qualtrics:
            self.notices.append(self.qualtrics.notice)

    def _read(self, data: bytes, sheet: str) -> Iterator[Record]:
        if not data.strip():
            raise DefinitionError([Problem(self.file, 0, 0, "the file is empty")])
        if is_workbook(data):
            records, self.notices = read_workbook(data, file=self.file, sheet=sheet)
            return records
        for beginning, kind in OTHER_KINDS.items():
            if data.startswith(beginning):
                message = f"this is {kind}; give a table as .csv, .tsv or .xlsx"
                raise DefinitionError([Problem(self.file, 0, 0, message)])
        if max(data.count(b"\n"), data.count(b"\r")) > MOST_LINES:
            message = f"the file has more than {MOST_LINES:,} lines; give it in several files"
            raise DefinitionError([Problem(self.file, 0, 0, message)])
        text = decode(data, file=self.file, how="in Excel: “CSV UTF-8”")
        said = separator_line(text)
        delimiter = said[-1] if said else delimiter_of(text)
        self.has_decimal_commas = delimiter != ","
        return _csv_records(data, self.file, delimiter, skip=1 if said else 0)

    def rename(self, ours: Mapping[str, str]) -> None:
        """Call columns as `ours` says by their names, of which capitals make no difference where no
        column has the very name. Raises DefinitionError if two may be meant.
        """
        new: dict[str, str] = {}
        problems = []
        for theirs, name in ours.items():
            alike = [one for one in self.columns if one.casefold() == theirs.casefold()]
            meant = [theirs] if theirs in alike else alike
            others = [one for one in self.columns if one == name and one not in meant]
            if len(meant + others) > 1:
                message = f"{listed(meant + others)} may each be {theirs!r}; remove or rename one"
                problems.append(Problem(self.file, self.header_line, 0, message))
            new |= dict.fromkeys(meant, name)
        if problems:
            raise DefinitionError(problems)
        self.columns = [new.get(name, name) for name in self.columns]

    def records(self, problems: Problems) -> Iterator[Record]:
        """Records that are not empty, each with the line it starts on. Can be read once.

        Programs leave out cells at the end of a record that are empty. Records with too many cells
        are added to `problems` instead. Reading ends when
        `problems.are_enough`, with one more problem that says so. Raises DefinitionError if the
        file is not valid CSV.
        """
        named = len(self.columns)
        for line, cells in self._records:
            if problems.are_enough:
                message = f"line {line} and all after it were not read, after {ENOUGH:,} problems"
                problems.add(Problem(self.file, 0, 0, message))
                return
            if not any(map(str.strip, cells)):
                continue
            if len(cells) > self._width and any(map(str.strip, cells[self._width :])):
                message = "{} cells where the header has {}"
                problems.add(Problem(self.file, line, 0, message, (len(cells), self._width)))
            elif any(map(str.strip, cells[named:])):
                message = "{!r} is in a column without a name"
                unnamed = next(filter(None, cells[named:]))
                problems.add(Problem(self.file, line, 0, message, (unnamed,)))
            else:
                yield line, [*cells, *[""] * (named - len(cells))][:named]

    def first_rows(self) -> list[list[str]]:
        """The cells of some records from the first on, which are not read by it."""
        first = list(islice(self._records, FIRST))
        self._records = chain(first, self._records)
        width = len(self.columns)
        rows = [[*cells, *[""] * width][:width] for _, cells in first]
        return [cells for cells in rows if any(map(str.strip, cells))]

    def with_point(self, text: str) -> str:
        """A number in ASCII with a decimal point, where the file may have commas for them."""
        text = ascii_number(text)
        is_decimal = self.has_decimal_commas and DECIMAL_COMMA.fullmatch(text)
        return text.replace(",", ".") if is_decimal else text

    def header_problems(
        self,
        columns: Columns,
        *,
        elsewhere: Mapping[str, str] = {},
        ignored: Collection[str] = (),
    ) -> tuple[list[Problem], list[str]]:
        """Problems of the names of the columns, and the names of those that are not read.

        `elsewhere` are columns that the file need not have under their own names, each with the
        file's column that has it (empty if none has); `ignored` are columns that are not read
        whatever they are called. A further column whose name resembles that of
        a missing one is a problem; a notice points out what else it resembles.
        """
        sources = {*elsewhere.values(), *ignored}
        own = {name for name in self.columns if name not in sources and name not in elsewhere}
        known = dict.fromkeys([*columns.required, *columns.optional])
        absent = [name for name in known if name not in own and name not in elsewhere]
        problems, unread = [], []
        for name in self.columns:
            if name in sources or (name in own and columns.knows(name)):
                continue
            missing = [one for one in absent if one in (*columns.required, *columns.presumed)]
            near = synonym(name, missing) or nearest(name, missing, alike=COLUMNS_ALIKE)
            if near is not None:
                message = f"column {name!r} is unknown; did you mean {near!r}?"
                problems.append(Problem(self.file, self.header_line, 0, message))
                absent.remove(near)
                continue
            unread.append(name)
            if near := nearest(name, absent, alike=COLUMNS_ALIKE):
                self._resembles[name] = near
        there = {*own, *elsewhere}
        missing = [
            name
            for name in columns.required
            if name in absent and columns.made_from.get(name) not in there
        ]
        if missing:
            message = f"column {missing[0]!r} is missing"
            if len(missing) > 1:
                has = listed(self.columns)
                if len(self.columns) == 1:
                    has = f"one column, {has}; put {_BETWEEN} between columns"
                message = f"columns {listed(missing)} are missing; the file has {has}"
            hints = [columns.hints[name] for name in missing if name in columns.hints]
            message = "; ".join((message, *hints))
            problems.append(Problem(self.file, self.header_line, 0, message))
        return problems, unread

    def notice_of_unread(self, names: list[str]) -> str:
        """That some columns are ignored, with what may be meant by them."""
        some = listed(names)
        message = (
            f"column {some} is ignored"
            if len(names) == 1
            else f"{len(names)} columns are ignored: {some}"
        )
        if near := {name: self._resembles[name] for name in names if name in self._resembles}:
            meant = listed([*near.values()])
            of = f", by {listed([*near])}," if len(names) > 1 else ""
            message += f"; did you mean{of} {meant}?"
        return str(Problem(self.file, self.header_line, 0, message))


def separator_line(text: str) -> str:
    """`sep=;`, if it is the first line of a text: Excel writes and reads it. Else nothing."""
    first = _SEPARATOR.match(text)
    return f"sep={first[1]}" if first else ""


def delimiter_of(text: str) -> str:
    """The most frequent of `DELIMITERS` in the header, or `|` if it has none of them."""
    unquoted = re.sub(r'"[^"]*"', "", text[:100_000]).lstrip("\r\n")
    header = re.split(r"[\r\n]", unquoted, maxsplit=1)[0]
    delimiter = max(DELIMITERS, key=header.count)
    return delimiter if delimiter in header or RARE_DELIMITER not in header else RARE_DELIMITER


def _csv_records(data: bytes, file: str, delimiter: str, skip: int) -> Iterator[Record]:
    """The records of a CSV file in UTF-8, of which a few are in memory at a time; `skip` lines are
    no records.
    """
    lines = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8-sig", newline="")
    for _ in range(skip):
        lines.readline()
    start = 1 + skip
    reader = csv.reader(_not_too_long(lines, file, start), delimiter=delimiter, strict=True)
    try:
        for cells in reader:
            yield start, cells
            start = reader.line_num + 1 + skip
    except csv.Error as error:
        message = f"not valid CSV: {error}"
        if "end of data" in message or "expected after" in message:
            message += "; in a cell in quotation marks, double those within, and close the last"
        raise DefinitionError([Problem(file, start, 0, message)]) from None


def _not_too_long(lines: Iterable[str], file: str, start: int) -> Iterator[str]:
    for number, line in enumerate(lines, start):
        if len(line) > LONGEST_LINE:
            message = f"the line has more than {LONGEST_LINE:,} characters; is the file a table?"
            raise DefinitionError([Problem(file, number, 0, message)])
        yield line
