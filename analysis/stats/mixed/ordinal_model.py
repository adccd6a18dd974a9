"""A cumulative link mixed model: its unknowns, its likelihood, and where to start the search."""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import block_diag

from analysis.stats.mixed.arrow import Posterior, Weights, sums
from analysis.stats.mixed.data import Crossed
from analysis.stats.mixed.equations import Equations
from analysis.stats.mixed.fit import MixedFit
from analysis.stats.mixed.laplace import Laplace, Mode, ModeNotFound, Rows
from analysis.stats.mixed.linear import Linear, variances_of_sds
from analysis.stats.mixed.links import DISTRIBUTIONS, Link
from analysis.stats.mixed.nested import Codes, Matrix, Vector

#: Where a search for an SD begins at least, as 0 may be a saddle.
LEAST_SD = 0.05
#: Logarithm of the greatest gap between thresholds that is tried.
FARTHEST_GAP = 10.0


@dataclass(frozen=True)
class Parameters:
    """The unknowns in one vector: the first threshold, the logarithms of the gaps between them, the
    coefficients, and τ, which may be negative (the likelihood is even in it).
    """

    thresholds: int
    coefficients: int

    def split(self, x: Vector) -> tuple[Vector, Vector, Vector]:
        first, rest = self.thresholds, self.thresholds + self.coefficients
        thresholds = x[0] + np.append(0.0, np.cumsum(np.exp(x[1:first])))
        return thresholds, x[first:rest], x[rest:]

    def joined(self, thresholds: Vector, coefficients: Vector, tau: Vector) -> Vector:
        gaps = np.log(np.diff(thresholds))
        return np.concatenate([thresholds[:1], gaps, coefficients, tau])

    def jacobian(self, x: Vector) -> Matrix:
        """∂(thresholds, coefficients, τ)/∂x."""
        jacobian = np.eye(len(x))
        jacobian[: self.thresholds, 0] = 1
        for gap in range(1, self.thresholds):
            jacobian[gap, gap] = 0
            jacobian[gap : self.thresholds, gap] = np.exp(x[gap])
        return jacobian


@dataclass(frozen=True, eq=False)
class PartOfModel:
    """The model with some of its random effects; `sds` are the places of their SDs among all."""

    laplace: Laplace
    sds: Codes


