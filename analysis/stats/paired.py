"""Do two values of the same raters (or scenarios) differ? Paired t, signed-rank and sign tests.

Values come as two equally long arrays; pairs with a missing value are left out, and counted. The
tests are `scipy.stats.ttest_rel`, `wilcoxon` and `binomtest`. The exact distribution of T⁺ is ours:
scipy's knows no ties, but for up to 13 differences by permutation.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import binomtest, rankdata, ttest_rel, wilcoxon

from analysis.stats.comparisons import Method, correlation_interval
from analysis.stats.finite import refuse_boundless
from analysis.stats.inestimable import Inestimable
from analysis.stats.mean_difference import DECIMALS, ROUNDING, MeanDifference, Vector

#: Most differences for the exact distribution of T⁺, whose cost grows with n³.
MOST_EXACT = 500


@dataclass(frozen=True)
class PairedT(MeanDifference):
    """`n` complete pairs, `a` and `b` their values, `sd` that of the differences; `left_out` pairs
    lack a value.
    """

    n: int
    mean_a: float
    mean_b: float
    sd: float
    left_out: int
    a: Vector = field(repr=False, compare=False)
    b: Vector = field(repr=False, compare=False)


def pairs(a: npt.ArrayLike, b: npt.ArrayLike) -> tuple[Vector, Vector, int] | Inestimable:
    """Both values of the complete pairs, and how many pairs are not complete.

    Raises ValueError for infinite values or different lengths.
    """
    first, second = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    if first.ndim != 1 or first.shape != second.shape:
        raise ValueError(f"Pairs need two equally long arrays, not {first.shape}, {second.shape}")
    refuse_boundless(np.append(first, second), "pairs")
    complete = ~(np.isnan(first) | np.isnan(second))
    if not complete.any():
        return Inestimable("no_values", "there is no complete pair")
    return first[complete], second[complete], int((~complete).sum())


def paired_t(
    a: npt.ArrayLike, b: npt.ArrayLike, *, confidence: float = 0.95
) -> PairedT | Inestimable:
    """Student's t of the differences a − b, with n − 1 degrees of freedom.

    Raises ValueError for infinite values or different lengths.
    """
    complete = pairs(a, b)
    if isinstance(complete, Inestimable):
        return complete
    first, second, left_out = complete
    n = len(first)
    if n < 2:
        return Inestimable("too_few", "there is one pair")
    differences = first - second
    sd = float(differences.std(ddof=1))
    means = float(first.mean()), float(second.mean())
    if sd / sqrt(n) <= ROUNDING * max(map(abs, means)):
        return Inestimable("constant", f"all {n} differences are the same")
    test = ttest_rel(first, second)
    low, high = map(float, test.confidence_interval(confidence))
    return PairedT(
        difference=float(differences.mean()),
        t=float(test.statistic),
        df=int(test.df),
        p=float(test.pvalue),
        interval=(low, high),
        confidence=confidence,
        n=n,
        mean_a=means[0],
        mean_b=means[1],
        sd=sd,
        left_out=left_out,
        a=first,
        b=second,
    )


@dataclass(frozen=True)
class SignedRank:
    """`statistic` is T⁺, the sum of the ranks of positive differences (R's V).

    `rank_biserial` = (T⁺ − T⁻) / (T⁺ + T⁻): 1 where every difference is positive. Its `interval` is
    by Fisher's z with the standard error that it has where nothing differs; None where it is ±1.
    `n` differences are not zero, `zeros` are, `left_out` pairs lack a value. `p` is two-sided.
    """

    statistic: float
    rank_biserial: float
    interval: tuple[float, float] | None
    p: float
    n: int
    zeros: int
    left_out: int
    method: Method


def wilcoxon_signed_rank(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    *,
    method: Method = "asymptotic",
    confidence: float = 0.95,
) -> SignedRank | Inestimable:
    """Wilcoxon's signed-rank test of the differences a − b; zeros are dropped, as he did.

    The method is the caller's choice and never changes with the data. `asymptotic`: normal
    approximation, its variance corrected for ties, not for continuity. `exact`: the
    distribution of T⁺ over all 2ⁿ signs of the mid-ranks, so that ties are no obstacle, for
    up to 500 differences. Raises ValueError for infinite values or
    different lengths. F. Wilcoxon (1945), Individual comparisons by ranking methods; the effect:
    D. S. Kerby (2014), The simple difference formula.
    """
    complete = pairs(a, b)
    if isinstance(complete, Inestimable):
        return complete
    first, second, left_out = complete
    differences = np.round(first - second, DECIMALS)
    moved = differences[differences != 0]
    n = len(moved)
    if n == 0:
        return Inestimable("no_difference", f"all {len(first)} differences are zero")
    if method == "exact" and n > MOST_EXACT:
        return Inestimable("too_many", f"{n} pairs are too many for the exact distribution")
    # Its stubs lack "asymptotic".
    test: Callable[..., Any] = wilcoxon
    # Two-sided, scipy gives the smaller of both sums; one-sided, T⁺.
    positive = float(test(moved, alternative="greater", method="asymptotic").statistic)
    total = n * (n + 1) / 2
    rank_biserial = (2 * positive - total) / total
    if method == "exact":
        p = _exact_p(rankdata(np.abs(moved)), positive)
    else:
        p = float(test(moved, correction=False, method="asymptotic").pvalue)
    error = sqrt((2 * n**3 + 3 * n**2 + n) / 6) / total
    return SignedRank(
        statistic=positive,
        rank_biserial=rank_biserial,
        interval=correlation_interval(rank_biserial, error, confidence),
        p=p,
        n=n,
        zeros=len(first) - n,
        left_out=left_out,
        method=method,
    )


def _exact_p(ranks: Vector, positive: float) -> float:
    """Twice the smaller tail of T⁺, at most 1. Mid-ranks doubled are whole numbers."""
    doubled = np.round(2 * ranks).astype(int)
    shares = np.zeros(doubled.sum() + 1)
    shares[0] = 1
    for rank in doubled:
        shares[rank:] = (shares[rank:] + shares[:-rank]) / 2
        shares[:rank] /= 2
    at = round(2 * positive)
    return min(1.0, 2 * float(min(shares[: at + 1].sum(), shares[at:].sum())))


@dataclass(frozen=True)
class SignTest:
    """`share` of `n` untied comparisons in which a was the higher, and its exact `interval`
    (Clopper and Pearson's); `p` is two-sided, exact; `ties` are left out.
    """

    share: float
    interval: tuple[float, float]
    p: float
    n: int
    ties: int


def sign_test(
    higher: int, lower: int, *, ties: int = 0, confidence: float = 0.95
) -> SignTest | Inestimable:
    """Is a `higher` more often than `lower`? The exact binomial test of one half.

    The share's interval: C. J. Clopper & E. S. Pearson (1934), The use of confidence or fiducial
    limits illustrated in the case of the binomial. Raises ValueError for negative counts.
    """
    if min(higher, lower, ties) < 0:
        raise ValueError("Counts are not negative")
    n = higher + lower
    if n == 0:
        because = "there are no comparisons"
        if ties:
            because = (
                "the one comparison is a tie" if ties == 1 else f"all {ties} comparisons are ties"
            )
        return Inestimable("no_difference" if ties else "no_values", because)
    test = binomtest(higher, n)
    low, high = map(float, test.proportion_ci(confidence))
    return SignTest(float(test.statistic), (low, high), float(test.pvalue), n, ties)
