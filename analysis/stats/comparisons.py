"""Do two independent groups differ? Student's and Welch's t-tests, and Mann and Whitney's."""

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from analysis.stats.inestimable import Inestimable
from analysis.stats.mean_difference import (
    A_AND_B,
    DECIMALS,
    ROUNDING,
    MeanDifference,
    Names,
    Sample,
    Sampled,
    known,
    two_samples,
)

#: Most values for the exact distribution of U, whose cost grows with n³.
MOST_EXACT = 500
#: Up to so many values tables give exact p values of tests of ranks.
FEW = 50
Method = Literal["asymptotic", "exact"]


@dataclass(frozen=True)
class TwoSampleT(MeanDifference):
    """A t-test of two independent groups, `welch` or `student` (`equal_variances`)."""

    a: Sample
    b: Sample
    equal_variances: bool


def student_t(
    a: Sampled, b: Sampled, *, confidence: float = 0.95, names: Names = A_AND_B
) -> TwoSampleT | Inestimable:
    """Student's t-test: one variance for both groups, n_a + n_b − 2 degrees of freedom.

    Missing values are left out; reasons call the groups by their `names`. Raises ValueError for
    infinite ones. Student (1908), The probable error of a mean.
    """
    samples = two_samples(a, b, names)
    if isinstance(samples, Inestimable):
        return samples
    first, second = samples
    df = first.n + second.n - 2
    if df < 1:
        return Inestimable("too_few", f"each group has one {names.one}")
    pooled = ((first.n - 1) * first.sd**2 + (second.n - 1) * second.sd**2) / df
    error = sqrt(pooled * (1 / first.n + 1 / second.n))
    return _tested(first, second, error, df, confidence, equal_variances=True)


def welch_t(
    a: Sampled, b: Sampled, *, confidence: float = 0.95, names: Names = A_AND_B
) -> TwoSampleT | Inestimable:
    """Welch's t-test: each group has a variance of its own; degrees of freedom by Satterthwaite.

    Missing values are left out; reasons call the groups by their `names`. Raises ValueError for
    infinite ones. B. L. Welch (1947), The generalization of "Student's" problem when several
    different population variances are involved.
    """
    samples = two_samples(a, b, names)
    if isinstance(samples, Inestimable):
        return samples
    first, second = samples
    alone = [name for name, each in zip(names.both, samples, strict=True) if each.n < 2]
    if len(alone) > 1:
        return Inestimable("too_few", f"each group has one {names.one}")
    if alone:
        return Inestimable("too_few", f"group {alone[0]} has one {names.one}")
    parts = [each.sd**2 / each.n for each in samples]
    spread = sum(part**2 / (each.n - 1) for part, each in zip(parts, samples, strict=True))
    df = sum(parts) ** 2 / spread if spread else 1.0
    return _tested(first, second, sqrt(sum(parts)), df, confidence, equal_variances=False)


def _tested(
    a: Sample, b: Sample, error: float, df: float, confidence: float, *, equal_variances: bool
) -> TwoSampleT | Inestimable:
    if error <= ROUNDING * max(abs(a.mean), abs(b.mean)):
        return Inestimable("constant", "within each group all values are the same")
    difference = a.mean - b.mean
    return TwoSampleT(difference, error, df, confidence, a, b, equal_variances)


@dataclass(frozen=True)
class MannWhitney:
    """`u` counts the pairs in which the value of a is the higher, equal ones by one half.

    `effect` = 2U / (n_a n_b) − 1 is the rank-biserial correlation: 1 where every a is above
    every b. Its `interval` is by Fisher's z with the standard error that it has where the groups
    do not differ; None where it is ±1. `p` is two-sided.
    """

    u: float
    effect: float
    interval: tuple[float, float] | None
    p: float
    n_a: int
    n_b: int
    method: Method
    continuity: bool


def method_for(n: int) -> Method:
    """The exact distribution of so few ranks (no p of five pairs, nor of 1 value against 19, is
    below .05), else the normal one.
    """
    return "exact" if n <= FEW else "asymptotic"


