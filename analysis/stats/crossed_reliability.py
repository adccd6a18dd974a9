"""Intraclass correlations where not every rater rated every item: by a mixed model."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from pandas import DataFrame
from scipy.special import expit, ndtri

from analysis.stats.inestimable import Inestimable
from analysis.stats.intraclass_correlation import Form, IntraclassCorrelation
from analysis.stats.mixed import crossed, fit_linear

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
    y = m + rater + item + error by REML. Intervals are of the log odds, by the delta method; there
    is none where items' variance is estimated at 0. Raises ValueError for infinite values. D. ten
    Hove, T. D. Jorgensen & L. A. van der Ark (2022), Updated guidelines on selecting an intraclass
    correlation coefficient for interrater reliability, with applications to incomplete
    observational designs.
    """
    data = crossed(ratings, rating="value", fixed=[], groups=("rater", "unit"))
    fit = fit_linear(data)
    if isinstance(fit, Inestimable):
        return fit
    variances, covariance = fit.variance_components
    missing = [name for name in ("rater", "unit") if name not in variances]
    if missing:
        return Inestimable("confounded", f"there is one rating of each {missing[0]}")
    k = float(1 / (1 / ratings.groupby("unit").size()).mean())
    forms: dict[Form, IntraclassCorrelation] = {}
    kinds: list[tuple[str, Form, Form]] = [
        ("A", "ICC(A,1)", "ICC(A,k)"),
        ("C", "ICC(C,1)", "ICC(C,k)"),
    ]
    for kind, single, mean in kinds:
        errors = list(ERRORS[kind])
        error, true = float(variances[errors].sum()), float(variances["unit"])
        bounds = None
        if true > 0:
            # The slope of log true − log error, the log odds of ICC(·,1).
            names = variances.index
            slope = np.array([(name == "unit") / true - (name in errors) / error for name in names])
            spread = float(np.sqrt(slope @ covariance.to_numpy() @ slope))
            reach = float(ndtri((1 + confidence) / 2)) * spread
            middle = float(np.log(true / error))
            bounds = middle - reach, middle + reach
        for form, raters in ((single, 1.0), (mean, k)):
            low, high = (expit(np.array(bounds) + np.log(raters))) if bounds else (0.0, 0.0)
            forms[form] = IntraclassCorrelation(
                form, true / (true + error / raters), (float(low), float(high)) if bounds else None
            )
    return CrossedReliability(forms, k, ratings["rater"].nunique(), ratings["unit"].nunique())
