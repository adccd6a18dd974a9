"""Is condition a rated differently from condition b, with scenarios or single ratings as the units?

The tests of studies that have few raters and many scenarios (Liu: five raters, 100 dialogues), as
published: those of recipes that count ratings. `paired` has the same test over raters, of which
five can have no p below .0625.
"""

from collections.abc import Iterator
from typing import Any

import pandas as pd
from pandas import DataFrame

from analysis.catalogue import columns as c
from analysis.catalogue.spec import Column, TableSpec
from analysis.recipe import Recipe
from analysis.study_data import Contrast
from analysis.tables.contrasts import PairedMeans, adjusted_over_models, compared
from analysis.tables.group_tests import ALL
from analysis.tables.request import AnalysisSpec, Request, Tables
from analysis.tables.signed_ranks import signed_ranks


def _sd(side: str) -> Column:
    return c.SD.but(
        name=f"sd_{side}",
        meaning=f"Standard deviation of the units in {side} (n − 1)",
        behind=f"mean_{side}",
    )


SIGNED_RANKS = TableSpec(
    "signed_ranks",
    "Signed ranks over scenarios and over ratings",
    (
        c.RECIPE, c.UNIT, c.RATERS, c.MODEL, c.DIMENSION, c.CONDITION_A, c.CONDITION_B,
        c.N.but(meaning="Number of pairs: scenarios, or raters × scenarios"),
        c.MEAN_A, _sd("a"),
        c.MEAN_B, _sd("b"),
        c.WILCOXON, c.P, c.RANK_BISERIAL, c.p_holm("models"), *c.interval("rank_biserial"),
        c.T_PLUS.csv_only(),
        c.ZEROS.but(meaning="Pairs without a difference, which the test drops").csv_only(),
        c.METHOD, c.P_BH.csv_only(), c.NOTE,
    ),
    question="Is {a} rated differently from {b}, if scenarios or ratings are the units?",
    observations="scenarios; ratings",
    says="Wilcoxon's signed-rank test of what the same raters gave {a} and {b}: of the means over "
        "raters in each scenario (unit scenario), and of each rater's two ratings of a scenario "
        "(unit rating). The first speaks of other scenarios before these raters. The second "
        "takes ratings of one rater and of one scenario as independent: its p is far too small "
        "where raters or scenarios differ. The same test over raters is in the table paired.",
    section="Contrasts",
    subject="wins",
    counts="n counts pairs of the unit.",
    folded=True,
)  # fmt: skip
#: What the columns of a row are made from, by unit.
UNITS = ("scenario", "rating")


def signed_rank_units(
    ratings: DataFrame,
    contrast: Contrast,
    recipe: Recipe,
    *,
    raters: str,
    known: DataFrame | None = None,
) -> DataFrame:
    """Wilcoxon's signed-rank test per model and dimension, and over all models, by both units.

    `ratings` and `known` are as for `contrasts.paired`, whose columns these are. A pair is what was
    rated in both conditions by the same rater: of unit `scenario` its means over raters (over all
    models: and models), of unit `rating` those of one rater, scenario and model. `sd_a` and `sd_b`
    are of the units. p values are adjusted over the models within each unit. Raises NotAvailable.
    """
    a, b = contrast.conditions
    front = {"recipe": recipe.name, "raters": raters, "condition_a": a, "condition_b": b}
    rows = [
        {**front, "unit": unit, "model": each.model, "dimension": each.dimension, **row}
        for each, pairs in _with_pairs(compared(ratings, contrast, known))
        for unit, row in _tested(each, pairs, recipe.confidence)
    ]
    table = DataFrame(rows, columns=SIGNED_RANKS.names)
    table = adjusted_over_models(table, ["dimension"])
    numbers = dict.fromkeys(["ci_low", "ci_high", "sd_a", "sd_b"], "float64")
    return table.astype({"n": "Int64", "zeros": "Int64"} | numbers)


def _with_pairs(models: Iterator[PairedMeans]) -> Iterator[tuple[PairedMeans, DataFrame]]:
    """Each model with its pairs of ratings; all models have those of each."""
    before: list[PairedMeans] = []
    for each in models:
        if each.model != ALL:
            before.append(each)
            yield each, each.both
            continue
        of_dimension = [one.both for one in before if one.dimension == each.dimension]
        yield each, pd.concat(of_dimension)


def _tested(
    each: PairedMeans, pairs: DataFrame, confidence: float
) -> Iterator[tuple[str, dict[str, Any]]]:
    by_scenario = each.both.groupby("scenario", observed=True)[["a", "b"]].mean()
    for unit, values in zip(UNITS, (by_scenario, pairs), strict=True):
        row: dict[str, Any] = {"n": 0, "note": each.why_not}
        if not each.why_not:
            row = signed_ranks(values["a"], values["b"], confidence=confidence, nobody="")
            row |= {"sd_a": values["a"].std(), "sd_b": values["b"].std()}
            row["note"] = each.noted(row["note"])
        yield unit, row


def _make(request: Request) -> Tables:
    study = request.study
    table = signed_rank_units(
        request.answers.ratings,
        study.contrast,
        request.recipe,
        raters=request.raters,
        known=study.known,
    )
    return {"signed_ranks": table}


ANALYSIS = AnalysisSpec((SIGNED_RANKS,), _make, of_units=("rating",))
