"""Places and wins of systems by their means, and means with raters and scenarios resampled."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array
from scipy.stats import rankdata

from analysis.stats.bootstrap import (
    FEWEST_RESAMPLES,
    RESAMPLES,
    Matrix,
    affordable,
    one_fewer,
)
from analysis.stats.inestimable import Inestimable

Codes = npt.NDArray[np.intp]
Vector = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]
#: Means of the same ratings differ in their last digits.
DIGITS = 9


@dataclass(frozen=True)
class Resamples:
    """The `means` of the systems (columns), of the data in the first row and of each resample in
    which every system has a rating in the others.
    """

    means: Matrix

    @property
    def n(self) -> int:
        """How many resamples there are."""
        return len(self.means) - 1


def places(means: Matrix) -> Matrix:
    """The places of means along the last axis."""
    ranks: Matrix = rankdata(-np.round(means, DIGITS), method="min", axis=-1)
    return ranks


def resampled_means(
    ratings: Vector,
    system: Codes,
    rater: Codes,
    scenario: Codes,
    *,
    seed: int,
    resamples: int = RESAMPLES,
) -> Resamples | Inestimable:
    """The systems' means of their ratings, with raters and scenarios resampled.

    Raters and scenarios are resampled independently, and a rating counts as often as both its rater
    and its scenario came: A. B. Owen (2007), The pigeonhole bootstrap. Where ratings scatter much
    beyond what raters and scenarios differ, it makes intervals too wide; no resampling of crossed
    units is exact (P. McCullagh (2000), Resampling and exchangeable arrays). They are drawn as
    `one_fewer` draws. Resamples in which a system has no rating are left out; Inestimable where too
    few are left, or where there is nothing to resample.
    """
    sizes = [int(codes.max()) + 1 for codes in (system, rater, scenario)]
    if sizes[1] < 2 and sizes[2] < 2:
        return Inestimable("too_few", "there are no other raters and no other scenarios")
    times = affordable(max(sizes[1:]), resamples)
    draw = np.random.default_rng(seed)
    by_rater, by_scenario = (one_fewer(size, draw, times) for size in sizes[1:])
    means = np.empty((times + 1, sizes[0]))
    for number in range(sizes[0]):
        own = system == number
        at = (rater[own], scenario[own])
        total, n = (
            coo_array((values, at), shape=(sizes[1], sizes[2])).tocsr()
            for values in (ratings[own], np.ones(own.sum()))
        )
        sums, counts = ((((by_rater @ each) * by_scenario).sum(axis=1)) for each in (total, n))
        means[0, number] = ratings[own].mean()
        with np.errstate(invalid="ignore"):
            means[1:, number] = sums / counts
    known = ~np.isnan(means).any(axis=1)
    if known.sum() <= FEWEST_RESAMPLES / 2:
        return Inestimable("too_few", "in most resamples some system has no rating")
    return Resamples(means[known])


@dataclass(frozen=True)
class WinMatrix:
    """Of how many units each system (row) has a higher mean than each other (column), and how many
    have both.
    """

    wins: Whole
    both: Whole


def win_matrix(means: Matrix) -> WinMatrix:
    """Comparisons of means within units (units × systems; NaN where a unit has none)."""
    known = ~np.isnan(means)
    rounded = np.round(means, DIGITS)
    k = means.shape[1]
    wins = np.empty((k, k), dtype=np.int64)
    for number in range(k):
        wins[number] = (rounded[:, [number]] > rounded).sum(axis=0)
    counted = known.astype(np.int64)
    return WinMatrix(wins, counted.T @ counted)
