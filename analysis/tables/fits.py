"""Mixed models of systems, each fitted once for all tables that need it.

The system is the fixed effect. Raters differ, and so do their preferences for a condition and for a
system in it. Scenarios differ, and so does what a condition and a system make of a scenario, which
is a text. Each of these has random effects, whatever the data say of its size: if effects are kept
only where they seem to be there, contrasts find too many differences that are not
(benchmarks/README.md). Where each condition has one system, or all systems one condition, two of
these are the same and have one effect.
"""

from dataclasses import dataclass
from typing import Any

from pandas import Categorical, DataFrame, Index, factorize

from analysis.recipe import FittedLink
from analysis.stats.inestimable import Inestimable
from analysis.stats.mixed import MixedFit, crossed, fit_linear, fit_ordinal

SYSTEM = ["model", "condition"]
#: In lme4's notation (1 | rater/condition/system) + (1 | scenario/condition/system).
RANDOM = ("rater/condition/system", "scenario/condition/system")
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
        data = crossed(frame_of(ratings), rating="rating", fixed=["system"], groups=RANDOM)
        near = next((fit for fit in known.values() if isinstance(fit, MixedFit)), None)
        fit = fit_linear(data) if link == "linear" else fit_ordinal(data, link=link, near=near)
        if len(ratings) <= KEPT_UP_TO:
            known[raters] = fit
        return fit


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
