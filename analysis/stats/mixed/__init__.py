"""Mixed models with two crossed random intercepts, such as raters and items, in numpy and scipy.

Ratings are of some rater and of some item; both differ. A linear mixed model takes a rating as a
number, a cumulative link mixed model as one of several ordered categories:

    data = crossed(frame, rating="rating", fixed=["system", "scenario"], groups=("rater", "item"))
    fit = fit_ordinal(data, link="probit")          # or fit_linear(data)
    fit.sds, fit.coefficients, fit.standard_errors, fit.notes
    means(fit, "system")                   # on the scale of the ratings, or scale="latent"
    contrasts(fit, "system", pairs(["a", "b", "c"]))
    shares(fit, "system")

Where nothing can be estimated, an `Inestimable` takes the place of the fit and says why; what a
reader must know of a fit that stands is in its `notes`. The numbers are those of lme4::lmer and,
with `restricted=False`, of ordinal::clmm.
"""

from analysis.stats.mixed.data import Chain, Crossed, Group, Term, crossed
from analysis.stats.mixed.fit import MixedFit
from analysis.stats.mixed.linear import fit_linear
from analysis.stats.mixed.links import Link
from analysis.stats.mixed.marginal import (
    against,
    contrasts,
    first_shares,
    means,
    pairs,
    shares,
    slope,
)
from analysis.stats.mixed.ordinal import fit_ordinal
from analysis.stats.mixed.problems import Note

__all__ = [
    "Chain",
    "Crossed",
    "Group",
    "Link",
    "MixedFit",
    "Note",
    "Term",
    "against",
    "contrasts",
    "crossed",
    "first_shares",
    "fit_linear",
    "fit_ordinal",
    "means",
    "pairs",
    "shares",
    "slope",
]
