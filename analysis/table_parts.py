"""Tables with a row for each rater, cut so that a page reads only the rows that it shows. Pure.

Beside the table a run keeps a list of its parts, and the rows of each part. Within a part all rows
have the same value in each column that a page chooses rows by.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Any, Self

from analysis import catalogue
from analysis.catalogue.columns import PARTICIPANT
from survey.batched import batched

#: Most rows of a part, and of a table that is not cut.
ROWS_IN_PART = 1000
Rows = Sequence[Sequence[Any]]


@dataclass(frozen=True)
class CutPart:
    """How many rows a part has, and two rows like them: a column that has a value in any has one in
    the first, and a column that differs in any differs between the two.
    """

    n: int
    examples: list[list[Any]]


@dataclass(frozen=True)
class TableParts:
    """The columns of a table that is cut, and its parts in order."""

    columns: list[str]
    parts: list[CutPart]

    @classmethod
    def read(cls, content: Mapping[str, Any]) -> Self:
        return cls(content["columns"], [CutPart(**part) for part in content["parts"]])


def name_of_parts(table: str) -> str:
    """What a run calls the list of a table's parts."""
    return f"{table}: parts"


def name_of_part(table: str, place: int) -> str:
    """What a run calls the rows of a part."""
    return f"{table}: part {place}"


def cut(table: str, content: Mapping[str, Any]) -> dict[str, Any]:
    """The parts of a table {columns, rows} by what a run calls them; none where the table is short,
    is on no page or has no row for each rater.
    """
    columns, rows = list(content["columns"]), content["rows"]
    spec = catalogue.table(table)
    keys = [column.name for column in spec.columns if column.is_key]
    if not spec.subject or PARTICIPANT.name not in keys or len(rows) <= ROWS_IN_PART:
        return {}
    kept: dict[str, Any] = {}
    parts: list[CutPart] = []
    for part in _parts(rows, chosen_by(table, columns)):
        kept[name_of_part(table, len(parts))] = part
        parts.append(CutPart(len(part), _examples(part)))
    return {name_of_parts(table): asdict(TableParts(columns, parts)), **kept}


def chosen_by(table: str, columns: Sequence[str]) -> list[int]:
    """The places of the columns that a page chooses a table's rows by."""
    spec = catalogue.table(table)
    return [
        place for place, name in enumerate(columns) if name == "recipe" or spec.column(name).choice
    ]


def _parts(rows: Rows, places: Sequence[int]) -> Iterator[list[Sequence[Any]]]:
    for _, alike in groupby(rows, lambda row: [row[place] for place in places]):
        yield from batched(alike, ROWS_IN_PART)


def _examples(rows: Rows) -> list[list[Any]]:
    first, second = [], []
    for values in zip(*rows, strict=True):
        given = next((value for value in values if value not in (None, "")), values[0])
        first.append(given)
        second.append(next((value for value in values if value != given), given))
    return [first, second]
