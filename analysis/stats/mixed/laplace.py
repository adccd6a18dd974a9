"""The log-likelihood of a cumulative link mixed model by Laplace's approximation, and its slope.

P(y ≤ k) = F(αₖ − η), η = Xβ + Za, a = Lu, u ~ N(0, I), LL' = Σ. With û the mode of the joint
density of y and u, and M minus its second derivative there, L = Σ log p − ½û'û − ½ log|M|
(R. H. B. Christensen (2022), Cumulative link models for ordinal regression with the R package
ordinal; for the approximation D. Bates et al., lme4). The slope is exact: û moves with the
parameters, and through û and the weights so does M.

At the mode û = L'x, where x is what the ratings of each cell say together, Z'(∂ log p/∂η). The
search is for x: then a = Σx and û'û = x'a, whatever Σ is.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from analysis.stats.mixed.arrow import Crossing, Posterior, Weights, sums
from analysis.stats.mixed.links import Distribution
from analysis.stats.mixed.nested import Codes, Matrix, Vector

#: So far beyond the thresholds lies what stands for ±∞, where F is 0 or 1 and its slopes are 0.
FAR = 1000.0
LEAST = 1e-300
#: Newton's method has found the mode where the next step would raise the density by less.
ENOUGH = 1e-18
STEPS = 60


class ModeNotFound(ArithmeticError):
    """Newton's method did not get to the mode of the random effects."""


@dataclass(frozen=True)
class Bounds:
    """Each row's interval between thresholds: its `middle`, less what is fixed of η, and half its
    width.
    """

    middle: Vector
    half: Vector


@dataclass(frozen=True)
class Rows:
    """What each row says at some η; p is the probability of its category.

    p = F(a) − F(b), where a and b are the distances of η to the thresholds above and below. Where
    a + b > 0 it is F(−b) − F(−a), which loses no digits: both are `turned`. `above` and `below`
    are f/p there; `first` is (f(a) − f(b))/p and `weight` −∂² log p/∂η², both turned back.
    """

    log_likelihood: float
    turned: npt.NDArray[np.bool_]
    above: Vector
    below: Vector
    slopes: tuple[tuple[Vector, Vector], tuple[Vector, Vector]]
    first: Vector
    second: Vector
    weight: Vector

    def third(self) -> Vector:
        """(f''(a) − f''(b))/p."""
        (_, high), (_, low) = self.slopes
        difference = self.above * high - self.below * low
        return np.where(self.turned, -difference, difference)

    def ends(self) -> tuple[tuple[Vector, Vector, Vector], tuple[Vector, Vector, Vector]]:
        """f/p, f'/p and f''/p at a, and at b."""
        (high2, high3), (low2, low3) = self.slopes
        high = (self.above, self.above * high2, self.above * high3)
        low = (self.below, self.below * low2, self.below * low3)
        turned = self.turned
        return (
            (
                np.where(turned, low[0], high[0]),
                np.where(turned, -low[1], high[1]),
                np.where(turned, low[2], high[2]),
            ),
            (
                np.where(turned, high[0], low[0]),
                np.where(turned, -high[1], low[1]),
                np.where(turned, high[2], low[2]),
            ),
        )


