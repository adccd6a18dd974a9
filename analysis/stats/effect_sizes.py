"""How far two groups lie apart in standard deviations, with exact intervals."""

from dataclasses import dataclass
from math import exp, lgamma, log, sqrt

import numpy.typing as npt

from analysis.stats.comparisons import student_t
from analysis.stats.inestimable import Inestimable
from analysis.stats.mean_difference import A_AND_B, Names, Sampled
from analysis.stats.noncentral_t import noncentrality_interval


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
    found = student_t(a, b, names=names)
    if isinstance(found, Inestimable):
        return found
    scale = sqrt(1 / found.a.n + 1 / found.b.n)
    low, high = noncentrality_interval(found.t, found.df, confidence)
    return StandardizedDifference(
        estimate=found.t * scale,
        interval=(low * scale, high * scale),
        df=int(found.df),
        n_a=found.a.n,
        n_b=found.b.n,
        confidence=confidence,
    )


def hedges_g(
    a: npt.ArrayLike, b: npt.ArrayLike, *, confidence: float = 0.95
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
    """Hedges' J = Γ(df/2) / (√(df/2) Γ((df − 1)/2)), for df above 1."""
    return exp(lgamma(df / 2) - log(df / 2) / 2 - lgamma((df - 1) / 2))
