"""Stored tables: rows by column, and helpers that several pages use."""

import re
from collections.abc import Container, Hashable, Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any, TypeVar

from analysis import catalogue
from analysis.catalogue.spec import Column
from survey.definition.labels import POOLED, Labels

Row = dict[str, Any]


T = TypeVar("T", bound=Hashable)


@dataclass(frozen=True)
class StoredTable:
    """A table that an analysis stored: each row by column."""

    columns: list[str]
    rows: list[Row]

    @classmethod
    def from_content(cls, content: dict[str, Any]) -> "StoredTable":
        """Read what `Result.content` holds: {columns, rows}."""
        columns = list(content["columns"])
        return cls(columns, [dict(zip(columns, row, strict=True)) for row in content["rows"]])

    def labelled(self, labels: Labels, name: str) -> "StoredTable":
        """The table called `name` as people read it: with labels for names of the study, but for
        `all`, which pools them.
        """
        spec = catalogue.table(name, labels)
        named = [column for column in map(spec.column, self.columns) if column.is_of_study]
        return StoredTable(self.columns, [row | _in_words(row, named) for row in self.rows])

    def grouped(self, column: str) -> list[tuple[Any, list[Row]]]:
        """Neighbouring rows with the same value in `column`, together."""
        return [(key, list(rows)) for key, rows in groupby(self.rows, lambda row: row[column])]


def _in_words(row: Row, named: Iterable[Column]) -> Row:
    return {
        column.name: column.text(row[column.name])
        for column in named
        if row[column.name] not in (None, "", POOLED)
    }


def abbreviations(a: str, b: str) -> tuple[str, str]:
    """Two conditions' initials (Zero-shot → ZS), or their labels where the initials agree."""
    short_a, short_b = (
        "".join(word[0] for word in re.split(r"[\W_]+", name) if word).upper() for name in (a, b)
    )
    return (short_a, short_b) if short_a != short_b else (a, b)


def in_order(names: Iterable[T]) -> list[T]:
    """Each name once, in the order of first appearance."""
    return list(dict.fromkeys(names))


@dataclass(frozen=True)
class SortableColumn:
    """A column that a table can be sorted by. `direction` is how it is sorted now, or empty."""

    label: str
    is_number: bool
    direction: str
    #: What the address has to say to sort by it, or the other way round.
    sort: str


def sortable_columns(
    labels: Mapping[str, str], *, texts: Container[str], sort: str
) -> list[SortableColumn]:
    """Columns by name with their labels; `sort` is the name sorted by, with a minus if down."""
    columns = []
    for name, label in labels.items():
        direction = {name: "ascending", f"-{name}": "descending"}.get(sort, "")
        other_way = f"-{name}" if direction == "ascending" else name
        columns.append(SortableColumn(label, name not in texts, direction, other_way))
    return columns
