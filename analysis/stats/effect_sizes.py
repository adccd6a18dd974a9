"""How far two groups lie apart in standard deviations, with exact intervals."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from pingouin import compute_effsize_from_t
from scipy.optimize import elementwise
from scipy.special import ndtri, poch
from scipy.stats import nct

from analysis.stats.comparisons import TwoSampleT, student_t
from analysis.stats.inestimable import Inestimable
from analysis.stats.mean_difference import A_AND_B, Names, Sampled, Vector


@dataclass(frozen=True)
class StandardizedDifference:
    """Cohen's d or Hedges' g: positive where the mean of a is the higher.

    `interval` is exact where both groups are normal with one variance.
    """

    estimate: float
    interval: tuple[float, float]
    df: int
    n_a: int
    n_b: int
    confidence: float


def cohens_d(
    a: Sampled, b: Sampled, *, confidence: float = 0.95, names: Names = A_AND_B
) -> StandardizedDifference | Inestimable:
    """d = (mean a − mean b) / s, s the pooled standard deviation.

    Its interval holds those δ under which the observed t is in neither tail: t is noncentral with
    noncentrality δ / √(1/n_a + 1/n_b). Missing values are left out. Raises ValueError for infinite
    ones. J. Cohen (1988), Statistical power analysis; J. H. Steiger & R. T. Fouladi (1997),
    Noncentrality interval estimation.
    """
    return cohens_ds([student_t(a, b, names=names)], confidence=confidence)[0]


def cohens_ds(
    tests: Sequence[TwoSampleT | Inestimable], *, confidence: float = 0.95
) -> list[StandardizedDifference | Inestimable]:
    """`cohens_d` of each pair of groups that Student's test was made of."""
    made = [test for test in tests if not isinstance(test, Inestimable)]
    t, df = (np.array([getattr(test, name) for test in made], float) for name in ("t", "df"))
    ends = iter(zip(*noncentrality_interval(t, df, confidence), strict=True))
    effects: list[StandardizedDifference | Inestimable] = []
    for test in tests:
        if isinstance(test, Inestimable):
            effects.append(test)
            continue
        n_a, n_b = test.a.n, test.b.n
        low, high = (float(end) * sqrt(1 / n_a + 1 / n_b) for end in next(ends))
        d = float(compute_effsize_from_t(test.t, nx=n_a, ny=n_b))
        effects.append(StandardizedDifference(d, (low, high), int(test.df), n_a, n_b, confidence))
    return effects


def hedges_g(
    a: Sampled, b: Sampled, *, confidence: float = 0.95
) -> StandardizedDifference | Inestimable:
    """g = J d, J the exact factor that takes away d's bias; d's interval is scaled with it.

    Missing values are left out. Raises ValueError for infinite ones. L. V. Hedges (1981),
    Distribution theory for Glass's estimator of effect size, equation 6e.
    """
    d = cohens_d(a, b, confidence=confidence)
    return d if isinstance(d, Inestimable) else unbiased(d)


def unbiased(d: StandardizedDifference) -> StandardizedDifference | Inestimable:
    """Hedges' g of Cohen's d."""
    if d.df < 2:
        return Inestimable("too_few", "three values leave one degree of freedom, where J is 0")
    factor = bias_factor(d.df)
    low, high = (factor * bound for bound in d.interval)
    return StandardizedDifference(
        factor * d.estimate, (low, high), d.df, d.n_a, d.n_b, d.confidence
    )


def bias_factor(df: float) -> float:
    """Hedges' J = Γ(df/2) / (√(df/2) Γ((df − 1)/2)), for df above 1.

    pingouin and statsmodels have his approximation 1 − 3 / (4 df − 1), 1.3 % off where df is 2.
    """
    return float(poch((df - 1) / 2, 0.5)) / sqrt(df / 2)


def noncentrality_interval(t: Vector, df: Vector, confidence: float) -> tuple[Vector, Vector]:
    """Those noncentralities that leave each observed `t` in neither tail, by `scipy.stats.nct`.

    The roots lie about where they would be if T were normal. Of t ≥ 0 none is below −z, and far
    below it scipy's distribution function is NaN; other t are mirrored.
    """
    z = float(ndtri((1 + confidence) / 2))
    far, size = np.sqrt(1 + t**2 / (2 * df)) * (z + 2), np.abs(t)
    middle = size * (1 - 1 / (4 * df))
    bracket = np.maximum(middle - far, -z - 1), middle + far

    def above(noncentrality: Vector, t: Vector, df: Vector, p: Vector) -> Vector:
        return nct.cdf(t, df, noncentrality) - p

    low, high = (
        elementwise.find_root(above, bracket, args=(size, df, np.full(len(t), p))).x
        for p in ((1 + confidence) / 2, (1 - confidence) / 2)
    )
    return np.where(t < 0, -high, low), np.where(t < 0, -low, high)
