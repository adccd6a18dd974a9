"""The tables of which condition was rated higher (Pursuit of Empathy, Table 4)."""

import math
from typing import Any

import numpy as np
from pandas import DataFrame, Series

from analysis.catalogue import columns as c
from analysis.catalogue.spec import Column, TableSpec
from analysis.not_available import NotAvailable
from analysis.study_data import ITEM, Contrast
from analysis.tables.pages import scenarios
from analysis.tables.win_counts import Cells, Comparison, Item, Outcomes, cells_of, outcomes_of

KEYS = list(Comparison._fields)
WINNERS = {1: "a", 0: "tie", -1: "b"}

WINS = TableSpec(
    "wins",
    "Wins by model and scenario",
    (
        c.MODEL, c.SCENARIO, c.DIMENSION, c.CONDITION_A, c.CONDITION_B, c.MEAN_A, c.MEAN_B,
        Column("mean_reference", "Mean of the reference"),
        c.WINNER, c.REFERENCE_POINTS, c.N_A.but(meaning="Number of ratings of condition a"),
        c.N_B.but(meaning="Number of ratings of condition b"), c.NOTE,
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
    says="Each comparison is of the two conditions' mean ratings for one model in one scenario. "
        "Included raters only. The same for every recipe.",
    section="Wins",
    leads=True,
)  # fmt: skip


def cells_in_order(known: DataFrame, contrast: Contrast, *, own_set: bool = True) -> Cells:
    """What is compared, in the order of the study; items are numbered as in `known`.

    Raises NotAvailable when the study has no contrast, or no response in its conditions.
    """
    pair = contrast.conditions
    if not known["condition"].isin(pair).any():
        raise NotAvailable("no response is in either compared condition")
    if scenarios(known, contrast).empty:
        raise NotAvailable("no model is in both compared conditions")
    names = known[ITEM].astype("str").itertuples(index=False)
    return cells_of(map(Item._make, names), pair, contrast.reference, own_set=own_set)


def keys_of(cells: Cells, known: DataFrame) -> DataFrame:
    """A row of `KEYS` per cell, each column of the kind that it has among the `known` items."""
    return DataFrame(cells.keys, columns=KEYS).astype({key: known[key].dtype for key in KEYS})


def wins(items: DataFrame, contrast: Contrast) -> DataFrame:
    """One row per model × scenario × dimension in which either condition exists, of the models that
    have both.

    `items` is the table of `tables.items`. `winner` is `a`, `b` or `tie`, `reference_points` 0, 1
    or 2; where a comparison cannot be made its cell is empty and `note` says why. Raises
    NotAvailable when the study has no contrast, or no response in its conditions.
    """
    items = items.sort_values(KEYS, kind="stable")
    cells = cells_in_order(items, contrast)
    a, b, reference = cells.sums(items["total"].to_numpy(), items["n"].to_numpy())
    outcomes = outcomes_of(a, b, reference)
    no_ratings = f"no ratings of {contrast.condition_a}", f"no ratings of {contrast.condition_b}"
    reasons = {
        f"{no_ratings[0]} and {contrast.condition_b}": (a.n == 0) & (b.n == 0),
        no_ratings[0]: a.n == 0,
        no_ratings[1]: b.n == 0,
    }
    if contrast.reference:
        reasons["the reference has no ratings in the model's own set"] = reference.n == 0
    return keys_of(cells, items).assign(
        condition_a=contrast.condition_a,
        condition_b=contrast.condition_b,
        mean_a=a.mean,
        mean_b=b.mean,
        mean_reference=reference.mean,
        winner=[
            WINNERS[way] if compared else ""
            for way, compared in zip(outcomes.higher.tolist(), outcomes.compared, strict=True)
        ],
        reference_points=Series(outcomes.points, dtype="Int64").where(outcomes.has_points),
        n_a=a.n,
        n_b=b.n,
        note=np.select(list(reasons.values()), list(reasons), default=""),
    )


def wins_summary(table: DataFrame) -> DataFrame:
    """Wins, ties and reference points per scenario and, as scenario `all`, over all of them.

    `table` comes from `wins`. Percentages are of the comparisons that could be made, ties among
    them; `not_compared` counts the others. `reference_points_max` is two for each comparison
    that has reference points.
    """
    ways = {winner: way for way, winner in WINNERS.items()}
    every_outcome = Outcomes(
        np.array([ways.get(winner, 0) for winner in table["winner"]], dtype=np.int8),
        (table["winner"] != "").to_numpy(dtype=bool),
        table["reference_points"].fillna(0).to_numpy(dtype=np.int8),
        table["reference_points"].notna().to_numpy(dtype=bool),
    )
    rows = []
    for keys in (table[["scenario", "dimension"]], table[["dimension"]].assign(scenario="all")):
        places = np.arange(len(keys))
        of_cell = keys.set_axis(places).groupby(["scenario", "dimension"], observed=True)
        for (scenario, dimension), group in of_cell:
            outcomes = every_outcome.of(np.isin(places, group.index))
            rows.append(_summary(str(scenario), str(dimension), outcomes))
    return DataFrame(rows)


def _summary(scenario: str, dimension: str, outcomes: Outcomes) -> dict[str, Any]:
    counts = outcomes.counted()
    compared = int(counts.a + counts.b + counts.ties)
    return {
        "scenario": scenario,
        "dimension": dimension,
        "a_wins": int(counts.a),
        "b_wins": int(counts.b),
        "ties": int(counts.ties),
        "a_percent": percent(int(counts.a), compared),
        "b_percent": percent(int(counts.b), compared),
        "reference_points": int(counts.reference_points),
        "reference_points_max": int(counts.reference_points_max),
        "reference_percent": percent(
            int(counts.reference_points), int(counts.reference_points_max)
        ),
        "not_compared": int(counts.not_compared),
    }


def percent(part: float, whole: int) -> float:
    """So much of a hundred, NaN of nothing."""
    return 100 * part / whole if whole else math.nan
