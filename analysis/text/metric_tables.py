"""Means of automatic metrics side by side, as papers print them: models down, metrics across, and
in each metric a column for each condition. Pure.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from analysis.text.cells import Cited, Row, Table, texts
from survey.batched import batched

METRIC_MEANS = "metric_means"
#: Metrics in one table, as in Table 1 of Kumar et al., The Pursuit of Empathy.
PER_TABLE = 6


@dataclass(frozen=True)
class MetricCell:
    """A system's mean and SD of one metric; no SD of a single response."""

    mean: Cited
    sd: Cited | None

    def __str__(self) -> str:
        return f"{self.mean} ± {self.sd}" if self.sd is not None else str(self.mean)


@dataclass(frozen=True)
class MetricLine:
    """A model's cells by metric: one for each condition of the table. A system in another
    condition, such as the reference, has a line of its own, with one cell for each metric.
    """

    system: str
    cells: list[list[MetricCell | None]]

    @property
    def is_across(self) -> bool:
        """Whether its cells go across all conditions."""
        return len(self.cells[0]) == 1


@dataclass(frozen=True)
class MetricTable:
    """Some metrics, by their labels, of all systems that have a value of one of them."""

    metrics: list[str]
    conditions: list[str]
    lines: list[MetricLine]


def metric_tables(table: Table, per_table: int = PER_TABLE) -> list[MetricTable]:
    """The rows of metric_means with a mean, at most so many metrics in a table."""
    rows = [row for row in table if row["mean"] is not None]
    conditions = _conditions(table, rows)
    blocks = list(batched(texts(rows, "metric"), per_table))
    return [MetricTable(block, conditions, _lines(rows, block, conditions)) for block in blocks]


def _conditions(table: Table, rows: Sequence[Row]) -> list[str]:
    """The two conditions that the study compares, else all."""
    every = texts(rows, "condition")
    both = [table.labels.a, table.labels.b]
    return both if set(both) <= set(every) else every


def _lines(
    rows: Sequence[Row], metrics: Sequence[str], conditions: Sequence[str]
) -> list[MetricLine]:
    by_place = {(r.text("metric"), r.text("model"), r.text("condition")): _cell(r) for r in rows}
    lines = []
    for model in texts(rows, "model"):
        cells = [[by_place.get((name, model, one)) for one in conditions] for name in metrics]
        lines.append(MetricLine(model, cells))
        for other in texts(rows, "condition"):
            if other not in conditions:
                across = [[by_place.get((name, model, other))] for name in metrics]
                lines.append(MetricLine(f"{model} ({other})", across))
    return [line for line in lines if any(cell for cells in line.cells for cell in cells)]


def _cell(row: Row) -> MetricCell:
    return MetricCell(row.cite("mean"), row.cite("sd") if row.has("sd") else None)
