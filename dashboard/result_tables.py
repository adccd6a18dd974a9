"""Stored tables of recipes for pages: rows chosen, and cells as people read them. Pure.

Nothing here knows a single table. A column is a key or a number by its name and place; an interval
stands beside the number that it belongs to, a standard deviation beside its mean.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from analysis.text.interval_columns import enclosed
from analysis.catalogue.number_text import EMPTY, in_table, p_text
from dashboard.tables import Row, Table, in_order

#: Columns by whose values rows can be chosen, in the order in which they are asked for.
FILTERS = {
    "raters": "Raters",
    "unit": "Unit",
    "factor": "Factor",
    "model": "Model",
    "condition": "Condition",
    "scenario": "Scenario",
    "dimension": "Dimension",
    "test": "Test",
    "generalises_to": "Generalises to",
    "scale": "Scale",
    "link": "Link",
    "set": "Set",
    "covariate": "Covariate",
    "choice": "Choice",
}
#: What is shown unless asked otherwise, where a table has it: rows over all rather than parts.
FIRST_SHOWN = {"raters": "included", "condition": "all", "scenario": "all"}
ALL = "all"
#: Where a table has no row over all of these, asking for it leaves no row out.
OVER_ALL = ("condition", "scenario")
#: Of a filter: no row is left out by it.
EVERY = "*"
#: Columns that tell recipes apart; rows that agree in all other keys belong side by side.
RECIPE = ("recipe", "unit")
#: Text columns that say something of a row instead of naming it.
SAYING = {"note", "winner", "match", "because", "what_moves", "interval", "of", "setting"}
#: Numbers that name a row.
NAMING = {"rating", "item", "printed", "response_position"}
LABELS = {
    "cohen_d": "Cohen's d",
    "eta_squared": "η²",
    "omega_squared": "ω²",
    "chi_squared": "χ²",
    "rank_biserial": "Rank-biserial",
    "w": "Kendall's W",
    "w_within_blocks": "W within blocks",
    "sd": "SD",
    "se": "SE",
    "wilcoxon": "T",
    "n_a": "n",
    "group_a": "Groups",
    "irv": "IRV",
    "mae": "MAE",
    "wins_p": "p of wins",
}
#: Letters that stand as they are at the head of a column.
SYMBOLS = {"p", "t", "n", "df", "d", "u", "x"}
#: Two columns that are read as one: the second behind the first.
TOGETHER = {"group_a": "group_b", "n_a": "n_b"}


@dataclass(frozen=True)
class Column:
    """A column of a page: a number with what stands in brackets behind it."""

    name: str
    is_number: bool = False
    interval: tuple[str, str] | None = None
    #: A standard deviation, degrees of freedom, or the unit of a recipe.
    bracketed: tuple[str, ...] = ()
    #: What stands behind it, after a slash.
    other: str = ""

    @property
    def label(self) -> str:
        label = label_of(self.name)
        if self.bracketed:
            what = self.bracketed[0]
            label += " (SD)" if what.startswith("sd") else f" ({what.rstrip('1')})"
        return f"{label} [interval]" if self.interval else label


@dataclass(frozen=True)
class Cell:
    """A cell as people read it, and the exact values behind it."""

    text: str
    exact: str = ""
    is_number: bool = False


@dataclass(frozen=True)
class Line:
    """A row of one recipe. `verdict` is what it says and no other recipe's row does."""

    cells: list[Cell]
    note: str
    verdict: str


@dataclass(frozen=True)
class Group:
    """Rows that are the same but for the recipe, and what they have in common."""

    keys: list[Cell]
    lines: list[Line]


@dataclass(frozen=True)
class Shown:
    """A table on a page. `constants` are keys with one value in all rows, and the values."""

    name: str
    constants: list[tuple[str, str]]
    keys: list[str]
    columns: list[Column]
    groups: list[Group]
    has_notes: bool
    has_verdicts: bool
    #: Columns of the CSV that the page leaves out.
    left_out: list[str]


@dataclass
class Compared:
    """Of groups with a row of each of several recipes: who calls p small."""

    level: float
    groups: int = 0
    all_small: int = 0
    small_in: dict[str, int] = field(default_factory=dict)

    @property
    def differing(self) -> int:
        return sum(self.small_in.values())


