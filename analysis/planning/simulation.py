"""A planned study simulated many times: what its analysis would find."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from pandas import DataFrame

from analysis.planning.components import Components
from analysis.planning.design import PlannedDesign
from analysis.recipe import FittedLink
from analysis.stats.mixed import MixedFit, contrasts, crossed, fit_linear, fit_ordinal
from analysis.tables.fits import RANDOM

#: By chance 80 % of so many studies find what 80 % should within ± 2.5 points.
STUDIES = 1000


@dataclass(frozen=True)
class SimulatedScale:
    """The ends of a scale, and the step between its points."""

    low: float
    high: float
    step: float = 1.0

    def rated(self, values: "np.ndarray") -> "np.ndarray":
        """Each value as the nearest point of the scale."""
        points = np.round((values - self.low) / self.step)
        return np.clip(points, 0, round((self.high - self.low) / self.step)) * self.step + self.low


def simulated_ratings(
    frame: DataFrame, components: Components, weights: Mapping[str, float], difference: float,
    scale: SimulatedScale, draw: np.random.Generator,
) -> DataFrame:  # fmt: skip
    """The ratings of `design.ratings()` with a column `rating`: systems of positive weight are
    above the others by `difference` points, about the middle of the scale.

    Rounding to points of the scale adds variance, by which single ratings differ less before it.
    """
    chains = {
        "rater": ["rater"],
        "rater_condition": ["rater", "condition"],
        "rater_system": ["rater", "system"],
        "scenario": ["scenario"],
        "scenario_condition": ["scenario", "condition"],
        "text": ["scenario", "system"],
    }
    value = np.full(len(frame), (scale.low + scale.high) / 2)
    sign = np.sign(frame["system"].map(weights).fillna(0).to_numpy(dtype=float))
    value += sign * difference / 2
    for name, columns in chains.items():
        levels = frame.groupby(columns, sort=False).ngroup().to_numpy()
        value += draw.normal(0, getattr(components, name), levels.max() + 1)[levels]
    rounding = scale.step**2 / 12
    value += draw.normal(0, np.sqrt(max(components.residual**2 - rounding, 0.0)), len(frame))
    return frame.assign(rating=scale.rated(value))


def simulated_p(
    design: PlannedDesign, components: Components, weights: Mapping[str, float],
    difference: float, scale: SimulatedScale, *, link: FittedLink, studies: int = STUDIES,
    seed: int = 1,
) -> Iterator[float]:  # fmt: skip
    """The main result's p of each simulated study; NaN where its model is not estimable.

    One at a time, so that the caller can show progress.
    """
    draw = np.random.default_rng(seed)
    frame = design.ratings()
    for _ in range(studies):
        ratings = simulated_ratings(frame, components, weights, difference, scale, draw)
        data = crossed(ratings, rating="rating", fixed=["system"], groups=RANDOM)
        fit = fit_linear(data) if link == "linear" else fit_ordinal(data, link=link)
        if not isinstance(fit, MixedFit):
            yield float("nan")
            continue
        table = contrasts(fit, "system", {"a − b": weights})
        yield float(table["p"].iloc[0])
