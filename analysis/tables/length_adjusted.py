"""The main result at equal lengths: condition a against b with the length of texts as a covariate.

Longer answers are often rated higher, whatever else is in them (Y. Dubois, B. Galambosi, P. Liang &
T. B. Hashimoto (2024), Length-controlled AlpacaEval, arXiv:2404.04475). The mixed model of
`fits` gets log₂ of the number of words as a fixed effect, and what it then says of the conditions
is of texts of one length. Length may be part of what makes a text good, so this does not correct
the main result: it tells how much of it could be length.
"""

from collections.abc import Iterator
from typing import Any

from pandas import DataFrame, Series

from analysis.catalogue import columns as c
from analysis.catalogue.spec import Column, TableSpec
from analysis.not_available import NotAvailable
from analysis.recipe import Recipe
from analysis.stats.inestimable import Inestimable
from analysis.stats.mixed import MixedFit, slope
from analysis.study_data import CELL, Contrast
from analysis.tables.conclusions import TestedDifference, moved
from analysis.tables.fits import LENGTH, Fits, fit_at_equal_lengths
from analysis.tables.group_tests import ALL
from analysis.tables.mixed_models import said_of, system_contrasts
from analysis.tables.request import AnalysisSpec, Request, Tables

LENGTH_ADJUSTED = TableSpec(
    "length_adjusted",
    "{a} against {b} at equal lengths",
    (
        c.RECIPE, c.RATERS, c.DIMENSION, c.LINK, c.UNIT, c.N, c.MODEL,
        c.CONDITION_A.but(is_key=False), c.CONDITION_B.but(is_key=False),
        Column("words_a", "Mean number of words in condition a's responses", label="words of {a}",
            decimals=1),
        Column("words_b", "Mean number of words in condition b's responses", label="words of {b}",
            decimals=1),
        c.DIFFERENCE.but(meaning="Condition a minus b, as in mixed_contrasts, in points"),
        *c.interval("difference"),
        c.P,
        Column("adjusted", "Condition a minus b at equal lengths, in points",
            label="{a} minus {b}, equal lengths", signed=True),
        *c.interval("adjusted", "adjusted"),
        Column("adjusted_p", "p value of that difference", form="p", label="p at equal lengths"),
        Column("per_doubling", "What twice the words add to a rating: in points in a linear model, "
            "otherwise on the latent scale", label="twice the words"),
        *c.interval("per_doubling", "per_doubling"),
        Column("per_doubling_p", "p value of that", form="p").csv_only(),
        c.WHAT_MOVES, c.NOTE,
    ),
    question="Which is rated higher when their responses are equally long: {a} or {b}?",
    observations="ratings in raters × items",
    says="The mixed model of the main result, with the logarithm of the number of words as a "
        "covariate. Length can be a part of what makes a response better, so the result at equal "
        "lengths is no correction. It shows how much of the difference could be due to length.",
    section="Sensitivity",
    subject="order",
    counts="n counts the unit. p values are not adjusted over models.",
)  # fmt: skip


def length_adjusted(
    ratings: DataFrame, contrast: Contrast, recipe: Recipe, *, raters: str, fits: Fits | None = None
) -> DataFrame:
    """a − b of each model and over all, as measured and at equal lengths, for each dimension and
    each of the recipe's mixed models; on the scale of the ratings.

    `ratings` has `participant`, `rating`, the columns of an item and `words`. Ratings of texts
    whose length is unknown or 0 are left out of the model with lengths, which `note` says. A model
    that cannot be had is one row with the reason in `note`. Raises NotAvailable.
    """
    a, b = contrast.conditions
    if not ratings["condition"].isin([a, b]).any():
        raise NotAvailable("no rating is of either compared condition")
    if "words" not in ratings or not (ratings["words"] > 0).any():
        raise NotAvailable("the lengths of the responses are not known")
    rows: list[dict[str, Any]] = []
    for keys, own, measured in (fits or Fits()).each(ratings, recipe, raters):
        adjusted = fit_at_equal_lengths(own, keys["link"])
        rows += [{**keys, **row} for row in _rows(own, contrast, recipe, measured, adjusted)]
    if not rows:
        raise NotAvailable("no system is in one of the compared conditions")
    return DataFrame(rows).reindex(columns=LENGTH_ADJUSTED.names).astype({"n": "Int64"})


def _rows(
    ratings: DataFrame,
    contrast: Contrast,
    recipe: Recipe,
    measured: MixedFit | Inestimable,
    adjusted: MixedFit | Inestimable,
) -> Iterator[dict[str, Any]]:
    for fit in (measured, adjusted):
        if isinstance(fit, Inestimable):
            yield {"model": ALL, "note": str(fit)}
            return
    assert isinstance(measured, MixedFit) and isinstance(adjusted, MixedFit)
    words = _mean_words(ratings)
    doubled = slope(adjusted, LENGTH, confidence=recipe.confidence)
    after = {row["model"]: row for row in _on_ratings(adjusted, contrast, recipe)}
    for row in _on_ratings(measured, contrast, recipe):
        other = after.get(row["model"])
        if other is None:  # nobody knows how long this model's texts are
            continue
        a, b = row["condition_a"], row["condition_b"]
        of = slice(None) if row["model"] == ALL else row["model"]
        yield {
            "model": row["model"],
            "condition_a": a,
            "condition_b": b,
            "n": len(adjusted.data.y),
            "words_a": words.loc[(of, a)].mean(),
            "words_b": words.loc[(of, b)].mean(),
            **{name: row[name] for name in ("difference", "ci_low", "ci_high", "p")},
            "adjusted": other["difference"],
            "adjusted_low": other["ci_low"],
            "adjusted_high": other["ci_high"],
            "adjusted_p": other["p"],
            "per_doubling": doubled["estimate"],
            **{f"per_doubling_{end}": doubled[end] for end in ("low", "high", "p")},
            "what_moves": moved(
                *(TestedDifference(one["difference"], one["p"]) for one in (row, other)),
                confidence=recipe.confidence,
            ),
            "note": said_of(adjusted),
        }


def _on_ratings(fit: MixedFit, contrast: Contrast, recipe: Recipe) -> list[dict[str, Any]]:
    each = system_contrasts(fit, contrast, recipe)
    return [row for row in each if row["scale"] == "ratings"]


def _mean_words(ratings: DataFrame) -> "Series[float]":
    """Of the texts that were rated, each once, by model and condition."""
    texts = ratings[ratings["words"] > 0].drop_duplicates(CELL)
    return texts.groupby(["model", "condition"], observed=True)["words"].mean()


def _make(request: Request) -> Tables:
    ratings, study = request.answers.ratings, request.study
    table = length_adjusted(
        ratings, study.contrast, request.recipe, raters=request.raters, fits=study.fits
    )
    return {"length_adjusted": table}


ANALYSIS = AnalysisSpec((LENGTH_ADJUSTED,), _make)
