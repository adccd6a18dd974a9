"""Tables as they are written to CSV, and numbers in a text that stand in one of their cells.

A cell is named as in RFC 7111: `wins.csv#cell=4,12` is the twelfth column of the fourth row, of
which the header is the first. Pure.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from analysis import catalogue
from analysis.catalogue.number_text import count, p_letter
from analysis.catalogue.spec import TableSpec
from survey.csv_text import to_text


@dataclass(frozen=True)
class Cited:
    """A number in a text, and the place it comes from: a cell, or the row or column behind it."""

    text: str
    exact: str
    address: str


#: Words and numbers.
Sentence = tuple[str | Cited, ...]


@dataclass(frozen=True, eq=False)
class Table:
    """The rows of a table in the order of its CSV."""

    name: str
    columns: list[str]
    rows: list[list[Any]]

    @property
    def file(self) -> str:
        return f"{self.name}.csv"

    def __iter__(self) -> Iterator["Row"]:
        return (Row(self, place) for place in range(len(self.rows)))

    @cached_property
    def spec(self) -> TableSpec:
        """What its columns are."""
        return catalogue.table(self.name)

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

    def has(self, *columns: str) -> bool:
        """Whether none of these is empty."""
        return all(self[column] is not None for column in columns)

    def cite(self, column: str, form: Callable[[Any], str] | None = None) -> Cited:
        """The number, as the field writes it or as `form` does."""
        value = self[column]
        text = form(value) if form else self.table.spec.column(column).text(value)
        return Cited(text, to_text(value), self.table.cell(self.place, column))

    def derive(self, text: str) -> Cited:
        """A number that was computed from this row alone."""
        return Cited(text, text, f"{self.table.file}#row={self.place + 2}")

    def p(self, column: str = "p") -> Sentence:
        """ "p = .004": the letter, and the number with its cell."""
        number = self.cite(column)
        return (p_letter(number.text), number)


Tables = Mapping[str, Table]


def read_tables(contents: Mapping[str, Mapping[str, Any]]) -> dict[str, Table]:
    """Tables as an analysis stores them: {columns, rows} by name."""
    return {
        name: Table(name, list(content["columns"]), list(content["rows"]))
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


def from_column(rows: list[Row], column: str, text: str) -> Cited:
    """A number that was computed from a column of these rows."""
    table = rows[0].table
    return Cited(text, text, f"{table.file}#col={table.columns.index(column) + 1}")


def counted(rows: list[Row], column: str) -> Cited:
    """How many rows there are: a number that stands in no cell, but is counted in a column."""
    return from_column(rows, column, count(len(rows))) if rows else Cited("0", "0", "")


def counted_of(part: list[Row], whole: list[Row], column: str) -> Cited:
    """How many of some rows are such; the column of all of them shows which."""
    return from_column(whole, column, count(len(part)))


def plain(sentence: Sentence) -> str:
    """A sentence as text."""
    return "".join(part if isinstance(part, str) else part.text for part in sentence)


def values(rows: list[Row], column: str) -> list[Any]:
    """What occurs in a column, each once, in order; without empty cells."""
    found = (row[column] for row in rows)
    return list(dict.fromkeys(value for value in found if value is not None))
