"""Do values of models rise with their size? Spearman's ρ, and a line over log₁₀ of the size."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

from analysis.stats.bootstrap import percentiles

Vector = npt.NDArray[np.float64]
Matrix = npt.NDArray[np.float64]
Interval = tuple[float, float]
#: A line needs two sizes; with two, ρ and the line's fit say nothing.
FEWEST_SIZES = 3
#: Means of the same ratings differ in their last digits.
DIGITS = 9


@dataclass(frozen=True)
class SizeTrend:
    """ρ (NaN where all values are equal), and what a tenfold size adds to a value; the intervals
    are of resamples, and None without any. `intercept` is the line's value at size 1.
    """

    rho: float
    rho_interval: Interval | None
    slope: float
    slope_interval: Interval | None
    intercept: float


def size_trend(sizes: Vector, values: Matrix, *, confidence: float = 0.95) -> SizeTrend:
    """The trend of values (models in columns) over their sizes, which have `FEWEST_SIZES` at least.

    The first row has the values of the data, the others those of resamples. The line is of least
    squares, each model counting once.
    """
    logs = np.log10(sizes)
    slopes = _slopes(logs, values)
    correlations = _correlations(logs, values)
    return SizeTrend(
        rho=float(correlations[0]),
        rho_interval=percentiles(correlations[1:], confidence),
        slope=float(slopes[0]),
        slope_interval=percentiles(slopes[1:], confidence),
        intercept=float(values[0].mean() - slopes[0] * logs.mean()),
    )


def _slopes(x: Vector, y: Matrix) -> Vector:
    centred = x - x.mean()
    slopes: Vector = (y @ centred) / (centred @ centred)
    return slopes


def _correlations(x: Vector, y: Matrix) -> Vector:
    """Spearman's ρ of each row, with mean ranks of ties; NaN where all values are equal."""
    ranks_x = rankdata(x) - (len(x) + 1) / 2
    ranks_y = rankdata(np.round(y, DIGITS), axis=-1) - (len(x) + 1) / 2
    with np.errstate(invalid="ignore"):
        found: Vector = (ranks_y @ ranks_x) / np.sqrt(
            (ranks_x @ ranks_x) * (ranks_y**2).sum(axis=-1)
        )
    return found
