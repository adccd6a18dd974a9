"""Maximising a smooth log-likelihood whose slope is known."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from analysis.stats.mixed.arrow import Matrix, Vector

#: Where the slope is smaller than this in every direction, the maximum is found. One unit of
#: length is about one standard error: the estimates are off by no more than this many of them.
FLAT = 1e-4
#: Step of the central differences of the slope, of the same unit.
STEP = 1e-3

Objective = Callable[[Vector], tuple[float, Vector]]


@dataclass(frozen=True)
class Maximum:
    """Where it is, its height, and the inverse of minus the second derivative there; `miss` is
    about how far the true maximum may be, in standard errors, and None where the curvature is
    not that of a maximum. `condition` is the ratio of the greatest to the smallest curvature.
    """

    at: Vector
    height: float
    covariance: Matrix
    miss: float | None
    condition: float


def climb(objective: Objective, start: Vector, whitening: Matrix) -> Vector:
    """The maximum of `objective` (height and slope) as BFGS finds it.

    `whitening` is a Cholesky factor of the estimates' covariance as far as it can be guessed.
    """

    def lowered(z: Vector) -> tuple[float, Vector]:
        height, slope = objective(start + whitening @ z)
        return -height, -(whitening.T @ slope)

    found = minimize(lowered, np.zeros(len(start)), jac=True, method="BFGS", options={"gtol": FLAT})
    return start + whitening @ np.asarray(found.x)


def curvature(slope: Callable[[Vector], Vector], at: Vector, whitening: Matrix) -> Matrix:
    """Minus the second derivative along the columns of `whitening`, by central differences."""
    columns = []
    for direction in whitening.T:
        ahead, behind = slope(at + STEP * direction), slope(at - STEP * direction)
        columns.append(whitening.T @ (behind - ahead) / (2 * STEP))
    found = np.array(columns)
    return (found + found.T) / 2


def settle(objective: Objective, at: Vector, whitening: Matrix) -> Maximum:
    """One step of Newton's method from near the maximum, and the curvature there."""
    second = curvature(lambda x: objective(x)[1], at, whitening)
    roots = np.linalg.eigvalsh(second)
    height, slope = objective(at)
    if roots[0] <= 0:
        return Maximum(at, height, np.full_like(second, np.nan), None, np.inf)
    inverse = np.linalg.inv(second)
    step = inverse @ (whitening.T @ slope)
    moved = at + whitening @ step
    new_height, new_slope = objective(moved)
    if new_height >= height:
        at, height, slope = moved, new_height, new_slope
    rest = whitening.T @ slope
    covariance = whitening @ inverse @ whitening.T
    miss = float(np.sqrt(rest @ inverse @ rest))
    return Maximum(at, height, covariance, miss, float(roots[-1] / roots[0]))
