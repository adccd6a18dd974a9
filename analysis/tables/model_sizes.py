"""Do larger models get higher ratings, and do larger ones gain less from the second condition?

Models are those that the study has, and stay the same in every resample: intervals are about other
raters and other scenarios, not about other models.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from pandas import DataFrame

from analysis.catalogue import columns as c
from analysis.catalogue.spec import Column, TableSpec
from analysis.not_available import NotAvailable
from analysis.recipe import Recipe
from analysis.stats.bootstrap import percentiles
from analysis.stats.inestimable import Inestimable
from analysis.stats.order import Resamples, resampled_means
from analysis.stats.size_trend import FEWEST_SIZES, size_trend
from analysis.study_data import Contrast
from analysis.tables.fits import SYSTEM
from analysis.tables.request import AnalysisSpec, Request, Tables
from analysis.tables.resampling import resampling

PARAMETERS = Column("parameters", "Number of parameters of the model", form="short")
MODEL_SIZES = TableSpec(
    "model_sizes",
    "Mean rating of each system, by the size of its model",
    (
        *c.FRONT, c.DIMENSION, c.MODEL, c.CONDITION, PARAMETERS,
        Column("log10_parameters", "log₁₀ of the number of parameters").csv_only(),
        c.MEAN, *c.interval("mean"), c.N_RATINGS, c.NOTE,
    ),
    question="How were models of each size rated?",
    observations="raters and scenarios at once",
    says="Means of all ratings of a system. Intervals are from resamples of raters and scenarios "
        "(unit both; with one rater or one scenario, the other alone). Models whose size the study "
        "does not give are not in the table.",
    section="Systems",
    subject="systems",
    appendix=True,
)  # fmt: skip
SIZE_TRENDS = TableSpec(
    "size_trends",
    "Ratings over the size of the models",
    (
        *c.FRONT, c.DIMENSION,
        Column("of", "What is compared over sizes: the mean rating in a condition, or the "
            "difference between the two conditions (mean of b minus mean of a)",
            is_key=True, labels="words"),
        c.CONDITION.but(choice=False, first="",
            meaning="Condition of the means; of differences, condition b"),
        Column("n_models", "Number of models with a known size", kind="count"),
        Column("n_sizes", "Number of different sizes", kind="count"),
        Column("rho", "Spearman's correlation with the size, over models", label="ρ"),
        *c.interval("rho", "rho_ci"),
        Column("slope", "Points of the scale that a tenfold size adds",
            label="slope per tenfold size"),
        *c.interval("slope", "slope_ci"),
        Column("intercept", "Value of the line at one parameter").csv_only(),
        c.N_RATERS,
        Column("n_scenarios", "Number of scenarios", kind="count"),
        Column("resamples", "Number of resamples", kind="count").csv_only(),
        c.NOTE,
    ),
    question="Do larger models get higher ratings?",
    observations="raters and scenarios at once",
    says="Each model counts once: the rank correlation of size and mean rating, and the line of "
        "least squares over the logarithm of the number of parameters. A difference that shrinks "
        "with size means that larger models gain less from {b}. Intervals resample raters and "
        "scenarios, and not models: they say nothing of other models. Few models, often of "
        "different families, cannot show that size is the reason.",
    section="Systems",
    subject="systems",
)  # fmt: skip
UNSIZED = (
    f"the study gives fewer than {FEWEST_SIZES} sizes of models that were rated (key models of "
    "study.yaml)"
)


def model_sizes(
    ratings: DataFrame,
    contrast: Contrast,
    parameters: Mapping[str, float],
    recipe: Recipe,
    *,
    raters: str,
) -> Tables:
    """Means of the systems with their size, and the trends of each condition and of b less a.

    `ratings` has `participant`, `rating` and the columns of an item; `parameters` has the size of
    models by name. Trends over fewer than three sizes are a row with the reason in `note`. Raises
    NotAvailable where the rated models have fewer than three sizes.
    """
    sized = ratings[ratings["model"].astype("str").isin(list(parameters))]
    sizes = sized["model"].astype("str").map(parameters)
    if sizes.nunique() < FEWEST_SIZES:
        raise NotAvailable(UNSIZED)
    means: list[dict[str, Any]] = []
    trends: list[dict[str, Any]] = []
    for dimension, own in sized.groupby("dimension", observed=True):
        people, scenarios = own["participant"].nunique(), own["scenario"].nunique()
        front = {
            "recipe": recipe.name,
            "unit": "scenario" if people < 2 else "participant" if scenarios < 2 else "both",
            "raters": raters,
            "dimension": str(dimension),
        }
        systems = own.groupby(SYSTEM, observed=True)
        table = systems["rating"].agg(mean="mean", n_ratings="size").reset_index()
        table["parameters"] = table["model"].astype("str").map(parameters).astype("float64")
        found = _resampled(own, np.asarray(systems.ngroup(), dtype=np.intp), recipe)
        values = table["mean"].to_numpy()[None] if isinstance(found, Inestimable) else found.means
        note = str(found) if isinstance(found, Inestimable) else ""
        means += [front | row for row in _of_systems(table, values, recipe, note)]
        about = front | {"n_raters": people, "n_scenarios": scenarios}
        if not note:
            about["resamples"] = len(values) - 1
        trends += [about | row for row in _trends(table, values, contrast, recipe, note)]
    ends = {"ci_low": "float64", "ci_high": "float64"}
    counts = dict.fromkeys(["n_models", "n_sizes", "resamples"], "Int64")
    numbers = dict.fromkeys(
        ["rho", "rho_ci_low", "rho_ci_high", "slope", "slope_ci_low", "slope_ci_high", "intercept"],
        "float64",
    )
    return {
        "model_sizes": DataFrame(means, columns=MODEL_SIZES.names).astype(ends),
        "size_trends": DataFrame(trends, columns=SIZE_TRENDS.names).astype(counts | numbers),
    }


def _resampled(own: DataFrame, system: Any, recipe: Recipe) -> Resamples | Inestimable:
    how = resampling(recipe)
    return resampled_means(
        own["rating"].to_numpy(dtype=float),
        system,
        pd.factorize(own["participant"], sort=True)[0].astype(np.intp),
        pd.factorize(own["scenario"], sort=True)[0].astype(np.intp),
        seed=how["seed"],
        resamples=how["resamples"],
    )


def _of_systems(
    table: DataFrame, values: Any, recipe: Recipe, note: str
) -> Iterator[dict[str, Any]]:
    for at, row in enumerate(table.to_dict("records")):
        low, high = percentiles(values[1:, at], recipe.confidence) or (None, None)
        log = float(np.log10(row["parameters"]))
        yield {str(name): value for name, value in row.items()} | {
            "model": str(row["model"]),
            "condition": str(row["condition"]),
            "log10_parameters": log,
            "ci_low": low,
            "ci_high": high,
            "note": note,
        }


def _trends(
    table: DataFrame, values: Any, contrast: Contrast, recipe: Recipe, note: str
) -> Iterator[dict[str, Any]]:
    """Of every condition with a model of known size; then of the difference, over the models that
    have both conditions.
    """
    places = {
        str(condition): {str(model): at for at, model in own["model"].items()}
        for condition, own in table.groupby("condition", observed=True)
    }
    sizes = dict(zip(table["model"].astype("str"), table["parameters"], strict=True))
    for condition, at in places.items():
        of = np.array([sizes[model] for model in at])
        front = {"of": "mean", "condition": condition}
        yield front | _trend(of, values[:, list(at.values())], recipe, note)
    a, b = contrast.condition_a, contrast.condition_b
    if a in places and b in places:
        both = [model for model in places[a] if model in places[b]]
        gains = values[:, [places[b][m] for m in both]] - values[:, [places[a][m] for m in both]]
        front = {"of": "difference", "condition": str(b)}
        yield front | _trend(np.array([sizes[model] for model in both]), gains, recipe, note)


def _trend(sizes: Any, values: Any, recipe: Recipe, note: str) -> dict[str, Any]:
    several = len(np.unique(sizes))
    row: dict[str, Any] = {"n_models": len(sizes), "n_sizes": several, "note": note}
    if several < FEWEST_SIZES:
        few = f"not estimable, because there are fewer than {FEWEST_SIZES} sizes: {several}"
        return row | {"note": few}
    found = size_trend(sizes, values, confidence=recipe.confidence)
    rho, slope = (each or (None, None) for each in (found.rho_interval, found.slope_interval))
    if np.isnan(found.rho):
        row["note"] = "; ".join(filter(None, [note, "no ρ, because all values are equal"]))
    return row | {
        "rho": found.rho,
        "rho_ci_low": rho[0],
        "rho_ci_high": rho[1],
        "slope": found.slope,
        "slope_ci_low": slope[0],
        "slope_ci_high": slope[1],
        "intercept": found.intercept,
    }


def _make(request: Request) -> Tables:
    return model_sizes(
        request.answers.ratings,
        request.study.contrast,
        request.study.parameters,
        request.recipe,
        raters=request.raters,
    )


ANALYSIS = AnalysisSpec((SIZE_TRENDS, MODEL_SIZES), _make)
