"""Linear mixed models with random intercepts, by (restricted) maximum likelihood.

y = Xβ + Σ bₖ + ε with normal b and ε. The deviance is profiled over β and σ, so that only the
relative SDs τ = sd/σ are searched (D. Bates, M. Mächler, B. Bolker & S. Walker (2015), Fitting
linear mixed-effects models using lme4, Journal of Statistical Software 67(1), equations 34, 41).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from pandas import DataFrame
from scipy.linalg import cholesky, solve_triangular

from analysis.stats.inestimable import Inestimable
from analysis.stats.mixed.arrow import Weights
from analysis.stats.mixed.checks import (
    explained_exactly,
    refuse_what_cannot_be_fitted,
)
from analysis.stats.mixed.data import Crossed, Group
from analysis.stats.mixed.degrees_of_freedom import Reference
from analysis.stats.mixed.equations import Absorbed, Equations
from analysis.stats.mixed.fit import MixedFit
from analysis.stats.mixed.nested import Codes, Matrix, Vector
from analysis.stats.mixed.optimum import at_zero, climb, climb_from_zero, settle
from analysis.stats.mixed.problems import Note, Refused
from analysis.stats.threads import on_one_thread

#: A few unknowns are quickly found more exactly than many.
FLAT = 1e-5
#: By then it is seen which SDs tend to 0, where the height is so flat that a search lasts.
ROUGH = 1e-2
#: Where a search for a relative SD begins at least, as 0 may be a saddle.
LEAST = 0.05
#: So little of the ratings' spread may be an error, or what rounding leaves of none.
SMALL_SHARE = 1e-3
#: Estimates further than this from the maximum, in standard errors, have not converged.
FARTHEST = 1e-3


@dataclass(frozen=True)
class Profile:
    """The deviance at some τ, everything else at its best; `rest` is the residual sum of squares,
    penalised, and m what it is divided by.
    """

    absorbed: Absorbed
    upper: Matrix
    coefficients: Vector
    rest: float
    m: int
    deviance: float

    @property
    def sigma(self) -> float:
        return float(np.sqrt(self.rest / self.m))

    @cached_property
    def inverse(self) -> Matrix:
        """A⁻¹ over the coefficients, whose covariance it is with σ² = 1."""
        root = solve_triangular(self.upper, np.eye(len(self.upper)))
        return root @ root.T

    def slope(self, sigma: float, restricted: bool) -> Vector:
        """∂deviance/∂τ with σ held fixed, which at the profile's own σ is the profile's slope."""
        b = np.append(-self.coefficients, 1.0)
        inner = np.outer(b, b) / sigma**2
        if restricted:
            inner[:-1, :-1] += self.inverse
        of_columns = self.absorbed.slope_of_log_determinant(inner)
        return 2 * self.absorbed.posterior.slopes() + of_columns


class Linear:
    """The equations of a linear mixed model: ratings as they are, less their mean."""

    def __init__(self, data: Crossed, restricted: bool) -> None:
        crossing = data.crossing
        self.data, self.restricted = data, restricted
        self.shift = float(data.y.mean())
        columns = np.column_stack([data.X, data.y - self.shift])
        totals = [crossing.totals(column) for column in columns.T]
        parts = (np.array([t[0] for t in totals]).T, np.array([t[1] for t in totals]).T)
        weights = Weights.of(crossing, np.ones(len(data.y)))
        self.equations = Equations(crossing, weights, columns.T @ columns, parts)
        self.n, self.p = data.X.shape
        self._parts: dict[bytes, tuple[Linear, Codes]] = {}

    def part(self, tau: Vector) -> tuple["Linear", Codes]:
        """The model without the effects whose SD is 0, and which of these it has."""
        if tau.all():
            return self, np.arange(len(tau))
        which = (tau != 0).tobytes()
        if which not in self._parts:
            data, places = self.data.only(np.flatnonzero(tau))
            self._parts[which] = Linear(data, self.restricted), places
        return self._parts[which]

    def profile(self, tau: Vector) -> Profile:
        absorbed = self.equations.absorb(tau)
        whole = cholesky(absorbed.schur, check_finite=False)
        upper, last = whole[:-1, :-1], whole[:-1, -1]
        rest = float(whole[-1, -1]) ** 2
        m = self.n - self.p if self.restricted else self.n
        deviance = absorbed.posterior.log_determinant + m * (1 + np.log(2 * np.pi * rest / m))
        if self.restricted:
            deviance += 2 * float(np.log(np.diagonal(upper)).sum())
        return Profile(absorbed, upper, solve_triangular(upper, last), rest, m, deviance)

    def objective(self, tau: Vector) -> tuple[float, Vector]:
        """The log-likelihood and its slope; −∞ where no error is left.

        The slope by an SD of 0 is 0, as the likelihood is even in it.
        """
        part, places = self.part(tau)
        slope = np.zeros(len(tau))
        try:
            profile = part.profile(tau[places])
        except np.linalg.LinAlgError:
            return -np.inf, slope
        slope[places] = -profile.slope(profile.sigma, self.restricted) / 2
        return -profile.deviance / 2, slope

    def about(self) -> Vector:
        """Roughly the best τ, of which those are 0 that seem to be."""
        start = np.full(len(self.data.groups), 0.5)
        start, _ = climb(self.objective, start, self.whitening(start), ROUGH)
        return at_zero(self.objective, np.abs(start), last=len(start), error=1.0, less=0.0)

    def near(self, like: MixedFit | None = None) -> Vector:
        """The best τ but for a last step; sooner if a fit is `like` this one."""
        names = [group.name for group in self.data.groups]
        if like and set(names) == like.sds.keys():
            start = np.array([like.sds[name] for name in names]) / like.error
        else:
            start = self.about()
        least = np.full(len(names), LEAST)
        whitening = self.whitening(start)
        return np.abs(climb_from_zero(self.objective, start, whitening, least, FLAT)[0])

    def whitening(self, tau: Vector) -> Matrix:
        """By how much to scale steps, each τ by itself."""
        return np.diag(np.sqrt(variances_of_sds(self.data, np.maximum(tau, LEAST), 1.0)))


def variances_of_sds(data: Crossed, sds: Vector, error: float) -> Vector:
    """About what the variances of estimated SDs are, were these the SDs, and `error` that of the
    error: of q means of m independent ratings. Near 0 an SD is as uncertain as the root of its
    square is.
    """
    q = np.array(data.crossing.sizes, dtype=float)
    of_squares = np.sqrt(2 / q) * (sds**2 + error**2 / (len(data.y) / q))
    return np.asarray(of_squares**2 / (4 * sds**2 + of_squares))


@on_one_thread
def fit_linear(
    data: Crossed, *, restricted: bool = True, near: MixedFit | None = None
) -> MixedFit | Inestimable:
    """Fit y = Xβ + Σ bₖ + ε; by REML, or by maximum likelihood where not `restricted`.

    `near` is a fit of much the same model, from which the maximum is found sooner.
    Inestimable where there is no maximum, or nothing to tell effects apart by. Raises ValueError
    for ratings or covariates that are missing, infinite or beyond ±1e60.
    """
    try:
        return _fit(data, restricted, near)
    except Refused as refused:
        return Inestimable(refused.kind, refused.because)
    except np.linalg.LinAlgError:
        reason = unconverged(data)
        return Inestimable(reason.kind, reason.because)


def _fit(data: Crossed, restricted: bool, like: MixedFit | None) -> MixedFit:
    refuse_what_cannot_be_fitted(data, unknowns=1 + len(data.groups))
    model = Linear(data, restricted)
    near = at_zero(model.objective, model.near(like), last=len(data.groups), error=1.0)
    best = settle(model.objective, near, model.whitening(near)[:, near > 0])
    if best.miss > FARTHEST:
        raise unconverged(data)
    profile = model.profile(best.at)
    if profile.sigma < SMALL_SHARE * float(data.y.std()) and explained_exactly(data):
        raise unconverged(data)
    return _described(data, model, best.at, profile, best.miss)


def unconverged(data: Crossed) -> Refused:
    """Why there is no maximum."""
    if explained_exactly(data):
        return Refused(
            "constant",
            "raters, items and fixed effects explain every rating exactly: no error is left",
        )
    return Refused("unconverged", "the maximum of the likelihood was not found")


def boundary(groups: Sequence[Group], tau: Vector) -> tuple[Note, ...]:
    """What is to be said where SDs are estimated at 0."""
    return tuple(
        Note(
            "boundary",
            f"The SD of the {group.name} effects is estimated at 0: ratings differ from one "
            f"{group.name} to another no more than chance makes them.",
        )
        for group, of_group in zip(groups, tau, strict=True)
        if of_group == 0
    )


def _described(
    data: Crossed, model: Linear, tau: Vector, profile: Profile, miss: float
) -> MixedFit:
    names, sigma = list(data.names), profile.sigma
    coefficients = pd.Series(profile.coefficients, index=names)
    coefficients.iloc[0] += model.shift
    b = np.append(-profile.coefficients, 1.0)
    errors = profile.absorbed.errors_by_factor
    return MixedFit(
        data=data,
        link="identity",
        restricted=model.restricted,
        coefficients=coefficients,
        thresholds=pd.Series(dtype=float),
        categories=(),
        covariance=DataFrame(sigma**2 * profile.inverse, index=names, columns=names),
        sds={group.name: float(t * sigma) for group, t in zip(data.groups, tau, strict=True)},
        residual_sd=sigma,
        modes={
            group.name: pd.Series(t**2 * (of_group @ b), index=group.index)
            for group, t, of_group in zip(data.groups, tau, errors, strict=True)
        },
        log_likelihood=float(-profile.deviance / 2),
        miss=miss,
        notes=data.notes + boundary(data.groups, tau),
        reference=Reference(
            profile.absorbed.only(slice(0, -1)), profile.inverse, model.n - model.p
        ),
    )
