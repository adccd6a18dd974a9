"""The mean of raters' differences on items, where both could have been others.

d = stratum + rater + item + error, with random raters and items (texts, of models that are fixed
strata), is what a linear mixed model with crossed random effects says of differences. Here the
variance of the mean is had from sums of squares, without iteration, so that it can be computed
thousands of times: that of raters' sums, plus that of items' sums, less the error's, which both
count. Of a complete table it is the mixed model's (where neither variance is negative; else as with
F1 or F2 alone). A. C. Cameron, J. B. Gelbach & D. L. Miller (2011), Robust inference with multiway
clustering, Journal of Business & Economic Statistics 29(2), equation 2.9.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import stdtr

from analysis.stats.finite import refuse_boundless
from analysis.stats.inestimable import Inestimable
from analysis.stats.mean_difference import ROUNDING, Vector

Numbers = npt.NDArray[np.int64]
#: Rounds in which raters' and items' means are taken out of a table with cells missing.
ROUNDS = 3


@dataclass(frozen=True)
class CrossedMean:
    """The mean, its standard error, and Student's t for it against 0 with Satterthwaite's df; p is
    two-sided.
    """

    mean: float
    se: float
    df: float
    t: float
    p: float


def crossed_mean(
    d: Vector, raters: Numbers, items: Numbers, strata: Numbers | None = None
) -> CrossedMean | Inestimable:
    """Of differences `d`, each by the rater and on the item with these numbers (from 0, in any
    order; a number without a difference counts for nothing). Items vary within their stratum, by
    default the only one.

    Raises ValueError for infinite values.
    """
    refuse_boundless(d, "the differences")
    n = len(d)
    strata = np.zeros(n, dtype=np.int64) if strata is None else strata
    n_raters, n_items, n_strata = (_occurring(numbers) for numbers in (raters, items, strata))
    if n_raters < 2:
        return Inestimable("too_few", "there are fewer than two raters")
    if n_items <= n_strata:
        return Inestimable("too_few", "there are no two texts of a system")
    error_df = n - n_raters - n_items + 1
    if error_df < 1:
        return Inestimable("incomplete", "raters and texts have too few differences in common")
    mean = float(d.mean())
    rest = _centred(d, strata)
    of_raters = _of_sums(rest, raters, n) * n_raters / (n_raters - 1)
    of_items = _of_sums(rest, items, n) * n_items / (n_items - n_strata)
    of_error = _squared_error(rest, raters, items) / error_df / n
    sides = [(of_raters, n_raters - 1), (of_items, n_items - n_strata)]
    variance, df = _together(sides, of_error, error_df)
    if variance <= (ROUNDING * max(abs(mean), float(np.abs(d).max()))) ** 2:
        return Inestimable("constant", "all differences are the same")
    se = float(np.sqrt(variance))
    t = mean / se
    return CrossedMean(mean, se, df, t, float(2 * stdtr(df, -abs(t))))


def _occurring(numbers: Numbers) -> int:
    """How many different numbers there are."""
    return int(np.count_nonzero(np.bincount(numbers)))


def _centred(values: Vector, groups: Numbers) -> Vector:
    """Values less the mean of their group."""
    counts = np.maximum(np.bincount(groups), 1)
    return np.asarray(values - (np.bincount(groups, values) / counts)[groups])


def _of_sums(values: Vector, groups: Numbers, n: int) -> float:
    """The variance of the mean of n values, from the sums of independent groups of them."""
    sums = np.bincount(groups, values)
    return float(sums @ sums) / n**2


def _squared_error(rest: Vector, raters: Numbers, items: Numbers) -> float:
    """What raters and items leave: exact with nothing missing, else after a few rounds."""
    for _ in range(ROUNDS):
        rest = _centred(_centred(rest, items), raters)
    return float(rest @ rest)


def _together(
    sides: list[tuple[float, int]], of_error: float, error_df: int
) -> tuple[float, float]:
    """The variance of the mean with Satterthwaite's degrees of freedom, from the parts of raters
    and items with their own; a side whose part is not above the error's adds nothing.
    """
    varying = [(part, df) for part, df in sides if part > of_error]
    if not varying:
        return of_error, float(error_df)
    if len(varying) == 1:
        return varying[0][0], float(varying[0][1])
    variance = sum(part for part, _ in varying) - of_error
    parts = sum(part**2 / df for part, df in [*varying, (of_error, error_df)])
    return variance, variance**2 / parts
