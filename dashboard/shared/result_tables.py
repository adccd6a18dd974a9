"""Stored tables of recipes for pages: rows chosen, and cells as people read them.

This module knows no particular table: the catalogue declares columns and what belongs to them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Any

import django_tables2
from django.utils.html import format_html
from django_tables2.data import TableData

from analysis.catalogue.number_text import EMPTY, p_text
from analysis.catalogue.spec import Column, TableSpec
from dashboard.shared.stored_tables import Row, StoredTable, in_order

ALL = "all"
#: Where a table has no row over all of these, asking for it leaves no row out.
OVER_ALL = ("condition", "scenario")
#: Of a filter: no row is left out by it.
EVERY = "*"
#: Columns that tell recipes apart; rows that agree in all other keys belong side by side.
RECIPE = ("recipe", "unit")
#: What has a place of its own on a page.
ASIDE = ("note", "sources")
#: Columns to the right of the cells.
NUMBERS = ("count", "number")
#: Characters from which a text may break into lines.
LONG = 30
ROWS_SHOWN = 100


@dataclass
class RecipeAgreement:
    """Of groups with a row of each of several recipes: who calls p small."""

    level: float
    groups: int = 0
    all_small: int = 0
    none_small: int = 0
    small_in: dict[str, int] = field(default_factory=dict)

    @property
    def differing(self) -> int:
        return self.groups - self.all_small - self.none_small


# ── Choosing rows ─────────────────────────────────────────────────────────────────────────────


def choices(
    stored: Mapping[str, StoredTable], specs: Mapping[str, TableSpec]
) -> dict[Column, list[str]]:
    """Values to choose from, by column; columns that tell nothing apart are left out."""
    declared: dict[str, Column] = {}
    for name in stored:
        declared |= {c.name: c for c in specs[name].columns if c.choice} | declared
    chosen = {}
    for column in declared.values():
        values = in_order(
            value
            for table in stored.values()
            if column.name in table.columns
            for row in table.rows
            for value in _said(row, column.name)
        )
        if len(values) > 1:
            chosen[column] = values
    return chosen


def asked_of(table: StoredTable, spec: TableSpec, chosen: Mapping[str, str]) -> dict[str, str]:
    """The value that each column of a table must have: chosen, else what is shown first."""
    asked = {}
    for column in map(spec.column, table.columns):
        name = column.name
        if not column.choice and name != "recipe":
            continue
        value = chosen.get(name, "")
        if not value and column.first and any(row[name] == column.first for row in table.rows):
            value = column.first
        parts_only = value == ALL and not any(row[name] == ALL for row in table.rows)
        if value and value != EVERY and not (parts_only and name in OVER_ALL):
            asked[name] = value
    return asked


def rows_with(table: StoredTable, asked: Mapping[str, str]) -> list[Row]:
    """The rows in which every column has its value."""
    return [
        row for row in table.rows if all(value in _said(row, name) for name, value in asked.items())
    ]


def _said(row: Row, column: str) -> list[str]:
    """What a row has in a column: a row may be of several units."""
    value = row.get(column)
    if value is None or value == "":
        return []
    return str(value).split(", ") if column == "unit" else [str(value)]


# ── Rows for people ───────────────────────────────────────────────────────────────────────────


def grouped(rows: Sequence[Row], spec: TableSpec) -> list[list[Row]]:
    """Rows that agree in every key but the recipe, together, in order of first appearance."""
    within = [column.name for column in spec.columns if column.is_key]
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        key = tuple(row.get(name) for name in within if name not in RECIPE)
        groups.setdefault(key, []).append(row)
    return list(groups.values())


def compared(groups: Sequence[Sequence[Row]], level: float) -> RecipeAgreement | None:
    """How far recipes differ in calling p small; None where there is nothing to compare."""
    comparison = RecipeAgreement(level)
    for rows in groups:
        small = _small(rows, level)
        if len(small) < 2:
            continue
        comparison.groups += 1
        comparison.all_small += all(small.values())
        comparison.none_small += not any(small.values())
        if _differs(small):
            for recipe in (recipe for recipe, is_small in small.items() if is_small):
                comparison.small_in[recipe] = comparison.small_in.get(recipe, 0) + 1
    return comparison if comparison.groups else None


def _small(rows: Sequence[Row], level: float) -> dict[Any, bool]:
    """Whether p is below the level, by recipe."""
    return {row.get("recipe"): row["p"] < level for row in rows if row.get("p") is not None}


def _differs(small: Mapping[Any, bool]) -> bool:
    return len(set(small.values())) > 1


def _verdict(row: Row, group: Sequence[Row], level: float) -> str:
    """What a row says and no other recipe's row of its group does."""
    small = _small(group, level)
    if not (_differs(small) and small.get(row.get("recipe"))):
        return ""
    others = ", ".join(recipe for recipe, is_small in small.items() if not is_small)
    return f"not in {others}"


