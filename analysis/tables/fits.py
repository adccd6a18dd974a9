"""Mixed models of systems, each fitted once for all tables that need it."""

from dataclasses import dataclass
from typing import Any

from pandas import Categorical, DataFrame, Index, factorize

from analysis.recipe import FittedLink
from analysis.stats.inestimable import Inestimable
from analysis.stats.mixed import MixedFit, crossed, fit_linear, fit_ordinal

SYSTEM = ["model", "condition"]
#: Ratings of a dimension up to which a model is kept.
KEPT_UP_TO = 100_000


@dataclass(frozen=True)
class SystemLevel:
    """A model in a condition, as a level of the fixed factor."""

    model: str
    condition: str

    def __str__(self) -> str:
        return f"{self.model}, {self.condition}"


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
    systems = [SystemLevel(str(model), str(condition)) for (model, condition), _ in by_system]
    return DataFrame(
        {
            "rating": ratings["rating"].to_numpy(dtype=float),
            "system": Categorical.from_codes(by_system.ngroup().to_numpy(), Index(systems)),
            "rater": factorize(ratings["participant"], sort=True)[0],
            "item": ratings.groupby([*SYSTEM, "scenario"], observed=True).ngroup().to_numpy(),
        }
    )
