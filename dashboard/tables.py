"""Stored tables, reshaped for a page: the win table, the funnel's bars, grouped rows."""

import re
from collections.abc import Container, Hashable, Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any, TypeVar

from survey.definition import StudyDefinition

Row = dict[str, Any]
T = TypeVar("T", bound=Hashable)


@dataclass(frozen=True)
class Table:
    """A table that an analysis stored: each row by column."""

    columns: list[str]
    rows: list[Row]

    @classmethod
    def from_content(cls, content: dict[str, Any]) -> "Table":
        """Read what `Result.content` holds: {columns, rows}."""
        columns = list(content["columns"])
        return cls(columns, [dict(zip(columns, row, strict=True)) for row in content["rows"]])

    def grouped(self, column: str) -> list[tuple[Any, list[Row]]]:
        """Neighbouring rows with the same value in `column`, together."""
        return [(key, list(rows)) for key, rows in groupby(self.rows, lambda row: row[column])]


@dataclass(frozen=True)
class FunnelBar:
    """A step of the funnel with what it took and left, in percent of everybody before it all."""

    step: str
    excluded: int
    remaining: int
    alone: int
    excluded_share: float
    remaining_share: float


def funnel_bars(funnel: Table) -> list[FunnelBar]:
    """The funnel's steps in order, everybody before them, with the widths of a drawing."""
    if not funnel.rows:
        return []
    first = funnel.rows[0]
    start = (first["excluded"] or 0) + first["remaining"]
    everybody = FunnelBar("start", 0, start, 0, 0, 100 if start else 0)
    return [
        everybody,
        *(
            FunnelBar(
                row["step"],
                row["excluded"] or 0,
                row["remaining"],
                row["alone"] or 0,
                100 * (row["excluded"] or 0) / start if start else 0,
                100 * row["remaining"] / start if start else 0,
            )
            for row in funnel.rows
        ),
    ]


@dataclass(frozen=True)
class WinTable:
    """One dimension's wins: models down, scenarios across, a column for each condition."""

    dimension: str
    condition_a: str
    condition_b: str
    scenarios: list[str]
    #: A model, its cell per scenario (None where it has no pair there), its wins of a and of b.
    models: list[tuple[str, list[Row | None], int, int]]
    #: Per scenario, then over all.
    totals: list[Row]

    @property
    def short_a(self) -> str:
        return abbreviations(self.condition_a, self.condition_b)[0]

    @property
    def short_b(self) -> str:
        return abbreviations(self.condition_a, self.condition_b)[1]

    @property
    def has_reference(self) -> bool:
        return any(total["reference_points_max"] for total in self.totals)


def win_tables(wins: Table, summary: Table) -> list[WinTable]:
    """The win table of every dimension, laid out as in the paper's Table 4."""
    return [
        _win_table(
            dimension,
            [row for row in wins.rows if row["dimension"] == dimension],
            {row["scenario"]: row for row in summary.rows if row["dimension"] == dimension},
        )
        for dimension in in_order(row["dimension"] for row in wins.rows)
    ]


def _win_table(dimension: str, wins: list[Row], totals: dict[str, Row]) -> WinTable:
    scenarios = in_order(row["scenario"] for row in wins)
    cells = {(row["model"], row["scenario"]): row for row in wins}
    models = []
    for model in in_order(row["model"] for row in wins):
        won = [row["winner"] for row in wins if row["model"] == model]
        across = [cells.get((model, name)) for name in scenarios]
        models.append((model, across, won.count("a"), won.count("b")))
    return WinTable(
        dimension,
        wins[0]["condition_a"],
        wins[0]["condition_b"],
        scenarios,
        models,
        [totals[name] for name in [*scenarios, "all"]],
    )


@dataclass(frozen=True)
class MeanTable:
    """One dimension's means in words of a table: systems down, scenarios across."""

    dimension: str
    scenarios: list[str]
    #: Model, condition, set and the row of items.csv per scenario, if there is one.
    systems: list[tuple[tuple[str, str, str], list[Row | None]]]


def mean_tables(items: Table) -> list[MeanTable]:
    """The means of items.csv, laid out like the figure that they belong to."""
    return [
        _mean_table(dimension, [row for row in items.rows if row["dimension"] == dimension])
        for dimension in in_order(row["dimension"] for row in items.rows)
    ]


def _mean_table(dimension: str, items: list[Row]) -> MeanTable:
    scenarios = in_order(row["scenario"] for row in items)
    cells = {(_system(row), row["scenario"]): row for row in items}
    systems = in_order(_system(row) for row in items)
    return MeanTable(
        dimension,
        scenarios,
        [(system, [cells.get((system, name)) for name in scenarios]) for system in systems],
    )


def _system(row: Row) -> tuple[str, str, str]:
    return row["model"], row["condition"], row["set"]


def abbreviations(a: str, b: str) -> tuple[str, str]:
    """Two conditions' initials (`zero_shot` → ZS), or their names where the initials agree."""
    short_a, short_b = (
        "".join(word[0] for word in re.split(r"[\W_]+", name) if word).upper() for name in (a, b)
    )
    return (short_a, short_b) if short_a != short_b else (a, b)


def in_order(names: Iterable[T]) -> list[T]:
    """Each name once, in the order of first appearance."""
    return list(dict.fromkeys(names))


@dataclass(frozen=True)
class Column:
    """A column that a table can be sorted by. `direction` is how it is sorted now, or empty."""

    label: str
    is_number: bool
    direction: str
    #: What the address has to say to sort by it, or the other way round.
    sort: str


def sortable_columns(
    labels: Mapping[str, str], *, texts: Container[str], sort: str
) -> list[Column]:
    """Columns by name with their labels; `sort` is the name sorted by, with a minus if down."""
    columns = []
    for name, label in labels.items():
        direction = {name: "ascending", f"-{name}": "descending"}.get(sort, "")
        other_way = f"-{name}" if direction == "ascending" else name
        columns.append(Column(label, name not in texts, direction, other_way))
    return columns


def shown_rater(rater: Row) -> Row:
    """A rater's row with minutes, and in words what their exclusion measured and allows."""
    seconds = rater["duration_seconds"]
    return rater | {
        "minutes": None if seconds is None else seconds / 60,
        "measured": in_words(rater["value"]),
        "allowed": in_words(rater["threshold"]),
    }


def in_words(measured: dict[str, Any] | None) -> str:
    """What a rule measured or allows: `{"minimum": 10, "maximum": 75}` → minimum 10, maximum 75.

    Databases don't keep the order of keys; backwards, minimum stands before maximum.
    """
    parts = sorted((measured or {}).items(), reverse=True)
    return ", ".join(f"{name.replace('_', ' ')} {_short(value)}" for name, value in parts)


def _short(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def beside_ratings(definition: StudyDefinition) -> list[str]:
    """The downloads that hold what a study asks for beside ratings."""
    files = {
        "ranks.csv": definition.ranking or definition.best_worst,
        "comments.csv": definition.block_remarks or definition.closing,
    }
    return [name for name, asked in files.items() if asked]
