"""Mixed models of systems, each fitted once for all tables that need it.

The system is the fixed effect. Raters differ, and so do their preferences for a condition and for a
system in it. Scenarios differ, and so does what a condition and a system make of a scenario, which
is a text. Each of these has random effects, whatever the data say of its size: if effects are kept
only where they seem to be there, contrasts find too many differences that are not
(benchmarks/README.md). Where each condition has one system, or all systems one condition, two of
these are the same and have one effect.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from pandas import Categorical, DataFrame, Index, factorize

from analysis.not_available import NotAvailable
from analysis.recipe import FittedLink, Recipe
from analysis.stats.inestimable import Inestimable
from analysis.stats.mixed import Crossed, MixedFit, crossed, fit_linear, fit_ordinal

SYSTEM = ["model", "condition"]
#: In lme4's notation (1 | rater/condition/system) + (1 | scenario/condition/system).
RANDOM = ("rater/condition/system", "scenario/condition/system")
#: The covariate whose coefficient is what twice the words add.
LENGTH = "length"
#: Models of more ratings of a dimension take so much memory that only two are kept: those of the
#: included and of all raters.
LARGE_MODEL, KEPT_IF_LARGE = 100_000, 2


@dataclass(frozen=True)
class SystemLevel:
    """A model in a condition, as a level of the fixed factor."""

    model: str
    condition: str

    def __str__(self) -> str:
        return f"{self.model}, {self.condition}"


class FitOf(NamedTuple):
    """A recipe's model of one dimension's `ratings`, with the first columns of its rows: `recipe`,
    `raters`, `dimension`, `link`, and `unit`, a rating.
    """

    keys: dict[str, Any]
    ratings: DataFrame
    fit: MixedFit | Inestimable


class NearFit(NamedTuple):
    """A model of the ratings of `others`, from which another one is found."""

    others: frozenset[Any]
    fit: MixedFit


class Fits:
    """The models of one study's systems, each fitted once: the same raters gave the same ratings.

    Each search starts from the most similar model, which takes less time. `composites` are
    dimensions whose values are no points of the scale: their models are linear, whatever a recipe
    says. `ends` are the least and the greatest rating that the study allows, if it is known.
    Of large models, the newest two of a dimension are kept.
    """

    def __init__(
        self,
        composites: frozenset[str] = frozenset(),
        ends: tuple[float, float] | None = None,
    ) -> None:
        self.composites = composites
        self.ends = ends
        self._known: dict[Any, dict[frozenset[Any], MixedFit | Inestimable]] = {}

    def each(self, ratings: DataFrame, recipe: Recipe, raters: str) -> Iterator[FitOf]:
        """Every model of the recipe, of every dimension. Raises NotAvailable."""
        if recipe.mixed_models is None:
            raise NotAvailable("the recipe asks for no mixed models")
        for dimension, own in ratings.groupby("dimension", observed=True):
            for link in self.links(str(dimension), recipe.mixed_models.fitted):
                keys = {
                    "recipe": recipe.name,
                    "raters": raters,
                    "dimension": str(dimension),
                    "link": link,
                    "unit": "rating",
                }
                yield FitOf(keys, own, self.of(own, link))

    def links(self, dimension: str, asked: Sequence[FittedLink]) -> Sequence[FittedLink]:
        """The links with which a dimension's models are fitted, of those that are asked for."""
        return ["linear"] if dimension in self.composites else asked

    def of(self, ratings: DataFrame, link: FittedLink) -> MixedFit | Inestimable:
        """The model of one dimension's ratings; there is one rating at least."""
        dimension = str(ratings["dimension"].iloc[0])
        known = self._known.setdefault((dimension, link), {})
        raters = frozenset(ratings["participant"].unique())
        if raters in known:
            return known[raters]
        near = self._near(dimension, link, raters)
        data = near.fit.data if near and near.others == raters else _data_of(ratings)
        fit = (
            fit_linear(data, near=near and near.fit)
            if link == "linear"
            else fit_ordinal(data, link=link, near=near and near.fit)
        )
        known[raters] = fit
        large = [of for of, one in known.items() if _is_large(one)]
        for of in large[:-KEPT_IF_LARGE]:
            del known[of]
        return fit

    def _near(self, dimension: str, link: FittedLink, raters: frozenset[Any]) -> NearFit | None:
        """The model to start from: that of the most similar raters. An ordinal one starts from an
        ordinal one, a linear one from any.
        """
        fits = [
            NearFit(others, fit)
            for (name, _), of_raters in self._known.items()
            if name == dimension
            for others, fit in of_raters.items()
            if isinstance(fit, MixedFit) and (link == "linear" or fit.link != "identity")
        ]
        return min(fits, key=lambda near: len(near.others ^ raters), default=None)


def _is_large(fit: MixedFit | Inestimable) -> bool:
    return isinstance(fit, MixedFit) and len(fit.data.y) > LARGE_MODEL


def _data_of(ratings: DataFrame) -> Crossed:
    return crossed(frame_of(ratings), rating="rating", fixed=["system"], groups=RANDOM)


def fit_at_equal_lengths(ratings: DataFrame, link: FittedLink) -> MixedFit | Inestimable:
    """The same model with log₂ of `words` as a covariate, `LENGTH`; without ratings of texts whose
    length is unknown or 0.
    """
    words = ratings["words"].where(ratings["words"] > 0)
    frame = frame_of(ratings).assign(**{LENGTH: np.log2(words.to_numpy(dtype=float))})
    data = crossed(frame, rating="rating", fixed=["system", LENGTH], groups=RANDOM)
    return fit_linear(data) if link == "linear" else fit_ordinal(data, link=link)


def frame_of(ratings: DataFrame) -> DataFrame:
    """Ratings with their `system`, and the numbers of their `rater`, `condition` and `scenario`."""
    by_system = ratings.groupby(SYSTEM, observed=True, sort=True)
    systems = [SystemLevel(str(model), str(condition)) for (model, condition), _ in by_system]
    numbers = {
        name: factorize(ratings[column], sort=True)[0]
        for name, column in {
            "rater": "participant", "condition": "condition", "scenario": "scenario"
        }.items()
    }  # fmt: skip
    return DataFrame(
        {
            "rating": ratings["rating"].to_numpy(dtype=float),
            "system": Categorical.from_codes(by_system.ngroup().to_numpy(), Index(systems)),
            **numbers,
        }
    )
