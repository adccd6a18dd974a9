"""The two distributions that turn a latent position into the probability of a category."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import expit, logit, ndtr, ndtri

from analysis.stats.mixed.nested import Vector

ROOT = float(1 / np.sqrt(2 * np.pi))
Link = Literal["probit", "logit"]


@dataclass(frozen=True)
class Distribution:
    """`cumulative` is F, `quantile` its inverse, `density` is f (of x and F(x)); `slopes` gives f'
    and f'' as multiples of f. `spread` is about what a latent unit of the probit is in this one.
    """

    cumulative: Callable[[Vector], Vector]
    quantile: Callable[[Vector], Vector]
    density: Callable[[Vector, Vector], Vector]
    slopes: Callable[[Vector, Vector], tuple[Vector, Vector]]
    spread: float


def _normal(x: Vector, _cumulative: Vector) -> Vector:
    density = x * x
    density *= -0.5
    np.exp(density, out=density)
    density *= ROOT
    return density


def _normal_slopes(x: Vector, _cumulative: Vector) -> tuple[Vector, Vector]:
    return -x, x * x - 1


def _logistic(_x: Vector, cumulative: Vector) -> Vector:
    return cumulative * (1 - cumulative)


def _logistic_slopes(_x: Vector, cumulative: Vector) -> tuple[Vector, Vector]:
    return 1 - 2 * cumulative, 1 - 6 * cumulative * (1 - cumulative)


DISTRIBUTIONS: dict[Link, Distribution] = {
    "probit": Distribution(ndtr, ndtri, _normal, _normal_slopes, 1.0),
    "logit": Distribution(expit, logit, _logistic, _logistic_slopes, 1.7),
}
