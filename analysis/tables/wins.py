"""Which of two conditions was rated higher, per model and scenario (Pursuit of Empathy, Table 4).

Means are compared as Σa·n_b against Σb·n_a in whole numbers, so that equal means are a tie
whatever their decimals. The reference earns a point for each of the two conditions that its mean
is above; its ratings are those of the sets in which the model was shown.
"""

import math
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from pandas import DataFrame

from analysis.absent import Absent
from analysis.catalogue import columns as c
from analysis.catalogue.spec import Column, TableSpec
from analysis.study_data import Contrast

WINS = TableSpec(
    "wins",
    "Wins by model and scenario",
    (
        c.MODEL, c.SCENARIO, c.DIMENSION, c.CONDITION_A, c.CONDITION_B, c.MEAN_A, c.MEAN_B,
        Column("mean_reference", "Mean of the reference"),
        c.WINNER, c.REFERENCE_POINTS, c.N_A.but(meaning="How many ratings of a"),
        c.N_B.but(meaning="How many ratings of b"), c.NOTE,
    ),
    question="Which condition wins where?",
    observations="comparisons of means",
    says="Means of the included raters' ratings; n counts ratings. The same for every recipe.",
    section="Wins",
    folded=True,
)  # fmt: skip
WINS_SUMMARY = TableSpec(
    "wins_summary",
    "Wins by scenario",
    (
        c.SCENARIO, c.DIMENSION, c.A_WINS, c.B_WINS, c.TIES, c.A_PERCENT, c.B_PERCENT,
        c.REFERENCE_POINTS, c.REFERENCE_POINTS_MAX, c.REFERENCE_PERCENT, c.NOT_COMPARED,
    ),
    question="Which condition wins more often?",
    observations="comparisons of means",
    says="Counts comparisons of a model in a scenario, by means of the included raters' "
        "ratings. The same for every recipe.",
    section="Wins",
    names_a_and_b="The next table names conditions a and b.",
)  # fmt: skip


class Sum(NamedTuple):
    """The ratings of something: their sum and their number."""

    total: int
    n: int

    @property
    def mean(self) -> float | None:
        return self.total / self.n if self.n else None

    def above(self, other: "Sum") -> bool:
        """Whether this mean is greater than the other one, exactly."""
        return self.total * other.n > other.total * self.n


NONE = Sum(0, 0)


def wins(items: DataFrame, contrast: Contrast) -> DataFrame:
    """One row per model × scenario × dimension in which either condition exists.

    `items` is the table of `tables.items`. `winner` is `a`, `b` or `tie`, `reference_points` 0,
    1 or 2; where a comparison cannot be made its cell is empty and `note` says why. Raises Absent
    when the study has no contrast, or no response in its conditions.
    """
    pair = contrast.conditions
    compared = items[items["condition"].isin(pair)]
    if compared.empty:
        raise Absent(f"no response is in condition {pair[0]} or {pair[1]}")
    references = _reference_sums(items, contrast)
    keys = ["model", "scenario", "dimension"]
    cells: dict[tuple[str, str, str], list[tuple[str, str, Sum]]] = {}
    for *key, condition, name, total, n in _rows(
        compared.sort_values(keys, kind="stable"), [*keys, "condition", "set", "total", "n"]
    ):
        model, scenario, dimension = map(str, key)
        cell = cells.setdefault((model, scenario, dimension), [])
        cell.append((str(condition), str(name), Sum(int(total), int(n))))
    rows = []
    for (model, scenario, dimension), cell in cells.items():
        a, b = (_add(s for condition, _, s in cell if condition == of) for of in pair)
        sets = dict.fromkeys(name for _, name, _ in cell)
        reference = _add(references.get((scenario, dimension, name), NONE) for name in sets)
        row = {"model": model, "scenario": scenario, "dimension": dimension}
        rows.append(row | _compare(a, b, reference, contrast))
    kinds = {key: items[key].dtype for key in keys}
    return DataFrame(rows).astype(kinds | {"reference_points": "Int64"})


def wins_summary(table: DataFrame) -> DataFrame:
    """Wins, ties and reference points per scenario and, as scenario `all`, over all of them.

    `table` comes from `wins`. Percentages are of the comparisons that could be made, ties among
    them; `not_compared` counts the others. `reference_points_max` is two for each comparison
    that has reference points.
    """
    keys = ["scenario", "dimension"]
    whole = table.assign(scenario="all")
    groups = [*table.groupby(keys, observed=True), *whole.groupby(keys, observed=True)]
    return DataFrame([_summary(str(key[0]), str(key[1]), group) for key, group in groups])


def _summary(scenario: str, dimension: str, group: DataFrame) -> dict[str, Any]:
    winners = group["winner"].tolist()
    a, b, ties = (winners.count(winner) for winner in ("a", "b", "tie"))
    earned = [int(points) for points in group["reference_points"].dropna()]
    points, possible = sum(earned), 2 * len(earned)
    return {
        "scenario": scenario,
        "dimension": dimension,
        "a_wins": a,
        "b_wins": b,
        "ties": ties,
        "a_percent": percent(a, a + b + ties),
        "b_percent": percent(b, a + b + ties),
        "reference_points": points,
        "reference_points_max": possible,
        "reference_percent": percent(points, possible),
        "not_compared": len(group) - a - b - ties,
    }


def percent(part: float, whole: int) -> float:
    """So much of a hundred, NaN of nothing."""
    return 100 * part / whole if whole else math.nan


def _compare(a: Sum, b: Sum, reference: Sum, contrast: Contrast) -> dict[str, Any]:
    missing = [
        str(condition)
        for condition, of in zip(contrast.conditions, (a, b), strict=True)
        if not of.n
    ]
    note = f"no ratings of {' and '.join(missing)}" if missing else ""
    if contrast.reference and not missing and not reference.n:
        note = "the reference has no ratings in the model's own set"
    winner = "" if missing else "a" if a.above(b) else "b" if b.above(a) else "tie"
    has_points = not missing and reference.n > 0
    return {
        "condition_a": contrast.condition_a,
        "condition_b": contrast.condition_b,
        "mean_a": a.mean,
        "mean_b": b.mean,
        "mean_reference": reference.mean,
        "winner": winner,
        "reference_points": reference.above(a) + reference.above(b) if has_points else None,
        "n_a": a.n,
        "n_b": b.n,
        "note": note,
    }


def _reference_sums(items: DataFrame, contrast: Contrast) -> dict[tuple[str, str, str], Sum]:
    """The reference's ratings per scenario, dimension and set; nothing where there is none."""
    if contrast.reference is None:
        return {}
    model, condition = contrast.reference
    rows = items[(items["model"] == model) & (items["condition"] == condition)]
    columns = ["scenario", "dimension", "set", "total", "n"]
    return {
        (str(scenario), str(dimension), str(name)): Sum(int(total), int(n))
        for scenario, dimension, name, total, n in _rows(rows, columns)
    }


def _rows(table: DataFrame, columns: list[str]) -> Iterator[tuple[Any, ...]]:
    return zip(*(table[name].tolist() for name in columns), strict=True)


def _add(sums: Iterable[Sum]) -> Sum:
    each = list(sums)
    return Sum(sum(s.total for s in each), sum(s.n for s in each))
