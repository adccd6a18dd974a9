"""Cumulative link mixed models with random intercepts: ratings as ordered categories.

P(y ≤ k) = F(αₖ − η), η = Xβ + Σ bₖ, F normal (probit) or logistic (logit), b normal. The
likelihood is Laplace's approximation, as in ordinal::clmm (R. H. B. Christensen), and its slope is
exact; linear mixed models say where to start and how far to step.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np
import pandas as pd
from pandas import DataFrame

from analysis.stats.inestimable import Inestimable
from analysis.stats.mixed.checks import extreme_levels, refuse_what_cannot_be_fitted
from analysis.stats.mixed.data import Crossed
from analysis.stats.mixed.degrees_of_freedom import Reference
from analysis.stats.mixed.equations import Equations
from analysis.stats.mixed.fit import MixedFit
from analysis.stats.mixed.laplace import Laplace, ModeNotFound
from analysis.stats.mixed.linear import FARTHEST, boundary, unconverged
from analysis.stats.mixed.links import Link
from analysis.stats.mixed.nested import Vector
from analysis.stats.mixed.optimum import (
    BESIDE,
    Maximum,
    Objective,
    at_zero,
    climb_from_zero,
    settle,
)
from analysis.stats.mixed.ordinal_model import LEAST_SD, Ordinal, PartOfModel
from analysis.stats.mixed.problems import Note, Refused
from analysis.stats.threads import on_one_thread

#: An estimate this uncertain, in latent units of the probit, says that the likelihood is flat.
FLAT_SE = 10.0
WORST_CONDITION = 1e7
#: With a log-likelihood per rating above this, hardly a rating comes as a surprise.
FORETOLD = -0.05


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
    except (ModeNotFound, np.linalg.LinAlgError):
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
    least = np.full(len(data.groups), LEAST_SD * model.distribution.spread)
    x, learnt = climb_from_zero(objective, start, whitening, least)
    if objective(x)[0] == -np.inf:
        raise unconverged(data)
    sds = model.sds
    if restricted:
        objective = _restricted(model, x)
        x[sds] = np.where(np.abs(x[sds]) > BESIDE * least, np.abs(x[sds]), 0.0)
        x, _ = climb_from_zero(objective, x, learnt, least)
        if objective(x)[0] == -np.inf:
            raise _foretold(model, x) or unconverged(data)
    x[sds] = np.abs(x[sds])
    x = at_zero(objective, x, last=len(data.groups), error=model.distribution.spread)
    free = np.ones(len(x), dtype=bool)
    free[sds] = x[sds] > 0
    maximum = settle(objective, x, model.whitening(x)[:, free])
    if maximum.miss > FARTHEST:
        raise _foretold(model, x) or unconverged(data)
    _refuse_flat(model, maximum)
    notes = tuple(
        Note("empty_category", f"Nobody chose {value:g}: the model gives it a share of 0.")
        for value in sorted(set(scale) - set(values))
    )
    return _described(model, maximum, restricted, tuple(float(each) for each in values), notes)


def _restricted(model: Ordinal, x: Vector) -> Objective:
    """The log-likelihood less ½ log|A|, A being the information with the weights at x."""
    rows = model.mode(x).rows
    equations: dict[Laplace, Equations] = {}

    @lru_cache(maxsize=1)  # most differences of the slope leave the SDs as they are
    def information(part: PartOfModel, tau: tuple[float, ...]) -> tuple[float, Vector]:
        """log|A| and its slope."""
        if part.laplace not in equations:
            equations[part.laplace] = model.equations(rows, part.laplace)
        absorbed = equations[part.laplace].absorb(np.array(tau))
        slope = absorbed.slope_of_log_determinant(absorbed.inverse)
        return float(np.linalg.slogdet(absorbed.schur)[1]), slope

    def objective(x: Vector) -> tuple[float, Vector]:
        height, slope = model.objective(x)
        if height == -np.inf:
            return height, slope
        part = model.part(x)
        try:
            size, by_tau = information(part, tuple(x[model.sds][part.sds]))
        except np.linalg.LinAlgError:  # no information is left where every rating is foretold
            return -np.inf, np.zeros(len(x))
        slope[model.sds][part.sds] -= by_tau / 2
        return height - size / 2, slope

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
    absorbed = model.equations(mode.rows, model.laplace).absorb(tau)
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