@dataclass(frozen=True)
class Mode:
    """x (in two parts), and what holds there."""

    x: tuple[Vector, Vector]
    rows: Rows
    posterior: Posterior
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

    def bounds(self, thresholds: Vector, coefficients: Vector) -> Bounds:
        ends = np.concatenate([[thresholds[0] - FAR], thresholds, [thresholds[-1] + FAR]])
        middle = ((ends[1:] + ends[:-1]) / 2)[self.ratings]
        return Bounds(middle - self.design @ coefficients, (np.diff(ends) / 2)[self.ratings])

    def rows(self, bounds: Bounds, random: Vector) -> Rows:
        """`random` is what the random effects add to η."""
        link = self._distribution
        centre = bounds.middle - random
        turned = centre > 0
        near = np.abs(centre)
        high, low = bounds.half - near, -bounds.half - near
        high_f, low_f = link.cumulative(high), link.cumulative(low)
        p = np.maximum(high_f - low_f, LEAST)
        above, below = link.density(high, high_f) / p, link.density(low, low_f) / p
        slopes = link.slopes(high, high_f), link.slopes(low, low_f)
        first = above - below
        second = above * slopes[0][0] - below * slopes[1][0]
        weight = first * first - second
        np.negative(first, out=first, where=turned)
        likelihood = float(np.log(p).sum())
        return Rows(likelihood, turned, above, below, slopes, first, second, weight)

    def mode(
        self,
        thresholds: Vector,
        coefficients: Vector,
        tau: Vector,
        start: Vector,
        like: Posterior | None = None,
    ) -> Mode:
        """The mode by Newton's method, with halved steps where a whole one would overshoot; from
        where ∂ log p/∂η of the rows is about `start`. `like` is another mode's posterior: with the
        same τ, it does for the first step.

        Raises ModeNotFound where it does not settle, which parameters that make no sense cause.
        """
        crossing = self.crossing
        bounds = self.bounds(thresholds, coefficients)
        scores = crossing.totals(start)
        x = (-scores[0], -scores[1])
        effects = self._effects(tau, x)
        rows, height = self._height(bounds, x, effects)
        if like and not (like.crossing is crossing and np.array_equal(like.tau, tau)):
            like = None
        for _ in range(STEPS):
            posterior = like or Posterior(crossing, Weights.of(crossing, rows.weight), tau)
            weights = posterior.weights
            seen, scores = weights.times(effects), crossing.totals(rows.first)
            right = (seen[0] - scores[0], seen[1] - scores[1])
            best = posterior.times(right)
            moved = (best[0] - effects[0], best[1] - effects[1])
            seen = weights.times(best)
            step = (right[0] - seen[0] - x[0], right[1] - seen[1] - x[1])
            slope = (-scores[0] - x[0], -scores[1] - x[1])
            rise = float(slope[0] @ moved[0] + slope[1] @ moved[1])
            if rise < ENOUGH and not like:
                value = height - 0.5 * posterior.log_determinant
                return Mode(x, rows, posterior, value)
            for halving in range(30):
                share = 0.5**halving
                tried = (x[0] + share * step[0], x[1] + share * step[1])
                reached = (effects[0] + share * moved[0], effects[1] + share * moved[1])
                rows, new = self._height(bounds, tried, reached)
                if new >= height - 1e-9 * (1 + abs(height)):
                    break
            else:
                raise ModeNotFound
            x, effects, height, like = tried, reached, new, None
        raise ModeNotFound

    def _effects(self, tau: Vector, x: tuple[Vector, Vector]) -> tuple[Vector, Vector]:
        """a = Σx."""
        first, second = self.crossing.sides
        of_first, of_second = self.crossing.split(tau)
        return first.prior(of_first, x[0]), second.prior(of_second, x[1])

    def _height(
        self, bounds: Bounds, x: tuple[Vector, Vector], effects: tuple[Vector, Vector]
    ) -> tuple[Rows, float]:
        rows = self.rows(bounds, self.crossing.spread(*effects))
        return rows, rows.log_likelihood - 0.5 * float(x[0] @ effects[0] + x[1] @ effects[1])

    def slope(self, mode: Mode) -> Slope:
        """∂L. `h` is the conditional variance of each η, `zeta` how a small change of its weight
        moves the mode and thereby η.
        """
        crossing, rows, posterior = self.crossing, mode.rows, mode.posterior
        h = posterior.variances()
        m1, m2, w = rows.first, rows.second, rows.weight
        turn = 0.5 * h * (rows.third() - 3 * m1 * m2 + 2 * m1 * m1 * m1)
        pull = crossing.totals(turn)
        moved = posterior.times(pull)
        zeta = crossing.spread(*moved)
        error = -m1 - turn + w * zeta
        half, curved = 0.5 * h, 2 * m1 * m1 - m2
        ups, downs = (
            f + half * (f3 - 2 * f2 * m1 + f * curved) + zeta * (f2 - f * m1)
            for f, f2, f3 in rows.ends()
        )
        raised = sums(self.ratings, ups, self.categories)
        lowered = sums(self.ratings, downs, self.categories)
        seen = posterior.weights.times(moved)
        y = (pull[0] - seen[0], pull[1] - seen[1])
        parts = (mode.x, crossing.totals(error), y, crossing.totals(m1))
        by_factor = zip(*(crossing.by_factor(part) for part in parts), strict=True)
        by_tau = [float(x @ e + y @ m) for x, e, y, m in by_factor]
        return Slope(
            raised[:-1] - lowered[1:],
            self.design.T @ error,
            posterior.tau * np.array(by_tau) - posterior.slopes(),
        )
