"""Resampling of units (items, scenarios) with replacement, all resamples at once."""

from functools import lru_cache

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float64]
RESAMPLES = 2000
#: Of resamples × units: from there on fewer resamples are drawn, but never below the fewest.
MOST_CELLS = 20_000_000
FEWEST_RESAMPLES = 200


def resampled(units: int, *, seed: int, resamples: int = RESAMPLES) -> Matrix:
    """How often each unit was drawn (resamples × units); every row adds up to `units`."""
    return _drawn(units, seed, resamples)


@lru_cache(maxsize=4)
def _drawn(units: int, seed: int, resamples: int) -> Matrix:
    """The draws are the most expensive part, and each statistic of a judge uses the same ones."""
    draw = np.random.default_rng(seed)
    drawn = draw.multinomial(units, np.full(units, 1 / units), size=resamples).astype(float)
    drawn.flags.writeable = False
    return drawn


def one_fewer(units: int, draw: np.random.Generator, resamples: int) -> Matrix:
    """The same with n − 1 of n units drawn, so that a mean of few units varies as much as it should
    (P. J. McCarthy & C. B. Snowden (1985), The bootstrap and finite population sampling). A single
    unit is always there.
    """
    if units == 1:
        return np.ones((resamples, 1))
    drawn = draw.multinomial(units - 1, np.full(units, 1 / units), size=resamples)
    return np.asarray(drawn, dtype=float)


def affordable(units: int, resamples: int) -> int:
    """How many resamples of so many units are drawn, at most `resamples`."""
    return min(resamples, max(FEWEST_RESAMPLES, MOST_CELLS // max(units, 1)))


def percentiles(statistics: Matrix, confidence: float = 0.95) -> tuple[float, float] | None:
    """The percentile interval of what resamples gave; those that gave nothing (NaN) are left out.

    None where all of them gave nothing.
    """
    known = statistics[~np.isnan(statistics)]
    if not len(known):
        return None
    tail = (1 - confidence) / 2
    lower, upper = np.quantile(known, [tail, 1 - tail])
    return float(lower), float(upper)
