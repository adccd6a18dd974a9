"""Tables as they are written to CSV, and numbers in a text that stand in one of their cells.

A cell is named as in RFC 7111: `wins.csv#cell=4,12` is the twelfth column of the fourth row, of
which the header is the first. Pure.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, total_ordering
from html import unescape
from typing import Any

from markupsafe import Markup

from analysis import catalogue
from analysis.catalogue.number_text import count
from analysis.catalogue.spec import TableSpec
from analysis.quality_rules import USUAL_LABELS
from survey.definition.labels import Labels
from survey.files.csv_text import to_text


@total_ordering
@dataclass(frozen=True)
class Cited:
    """A number in a text, and the place it comes from: a cell, or the row or column behind it.

    In HTML it is a link to that place, in a condition of a template it is its `value`.
    """

    text: str
    exact: str
    address: str
    value: Any = field(default=None, repr=False)

    def __html__(self) -> str:
        return Markup('<a href="{}" title="{}">{}</a>').format(self.address, self.exact, self.text)

    def __str__(self) -> str:
        return self.text

    def __bool__(self) -> bool:
        return bool(self.value)

    def __eq__(self, other: object) -> bool:
        return bool(self.value == (other.value if isinstance(other, Cited) else other))

    def __lt__(self, other: "Cited | float") -> bool:
        return bool(self.value < (other.value if isinstance(other, Cited) else other))

    def __hash__(self) -> int:
        return hash(self.value)


#: Words and numbers as HTML, in which each number is a link to its cell.
Sentence = Markup


@dataclass(frozen=True, eq=False)
class Table:
    """The rows of a table in the order of its CSV."""

    name: str
    columns: list[str]
    rows: list[list[Any]]
    labels: Labels = field(default=USUAL_LABELS)

    @property
    def file(self) -> str:
        return f"{self.name}.csv"

    def __iter__(self) -> Iterator["Row"]:
        return (Row(self, place) for place in range(len(self.rows)))

    @cached_property
    def spec(self) -> TableSpec:
        """What its columns are, and what their names are called."""
        return catalogue.table(self.name, self.labels)

    @cached_property
    def places(self) -> dict[str, int]:
        """Where each column stands, from 0."""
        return {column: place for place, column in enumerate(self.columns)}

    def cell(self, place: int, column: str) -> str:
        """The address of a cell; `place` counts rows from 0, without the header."""
        return f"{self.file}#cell={place + 2},{self.places[column] + 1}"


@dataclass(frozen=True)
class Row:
    """One row of a table."""

    table: Table
    place: int

    def __getitem__(self, column: str) -> Any:
        """The value, None where the cell is empty or there is no such column."""
        place = self.table.places.get(column)
        return None if place is None else self.table.rows[self.place][place]

    def text(self, column: str) -> str:
        """What people read in a cell: a label in place of a name."""
        return self.table.spec.column(column).text(self[column])

    @property
    def sides(self) -> tuple[str, str]:
        """The study's two conditions: a difference is the first minus the second."""
        return self.table.labels.a, self.table.labels.b

    def has(self, *columns: str) -> bool:
        """Whether none of these is empty."""
        return all(self[column] is not None for column in columns)

    def cite(self, column: str, form: Callable[[Any], str] | None = None) -> Cited:
        """The number, as the field writes it or as `form` does."""
        value = self[column]
        text = form(value) if form else self.table.spec.column(column).text(value)
        return Cited(text, to_text(value), self.table.cell(self.place, column), value)

    def derive(self, text: str) -> Cited:
        """A number that was computed from this row alone."""
        return Cited(text, text, f"{self.table.file}#row={self.place + 2}")


#: Parts of columns' names that change places when a row is turned: sides, and of signed numbers
#: the ends.
SIDES = {"a": "b", "b": "a"}
ENDS = {"low": "high", "high": "low", "smallest": "largest", "largest": "smallest"}


@dataclass(frozen=True)
class TurnedRow(Row):
    """A row of a − b, read as b − a; each number leads to the cell that it was turned from."""

    @property
    def sides(self) -> tuple[str, str]:
        a, b = super().sides
        return b, a

    def __getitem__(self, column: str) -> Any:
        value = super().__getitem__(self._other(column))
        return 0 - value if value is not None and self.table.spec.is_signed(column) else value

    def cite(self, column: str, form: Callable[[Any], str] | None = None) -> Cited:
        in_cell = Row(self.table, self.place).cite(self._other(column))
        return replace(super().cite(column, form), exact=in_cell.exact, address=in_cell.address)

    def _other(self, column: str) -> str:
        """The column of the row as it is stored."""
        others = SIDES | ENDS if self.table.spec.is_signed(column) else SIDES
        return "_".join(others.get(part, part) for part in column.split("_"))


def turned(row: Row) -> Row:
    """The same row from the other side."""
    return TurnedRow(row.table, row.place)


Tables = Mapping[str, Table]


def read_tables(
    contents: Mapping[str, Mapping[str, Any]], labels: Labels | None = None
) -> dict[str, Table]:
    """Tables as an analysis stores them: {columns, rows} by name."""
    return {
        name: Table(name, list(content["columns"]), list(content["rows"]), labels or USUAL_LABELS)
        for name, content in contents.items()
    }


def rows_of(tables: Tables, name: str, **wanted: Any) -> list[Row]:
    """The rows of a table that have these values; none where there is no such table.

    A column that the table lacks tells nothing apart, and is passed over.
    """
    if name not in tables:
        return []
    table = tables[name]
    asked = {column: value for column, value in wanted.items() if column in table.columns}
    return [row for row in table if all(row[column] == asked[column] for column in asked)]


def those_with(rows: Sequence[Row], *columns: str) -> list[Row]:
    """The rows in which none of these is empty."""
    return [row for row in rows if row.has(*columns)]


def from_column(rows: Sequence[Row], column: str, n: float) -> Cited:
    """A whole number that was computed from a column of these rows."""
    table, text = rows[0].table, count(n)
    return Cited(text, text, f"{table.file}#col={table.columns.index(column) + 1}", n)


@dataclass(frozen=True)
class Some:
    """Some of the rows that could be so; the `column` of all of them shows which are."""

    rows: Sequence[Row]
    among: Sequence[Row]
    column: str

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def n(self) -> Cited:
        """How many they are: a number that stands in no cell, but is counted in a column."""
        return from_column(self.among, self.column, len(self.rows))

    @property
    def of(self) -> Cited:
        """How many could be so."""
        return from_column(self.among, self.column, len(self.among))

    def verb(self, one: str, many: str) -> str:
        """The verb of "1 of 12 comparisons differs", and "0 of 12 differ"."""
        return one if 1 in (len(self.rows), len(self.among)) else many


def plain(sentence: Sentence | str) -> str:
    """A sentence as text; a stored one is text with marks of HTML."""
    return unescape(re.sub("<[^>]*>", "", str(sentence)))


def values(rows: list[Row], column: str) -> list[Any]:
    """What occurs in a column, each once, in order; without empty cells."""
    cells = (row[column] for row in rows)
    return list(dict.fromkeys(value for value in cells if value is not None))


def texts(rows: Sequence[Row], column: str) -> list[str]:
    """The same as people read it."""
    return list(dict.fromkeys(row.text(column) for row in rows if row[column] is not None))
