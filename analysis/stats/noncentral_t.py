"""The noncentral t distribution: T = (Z + δ) / s, s² ~ χ²/df.

scipy has it, but its `nct` and `nctdtr` give NaN in places that are not far out (P(T ≤ 10) for
100 degrees of freedom and δ = 4), and an interval must not depend on that.
"""

from math import sqrt

import numpy as np
from scipy.optimize import brentq
from scipy.special import gammaincc, ndtr, ndtri

from analysis.stats.quadrature import legendre, scale, scale_bounds

#: Beyond this a standard normal does not get.
FAR = 9.0
#: A bound mostly is this close to where it would be if T were normal: looking there first halves
#: the work.
NEAR = 0.1


def cdf(t: float, df: float, noncentrality: float) -> float:
    """P(T ≤ t) for df ≥ 1, about 1e-12 off at most.

    An average over s of Φ(t s − δ), or over Z of P(s ≥ (Z + δ) / t): whichever is smooth.
    """
    if t < 0:
        return 1 - cdf(-t, df, -noncentrality)
    if t < sqrt(2 * df):
        points, weights = scale(df)
        return float(weights @ ndtr(t * points - noncentrality))
    nodes, weights = legendre()
    low = min(max(-noncentrality, -FAR), FAR)
    z = low + (FAR - low) * (nodes + 1) / 2
    exceeds = gammaincc(df / 2, df / 2 * ((z + noncentrality) / t) ** 2)
    density = np.exp(-(z**2) / 2) / sqrt(2 * np.pi) * (FAR - low) / 2
    return float(ndtr(low) + (weights * density) @ exceeds)


def noncentrality_interval(t: float, df: float, confidence: float = 0.95) -> tuple[float, float]:
    """Those noncentralities that leave an observed `t` in neither tail."""
    if t < 0:
        low, high = noncentrality_interval(-t, df, confidence)
        return -high, -low
    tail = (1 - confidence) / 2
    least, most = scale_bounds(df)
    anywhere = t * least - FAR, t * most + FAR
    middle, error = t * (1 - 1 / (4 * df)), sqrt(1 + t**2 / (2 * df))

    def at(p: float) -> float:
        def excess(noncentrality: float) -> float:
            return cdf(t, df, noncentrality) - p

        near = middle - float(ndtri(p)) * error  # T is nearly normal
        try:
            found = brentq(excess, near - NEAR, near + NEAR, xtol=1e-12, rtol=1e-13)
        except ValueError:  # it is not between these
            found = brentq(excess, *anywhere, xtol=1e-12, rtol=1e-13)
        return float(found)

    return at(1 - tail), at(tail)
