"""The log-likelihood of a cumulative link mixed model by Laplace's approximation, and its slope.

P(y ≤ k) = F(αₖ − η), η = Xβ + τ₁u₁[i] + τ₂u₂[j], u ~ N(0, I). With û the mode of the joint density
of y and u, and M minus its second derivative there, L = Σ log p − ½û'û − ½ log|M|
(R. H. B. Christensen (2022), Cumulative link models for ordinal regression with the R package
ordinal; for the approximation D. Bates et al., lme4). The slope is exact: û moves with the
parameters, and through û and the weights so does M.
"""

from dataclasses import dataclass

import numpy as np

from analysis.stats.mixed.arrow import Arrow, Codes, Crossing, Matrix, Vector, Weights
from analysis.stats.mixed.links import Distribution

#: Stands for ±∞, where F is 0 or 1 and all of its slopes are 0.
FAR = 1000.0
LEAST = 1e-300
#: Newton's method has found the mode where the next step would raise the density by less.
ENOUGH = 1e-14
STEPS = 60


class ModeNotFound(ArithmeticError):
    """Newton's method did not get to the mode of the random effects."""


@dataclass(frozen=True)
class Rows:
    """What each row says at some η; p is the probability of its category.

    `first`, `second` and `third` are (f(a) − f(b))/p and the same of f' and f'', where a and b are
    the distances of η to the thresholds above and below; `weight` is −∂² log p/∂η².
    """

    log_likelihood: float
    first: Vector
    second: Vector
    third: Vector
    weight: Vector
    above: tuple[Vector, Vector, Vector]
    below: tuple[Vector, Vector, Vector]


@dataclass(frozen=True)
class Mode:
    """û (in two parts), and what holds there."""

    u: tuple[Vector, Vector]
    tau: Vector
    rows: Rows
    arrow: Arrow
    log_likelihood: float


@dataclass(frozen=True)
class Slope:
    """∂L by the thresholds, the coefficients and τ."""

    thresholds: Vector
    coefficients: Vector
    tau: Vector


class Laplace:
    """Ratings as category codes 0 … K−1; `design` is X without an intercept (n × p)."""

    def __init__(
        self, crossing: Crossing, design: Matrix, ratings: Codes, distribution: Distribution
    ) -> None:
        self.crossing, self.design, self.ratings = crossing, design, ratings
        self.categories = int(ratings.max()) + 1
        self._distribution = distribution

    def rows(self, thresholds: Vector, eta: Vector) -> Rows:
        """Where a + b > 0, p is F(−b) − F(−a), which loses no digits; this turns signs round."""
        bounds = np.concatenate([[-FAR], thresholds, [FAR]])
        upper, lower = bounds[self.ratings + 1] - eta, bounds[self.ratings] - eta
        turned = upper + lower > 0
        sign = np.where(turned, -1.0, 1.0)
        high, low = np.where(turned, -lower, upper), np.where(turned, -upper, lower)
        link = self._distribution
        high_f, low_f = link.cumulative(high), link.cumulative(low)
        p = np.maximum(high_f - low_f, LEAST)
        a1, b1 = link.density(high, high_f) / p, link.density(low, low_f) / p
        (a2, a3), (b2, b3) = link.slopes(high, high_f), link.slopes(low, low_f)
        a2, a3, b2, b3 = a1 * a2, a1 * a3, b1 * b2, b1 * b3
        first, second = a1 - b1, a2 - b2
        return Rows(
            float(np.log(p).sum()),
            sign * first,
            second,
            sign * (a3 - b3),
            first * first - second,
            (np.where(turned, b1, a1), np.where(turned, -b2, a2), np.where(turned, b3, a3)),
            (np.where(turned, a1, b1), np.where(turned, -a2, b2), np.where(turned, a3, b3)),
        )

    def mode(
        self, thresholds: Vector, coefficients: Vector, tau: Vector, start: tuple[Vector, Vector]
    ) -> Mode:
        """û by Newton's method, with halved steps where a whole one would overshoot.

        Raises ModeNotFound where it does not settle, which parameters that make no sense cause.
        """
        fixed = self.design @ coefficients
        u = start
        rows, height = self._height(thresholds, fixed, tau, u)
        for _ in range(STEPS):
            arrow = Arrow(self.crossing, Weights.of(self.crossing, rows.weight), tau)
            totals = self.crossing.totals(rows.first)
            slope = (-tau[0] * totals[0] - u[0], -tau[1] * totals[1] - u[1])
            step = arrow.solve(*slope)
            rise = float(slope[0] @ step[0] + slope[1] @ step[1])
            if rise < ENOUGH:
                value = height - 0.5 * arrow.log_determinant
                return Mode(u, tau, rows, arrow, value)
            for halving in range(30):
                share = 0.5**halving
                tried = (u[0] + share * step[0], u[1] + share * step[1])
                rows, new = self._height(thresholds, fixed, tau, tried)
                if new >= height - 1e-9 * (1 + abs(height)):
                    break
            u, height = tried, new
        raise ModeNotFound

    def _height(
        self, thresholds: Vector, fixed: Vector, tau: Vector, u: tuple[Vector, Vector]
    ) -> tuple[Rows, float]:
        rows = self.rows(thresholds, fixed + self.crossing.spread(tau[0] * u[0], tau[1] * u[1]))
        return rows, rows.log_likelihood - 0.5 * float(u[0] @ u[0] + u[1] @ u[1])

    def slope(self, mode: Mode) -> Slope:
        """∂L. `h` is the conditional variance of each η, `zeta` how a small change of its weight
        moves û and thereby η.
        """
        crossing, tau, rows, arrow = self.crossing, mode.tau, mode.rows, mode.arrow
        inverse = arrow.inverse()
        h = arrow.variances(inverse)
        m1, m2, w = rows.first, rows.second, rows.weight
        turn = 0.5 * h * (rows.third - 3 * m1 * m2 + 2 * m1**3)
        pull = crossing.totals(turn)
        v = arrow.solve(tau[0] * pull[0], tau[1] * pull[1])
        zeta = crossing.spread(tau[0] * v[0], tau[1] * v[1])
        error = -m1 - turn + w * zeta
        ups, downs = (
            part[0]
            + 0.5 * h * (part[2] - 2 * part[1] * m1 + part[0] * (2 * m1**2 - m2))
            + zeta * (part[1] - part[0] * m1)
            for part in (rows.above, rows.below)
        )
        raised = np.bincount(self.ratings, ups, self.categories)
        lowered = np.bincount(self.ratings, downs, self.categories)
        moved, pushed = crossing.totals(error), crossing.totals(m1)
        by_tau = [mode.u[k] @ moved[k] + v[k] @ pushed[k] for k in (0, 1)]
        return Slope(
            raised[:-1] - lowered[1:],
            self.design.T @ error,
            np.array(by_tau) - arrow.slopes(inverse),
        )
