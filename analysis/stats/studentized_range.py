"""Quantiles of the studentized range: how far the largest of k means lies above the smallest.

scipy has them, too, but searches each for ten times as long, and Games and Howell's intervals need
one for every pair of groups (docs/decisions/libraries.md). Tails, that is p values, are scipy's.
"""

from functools import lru_cache
from math import log, sqrt

import numpy as np
from scipy.optimize import brentq
from scipy.special import gammainccinv, gammaincinv, ndtr

from analysis.stats.mean_difference import Vector

#: Gauss–Legendre nodes; s takes more where its lower tail is long, below so many df.
NODES, NODES_OF_LONG_TAIL, LONG_TAIL = 120, 240, 10
#: What is left out of the density of s at either end.
TAIL = 1e-17


def isf(p: float, k: int, df: float) -> float:
    """The q with P(Q > q) = `p`, 0 < p < 1, for k ≥ 2 means and `df` ≥ 1."""
    high = 4.0
    while _sf(high, k, df) > p:
        high *= 2
    return float(brentq(lambda q: _sf(q, k, df) - p, 0, high, xtol=1e-11, rtol=1e-13))


def _sf(q: float, k: int, df: float) -> float:
    """P(Q > q), off by less than 1e-11 up to 20 means, 1e-8 up to 50.

    With s² ~ χ²/df: ∫ f(s) R(q s) ds, R the probability that k standard normals range further
    than that. Gauss–Legendre over log s.
    """
    points, weights = _scale(df)
    return float(np.clip(weights @ _range_sf(q * points, k), 0, 1))


def _range_sf(w: Vector, k: int) -> Vector:
    """1 − k ∫ φ(z) [Φ(z) − Φ(z − w)]^(k−1) dz, z being the largest of the k."""
    nodes, weights = _legendre(NODES)
    z = 9 * nodes
    phi = np.exp(-(z**2) / 2) * 9 / sqrt(2 * np.pi)
    inside = ndtr(z) - ndtr(z - w[:, None])
    others = inside.copy()
    for _ in range(k - 2):  # much faster than a power
        others *= inside
    largest: Vector = 1 - k * others @ (weights * phi)
    return largest


@lru_cache(maxsize=64)
def _scale(df: float) -> tuple[Vector, Vector]:
    """Values of s and their weights, which add up to 1: E f(s) = weights @ f(values)."""
    half = df / 2
    ends = float(gammaincinv(half, TAIL)), float(gammainccinv(half, TAIL))
    low, high = (log(end / half) / 2 for end in ends)
    nodes, weights = _legendre(NODES_OF_LONG_TAIL if df < LONG_TAIL else NODES)
    logs = low + (high - low) * (nodes + 1) / 2
    # Of log s, but for a constant, which would lose digits where df is large.
    density = df * logs - half * np.expm1(2 * logs)
    mass = weights * np.exp(density)
    return np.exp(logs), mass / mass.sum()


@lru_cache(maxsize=2)
def _legendre(number: int) -> tuple[Vector, Vector]:
    """Nodes between −1 and 1, and their weights."""
    nodes, weights = np.polynomial.legendre.leggauss(number)
    return nodes, weights
