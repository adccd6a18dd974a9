"""Gauss–Legendre nodes, and the distribution of s = √(χ²/df), an estimated standard deviation."""

from functools import cache, lru_cache
from math import log

import numpy as np
from scipy.special import gammainccinv, gammaincinv

from analysis.stats.mean_difference import Vector

#: Enough for what is as smooth as a normal density; s takes more where its lower tail is long.
NODES, NODES_OF_LONG_TAIL = 120, 240
#: Below so many degrees of freedom.
LONG_TAIL = 10
#: What is left out of the density of s at either end.
TAIL = 1e-17


@cache
def legendre(number: int = NODES) -> tuple[Vector, Vector]:
    """Nodes between −1 and 1, and their weights."""
    nodes, weights = np.polynomial.legendre.leggauss(number)
    return nodes, weights


@lru_cache(maxsize=64)
def scale_bounds(df: float) -> tuple[float, float]:
    """Between which values s lies, but for a chance of 1e-17 at either side."""
    half = df / 2
    lowest, highest = float(gammaincinv(half, TAIL)), float(gammainccinv(half, TAIL))
    return (lowest / half) ** 0.5, (highest / half) ** 0.5


@lru_cache(maxsize=64)
def scale(df: float) -> tuple[Vector, Vector]:
    """Values of s and their weights, which add up to 1: E f(s) = weights @ f(values)."""
    half = df / 2
    low, high = (log(bound) for bound in scale_bounds(df))
    nodes, weights = legendre(NODES_OF_LONG_TAIL if df < LONG_TAIL else NODES)
    logs = low + (high - low) * (nodes + 1) / 2
    # Of log s, but for a constant, which would lose digits where df is large.
    density = df * logs - half * np.expm1(2 * logs)
    mass = weights * np.exp(density)
    return np.exp(logs), mass / mass.sum()
