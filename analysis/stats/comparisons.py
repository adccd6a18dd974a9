"""Do two independent groups differ? Student's and Welch's t-tests, and Mann and Whitney's.

The tests are `scipy.stats.ttest_ind` and `scipy.stats.mannwhitneyu`, each called once for all pairs
of groups of the same sizes. The exact distribution of U is ours: scipy's knows no ties.
"""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Literal

import numpy as np
from scipy.stats import mannwhitneyu, norm, rankdata, ttest_ind

from analysis.stats.inestimable import Inestimable
from analysis.stats.mean_difference import (
    A_AND_B,
    DECIMALS,
    MeanDifference,
    Names,
    Pair,
    Sample,
    Sampled,
    Vector,
    in_batches,
    two_samples,
)

#: Most values for the exact distribution of U, whose cost grows with n³.
MOST_EXACT = 500
#: Up to so many values tables give exact p values of tests of ranks.
FEW = 50
Method = Literal["asymptotic", "exact"]


@dataclass(frozen=True)
class TwoSampleT(MeanDifference):
    """A t-test of two independent groups, Welch's or Student's (`equal_variances`)."""

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
    return t_tests([(a, b)], equal_variances=True, confidence=confidence, names=names)[0]


def welch_t(
    a: Sampled, b: Sampled, *, confidence: float = 0.95, names: Names = A_AND_B
) -> TwoSampleT | Inestimable:
    """Welch's t-test: each group has a variance of its own; degrees of freedom by Satterthwaite.

    Missing values are left out; reasons call the groups by their `names`. Raises ValueError for
    infinite ones. B. L. Welch (1947), The generalization of "Student's" problem when several
    different population variances are involved.
    """
    return t_tests([(a, b)], equal_variances=False, confidence=confidence, names=names)[0]


def t_tests(
    pairs: Sequence[tuple[Sampled, Sampled]],
    *,
    equal_variances: bool,
    confidence: float = 0.95,
    names: Names = A_AND_B,
) -> list[TwoSampleT | Inestimable]:
    """Student's or Welch's test of each pair, as `student_t` and `welch_t` have them."""

    def compute(a: Vector, b: Vector) -> Iterator[tuple[float, ...]]:
        with warnings.catch_warnings():
            # One of the groups may be constant, which scipy takes for a loss of precision.
            warnings.simplefilter("ignore", RuntimeWarning)
            test = ttest_ind(a, b, axis=1, equal_var=equal_variances)
        ends = test.confidence_interval(confidence)
        df = np.broadcast_to(test.df, test.statistic.shape)
        df = df.astype(int) if equal_variances else df
        numbers = (test.statistic, df, test.pvalue, ends.low, ends.high)
        return zip(*(each.tolist() for each in numbers), strict=True)

    checked = [_comparable(*pair, names, equal_variances) for pair in pairs]
    tests: list[TwoSampleT | Inestimable] = []
    for each in in_batches(checked, compute):
        if isinstance(each, Inestimable):
            tests.append(each)
            continue
        a, b, (t, df, p, *ends) = each
        interval = ends[0], ends[1]
        difference = a.mean - b.mean
        tests.append(TwoSampleT(difference, t, df, p, interval, confidence, a, b, equal_variances))
    return tests


def _comparable(a: Sampled, b: Sampled, names: Names, equal_variances: bool) -> Pair:
    samples = two_samples(a, b, names)
    if isinstance(samples, Inestimable):
        return samples
    alone = [name for name, each in zip(names.both, samples, strict=True) if each.n < 2]
    if len(alone) > 1:
        return Inestimable("too_few", f"each group has one {names.one}")
    if alone and not equal_variances:
        return Inestimable("too_few", f"group {alone[0]} has one {names.one}")
    if all(each.constant for each in samples):
        return Inestimable("constant", "within each group all values are the same")
    return samples