def mann_whitney(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    *,
    method: Method = "asymptotic",
    continuity: bool = False,
    confidence: float = 0.95,
    names: Names = A_AND_B,
) -> MannWhitney | Inestimable:
    """Mann and Whitney's test.

    The method is the caller's choice and never changes with the data. `asymptotic`: normal
    approximation, its variance corrected for ties, corrected for `continuity` or not. `exact`: the
    distribution of U over all ways to deal the mid-ranks to both groups, so that ties are no
    obstacle, for up to 500 values; p is the share of those as far from the middle, as in R's coin.

    Missing values are left out; reasons call the groups by their `names`. Raises ValueError for
    infinite ones. H. B. Mann & D. R. Whitney (1947), On a test of whether one of two random
    variables is stochastically larger than the other; the effect: H. W. Wendt (1972), Dealing with
    a common problem in social science.
    """
    samples = two_samples(a, b, names)
    if isinstance(samples, Inestimable):
        return samples
    n_a, n_b = (each.n for each in samples)
    if method == "exact" and n_a + n_b > MOST_EXACT:
        return Inestimable(
            "too_many", f"{n_a + n_b} values are too many for the exact distribution"
        )
    together = np.round(np.concatenate([known(a), known(b)]), DECIMALS)
    n, pairs = n_a + n_b, n_a * n_b
    _, place, tied = np.unique(together, return_inverse=True, return_counts=True)
    if len(tied) == 1:
        return Inestimable("constant", "all values are the same")
    ties = tied.astype(float)
    ranks = (np.cumsum(ties) - (ties - 1) / 2)[place]  # the mean of the places that they share
    u = float(ranks[:n_a].sum()) - n_a * (n_a + 1) / 2
    effect = 2 * u / pairs - 1
    if method == "exact":
        p = _exact_p(ranks, n_a)
    else:
        variance = pairs / 12 * (n + 1 - float((ties**3 - ties).sum()) / (n * (n - 1)))
        distance = max(abs(u - pairs / 2) - (0.5 if continuity else 0), 0)
        p = 2 * float(ndtr(-distance / sqrt(variance)))
    return MannWhitney(
        u=u,
        effect=effect,
        interval=correlation_interval(effect, sqrt((n + 1) / (3 * pairs)), confidence),
        p=p,
        n_a=n_a,
        n_b=n_b,
        method=method,
        continuity=continuity and method == "asymptotic",
    )


def _exact_p(ranks: npt.NDArray[np.float64], n_a: int) -> float:
    """How large a share of all choices of n_a of the ranks have a sum as far from the middle.

    Mid-ranks doubled are whole numbers. `shares[k, s]` is that of all choices of k of the ranks
    seen so far that sum to s: unlike their number, no share is beyond a float.
    """
    doubled = np.round(2 * ranks).astype(int)
    few = min(n_a, len(doubled) - n_a)
    part = doubled[:n_a] if n_a == few else doubled[n_a:]
    shares = np.zeros((few + 1, int(np.sort(doubled)[-few:].sum()) + 1))
    shares[0, 0] = 1
    taken = np.arange(1, few + 1)[:, np.newaxis]
    for seen, rank in enumerate(doubled, start=1):
        with_it = shares[:-1, :-rank] * taken / seen
        shares[1:] *= 1 - taken / seen
        shares[1:, rank:] += with_it
    middle = few * (len(doubled) + 1)
    as_far = abs(np.arange(shares.shape[1]) - middle) >= abs(int(part.sum()) - middle)
    return min(1.0, float(shares[few, as_far].sum()))


def correlation_interval(
    r: float, standard_error: float, confidence: float
) -> tuple[float, float] | None:
    """tanh(atanh r ± z · SE), R. A. Fisher's interval of a correlation; None where r is ±1."""
    if abs(r) >= 1:
        return None
    half = NormalDist().inv_cdf((1 + confidence) / 2) * standard_error
    low, high = np.tanh([np.arctanh(r) - half, np.arctanh(r) + half])
    return float(low), float(high)
