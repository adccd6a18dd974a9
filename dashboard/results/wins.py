"""The win table and the means of responses, laid out for a page."""

from dataclasses import dataclass

from dashboard.shared.stored_tables import Row, StoredTable, abbreviations, in_order
from survey.definition import StudyDefinition


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


def win_tables(wins: StoredTable, summary: StoredTable) -> list[WinTable]:
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


def mean_tables(items: StoredTable) -> list[MeanTable]:
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


def beside_ratings(definition: StudyDefinition) -> list[str]:
    """The export files with the answers that are not ratings."""
    files = {
        "ranks.csv": definition.comparing,
        "comments.csv": definition.block_remarks or definition.closing,
    }
    return [name for name, asked in files.items() if asked]
