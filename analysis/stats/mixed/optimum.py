"""Maximising a smooth log-likelihood whose slope is known."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from analysis.stats.mixed.nested import Matrix, Vector

#: Where the slope is smaller than this in every direction, the maximum is found. One unit of
#: length is about one standard error: the estimates are off by no more than this many of them.
FLAT = 1e-4
#: Step of the differences of the slope, of the same unit.
STEP = 3e-4

#: Where it is seen whether the height rises from an SD of 0: this part of a least value.
BESIDE = 0.1

#: Log-likelihoods that differ by less are taken to be the same.
AS_LIKELY = 1e-5

#: Of the SD of ratings: a greater part is not taken for 0.
MOST_OF_ZERO = 0.1

Objective = Callable[[Vector], tuple[float, Vector]]


@dataclass(frozen=True)
class Maximum:
    """Where it is, its height, and the inverse of minus the second derivative there; `miss` is
    about how far the true maximum may be, in standard errors, and infinite where the curvature
    is not that of a maximum. `condition` is the ratio of the greatest to the smallest curvature.
    """

    at: Vector
    height: float
    covariance: Matrix
    miss: float
    condition: float


def climb(
    objective: Objective, start: Vector, whitening: Matrix, flat: float = FLAT
) -> tuple[Vector, Matrix]:
    """The maximum of `objective` (height and slope) as BFGS finds it, and a better `whitening`.

    `whitening` is a Cholesky factor of the estimates' covariance as far as it can be guessed.
    """

    def lowered(z: Vector) -> tuple[float, Vector]:
        height, slope = objective(start + whitening @ z)
        return -height, -(whitening.T @ slope)

    optimum = minimize(
        lowered, np.zeros(len(start)), jac=True, method="BFGS", options={"gtol": flat}
    )
    try:
        learnt = whitening @ np.linalg.cholesky(np.asarray(optimum.hess_inv, dtype=float))
    except np.linalg.LinAlgError:  # from where nothing is learnt, such as a plain
        learnt = whitening
    # a last step, too short for the height to say whether it was one up
    last = -np.asarray(optimum.hess_inv) @ optimum.jac
    z = np.asarray(optimum.x) + (last if np.abs(last).max(initial=0) < 10 * flat else 0)
    return start + whitening @ z, learnt


def climb_from_zero(
    objective: Objective, start: Vector, whitening: Matrix, least: Vector, flat: float = FLAT
) -> tuple[Vector, Matrix]:
    """`climb` where the last unknowns are standard deviations. Those that start at 0 stay there,
    unless the height rises from it: the search then goes on from their `least` value.
    """
    sds = slice(len(start) - len(least), len(start))
    for _ in least:
        at, learnt = climb(objective, start, whitening, flat)
        absent = at[sds] == 0
        if not absent.any():
            break
        beside = at.copy()
        beside[sds] += absent * least * BESIDE
        rises = absent & (objective(beside)[1][sds] > 0)
        if not rises.any():
            break
        start, whitening = at.copy(), learnt
        start[sds] += rises * least
    return at, learnt


def at_zero(
    objective: Objective, at: Vector, last: int, error: float, *, less: float = AS_LIKELY
) -> Vector:
    """`at`, with those of its `last` unknowns at exactly 0 that are as likely to be 0: by no more
    than `less` are they less so.

    For standard deviations: the height is even in them, so that 0 is a maximum along them or
    a saddle, and near it no method can tell how far away it is. Those that make more than a
    hundredth of the variance, with an error of SD `error`, are not.
    """
    height = objective(at)[0]
    small = MOST_OF_ZERO * float(np.sqrt(error**2 + (at[len(at) - last :] ** 2).sum()))
    for unknown in range(len(at) - last, len(at)):
        if at[unknown] == 0 or at[unknown] > small:
            continue
        tried = at.copy()
        tried[unknown] = 0.0
        reached = objective(tried)[0]
        if reached >= height - less:
            at, height = tried, reached
    return at


def curvature(slope: Callable[[Vector], Vector], at: Vector, whitening: Matrix) -> Matrix:
    """Minus the second derivative along the columns of `whitening`, by differences of the slope."""
    here = slope(at)
    falls = [here - slope(at + STEP * direction) for direction in whitening.T]
    hessian = np.array(falls) @ whitening / STEP
    return (hessian + hessian.T) / 2


def settle(objective: Objective, at: Vector, whitening: Matrix) -> Maximum:
    """One step of Newton's method from near the maximum, and the curvature there.

    `whitening` may have fewer columns than there are unknowns: the others stay where they are.
    """
    if not whitening.size:
        return Maximum(at, objective(at)[0], np.zeros((len(at), len(at))), 0.0, 1.0)
    height, slope = objective(at)
    second = curvature(lambda x: objective(x)[1], at, whitening)
    roots = np.linalg.eigvalsh(second) if np.isfinite(second).all() else np.zeros(1)
    if roots[0] <= 0 or height == -np.inf:
        return Maximum(at, height, np.full((len(at), len(at)), np.nan), np.inf, np.inf)
    inverse = np.linalg.inv(second)

    def miss(slope: Vector) -> float:
        rest = whitening.T @ slope
        return float(np.sqrt(rest @ inverse @ rest))

    moved = at + whitening @ inverse @ (whitening.T @ slope)
    new_height, new_slope = objective(moved)
    # so near, rounding alone may make it lower
    if new_height > height - AS_LIKELY and miss(new_slope) < miss(slope):
        at, height, slope = moved, new_height, new_slope
    covariance = whitening @ inverse @ whitening.T
    return Maximum(at, height, covariance, miss(slope), float(roots[-1] / roots[0]))