def label_of(column: str) -> str:
    """A column's name in words."""
    words = column.replace("_", " ")
    is_symbol = words.split()[0] in SYMBOLS
    return LABELS.get(column, words if is_symbol else words[0].upper() + words[1:])


# ── Choosing rows ─────────────────────────────────────────────────────────────────────────────


def choices(tables: Collection[Table]) -> dict[str, list[str]]:
    """Values to choose from, by column; columns that tell nothing apart are left out."""
    found = {}
    for name in FILTERS:
        values = in_order(
            value for table in tables for row in table.rows for value in _said(row, name)
        )
        if len(values) > 1:
            found[name] = values
    return found


def asked_of(table: Table, chosen: Mapping[str, str]) -> dict[str, str]:
    """The value that each column of a table must have: chosen, else what is shown first."""
    asked = {}
    for name in (*FILTERS, "recipe"):
        if name not in table.columns:
            continue
        value = chosen.get(name, "")
        first = FIRST_SHOWN.get(name)
        if not value and first and any(row[name] == first for row in table.rows):
            value = first
        parts_only = value == ALL and not any(row[name] == ALL for row in table.rows)
        if value and value != EVERY and not (parts_only and name in OVER_ALL):
            asked[name] = value
    return asked


def rows_with(table: Table, asked: Mapping[str, str]) -> list[Row]:
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


def keys_of(table: Table) -> list[str]:
    """The columns that name a row: texts before the first number, and what is known to name."""
    keys = []
    for name in table.columns:
        values = [row[name] for row in table.rows if row[name] is not None]
        is_text = all(isinstance(value, str) for value in values)
        if name in NAMING or (is_text and values and name not in SAYING):
            keys.append(name)
        elif not is_text:
            break
    return keys + [
        name for name in table.columns if name in FILTERS and name not in keys and table.rows
    ]


def grouped(rows: Sequence[Row], keys: Sequence[str]) -> list[list[Row]]:
    """Rows that agree in every key but the recipe, together, in order of first appearance."""
    within = [name for name in keys if name not in RECIPE]
    found: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        found.setdefault(tuple(row[name] for name in within), []).append(row)
    return list(found.values())


def compared(groups: Sequence[Sequence[Row]], level: float) -> Compared | None:
    """How far recipes differ in calling p small; None where there is nothing to compare."""
    found = Compared(level)
    for rows in groups:
        small = _small(rows, level)
        if len(small) < 2:
            continue
        found.groups += 1
        found.all_small += all(small.values())
        if _differs(small):
            for recipe in (recipe for recipe, is_small in small.items() if is_small):
                found.small_in[recipe] = found.small_in.get(recipe, 0) + 1
    return found if found.groups else None


def _small(rows: Sequence[Row], level: float) -> dict[Any, bool]:
    """Whether p is below the level, by recipe."""
    return {row.get("recipe"): row["p"] < level for row in rows if row.get("p") is not None}


def _differs(small: Mapping[Any, bool]) -> bool:
    return len(set(small.values())) > 1


def shown(
    name: str,
    table: Table,
    groups: Sequence[Sequence[Row]],
    *,
    in_file: Collection[str] = (),
    level: float = 0.05,
) -> Shown:
    """Groups of a table's rows as they stand on a page. Columns without a value are left out."""
    rows = [row for group in groups for row in group]
    keys = keys_of(table)
    seconds = {second for first, second in TOGETHER.items() if first in keys}
    naming = [Column(key, other=TOGETHER.get(key, "")) for key in keys if key not in seconds]
    constants, told = [], []
    for column in naming:
        texts = {_cell(column, row).text for row in rows}
        if len(texts) == 1:
            constants.append((column.label, texts.pop()))
        else:
            told.append(column)
    of_recipes = tuple(column.name for column in told if column.name in RECIPE)
    common = [column for column in told if column.name not in RECIPE]
    values = [
        column
        for column in _columns(table, keys, in_file)
        if any(row[column.name] is not None for row in rows)
    ]
    columns = [*_of_recipes(of_recipes), *values]
    lines = [
        Group(
            [_cell(key, group[0]) for key in common],
            [_line(columns, row, _small(group, level)) for row in group],
        )
        for group in groups
    ]
    return Shown(
        name=name,
        constants=[(label, text) for label, text in constants if text != EMPTY],
        keys=[key.label for key in common],
        columns=columns,
        groups=lines,
        has_notes=any(row.get("note") for row in rows),
        has_verdicts=any(line.verdict for group in lines for line in group.lines),
        left_out=[column for column in table.columns if column in in_file],
    )