class ValueColumn(django_tables2.Column):  # type: ignore[misc]  # it has no types
    """A column of a page with what belongs to it: behind a number its standard deviation or its
    degrees of freedom in brackets, and its interval; behind a key or a count the other side's.
    """

    def __init__(self, column: Column, columns: Sequence[Column], *, is_number: bool) -> None:
        self.own = column
        self.beside = [other for other in columns if other.beside == column.name]
        self.behind = [other for other in columns if other.behind == column.name]
        self.ends = [other for other in columns if other.of == column.name][:2]
        self.is_key = column.is_key
        heading = " / ".join(each.heading for each in (column, *self.beside))
        if self.behind:
            what = self.behind[0]
            heading += f" ({what.heading.split()[0].rstrip('1')})"
        if len(self.ends) > 1:
            heading += " [interval]"
        kind = "number" if is_number else None
        super().__init__(
            verbose_name=heading,
            accessor=column.name,
            default=EMPTY,
            empty_values=(),
            attrs={
                "th": {"class": kind, "scope": "col"},
                "td": {
                    "class": kind or ("" if self.beside else partial(_width, column)),
                    "title": partial(_exact, [column, *self.behind, *self.ends]),
                },
            },
        )

    def render(self, value: Any, record: Row) -> str:
        if value is None:
            return EMPTY
        text = " / ".join(each.text(record[each.name]) for each in (self.own, *self.beside))
        if self.behind and record[self.behind[-1].name] is not None:
            text += f" ({', '.join(each.text(record[each.name]) for each in self.behind)})"
        if self.ends and record[self.ends[0].name] is not None:
            text += f" [{', '.join(each.text(record[each.name]) for each in self.ends)}]"
        return text


def _width(column: Column, record: Row) -> str:
    return "wide" if len(column.text(record[column.name])) >= LONG else "nowrap"


def _exact(columns: Sequence[Column], record: Row) -> str | None:
    """The exact values of what is rounded in a cell."""
    parts = [(each.name, record[each.name]) for each in columns]
    if not any(isinstance(value, float) for _, value in parts):
        return None
    return ", ".join(f"{name} {value!r}" for name, value in parts if value is not None)


class Recipes(ValueColumn):
    """The recipe with its unit in brackets, or the one of both that differs."""

    def __init__(self, columns: Sequence[Column]) -> None:
        first, *inside = columns
        with_unit = [other.but(behind=first.name) for other in inside]
        super().__init__(first, [first, *with_unit], is_number=False)
        self.is_key = False  # it is what tells rows of a group apart
        self.verbose_name = first.heading + "".join(f" ({each.name})" for each in inside)


class DisagreementColumn(django_tables2.Column):  # type: ignore[misc]  # as above
    """A mark for p that is small in one recipe and not in others."""

    def render(self, value: str) -> str:
        return format_html('<span class="pill warn">{}</span>', value) if value else ""


def _together(record: Row, table: django_tables2.Table) -> str | None:
    """Rows of one group are together unless the table is sorted."""
    return "same" if record.get("_same") and not table.order_by else None


class ResultTable(django_tables2.Table):  # type: ignore[misc]  # as above
    """Rows of a stored table. Columns without a value are left out; keys with one value in all rows
    are the `constants`, with their values; `left_out` are the headings of columns of the CSV that
    pages leave out.
    """

    constants: Sequence[tuple[str, str]]
    left_out: Sequence[str]

    class Meta:
        row_attrs = {"class": _together}


def shown(
    table: StoredTable,
    spec: TableSpec,
    groups: Sequence[Sequence[Row]],
    *,
    level: float = 0.05,
    data: TableData | None = None,
) -> ResultTable:
    """Groups of a table's rows as pages show them; with `data`, its rows, of which the groups are
    examples.
    """
    rows = list(chain.from_iterable(groups))
    columns = [spec.column(each) for each in table.columns]
    there = [
        column
        for column in columns
        if column.page
        and column.name not in ASIDE
        and any(row[column.name] not in (None, "") for row in rows)
    ]
    names = {column.name for column in there}
    leading = [
        c for c in there if not ({c.of, c.behind, c.beside} & names and c.name not in RECIPE)
    ]
    keys = [column for column in leading if column.is_key]
    constants = {column.name: _constant(column, there, rows) for column in keys}
    told = [column for column in keys if not constants[column.name]]
    of_recipes = [column for column in told if column.name in RECIPE]
    values = [column for column in leading if not column.is_key]
    cells = [
        *((c.name, ValueColumn(c, there, is_number=False)) for c in told if c not in of_recipes),
        *([("recipe", Recipes(of_recipes))] if of_recipes else []),
        *((c.name, ValueColumn(c, there, is_number=c.holds in NUMBERS)) for c in values),
    ]
    listed = [
        row | {"_same": place > 0, "_verdict": _verdict(row, group, level)}
        for group in groups
        for place, row in enumerate(group)
    ]
    if any(row["_verdict"] for row in listed):
        heading = f"p < {level_text(level)}"
        cells.append(("_verdict", DisagreementColumn(verbose_name=heading, default="")))
    if any(row.get("note") for row in rows):
        quiet = {"td": {"class": "wide muted"}}
        cells.append(("note", django_tables2.Column(verbose_name="Note", default="", attrs=quiet)))
    rows_shown = listed if data is None else data
    shown_table = ResultTable(rows_shown, extra_columns=cells, prefix=f"{spec.name}-")
    shown_table.constants = [
        (str(ValueColumn(column, there, is_number=False).verbose_name), constants[column.name])
        for column in keys
        if constants[column.name]
    ]
    shown_table.left_out = [column.heading for column in columns if not column.page]
    return shown_table


def _constant(column: Column, columns: Sequence[Column], rows: Sequence[Row]) -> str:
    """The one text that a key has in all rows; nothing where rows differ."""
    cell = ValueColumn(column, columns, is_number=False)
    texts = {cell.render(row[column.name], row) for row in rows}
    return texts.pop() if len(texts) == 1 else ""


def level_text(level: float) -> str:
    """A level of significance behind `p <`."""
    return p_text(level).rstrip("0")
