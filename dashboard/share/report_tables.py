"""The tables of an analysis in its report: their rows, columns and headings.

A part of a table is what one recipe, unit and choice of raters says; what is the same in all of its
rows is in its caption. Every number keeps the cell of the CSV that it comes from. Pure.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from analysis.catalogue.columns import ADDED
from analysis.catalogue.number_text import EMPTY, count, noun
from analysis.catalogue.spec import Column, TableSpec, together
from analysis.declarations import TABLES
from analysis.text.cells import Row, Table
from analysis.text.metric_tables import METRIC_MEANS, MetricTable, metric_tables
from survey.files.csv_text import to_text

ALL = "all"
#: How columns of the funnel begin that count by sex.
BY_SEX = "excluded_"
#: Of one part, at most so many rows are shown.
MOST_ROWS = 120
#: A text with more letters needs a wider column.
LONG = 40


@dataclass(frozen=True)
class ReportNumber:
    """A number in a table with its exact value, and the cell of the CSV that it comes from."""

    text: str
    exact: str
    address: str


@dataclass(frozen=True)
class ReportCell:
    """One cell: a text, a number, or both ends of an interval."""

    text: str = ""
    numbers: tuple[ReportNumber, ...] = ()
    #: `number` below a heading of numbers, `long` for a text that needs room.
    kind: str = "text"


@dataclass(frozen=True)
class Heading:
    text: str
    #: The columns of the CSV.
    columns: str
    is_number: bool


@dataclass(frozen=True)
class TablePart:
    """What one recipe, unit and choice of raters says, as it is shown."""

    caption: str
    headings: list[Heading]
    rows: list[list[ReportCell]]
    n_rows: int
    is_folded: bool

    @property
    def is_cut(self) -> bool:
        """Whether only the first of its rows are shown."""
        return len(self.rows) < self.n_rows

    @property
    def counted(self) -> str:
        """How many rows there are, in words."""
        return f"{count(self.n_rows)} {noun(self.n_rows, 'row')}"


@dataclass(frozen=True)
class ShownTable:
    name: str
    title: str
    about: str
    parts: list[TablePart]
    n_rows: int
    #: Rows that are chosen to be shown; of a long part, only the first are.
    n_kept: int
    n_shown: int
    #: Which rows are chosen, where not all are.
    kept: str
    #: Columns that are left to the CSV.
    aside: list[str] = field(default_factory=list)
    #: The same as papers print it, above the parts.
    side_by_side: list[MetricTable] = field(default_factory=list)

    @property
    def shown_of_all(self) -> str:
        """How many rows are shown, of how many and which, up to where the file is named."""
        if self.n_shown == self.n_rows:
            return f"{count(self.n_rows)} {noun(self.n_rows, 'row')}, exact in"
        said = f"{count(self.n_shown)} of {count(self.n_rows)} rows"
        if not self.kept:
            return f"{said}, the first of each part. The rest is in"
        if self.n_shown < self.n_kept:
            cut = f", {count(self.n_kept)} rows in all, of long parts the first alone"
        else:
            cut = ""
        return f"{said}: {self.kept}{cut}. The rest is in"


def declared(table: Table) -> TableSpec:
    """How a table is to be shown; with what chooses its rows, where that is declared."""
    if table.name not in TABLES:
        return table.spec
    return TABLES[table.name].with_columns(ADDED).labelled(table.labels)


def shown_table(table: Table, *, same_raters: bool = False) -> ShownTable:
    """A table as the report shows it; where nobody was excluded, all raters are the `same_raters`
    as the included ones, and rows of these are enough.
    """
    how = declared(table)
    both = {"included", ALL} <= {row["raters"] for row in table}
    every = [row for row in table if not (same_raters and both and row["raters"] == ALL)]
    chosen = [row for row in every if how.is_kept(row)]
    by_sex = [name for name in table.columns if name.startswith(BY_SEX)]
    unasked = by_sex if len(by_sex) == 1 else []  # of all it is not known
    names = [name for name in table.columns if name not in unasked]
    columns = [column for name in names if (column := how.column(name)).report]
    apart = [column.name for column in columns if column.part]
    side_by_side = metric_tables(table) if table.name == METRIC_MEANS else []
    parts = []
    for rows in _parts(chosen, apart, how.first):
        is_folded = how.folded or how.appendix or rows[0]["raters"] == ALL or bool(side_by_side)
        parts.append(_part(rows, columns, is_folded=is_folded))
    kept = {column.name for column in columns}
    return ShownTable(
        table.name,
        how.title,
        " ".join(filter(None, (how.says, how.counts))),
        parts,
        len(every),
        sum(part.n_rows for part in parts),
        sum(len(part.rows) for part in parts),
        how.kept,
        [name for name in names if name not in kept],
        side_by_side,
    )


def _parts(
    rows: Iterable[Row], apart: Sequence[str], first: Callable[[Any], bool] | None
) -> Iterable[list[Row]]:
    """Rows with the same values in the columns `apart` together; of these, rows that `first`
    selects come first.
    """
    parts: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        parts.setdefault(tuple(row[name] for name in apart), []).append(row)
    for part in parts.values():
        ahead = [first is not None and first(row) for row in part]
        for wanted in (True, False):
            some = [row for row, is_first in zip(part, ahead, strict=True) if is_first == wanted]
            if some:
                yield some


def _part(rows: list[Row], columns: Sequence[Column], *, is_folded: bool) -> TablePart:
    held = {column.name: {row[column.name] for row in rows} for column in columns}
    fixed = [column for column in columns if _is_caption(column, held[column.name], len(rows))]
    left = [c for c in columns if c not in fixed and not held[c.name] <= {None, ""}]
    groups = together(left)
    said = [column for column in fixed if not _is_only_set(column, rows[0])]
    caption = "; ".join(f"{c.words} {c.text(rows[0][c.name])}" for c in said)
    headings = [_heading(group, columns, held) for group in groups]
    return TablePart(
        caption,
        headings,
        [
            [
                _cell(row, group, is_number=heading.is_number)
                for group, heading in zip(groups, headings, strict=True)
            ]
            for row in rows[:MOST_ROWS]
        ],
        len(rows),
        is_folded,
    )


def _is_caption(column: Column, values: set[Any], n_rows: int) -> bool:
    """Whether a column has the same value, not empty, in all rows: the caption then has it."""
    if len(values) != 1 or values <= {None, ""}:
        return False
    return column.part or (n_rows > 1 and all(isinstance(value, str) for value in values))


def _is_only_set(column: Column, row: Row) -> bool:
    """Whether a column says "all sets" in a study that has one."""
    return column.labels == "sets" and row[column.name] == ALL and row.table.labels.has_one("sets")


def _heading(
    group: tuple[Column, ...], columns: Sequence[Column], held: dict[str, set[Any]]
) -> Heading:
    values = set().union(*(held[column.name] for column in group)) - {None, ""}
    is_number = all(isinstance(v, int | float) and not isinstance(v, bool) for v in values)
    names = ", ".join(column.name for column in group)
    return Heading(heading_of(group, columns), names, is_number)


def heading_of(group: tuple[Column, ...], columns: Sequence[Column]) -> str:
    """What a column is called, or the two that are the ends of an interval."""
    first = group[0]
    if len(group) == 1:
        return first.heading
    if first.interval == "limits":
        return "Limits of agreement"
    if first.interval == "ci":
        return "Interval"
    owner = next((column for column in columns if column.name == first.of), Column(first.of, ""))
    return f"Interval of {owner.words}"


def _cell(row: Row, group: tuple[Column, ...], *, is_number: bool) -> ReportCell:
    given = [column for column in group if row[column.name] not in (None, "")]
    if not given:
        return ReportCell(EMPTY, kind="number" if is_number else "text")
    value = row[group[0].name]
    if len(given) == 1 and isinstance(value, str | bool):
        said = group[0].text(value)
        return ReportCell(said, kind="long" if len(said) > LONG else "text")
    return ReportCell(numbers=tuple(_number(row, column) for column in given))


def _number(row: Row, column: Column) -> ReportNumber:
    value = row[column.name]
    return ReportNumber(column.text(value), to_text(value), row.table.cell(row.place, column.name))
