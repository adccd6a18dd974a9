"""Cumulative link mixed models with random intercepts: ratings as ordered categories.

P(y ≤ k) = F(αₖ − η), η = Xβ + Σ bₖ, F normal (probit) or logistic (logit), b normal. The
likelihood is Laplace's approximation, as in ordinal::clmm (R. H. B. Christensen), and its slope is
exact; linear mixed models say where to start and how far to step.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pandas as pd
from pandas import DataFrame
from scipy.linalg import block_diag

from analysis.stats.inestimable import Inestimable
from analysis.stats.mixed.arrow import Weights, sums
from analysis.stats.mixed.checks import (
    extreme_levels,
    refuse_what_cannot_be_fitted,
    spare_levels,
)
from analysis.stats.mixed.data import Crossed
from analysis.stats.mixed.degrees_of_freedom import Reference
from analysis.stats.mixed.equations import Equations
from analysis.stats.mixed.fit import MixedFit
from analysis.stats.mixed.laplace import Laplace, Mode, ModeNotFound
from analysis.stats.mixed.linear import (
    FARTHEST,
    Linear,
    boundary,
    unconverged,
    variances_of_sds,
)
from analysis.stats.mixed.links import DISTRIBUTIONS, Link
from analysis.stats.mixed.nested import Codes, Matrix, Vector
from analysis.stats.mixed.optimum import Maximum, Objective, at_zero, climb, settle
from analysis.stats.mixed.problems import Note, Refused
from analysis.stats.mixed.threads import on_one_thread

#: An estimate this uncertain, in latent units of the probit, says that the likelihood is flat.
FLAT_SE = 10.0
#: Where a search for an SD begins at least, as 0 may be a saddle.
LEAST_SD = 0.05
WORST_CONDITION = 1e7
#: With a log-likelihood per rating above this, hardly a rating comes as a surprise.
FORETOLD = -0.05
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


class Ordinal:
    """A model, its likelihood, and where to start."""

    def __init__(self, data: Crossed, ratings: Codes, link: Link) -> None:
        self.data, self.link, self.distribution = data, link, DISTRIBUTIONS[link]
        self.laplace = Laplace(data.crossing, data.X[:, 1:], ratings, self.distribution)
        self.parameters = Parameters(self.laplace.categories - 1, data.X.shape[1] - 1)
        first, second = data.crossing.cells
        self._nowhere = (np.zeros(first), np.zeros(second))
        self._x = self._nowhere

    def mode(self, x: Vector) -> Mode:
        """The mode of the random effects, searched from where the last one was."""
        if x[1 : self.parameters.thresholds].max(initial=0) > FARTHEST_GAP:
            raise ModeNotFound
        at = self.parameters.split(x)
        with np.errstate(invalid="ignore"):  # far off, what overflows is found out by itself
            try:
                mode = self.laplace.mode(*at, start=self._x)
            except (ModeNotFound, np.linalg.LinAlgError):
                mode = self.laplace.mode(*at, start=self._nowhere)
        self._x = mode.x
        return mode

    def objective(self, x: Vector) -> tuple[float, Vector]:
        """The log-likelihood and its slope; far off, where there is no mode, −∞."""
        try:
            mode = self.mode(x)
        except (ModeNotFound, np.linalg.LinAlgError):
            self._x = self._nowhere
            return -np.inf, np.zeros(len(x))
        slope = self.laplace.slope(mode)
        raw = np.concatenate([slope.thresholds, slope.coefficients, slope.tau])
        return mode.log_likelihood, self.parameters.jacobian(x).T @ raw

    def start(self, near: MixedFit | None) -> tuple[Vector, Matrix]:
        """Where to start the search, and a Cholesky factor of about what the covariance will be."""
        return self._start_at(near) if near and self._is_like(near) else self._start_linear()

    def _is_like(self, fit: MixedFit) -> bool:
        """Whether it has the same unknowns."""
        return (
            (fit.link, fit.data.names) == (self.link, self.data.names)
            and list(fit.sds) == [group.name for group in self.data.groups]
            and len(fit.categories) == self.laplace.categories
        )

    def _start_at(self, fit: MixedFit) -> tuple[Vector, Matrix]:
        sds = np.array(list(fit.sds.values()))
        tau = np.maximum(sds, LEAST_SD * self.distribution.spread)
        thresholds, coefficients = np.array(fit.thresholds), np.array(fit.coefficients)
        start = self.parameters.joined(thresholds, coefficients, tau)
        covariance = fit.covariance.to_numpy() + np.diag(
            np.concatenate(
                [
                    np.zeros(len(start) - len(tau)),
                    (sds == 0) * variances_of_sds(self.data, tau, self.distribution.spread),
                ]
            )
        )
        inverse = np.linalg.inv(self.parameters.jacobian(start))
        return start, np.linalg.cholesky(inverse @ covariance @ inverse.T)

    def _start_linear(self) -> tuple[Vector, Matrix]:
        """From a linear mixed model of the category codes."""
        data, spread = self.data, self.distribution.spread
        codes = self.laplace.ratings.astype(float)
        linear = Linear(Crossed(codes, data.X, data.names, data.sides), restricted=False)
        relative = np.abs(linear.near()[0])
        profile = linear.profile(relative)
        scale = 1.05 * spread / profile.sigma
        tau = np.maximum(relative * 1.05, LEAST_SD) * spread
        coefficients = scale * profile.coefficients[1:]
        fixed = data.X[:, 1:] @ coefficients
        counts = np.bincount(self.laplace.ratings)
        shares = np.cumsum(counts)[:-1] / counts.sum()
        wider = np.sqrt(1 + (fixed.var() + (tau**2).sum()) / spread**2)
        thresholds = self.distribution.quantile(shares) * wider + fixed.mean()
        own = scale**2 * profile.sigma**2 * profile.inverse
        own[0] *= -1
        own[:, 0] *= -1
        gaps = 2.0 / counts[1:-1]
        blocks = [own[:1, :1], np.diag(gaps), own[1:, 1:]]
        guess = block_diag(*blocks, np.diag(variances_of_sds(data, tau, spread)))
        t = self.parameters.thresholds
        guess[0, t : t + len(coefficients)] = own[0, 1:]
        guess[t : t + len(coefficients), 0] = own[1:, 0]
        start = self.parameters.joined(thresholds, coefficients, tau)
        return start, np.asarray(np.linalg.cholesky(guess), dtype=float)

    def equations(self, mode: Mode) -> Equations:
        """Henderson's equations for thresholds and coefficients with the weights of the mode.

        A row has second derivatives by the thresholds above and below it, and η takes part in
        both: minus these by threshold and η are `up` and `down`.
        """
        rows, laplace, crossing = mode.rows, self.laplace, self.laplace.crossing
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


@on_one_thread
def fit_ordinal(
    data: Crossed,
    *,
    link: Link = "probit",
    restricted: bool = True,
    scale: Sequence[float] = (),
    near: MixedFit | None = None,
) -> MixedFit | Inestimable:
    """Fit a cumulative link mixed model; the categories are the distinct values of `data.y`.

    By maximum likelihood, as ordinal::clmm does, the SDs of factors with few levels come out
    too small, and so do standard errors of effects that vary between these levels. `restricted`
    subtracts ½ log|A| from the log-likelihood, A being the information about thresholds and
    coefficients, with its weights as at the maximum of the likelihood. In a linear model that
    is REML; here it is the adjusted profile likelihood of D. R. Cox & N. Reid (1987), Parameter
    orthogonality and approximate conditional inference.

    `scale` are the values that could have been chosen: those that nobody chose get a note. `near`
    is a fit of much the same ratings, from which the maximum is found sooner.
    Inestimable where there is no maximum, or nothing to tell effects apart by. Raises ValueError
    for ratings or covariates that are missing, infinite or beyond ±1e60, or ratings beside the
    `scale`.
    """
    try:
        return _fit(data, link, restricted, scale, near)
    except Refused as refused:
        return Inestimable(refused.kind, refused.because)
    except np.linalg.LinAlgError:
        reason = unconverged(data)
        return Inestimable(reason.kind, reason.because)


def _fit(
    data: Crossed, link: Link, restricted: bool, scale: Sequence[float], near: MixedFit | None
) -> MixedFit:
    values, ratings = np.unique(data.y, return_inverse=True)
    refuse_what_cannot_be_fitted(data, unknowns=len(values))
    if scale and (beside := sorted(set(values) - set(scale))):
        raise ValueError(f"Ratings of {beside[0]:g} are not on the scale")
    if extreme := extreme_levels(data, ratings):
        which = ", ".join(extreme)
        raise Refused(
            "separated",
            f"all ratings of {which} are in the same extreme category, which no finite effect "
            "explains",
        )
    model = Ordinal(data, ratings, link)
    start, whitening = model.start(near)
    objective: Objective = model.objective
    x, learnt = climb(objective, start, whitening)
    if objective(x)[0] == -np.inf:
        raise unconverged(data)
    sds = slice(len(x) - len(data.groups), len(x))
    if restricted:
        objective = _restricted(model, x)
        x[sds] = np.maximum(np.abs(x[sds]), LEAST_SD * model.distribution.spread)
        x, _ = climb(objective, x, learnt)
        if objective(x)[0] == -np.inf:
            raise _foretold(model, x) or unconverged(data)
    x[sds] = np.abs(x[sds])
    x = at_zero(objective, x, last=len(data.groups), error=model.distribution.spread)
    free = np.ones(len(x), dtype=bool)
    free[sds] = x[sds] > 0
    maximum = settle(objective, x, whitening[:, free])
    if maximum.miss > FARTHEST:
        raise _foretold(model, x) or unconverged(data)
    _refuse_flat(model, maximum)
    notes = tuple(
        Note("empty_category", f"Nobody chose {value:g}: the model gives it a share of 0.")
        for value in sorted(set(scale) - set(values))
    )
    return _described(model, maximum, restricted, tuple(float(each) for each in values), notes)


def _restricted(model: Ordinal, x: Vector) -> Objective:
    equations = model.equations(model.mode(x))
    sds = slice(len(x) - len(model.data.groups), len(x))

    def objective(x: Vector) -> tuple[float, Vector]:
        height, slope = model.objective(x)
        if height == -np.inf:
            return height, slope
        try:
            absorbed = equations.absorb(x[sds])
            inverse = absorbed.inverse
        except np.linalg.LinAlgError:  # no information is left where every rating is foretold
            return -np.inf, np.zeros(len(x))
        _sign, size = np.linalg.slogdet(absorbed.schur)
        slope = slope.copy()
        slope[sds] -= absorbed.slope_of_log_determinant(inverse) / 2
        return height - float(size) / 2, slope

    return objective


def _described(
    model: Ordinal,
    maximum: Maximum,
    restricted: bool,
    categories: tuple[float, ...],
    notes: tuple[Note, ...],
) -> MixedFit:
    data, parameters = model.data, model.parameters
    x = maximum.at
    thresholds, coefficients, tau = parameters.split(x)
    jacobian = parameters.jacobian(x)
    covariance = jacobian @ maximum.covariance @ jacobian.T
    groups = data.groups
    names = [f"{low:g}|{high:g}" for low, high in pairwise(categories)]
    columns = [*names, *data.names[1:], *(f"sd: {group.name}" for group in groups)]
    mode = model.mode(x)
    absorbed = model.equations(mode).absorb(tau)
    scores = data.crossing.by_factor(mode.x)
    return MixedFit(
        data=data,
        link=model.link,
        restricted=restricted,
        coefficients=pd.Series(coefficients, index=list(data.names[1:])),
        thresholds=pd.Series(thresholds, index=names),
        categories=categories,
        covariance=DataFrame(covariance, index=columns, columns=columns),
        sds={group.name: float(t) for group, t in zip(groups, tau, strict=True)},
        residual_sd=None,
        modes={
            group.name: pd.Series(t**2 * score, index=group.index)
            for group, t, score in zip(groups, tau, scores, strict=True)
        },
        log_likelihood=maximum.height,
        spare_levels={group.name: spare_levels(data.X, group) for group in groups},
        miss=maximum.miss,
        notes=(*data.notes, *notes, *boundary(groups, tau)),
        reference=Reference(absorbed, absorbed.inverse, None),
    )


def _foretold(model: Ordinal, x: Vector) -> Refused | None:
    """Why there is no maximum, where the likelihood is as good as 1."""
    try:
        reached = model.mode(x).rows.log_likelihood / len(model.data.y)
    except (ModeNotFound, np.linalg.LinAlgError):
        return None
    if reached < FORETOLD:
        return None
    return Refused(
        "separated", "ever larger effects foretell nearly every rating, and that ever better"
    )


def _refuse_flat(model: Ordinal, maximum: Maximum) -> None:
    """Separation that no single level shows: the likelihood rises for ever, ever more slowly."""
    data, design = model.data, model.laplace.design
    jacobian = model.parameters.jacobian(maximum.at)
    t = model.parameters.thresholds
    # Thresholds at the mean of the design, and coefficients by the SD of their column.
    end = t + design.shape[1]
    jacobian[:t, t:end] -= design.mean(axis=0)
    jacobian[t:end] *= design.std(axis=0)[:, None]
    errors = np.sqrt(np.einsum("ij,jk,ik->i", jacobian, maximum.covariance, jacobian))
    names = ["the thresholds"] * t + list(data.names[1:])
    names += [f"the SD of the {group.name} effects" for group in data.groups]
    flat = errors > FLAT_SE * model.distribution.spread
    if flat.any() or maximum.condition > WORST_CONDITION:
        which = {name: None for name, is_flat in zip(names, flat, strict=True) if is_flat}
        raise Refused(
            "separated",
            f"ever larger effects ({', '.join(which) or 'some of them together'}) fit the ratings "
            "ever better, or the ratings hardly say anything about them",
        )
