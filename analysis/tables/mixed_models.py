"""Ratings by systems, raters and items at once: mixed models with crossed random intercepts.

A rating is of a system (fixed), by a rater and of an item (both random); an item is the response
of a system to a scenario, the same in every set. One model per dimension and link; estimates are
for raters and items in general.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from pandas import Categorical, DataFrame, Index, factorize

from analysis.absent import Absent
from analysis.recipe import FittedLink, Recipe
from analysis.stats.inestimable import Inestimable
from analysis.stats.mixed import (
    MixedFit,
    contrasts,
    crossed,
    fit_linear,
    fit_ordinal,
    means,
    shares,
)
from analysis.study_data import Contrast
from analysis.tables.lead import with_lead

#: Ratings of a dimension up to which a model is kept.
KEPT_UP_TO = 100_000
KEYS = ["recipe", "raters", "dimension", "link"]
SYSTEM = ["model", "condition"]
#: A rating is the unit, and there are `n` of them.
UNITS = ["unit", "n"]
MODELS = [
    *KEYS, "unit", "parameter", "estimate", "se", "n_ratings", "n_raters", "n_items",
    "log_likelihood", "note",
]  # fmt: skip
ESTIMATES = [
    *KEYS, *UNITS, *SYSTEM, "scale", "estimate", "se", "df", "ci_low", "ci_high", "note",
]  # fmt: skip
CONTRASTS = [
    *KEYS, *UNITS, "model", "condition_a", "condition_b", "scale", "difference", "se", "df", "t",
    "p", "p_adjusted", "ci_low", "ci_high", "note",
]  # fmt: skip
SHARES = [*KEYS, *UNITS, *SYSTEM, "rating", "share", "se", "ci_low", "ci_high"]


@dataclass(frozen=True)
class System:
    """A model in a condition, as a level of the fixed factor."""

    model: str
    condition: str

    def __str__(self) -> str:
        return f"{self.model}, {self.condition}"


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


class Fits:
    """The models of one study's systems, each fitted once: the same raters gave the same ratings.

    Each but a dimension's first is found from that one, which takes less time. Models of more than
    `KEPT_UP_TO` ratings are not kept, for they hold their data.
    """

    def __init__(self) -> None:
        self._known: dict[Any, dict[frozenset[Any], MixedFit | Inestimable]] = {}

    def of(self, ratings: DataFrame, link: FittedLink) -> MixedFit | Inestimable:
        """The model of one dimension's ratings; there is one rating at least."""
        known = self._known.setdefault((ratings["dimension"].iloc[0], link), {})
        raters = frozenset(ratings["participant"].unique())
        if raters in known:
            return known[raters]
        data = crossed(
            frame_of(ratings), rating="rating", fixed=["system"], groups=("rater", "item")
        )
        near = next((fit for fit in known.values() if isinstance(fit, MixedFit)), None)
        fit = fit_linear(data) if link == "linear" else fit_ordinal(data, link=link, near=near)
        if len(ratings) <= KEPT_UP_TO:
            known[raters] = fit
        return fit


def frame_of(ratings: DataFrame) -> DataFrame:
    """Ratings with their `system`, and the numbers of their `rater` and `item`."""
    by_system = ratings.groupby(SYSTEM, observed=True, sort=True)
    systems = [System(str(model), str(condition)) for (model, condition), _ in by_system]
    return DataFrame(
        {
            "rating": ratings["rating"].to_numpy(dtype=float),
            "system": Categorical.from_codes(by_system.ngroup().to_numpy(), Index(systems)),
            "rater": factorize(ratings["participant"], sort=True)[0],
            "item": ratings.groupby([*SYSTEM, "scenario"], observed=True).ngroup().to_numpy(),
        }
    )