@dataclass(frozen=True)
class MannWhitney:
    """`u` counts the pairs in which the value of a is the higher, equal ones by one half.

    `effect` = 2U / (n_a n_b) − 1 is the rank-biserial correlation: 1 where every a is above
    every b. `p` is two-sided.
    """

    u: float
    effect: float
    p: float
    n_a: int
    n_b: int
    method: Method
    confidence: float

    @property
    def interval(self) -> tuple[float, float] | None:
        """Of the effect, by Fisher's z with the standard error that it has where the groups do not
        differ; None where it is ±1.
        """
        error = sqrt((self.n_a + self.n_b + 1) / (3 * self.n_a * self.n_b))
        return correlation_interval(self.effect, error, self.confidence)


def method_for(n: int) -> Method:
    """The exact distribution of so few ranks (no p of five pairs, nor of 1 value against 19, is
    below .05), else the normal one.
    """
    return "exact" if n <= FEW else "asymptotic"


def mann_whitney(
    a: Sampled,
    b: Sampled,
    *,
    method: Method = "asymptotic",
    confidence: float = 0.95,
    names: Names = A_AND_B,
) -> MannWhitney | Inestimable:
    """Mann and Whitney's test.

    The method is the caller's choice and never changes with the data. `asymptotic`: normal
    approximation, its variance corrected for ties, not for continuity. `exact`: the
    distribution of U over all ways to deal the mid-ranks to both groups, so that ties are no
    obstacle, for up to 500 values; p is the share of those as far from the middle, as in R's coin.

    Missing values are left out; reasons call the groups by their `names`. Raises ValueError for
    infinite ones. H. B. Mann & D. R. Whitney (1947), On a test of whether one of two random
    variables is stochastically larger than the other; the effect: H. W. Wendt (1972), Dealing with
    a common problem in social science.
    """
    (test,) = mann_whitneys([(a, b)], method=method, confidence=confidence, names=names)
    return test


def mann_whitneys(
    pairs: Sequence[tuple[Sampled, Sampled]],
    *,
    method: Method | None = None,
    confidence: float = 0.95,
    names: Names = A_AND_B,
) -> list[MannWhitney | Inestimable]:
    """The test of each pair, as `mann_whitney` has it; without a `method`, by `method_for`."""

    def compute(a: Vector, b: Vector) -> Iterator[tuple[float, float]]:
        a, b = a.round(DECIMALS), b.round(DECIMALS)
        test = mannwhitneyu(a, b, use_continuity=False, axis=1, method="asymptotic")
        p = np.asarray(test.pvalue).tolist()
        n_a, n = a.shape[1], a.shape[1] + b.shape[1]
        if (method or method_for(n)) == "exact":
            p = [_exact_p(ranks, n_a) for ranks in rankdata(np.hstack([a, b]), axis=1)]
        return zip(np.asarray(test.statistic).tolist(), p, strict=True)

    checked = [_rankable(*pair, names, method) for pair in pairs]
    tests: list[MannWhitney | Inestimable] = []
    for each in in_batches(checked, compute):
        if isinstance(each, Inestimable):
            tests.append(each)
            continue
        a, b, (u, p) = each
        effect, by = 2 * u / (a.n * b.n) - 1, method or method_for(a.n + b.n)
        tests.append(MannWhitney(u, effect, p, a.n, b.n, by, confidence))
    return tests


def _rankable(a: Sampled, b: Sampled, names: Names, method: Method | None) -> Pair:
    samples = two_samples(a, b, names)
    if isinstance(samples, Inestimable):
        return samples
    together = np.concatenate([each.values for each in samples])
    if method == "exact" and len(together) > MOST_EXACT:
        because = f"{len(together)} values are too many for the exact distribution"
        return Inestimable("too_many", because)
    if np.ptp(together.round(DECIMALS)) == 0:
        return Inestimable("constant", "all values are the same")
    return samples


def _exact_p(ranks: Vector, n_a: int) -> float:
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
    """tanh(atanh r ± z · SE), R. A. Fisher's interval of a correlation; None where r is ±1.

    scipy's and pingouin's have 1 / √(n − 3) for SE, which is Pearson's, not that of ranks.
    """
    if abs(r) >= 1:
        return None
    low, high = np.tanh(norm.interval(confidence, np.arctanh(r), standard_error))
    return float(low), float(high)
