"""How strictly each rater rates, and how well the ratings fit the mixed model: that finds careless
raters without gold scores.
"""

import numpy as np
import pandas as pd
from pandas import DataFrame

from analysis.catalogue import columns as c
from analysis.catalogue.spec import Column, TableSpec
from analysis.recipe import Recipe
from analysis.stats.inestimable import Inestimable
from analysis.stats.mixed import MixedFit
from analysis.stats.mixed.residuals import rater_fit as fit_of_raters
from analysis.tables.fits import Fits
from analysis.tables.request import AnalysisSpec, Request, Tables

#: Mean squares between which ratings are productive for measurement (J. M. Linacre (2002), What do
#: infit and outfit, mean-square and standardized mean?).
MUTED, NOISY = 0.5, 1.5
RATER_FIT = TableSpec(
    "rater_fit",
    "Severity and fit of each rater",
    (
        c.RECIPE, c.RATERS, c.DIMENSION, c.LINK, c.UNIT,
        c.PARTICIPANT, c.N.but(meaning="Number of the rater's ratings"),
        Column("severity", "How many points lower the rater rates than an average rater would rate "
            "the same responses; negative where higher"),
        Column("infit", "Mean square of residuals, weighted by their expected variance: about 1 "
            "where ratings vary as the model says"),
        Column("outfit", "Mean square of standardised residuals, which single unexpected ratings "
            "raise most"),
        Column("remark", f"noisy: infit above {NOISY:g}; muted: infit below {MUTED:g}, as of "
            "nearly always the same rating", kind="text", labels="words"),
        c.NOTE,
    ),
    question="How strictly does each rater rate, and do the ratings fit those of the others?",
    observations="a rater",
    says="From the mixed model's effects and residuals, as in many-facet Rasch models (Linacre), "
        "without gold scores. Random ratings have a high infit, nearly constant ones a low infit: "
        "a reason to look at a rater, and no rule of exclusion. With few raters for each "
        "response, all values are somewhat below 1, so compare raters with one another.",
    section="Agreement of raters",
    subject="raters",
    counts="n counts the rater's ratings.",
    appendix=True,
    folded=True,
)  # fmt: skip


def rater_fit(
    ratings: DataFrame, recipe: Recipe, *, raters: str, fits: Fits | None = None
) -> DataFrame:
    """Each rater's severity and fit by the recipe's models of each dimension, the noisiest first.

    `ratings` has `participant`, `rating` and the columns of an item. A model that cannot be had is
    one row with the reason in `note`. Raises NotAvailable.
    """
    parts = []
    for keys, own, fit in (fits or Fits()).each(ratings, recipe, raters):
        if (why := _why_not(fit)) is not None:
            nothing = dict.fromkeys(["participant", "remark"], "")
            parts.append(DataFrame([{**keys, **nothing, "note": str(why)}]))
            continue
        assert isinstance(fit, MixedFit)
        names = pd.factorize(own["participant"], sort=True)[1]
        table = fit_of_raters(fit).sort_values("infit", ascending=False, kind="stable")
        of_infit = [table["infit"] > NOISY, table["infit"] < MUTED]
        remarks = np.select(of_infit, ["noisy", "muted"], "")
        parts.append(
            table.assign(**keys, participant=names[table["level"]], remark=remarks, note="")
        )
    table = pd.concat(parts, ignore_index=True).reindex(columns=RATER_FIT.names)
    return table.astype({"n": "Int64"})


def _why_not(fit: MixedFit | Inestimable) -> Inestimable | None:
    if isinstance(fit, Inestimable):
        return fit
    if not fit.data.sides[0].groups:
        return Inestimable("confounded", "each rater gave a single rating")
    return None


def _make(request: Request) -> Tables:
    ratings, fits = request.answers.ratings, request.study.fits
    return {"rater_fit": rater_fit(ratings, request.recipe, raters=request.raters, fits=fits)}


ANALYSIS = AnalysisSpec((RATER_FIT,), _make)