def _of_recipes(told: tuple[str, ...]) -> list[Column]:
    """The recipe with its unit, or the one of both that differs."""
    return [Column(told[0], bracketed=told[1:])] if told else []


def _columns(table: Table, keys: Collection[str], in_file: Collection[str]) -> list[Column]:
    """The columns beside the keys, each with what belongs to it."""
    left = [name for name in table.columns if name not in keys and name not in in_file]
    left = [name for name in left if name not in ("note", "sources")]
    texts = {name for name in left if any(isinstance(row[name], str) for row in table.rows)}
    intervals, ends = _intervals(left)
    bracketed, inside = _bracketed(left)
    seconds = {second for first, second in TOGETHER.items() if first in left}
    return [
        Column(
            name,
            is_number=name not in texts,
            interval=intervals.get(name),
            bracketed=bracketed.get(name, ()),
            other=TOGETHER.get(name, ""),
        )
        for name in left
        if name not in ends | inside | seconds
    ]


def _intervals(names: Collection[str]) -> tuple[dict[str, tuple[str, str]], set[str]]:
    """The interval of each number that has one, and the columns that they take up."""
    intervals: dict[str, tuple[str, str]] = {}
    for low in names:
        high = low.replace("low", "high")
        if high == low or high not in names:
            continue
        if owner := enclosed(low, names):
            intervals[owner] = (low, high)
    return intervals, {end for ends in intervals.values() for end in ends}


def _bracketed(names: Collection[str]) -> tuple[dict[str, tuple[str, ...]], set[str]]:
    """Standard deviations behind means, degrees of freedom behind statistics."""
    wanted = {
        "mean": ("sd",),
        "mean_a": ("sd_a",),
        "mean_b": ("sd_b",),
        "mean_rank": ("sd",),
        "t": ("df",),
        "chi_squared": ("df",),
        "F": ("df1", "df2"),
    }
    found = {
        name: inside
        for name, inside in wanted.items()
        if name in names and all(column in names for column in inside)
    }
    return found, {column for inside in found.values() for column in inside}


def _line(columns: Sequence[Column], row: Row, small: Mapping[Any, bool]) -> Line:
    verdict = ""
    if _differs(small) and small.get(row.get("recipe")):
        others = ", ".join(recipe for recipe, is_small in small.items() if not is_small)
        verdict = f"not in {others}"
    return Line([_cell(column, row) for column in columns], row.get("note") or "", verdict)


def _cell(column: Column, row: Row) -> Cell:
    value = row[column.name]
    is_name = column.name in NAMING and isinstance(value, float)
    text = f"{value:g}" if is_name else in_table(column.name, value)
    behind = [*column.bracketed, *(column.interval or ())]
    if value is None:
        return Cell(text, "", column.is_number)
    if column.other:
        text += f" / {in_table(column.other, row[column.other])}"
    if column.bracketed and row[column.bracketed[-1]] is not None:
        text += f" ({', '.join(in_table(name, row[name]) for name in column.bracketed)})"
    if column.interval and row[column.interval[0]] is not None:
        text += f" [{', '.join(in_table(name, row[name]) for name in column.interval)}]"
    parts = [(name, row[name]) for name in (column.name, *behind)]
    is_rounded = any(isinstance(part, float) for _, part in parts)
    exact = ", ".join(f"{name} {part!r}" for name, part in parts if part is not None)
    return Cell(text, exact if is_rounded else "", column.is_number)


def level_text(level: float) -> str:
    """A level of significance behind `p <`."""
    return p_text(level).rstrip("0")
