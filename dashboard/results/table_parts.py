"""Large tables on pages: the rows that a page shows are read, and no others."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import itemgetter
from typing import Any

from django_tables2.data import TableData
from django_tables2.utils import OrderBy

from analysis.models import AnalysisRun, Result
from analysis.table_parts import CutPart, TableParts, name_of_part, name_of_parts
from dashboard.shared.result_tables import rows_with
from dashboard.shared.stored_tables import Row, StoredTable


@dataclass(frozen=True)
class TableInParts(StoredTable):
    """A table that a run keeps in parts. Its `rows` are examples of the rows: they have the values
    that there are to choose from, and show which columns have values and which differ.
    """

    run: AnalysisRun
    name: str
    parts: Sequence[CutPart]

    def data(self, asked: Mapping[str, str]) -> "RowsOfParts":
        """The rows in which each column has its value."""
        chosen = {
            place: part.n
            for place, part in enumerate(self.parts)
            if rows_with(StoredTable(self.columns, self.by_column(part.examples)), asked)
        }
        return RowsOfParts(self, chosen)

    def rows_of(self, places: Iterable[int]) -> list[list[Any]]:
        """The rows of some parts, in the order of the parts."""
        names = [name_of_part(self.name, place) for place in places]
        kept = self.run.results.filter(kind=Result.Kind.PAGE, name__in=names).order_by()
        by_name = dict(kept.values_list("name", "content"))
        return [row for name in names for row in by_name[name]]

    def by_column(self, rows: Iterable[Sequence[Any]]) -> list[Row]:
        """Rows as pages read them."""
        return [dict(zip(self.columns, row, strict=True)) for row in rows]


class RowsOfParts(TableData):  # type: ignore[misc]  # it has no types
    """Rows of some parts, given by their numbers of rows. Those are read that are shown; sorting
    reads all, and makes no objects of them.
    """

    data: list[list[Any]] | None

    def __init__(self, table: TableInParts, parts: Mapping[int, int]) -> None:
        super().__init__(None)
        self._of, self._parts = table, parts

    def __len__(self) -> int:
        return sum(self._parts.values())

    def __iter__(self) -> Iterator[Row]:
        return iter(self[:])

    def __getitem__(self, which: slice) -> list[Row]:
        if self.data is not None:
            return self._of.by_column(self.data[which])
        first, end, _ = which.indices(len(self))
        starts = dict(zip(self._parts, accumulate(self._parts.values(), initial=0), strict=False))
        read = [
            place
            for place, n in self._parts.items()
            if starts[place] < end and first < starts[place] + n
        ]
        if not read:
            return []
        before = starts[read[0]]
        return self._of.by_column(self._of.rows_of(read)[first - before : end - before])

    def order_by(self, aliases: Iterable[str]) -> None:
        """As lists are sorted: what is missing is less than all else."""
        self.data = self._of.rows_of(self._parts)
        for alias in reversed(list(aliases)):
            column = self.table.columns[OrderBy(alias).bare]
            is_other_way = alias[0] != column.order_by_alias[0]
            for by in reversed(column.order_by.opposite if is_other_way else column.order_by):
                if by.bare in self._of.columns:
                    place = self._of.columns.index(by.bare)
                    self.data = _sorted(self.data, place, is_descending=by.is_descending)


def _sorted(rows: list[list[Any]], place: int, *, is_descending: bool) -> list[list[Any]]:
    missing = [row for row in rows if row[place] is None]
    there = [row for row in rows if row[place] is not None]
    there.sort(key=itemgetter(place), reverse=is_descending)
    return [*there, *missing] if is_descending else [*missing, *there]


def tables_in_parts(run: AnalysisRun | None, names: Sequence[str]) -> dict[str, TableInParts]:
    """Those of a run's tables that it keeps in parts, by name."""
    if run is None:
        return {}
    by_parts = {name_of_parts(name): name for name in names}
    kept = run.results.filter(kind=Result.Kind.PAGE, name__in=by_parts).order_by()
    tables = {}
    for parts, content in kept.values_list("name", "content"):
        name, about = by_parts[parts], TableParts.read(content)
        examples = [row for part in about.parts for row in part.examples]
        small = StoredTable.from_content({"columns": about.columns, "rows": examples})
        tables[name] = TableInParts(small.columns, small.rows, run, name, about.parts)
    return tables