class Ordinal:
    """A model, its likelihood, and where to start."""

    def __init__(self, data: Crossed, ratings: Codes, link: Link) -> None:
        self.data, self.link, self.distribution = data, link, DISTRIBUTIONS[link]
        self.laplace = Laplace(data.crossing, data.X[:, 1:], ratings, self.distribution)
        self.parameters = Parameters(self.laplace.categories - 1, data.X.shape[1] - 1)
        self._nowhere = np.zeros(len(data.y))
        #: ∂ log p/∂η of each rating where the last mode was, and the posterior there.
        self._last: tuple[Vector, Posterior | None] = self._nowhere, None
        #: The last place where the objective was asked for, and what it was.
        self._known = (b"", -np.inf, self._nowhere)
        whole = np.arange(len(data.groups))
        self._parts = {whole.tobytes(): PartOfModel(self.laplace, whole)}

    @property
    def sds(self) -> slice:
        """Where the SDs are among the unknowns."""
        start = self.parameters.thresholds + self.parameters.coefficients
        return slice(start, start + len(self.data.groups))

    def part(self, x: Vector) -> PartOfModel:
        """The model without the effects whose SD is 0 at x."""
        kept = np.flatnonzero(x[self.sds])
        if kept.tobytes() not in self._parts:
            data, sds = self.data.only(kept)
            whole = self.laplace
            laplace = Laplace(data.crossing, whole.design, whole.ratings, self.distribution)
            self._parts[kept.tobytes()] = PartOfModel(laplace, sds)
        return self._parts[kept.tobytes()]

    def mode(self, x: Vector, part: PartOfModel | None = None) -> Mode:
        """The mode of the random effects, searched from where the last one was; of all effects or
        of a part of them.
        """
        if x[1 : self.parameters.thresholds].max(initial=0) > FARTHEST_GAP:
            raise ModeNotFound
        thresholds, coefficients, tau = self.parameters.split(x)
        laplace = self.laplace
        if part:
            laplace, tau = part.laplace, tau[part.sds]
        at = thresholds, coefficients, tau
        with np.errstate(invalid="ignore"):  # far off, what overflows is found out by itself
            try:
                mode = laplace.mode(*at, *self._last)
            except (ModeNotFound, np.linalg.LinAlgError):
                mode = laplace.mode(*at, start=self._nowhere)
        self._last = mode.rows.first, mode.posterior
        return mode

    def objective(self, x: Vector) -> tuple[float, Vector]:
        """The log-likelihood and its slope; far off, where there is no mode, −∞.

        The slope by an SD of 0 is 0, as the likelihood is even in it.
        """
        place = x.tobytes()
        if place != self._known[0]:
            self._known = (place, *self._objective(x))
        _, height, slope = self._known
        return height, slope.copy()

    def _objective(self, x: Vector) -> tuple[float, Vector]:
        part = self.part(x)
        try:
            mode = self.mode(x, part)
        except (ModeNotFound, np.linalg.LinAlgError):
            self._last = self._nowhere, None
            return -np.inf, np.zeros(len(x))
        slope = part.laplace.slope(mode)
        of_tau = np.zeros(len(self.data.groups))
        of_tau[part.sds] = slope.tau
        raw = np.concatenate([slope.thresholds, slope.coefficients, of_tau])
        return mode.log_likelihood, self.parameters.jacobian(x).T @ raw

    def start(self, near: MixedFit | None) -> tuple[Vector, Matrix]:
        """Where to start the search, and a Cholesky factor of about what the covariance is."""
        if near is None or near.link == "identity" or not self._is_like(near):
            start = self._start_linear()
            return start, self.whitening(start)
        unit = self.distribution.spread / DISTRIBUTIONS[near.link].spread
        known = near.thresholds, near.coefficients, list(near.sds.values())
        start = self.parameters.joined(*(unit * np.array(each) for each in known))
        covariance = unit**2 * near.covariance.to_numpy()
        variances = covariance.diagonal()[self.sds]
        guessed = np.where(variances > 0, 0.0, self._variances_of_sds(start[self.sds]))
        covariance[self.sds, self.sds] += np.diag(guessed)
        return start, self._factor(start, covariance)

    def _is_like(self, fit: MixedFit) -> bool:
        """Whether it has the same unknowns, with this link or another."""
        return (
            fit.data.names == self.data.names
            and list(fit.sds) == [group.name for group in self.data.groups]
            and len(fit.categories) == self.laplace.categories
        )

    def _start_linear(self) -> Vector:
        """From a linear mixed model of the category codes."""
        data, spread = self.data, self.distribution.spread
        codes = self.laplace.ratings.astype(float)
        linear = Linear(Crossed(codes, data.X, data.names, data.sides), restricted=False)
        relative = linear.about()
        profile = linear.profile(relative)
        scale = 1.05 * spread / profile.sigma
        tau = relative * 1.05 * spread
        coefficients = scale * profile.coefficients[1:]
        fixed = data.X[:, 1:] @ coefficients
        counts = np.bincount(self.laplace.ratings)
        shares = np.cumsum(counts)[:-1] / counts.sum()
        wider = np.sqrt(1 + (fixed.var() + (tau**2).sum()) / spread**2)
        thresholds = self.distribution.quantile(shares) * wider + fixed.mean()
        return self.parameters.joined(thresholds, coefficients, tau)

    def whitening(self, x: Vector) -> Matrix:
        """A Cholesky factor of about what the covariance is: of thresholds and coefficients as if
        the SDs were known, and of each SD by itself.
        """
        tau = np.abs(x[self.sds])
        absorbed = self.equations(self.mode(x).rows, self.laplace).absorb(tau)
        sds = np.diag(self._variances_of_sds(tau))
        return self._factor(x, block_diag(absorbed.inverse, sds))

    def _variances_of_sds(self, tau: Vector) -> Vector:
        spread = self.distribution.spread
        return variances_of_sds(self.data, np.maximum(tau, LEAST_SD * spread), spread)

    def _factor(self, x: Vector, covariance: Matrix) -> Matrix:
        """A Cholesky factor of a covariance of thresholds, coefficients and SDs, for x."""
        inverse = np.linalg.inv(self.parameters.jacobian(x))
        return np.asarray(np.linalg.cholesky(inverse @ covariance @ inverse.T), dtype=float)

    def equations(self, rows: Rows, laplace: Laplace) -> Equations:
        """Henderson's equations for thresholds and coefficients with the weights of these rows.

        A row has second derivatives by the thresholds above and below it, and η takes part in
        both: minus these by threshold and η are `up` and `down`.
        """
        crossing = laplace.crossing
        k, design, ratings = laplace.categories, laplace.design, laplace.ratings
        (a1, a2, _), (b1, b2, _) = rows.ends()
        above, below, both = a1**2 - a2, b1**2 + b2, -a1 * b1
        up, down = above + both, below + both

        def by_threshold(codes: Codes, levels: int, weights: Vector | float = 1.0) -> Matrix:
            """Minus the sums of `up` and `down` in each level, each at its threshold."""
            cells = codes * k + ratings
            high = sums(cells, up * weights, levels * k).reshape(levels, k)
            low = sums(cells, down * weights, levels * k).reshape(levels, k)
            return -(high[:, :-1] + low[:, 1:])

        everywhere = np.zeros(len(ratings), dtype=np.intp)
        columns = [crossing.totals(rows.weight * column) for column in design.T]
        totals = [
            np.hstack([by_threshold(codes, levels), *(part[at][:, None] for part in columns)])
            for at, (codes, levels) in enumerate(
                zip((crossing.first, crossing.second), crossing.cells, strict=True)
            )
        ]
        products = np.zeros((k - 1 + design.shape[1],) * 2)
        own = sums(ratings, above, k)[:-1] + sums(ratings, below, k)[1:]
        next_to = sums(ratings, both, k)[1:-1]
        products[: k - 1, : k - 1] = np.diag(own) + np.diag(next_to, 1) + np.diag(next_to, -1)
        products[k - 1 :, k - 1 :] = design.T @ (rows.weight[:, None] * design)
        for at, column in enumerate(design.T, start=k - 1):
            products[at, : k - 1] = by_threshold(everywhere, 1, column)[0]
        products[: k - 1, k - 1 :] = products[k - 1 :, : k - 1].T
        weights = Weights.of(crossing, rows.weight)
        return Equations(crossing, weights, products, (totals[0], totals[1]))