def mixed_models(
    ratings: DataFrame, contrast: Contrast, recipe: Recipe, *, raters: str, fits: Fits | None = None
) -> MixedTables:
    """Fit the recipe's models to each dimension, or take them from `fits`.

    `ratings` has `participant`, `rating` and the columns of an item. Estimated means and contrasts
    stand on the `ratings` scale and, of ordinal models, on the `latent` one, too; p values are
    Holm's over models within one scale. Raises Absent.
    """
    if recipe.mixed_models is None:
        raise Absent("the recipe asks for no mixed models")
    if ratings.empty:
        raise Absent("there are no ratings")
    fits = fits or Fits()
    found: dict[str, list[dict[str, Any]]] = {"m": [], "e": [], "c": [], "s": []}
    for dimension, of_dimension in ratings.groupby("dimension", observed=True):
        for link in recipe.mixed_models.fitted:
            keys: dict[str, Any] = dict(
                zip(KEYS, (recipe.name, raters, str(dimension), link), strict=True)
            )
            keys["unit"] = "rating"
            fit = fits.of(of_dimension, link)
            if isinstance(fit, Inestimable):
                found["m"].append({**keys, "parameter": "", "note": str(fit)})
                continue
            found["m"] += [{**keys, **row} for row in _parameters(fit)]
            keys["n"] = len(fit.data.y)
            found["e"] += [{**keys, **row} for row in _estimates(fit, recipe)]
            found["c"] += [{**keys, **row} for row in system_contrasts(fit, contrast, recipe)]
            if link != "linear":
                found["s"] += [{**keys, **row} for row in _shares(fit, recipe)]
    return MixedTables(
        DataFrame(found["m"], columns=MODELS),
        DataFrame(found["e"], columns=ESTIMATES),
        DataFrame(found["c"], columns=CONTRASTS),
        DataFrame(found["s"], columns=SHARES),
    )


def _parameters(fit: MixedFit) -> Iterator[dict[str, Any]]:
    """Thresholds, then the spread of raters, items and, in a linear model, of what is left."""
    errors = fit.standard_errors
    of_fit = {
        "n_ratings": len(fit.data.y),
        "n_raters": len(fit.data.groups[0].labels),
        "n_items": len(fit.data.groups[1].labels),
        "log_likelihood": fit.log_likelihood,
        "note": " ".join(note.sentence for note in fit.notes),
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


def _note(row: dict[Any, Any]) -> str:
    """Why degrees of freedom lack, where they do."""
    if np.isfinite(row["df"]):
        return ""
    return "no degrees of freedom, because all SDs are estimated at 0; held against the normal"


def _scales(fit: MixedFit) -> tuple[Any, ...]:
    return ("ratings",) if fit.link == "identity" else ("ratings", "latent")


def _estimates(fit: MixedFit, recipe: Recipe) -> Iterator[dict[str, Any]]:
    for scale in _scales(fit):
        table = means(fit, "system", scale=scale, confidence=recipe.confidence)
        for row in table.to_dict("records"):
            yield {
                **asdict(row["level"]),
                "scale": scale,
                "estimate": row["estimate"],
                "se": row["se"],
                "df": row["df"],
                "ci_low": row["low"],
                "ci_high": row["high"],
                "note": _note(row),
            }


def system_contrasts(fit: MixedFit, contrast: Contrast, recipe: Recipe) -> Iterator[dict[str, Any]]:
    """a less b of each model that has both, and over all of these; the note says where the raters
    are too few for them to lead.
    """
    if contrast.condition_a is None or contrast.condition_b is None:
        return
    a, b = contrast.conditions
    systems = fit.data.term("system").levels
    models = list(dict.fromkeys(system.model for system in systems))
    both = [m for m in models if System(m, a) in systems and System(m, b) in systems]
    single = {m: {System(m, a): 1.0, System(m, b): -1.0} for m in both}
    share = 1 / len(both) if both else 0.0
    n_raters = len(fit.data.groups[0].labels)
    every = {
        system: weight * share for weights in single.values() for system, weight in weights.items()
    }
    families = [single, {"all": every}] if len(both) > 1 else [single]
    for scale in _scales(fit):
        for family in filter(None, families):
            table = contrasts(fit, "system", family, scale=scale, confidence=recipe.confidence)
            for row in table.to_dict("records"):
                is_single = row["contrast"] != "all" or family is single
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
                    "note": with_lead(_note(row), n_raters),
                }


def _shares(fit: MixedFit, recipe: Recipe) -> Iterator[dict[str, Any]]:
    for row in shares(fit, "system", confidence=recipe.confidence).to_dict("records"):
        yield {
            **asdict(row["level"]),
            "rating": row["category"],
            "share": row["share"],
            "se": row["se"],
            "ci_low": row["low"],
            "ci_high": row["high"],
        }
