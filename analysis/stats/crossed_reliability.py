"""Intraclass correlations where not every rater rated every item: by a mixed model."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from pandas import Categorical, DataFrame, Series, factorize
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.special import expit, ndtri

from analysis.stats.inestimable import Inestimable
from analysis.stats.intraclass_correlation import Form, IntraclassCorrelation
from analysis.stats.mixed import MixedFit, crossed, fit_linear

#: What is an error of each kind, beside what single ratings leave.
ERRORS: Mapping[str, tuple[str, ...]] = {"A": ("rater", "residual"), "C": ("residual",)}


@dataclass(frozen=True)
class CrossedReliability:
    """All four forms, of all `raters` and `items`; `k` is how many raters an item has, the harmonic
    mean over items.
    """

    forms: Mapping[Form, IntraclassCorrelation]
    k: float
    raters: int
    items: int


def crossed_reliability(
    ratings: DataFrame, *, confidence: float = 0.95
) -> CrossedReliability | Inestimable:
    """ICC(A,1), ICC(A,k), ICC(C,1) and ICC(C,k) of ratings, of which any may be missing.

    `ratings` has `rater`, `unit` (the item) and `value`. The variances are those of
    y = m + rater + item + error by REML. Where raters and items fall into parts that share neither,
    as where each rater rated one system, each part has a mean of its own, and items' variance
    contains that of these means. Intervals are of the log odds, by the delta method; there is none
    where items' variance is estimated at 0. Raises ValueError for infinite values. D. ten Hove,
    T. D. Jorgensen & L. A. van der Ark (2022), Updated guidelines on selecting an intraclass
    correlation coefficient for interrater reliability, with applications to incomplete
    observational designs.
    """
    parts = _parts(ratings)
    fixed = ["part"] if parts.nunique() > 1 else []
    data = crossed(
        ratings.assign(part=Categorical(parts)),
        rating="value",
        fixed=fixed,
        groups=("rater", "unit"),
    )
    fit = fit_linear(data)
    if isinstance(fit, Inestimable):
        return fit
    variances, covariance = fit.variance_components
    missing = [name for name in ("rater", "unit") if name not in variances]
    if missing:
        return Inestimable("confounded", f"there is one rating of each {missing[0]}")
    between, spread_between = _between(fit, ratings, parts) if fixed else (0.0, 0.0)
    k = float(1 / (1 / ratings.groupby("unit").size()).mean())
    forms: dict[Form, IntraclassCorrelation] = {}
    kinds: list[tuple[str, Form, Form]] = [
        ("A", "ICC(A,1)", "ICC(A,k)"),
        ("C", "ICC(C,1)", "ICC(C,k)"),
    ]
    for kind, single, mean in kinds:
        errors = list(ERRORS[kind])
        error, true = float(variances[errors].sum()), float(variances["unit"]) + between
        bounds = None
        if true > 0:
            # The slope of log true − log error, the log odds of ICC(·,1).
            names = variances.index
            slope = np.array([(name == "unit") / true - (name in errors) / error for name in names])
            spread = slope @ covariance.to_numpy() @ slope + spread_between / true**2
            reach = float(ndtri((1 + confidence) / 2) * np.sqrt(spread))
            middle = float(np.log(true / error))
            bounds = middle - reach, middle + reach
        for form, raters in ((single, 1.0), (mean, k)):
            low, high = (expit(np.array(bounds) + np.log(raters))) if bounds else (0.0, 0.0)
            forms[form] = IntraclassCorrelation(
                form, true / (true + error / raters), (float(low), float(high)) if bounds else None
            )
    return CrossedReliability(forms, k, ratings["rater"].nunique(), ratings["unit"].nunique())


def _parts(ratings: DataFrame) -> "Series[int]":
    """The number of the part that each rating belongs to: parts share neither raters nor items."""
    raters, items = (factorize(ratings[name])[0] for name in ("rater", "unit"))
    n = raters.max() + 1
    size = n + items.max() + 1
    graph = coo_array((np.ones(len(ratings)), (raters, n + items)), shape=(size, size))
    return Series(connected_components(graph, directed=False)[1][raters], index=ratings.index)


def _between(fit: MixedFit, ratings: DataFrame, parts: "Series[int]") -> tuple[float, float]:
    """The variance of parts' means over items, without what chance adds, and its own variance."""
    items = ratings.groupby(parts)["unit"].nunique()
    weights = np.asarray(items / items.sum(), dtype=float)
    rows = fit.data.grid("part").mean(axis=1)
    means, errors = rows @ fit.coefficients.to_numpy(), rows @ fit.covariance.to_numpy() @ rows.T
    apart = means - weights @ means
    by_chance = weights @ np.diagonal(errors) - weights @ errors @ weights
    slopes = 2 * weights * apart
    return max(float(weights @ apart**2 - by_chance), 0.0), float(slopes @ errors @ slopes)
