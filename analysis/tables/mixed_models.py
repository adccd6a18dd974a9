"""Ratings by systems, raters and items at once: mixed models with crossed random intercepts.

A rating is of a system (fixed), by a rater and of a scenario; the random effects are those of
`fits.RANDOM`. An item is the response of a system to a scenario, the same in every set. One model
per dimension and link; estimates are for raters and texts in general.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from pandas import DataFrame
from scipy.special import stdtrit

from analysis.catalogue import columns as c
from analysis.catalogue.spec import Column, TableSpec
from analysis.not_available import NotAvailable
from analysis.recipe import MOST_CATEGORIES, Recipe
from analysis.stats.inestimable import Inestimable
from analysis.stats.mixed import (
    MixedFit,
    contrasts,
    means,
    shares,
)
from analysis.stats.multiplicity import holm_levels
from analysis.study_data import Contrast
from analysis.tables.fits import Fits, SystemLevel
from analysis.tables.group_tests import ALL
from analysis.tables.request import AnalysisSpec, Request, Tables
from survey.definition.contrast import comparison_of

#: A rating is the unit, and there are `n` of them.
UNITS = ["unit", "n"]
LIMITED_BY = Column(
    "limited_by",
    "What makes most of the variance of the difference: raters (how much their preferences "
    "differ), texts (how much scenarios' texts differ), or ratings. More of these would make the "
    "interval shorter",
    choice=True,
    latex=False,
)
MIXED_CONTRASTS = TableSpec(
    "mixed_contrasts",
    "{a} against {b}, raters and items at once",
    (
        c.RECIPE, c.RATERS, c.DIMENSION, c.LINK, c.UNIT, c.N, c.MODEL,
        c.CONDITION_A.but(is_key=False), c.CONDITION_B.but(is_key=False), c.SCALE, c.DIFFERENCE,
        c.SE, c.DF.but(latex=False), c.T.csv_only(), c.P, c.p_holm("models"),
        *c.interval("difference"),
        LIMITED_BY,
    ),
    question="Which is rated higher, for raters and items in general: {a} or {b}?",
    observations="ratings in raters × items",
    says="{a} minus {b}, for other raters and other texts at once: the main result, tested by "
        "Student's t with Satterthwaite's degrees of freedom. The models account for raters and "
        "for texts that differ. Ordinal models give the difference on the scale of the ratings and "
        "on the latent scale, whose unit is that of the link (for probit, the standard deviation "
        "of single ratings).",
    section="Mixed models",
    subject="mixed-models",
    counts="n counts the unit.",
    leads=True,
)  # fmt: skip
OWN_RATINGS = c.N.but(meaning="Number of ratings of this system in the model")
MIXED_SYSTEMS = TableSpec(
    "mixed_systems",
    "Estimated means of the systems",
    (
        c.RECIPE, c.RATERS, c.DIMENSION, c.LINK, c.UNIT, OWN_RATINGS, c.MODEL, c.CONDITION, c.SCALE,
        c.ESTIMATE, c.SE, c.DF.csv_only(), *c.interval("estimate"),
    ),
    question="How good is each system, for raters and items in general?",
    observations="ratings in raters × items",
    says="On the latent scale, the mean for an average rater and item. On the scale of the "
        "ratings, the mean over raters and items.",
    section="Mixed models",
    subject="mixed-models",
    counts="n counts the unit: the ratings of the system.",
    folded=True,
)  # fmt: skip
MIXED_SHARES = TableSpec(
    "mixed_shares",
    "Predicted shares of each rating",
    (
        c.RECIPE, c.RATERS, c.DIMENSION, c.LINK, c.UNIT, OWN_RATINGS, c.MODEL, c.CONDITION,
        Column("rating", "Category of the scale", form="short"),
        c.SHARE, c.SE, *c.interval("share"),
    ),
    question="How often is each rating expected?",
    observations="ratings in raters × items",
    says="Predicted over the model's population of raters and items.",
    section="Mixed models",
    subject="mixed-models",
    counts="n counts the unit: the ratings of the system.",
    appendix=True,
)  # fmt: skip
MIXED_MODELS = TableSpec(
    "mixed_models",
    "The models themselves",
    (
        c.RECIPE, c.RATERS, c.DIMENSION, c.LINK, c.UNIT,
        Column("parameter", "Threshold or standard deviation of the model", is_key=True,
               labels="parameters"),
        c.ESTIMATE, c.SE, c.N_RATINGS, c.N_RATERS,
        c.N_ITEMS.but(label="n texts", meaning="Number of responses; a response in several sets "
            "counts once"),
        Column("log_likelihood", "Log-likelihood of the model", decimals=1),
        c.NOTE,
    ),
    question="What are the mixed models made of?",
    observations="ratings in raters × items",
    says="Thresholds between the points of the scale (ordinal models), and standard deviations of "
        "the random effects and, in linear models, of residuals. An SD of 0 is an estimate like "
        "others. Unless the recipe chooses, scales of up to "
        f"{MOST_CATEGORIES} points get an ordinal model; sliders and longer scales get a linear "
        "one.",
    section="Mixed models",
    subject="mixed-models",
    counts="n ratings counts the unit.",
    appendix=True,
)  # fmt: skip


#: Why a composite's model is linear.
OF_COMPOSITE = "A composite has no points of the scale, which ordinal models need: a linear model."
#: What the sources of variance are to a reader.
LIMITS = {"rater": "raters", "scenario": "texts", "error": "ratings"}


@dataclass(frozen=True)
class MixedTables:
    """Parameters of each model, estimated means, a less b, and shares of each point of the scale.

    A model that cannot be had is one row of `models` with the reason in `note`, and nothing in the
    others.
    """

    models: DataFrame
    estimates: DataFrame
    contrasts: DataFrame
    shares: DataFrame


def mixed_models(
    ratings: DataFrame, contrast: Contrast, recipe: Recipe, *, raters: str, fits: Fits | None = None
) -> MixedTables:
    """Fit the recipe's models to each dimension, or take them from `fits`.

    `ratings` has `participant`, `rating` and the columns of an item. Estimated means and contrasts
    stand on the `ratings` scale and, of ordinal models, on the `latent` one, too; p values are
    Holm's over models within one scale. Raises NotAvailable.
    """
    if ratings.empty:
        raise NotAvailable("there are no ratings")
    rows: dict[str, list[dict[str, Any]]] = {"m": [], "e": [], "c": [], "s": []}
    fits = fits or Fits()
    for keys, _, fit in fits.each(ratings, recipe, raters):
        if isinstance(fit, Inestimable):
            rows["m"].append({**keys, "parameter": "", "note": str(fit)})
            continue
        of_composite = OF_COMPOSITE if keys["dimension"] in fits.composites else ""
        said = f"{of_composite} {said_of(fit)}".strip()
        rows["m"] += [{**keys, **row, "note": said} for row in _parameters(fit)]
        keys["n"] = len(fit.data.y)
        rows["e"] += [{**keys, **row} for row in _estimates(fit, recipe, fits.ends)]
        rows["c"] += [{**keys, **row} for row in system_contrasts(fit, contrast, recipe)]
        if fit.link != "identity":
            rows["s"] += [{**keys, **row} for row in _shares(fit, recipe)]
    return MixedTables(
        DataFrame(rows["m"], columns=MIXED_MODELS.names),
        DataFrame(rows["e"], columns=MIXED_SYSTEMS.names),
        DataFrame(rows["c"], columns=MIXED_CONTRASTS.names),
        DataFrame(rows["s"], columns=MIXED_SHARES.names),
    )


def _parameters(fit: MixedFit) -> Iterator[dict[str, Any]]:
    """Thresholds, then the spread of random effects and, in a linear model, of what is left."""
    errors = fit.standard_errors
    of_fit = {
        "n_ratings": len(fit.data.y),
        "n_raters": fit.data.sides[0].units,
        "n_items": fit.data.sides[1].parts,
        "log_likelihood": fit.log_likelihood,
    }
    for name, value in fit.thresholds.items():
        yield {
            **of_fit,
            "parameter": f"threshold {name}",
            "estimate": value,
            "se": errors[str(name)],
        }
    for name, value in fit.sds.items():
        error = errors.get(f"sd: {name}")
        yield {**of_fit, "parameter": f"sd {name}", "estimate": value, "se": error}
    if fit.residual_sd is not None:
        yield {**of_fit, "parameter": "sd residual", "estimate": fit.residual_sd}


def at_level_of_tests(table: DataFrame, confidence: float) -> DataFrame:
    """Contrasts of one family with the intervals that Holm's tests of them have, in low and high:
    one without zero belongs to a contrast that is told from zero, and to no other.
    """
    levels = holm_levels(table["p"].to_numpy(), 1 - confidence)
    reach = stdtrit(table["df"], 1 - levels / 2) * table["se"]
    return table.assign(low=table["estimate"] - reach, high=table["estimate"] + reach)


def said_of(fit: MixedFit) -> str:
    """What a reader must know of a fit. That an SD is 0 stands among the parameters: the terms are
    not selected, and degrees of freedom allow for it.
    """
    return " ".join(note.sentence for note in fit.notes if note.kind != "boundary")


def _scales(fit: MixedFit) -> tuple[Any, ...]:
    return ("ratings",) if fit.link == "identity" else ("ratings", "latent")


def _estimates(
    fit: MixedFit, recipe: Recipe, ends: tuple[float, float] | None
) -> Iterator[dict[str, Any]]:
    n = fit.data.counts("system")
    for scale in _scales(fit):
        table = means(fit, "system", scale=scale, confidence=recipe.confidence, ends=ends)
        for row in table.to_dict("records"):
            yield {
                **asdict(row["level"]),
                "n": n[row["level"]],
                "scale": scale,
                "estimate": row["estimate"],
                "se": row["se"],
                "df": row["df"],
                "ci_low": row["low"],
                "ci_high": row["high"],
            }


def system_contrasts(fit: MixedFit, contrast: Contrast, recipe: Recipe) -> Iterator[dict[str, Any]]:
    """a less b of each model that has both, and of all systems."""
    systems = [(system.model, system.condition) for system in fit.data.term("system").levels]
    comparison = comparison_of(systems, contrast.condition_a, contrast.condition_b)
    if comparison is None:
        return
    a, b = contrast.conditions
    families = [comparison.of_models, {ALL: comparison.of_all}]
    if comparison.is_within and len(comparison.models) == 1:
        families.pop()  # the same once more
    for scale in _scales(fit):
        for family in filter(None, families):
            weights = {
                name: {SystemLevel(*system): weight for system, weight in of.items()}
                for name, of in family.items()
            }
            table = contrasts(fit, "system", weights, scale=scale, confidence=recipe.confidence)
            for row in table.to_dict("records"):
                is_single = family is families[0]
                yield {
                    "model": row["contrast"],
                    "condition_a": a,
                    "condition_b": b,
                    "scale": scale,
                    "difference": row["estimate"],
                    **{name: row[name] for name in ("se", "df", "t", "p")},
                    "p_adjusted": row["p_adjusted"] if is_single else np.nan,
                    "ci_low": row["low"],
                    "ci_high": row["high"],
                    "limited_by": LIMITS[row["source"]],
                }


def _shares(fit: MixedFit, recipe: Recipe) -> Iterator[dict[str, Any]]:
    n = fit.data.counts("system")
    for row in shares(fit, "system", confidence=recipe.confidence).to_dict("records"):
        yield {
            **asdict(row["level"]),
            "n": n[row["level"]],
            "rating": row["category"],
            "share": row["share"],
            "se": row["se"],
            "ci_low": row["low"],
            "ci_high": row["high"],
        }


def _make(request: Request) -> Tables:
    study = request.study
    tables = mixed_models(
        request.answers.ratings,
        study.contrast,
        request.recipe,
        raters=request.raters,
        fits=study.fits,
    )
    return {
        "mixed_models": tables.models,
        "mixed_systems": tables.estimates,
        "mixed_contrasts": tables.contrasts,
        "mixed_shares": tables.shares,
    }


ANALYSIS = AnalysisSpec((MIXED_CONTRASTS, MIXED_SYSTEMS, MIXED_SHARES, MIXED_MODELS), _make)
