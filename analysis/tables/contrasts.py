"""Is condition a rated differently from condition b, within the raters who saw both?

Everything here compares a with b within raters, and differences are a − b. Means of several
ratings of a rater, such as those of several scenarios, count each once.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from pandas import DataFrame, Series

from analysis.absent import Absent
from analysis.recipe import Recipe
from analysis.stats.by_raters_and_items import MinF, by_raters_and_items
from analysis.stats.inestimable import Inestimable
from analysis.stats.paired import PairedT
from analysis.study_data import Contrast
from analysis.tables.group_tests import ALL, adjusted
from analysis.tables.signed_ranks import signed_ranks

FRONT = ["recipe", "unit", "raters"]
PAIRED = [
    *FRONT, "model", "dimension", "condition_a", "condition_b", "n", "mean_a", "mean_b",
    "wilcoxon", "p", "rank_biserial", "p_adjusted", "ci_low", "ci_high", "t_plus", "zeros",
    "left_out", "method", "p_bh", "note",
]  # fmt: skip
CONTRASTS = [
    *FRONT, "model", "dimension", "condition_a", "condition_b", "generalises_to", "n",
    "difference", "ci_low", "ci_high", "F", "df1", "df2", "p", "p_adjusted", "missing_cells",
    "p_bh", "note",
]  # fmt: skip


def paired(ratings: DataFrame, contrast: Contrast, recipe: Recipe, *, raters: str) -> DataFrame:
    """Wilcoxon's signed-rank test of raters' means, per model and dimension, and over all models.

    `ratings` has `participant`, `rating` and the columns of an item. `n` raters gave ratings in
    both conditions; `left_out` in one alone. `wilcoxon` is T, the smaller of both sums of ranks,
    `t_plus` that of the positive differences; `rank_biserial` is 1 where every rater gave more to
    a. p is exact for up to 50 raters, ties or not, and by the normal approximation for more,
    as `method` says. p values are adjusted over the models. Raises Absent.
    """
    rows = []
    for model, dimension, a, b in _by_condition(ratings, contrast):
        rows.append(
            {
                **_front(recipe, contrast, raters, model, dimension),
                **signed_ranks(
                    a.mean(axis=1),
                    b.mean(axis=1),
                    confidence=recipe.confidence,
                    nobody="no rater rated both conditions",
                ),
            }
        )
    table = _over_models(DataFrame(rows, columns=PAIRED), ["dimension"])
    return table.astype({"zeros": "Int64", "left_out": "Int64"})


def contrasts(ratings: DataFrame, contrast: Contrast, recipe: Recipe, *, raters: str) -> DataFrame:
    """a − b for other raters (F1), for other scenarios (F2), and for both (min F′).

    Per model and dimension, and over all models. `generalises_to` says to whom: `raters` of these
    very texts, `scenarios` judged by these raters, or `both`; `n` counts them. p values are
    adjusted over the models within each. Raises Absent.
    """
    rows = [
        {**_front(recipe, contrast, raters, model, dimension), **row}
        for model, dimension, a, b in _by_condition(ratings, contrast)
        for row in _generalised(a - b, recipe.confidence)
    ]
    table = _over_models(DataFrame(rows, columns=CONTRASTS), ["dimension", "generalises_to"])
    return table.astype({"n": "Int64"})


def rater_differences(ratings: DataFrame, contrast: Contrast) -> DataFrame:
    """Each rater's mean of a − b over all models, per dimension: what `contrasts` averages by
    raters, so that the mean of some raters alone needs no ratings.

    `ratings` are everybody's; a rater who rated no scenario in both conditions has no row. Raises
    Absent.
    """
    rows = [
        (str(who), dimension, float(mean))
        for dimension, differences in over_all_models(ratings, contrast).items()
        for who, mean in differences.mean(axis=1).dropna().items()
    ]
    return DataFrame(rows, columns=["participant", "dimension", "difference"])


def over_all_models(ratings: DataFrame, contrast: Contrast) -> dict[str, DataFrame]:
    """a − b of each rater (rows) and scenario (columns) over all models, per dimension: what the
    last rows of `contrasts` rest on. Raises Absent.
    """
    compared = {}
    for dimension, means, models in _compared(ratings, contrast):
        a, b = _pair(means, models, contrast)
        compared[dimension] = a - b
    return compared


def _by_condition(
    ratings: DataFrame, contrast: Contrast
) -> Iterator[tuple[str, str, DataFrame, DataFrame]]:
    """Mean ratings of a and of b, raters × scenarios, per model and dimension; then of all models,
    where there are several.
    """
    for dimension, means, models in _compared(ratings, contrast):
        for model in models:
            yield model, dimension, *_pair(means, [model], contrast)
        if len(models) > 1:
            yield ALL, dimension, *_pair(means, models, contrast)


def _compared(
    ratings: DataFrame, contrast: Contrast
) -> Iterator[tuple[str, "Series[float]", list[str]]]:
    """Per dimension the mean ratings by model, condition, participant and scenario, and the models
    that are in both conditions; others are not compared.
    """
    pair = contrast.conditions
    compared = ratings[ratings["condition"].isin(pair)]
    if compared.empty:
        raise Absent(f"no rating is of condition {pair[0]} or {pair[1]}")
    keys = ["model", "dimension", "condition", "participant", "scenario"]
    means = compared.groupby(keys, observed=True)["rating"].mean()
    found = False
    for dimension in means.index.unique("dimension"):
        of_dimension = means.xs(dimension, level="dimension")
        models = [
            model
            for model in of_dimension.index.unique("model")
            if set(of_dimension.xs(model, level="model").index.unique("condition")) == set(pair)
        ]
        if models:
            found = True
            yield str(dimension), of_dimension, models
    if not found:
        raise Absent(f"no model is in both conditions, {pair[0]} and {pair[1]}")


def _pair(
    means: "Series[float]", models: Sequence[str], contrast: Contrast
) -> tuple[DataFrame, DataFrame]:
    """Means of a and of b over some models, both with the same raters and scenarios."""
    if len(models) == 1:
        of_models = means.xs(models[0], level="model")
    else:
        every = means[means.index.isin(models, level="model")]
        of_models = every.groupby(["condition", "participant", "scenario"], observed=True).mean()
    a, b = (_table(of_models.xs(condition, level="condition")) for condition in contrast.conditions)
    return a.align(b)


def _table(means: "Series[float]") -> DataFrame:
    """Participants × scenarios."""
    table: DataFrame = means.unstack("scenario")
    return table.sort_index()


def _front(
    recipe: Recipe, contrast: Contrast, raters: str, model: str, dimension: str
) -> dict[str, Any]:
    a, b = contrast.conditions
    return {
        "recipe": recipe.name,
        "unit": "participant",
        "raters": raters,
        "model": model,
        "dimension": dimension,
        "condition_a": a,
        "condition_b": b,
    }


def _generalised(differences: DataFrame, confidence: float) -> Iterator[dict[str, Any]]:
    found = by_raters_and_items(differences, confidence=confidence, units=("rater", "scenario"))
    missing = {"missing_cells": found.empty_cells}
    yield {"unit": "participant", "generalises_to": "raters", **missing, **_of_t(found.by_raters)}
    yield {"unit": "scenario", "generalises_to": "scenarios", **missing, **_of_t(found.by_items)}
    yield {"unit": "both", "generalises_to": "both", **missing, **_of_min_f(found.min_f)}


def _of_t(found: PairedT | Inestimable) -> dict[str, Any]:
    if isinstance(found, Inestimable):
        return {"note": str(found)}
    low, high = found.interval
    return {
        "n": found.n,
        "difference": found.difference,
        "ci_low": low,
        "ci_high": high,
        "F": found.t**2,
        "df1": 1,
        "df2": found.df,
        "p": found.p,
        "note": "",
    }


def _of_min_f(found: MinF | Inestimable) -> dict[str, Any]:
    if isinstance(found, Inestimable):
        return {"note": str(found)}
    return {"F": found.F, "df1": 1, "df2": found.df2, "p": found.p, "note": ""}


def _over_models(table: DataFrame, within: list[str]) -> DataFrame:
    """With p adjusted over the single models."""
    single = adjusted(table[table["model"] != ALL], [*FRONT, *within])
    p = {name: single[name].reindex(table.index) for name in ("p_adjusted", "p_bh")}
    columns = list(table)
    return table.assign(p=table["p"].astype(float), **p)[columns]
