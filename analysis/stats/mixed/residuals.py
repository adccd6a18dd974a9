"""How well each rater's ratings fit a mixed model: what many-facet Rasch models say of raters.

J. M. Linacre (1989), Many-facet Rasch measurement; here with the conditional modes and the category
probabilities of a mixed model.
"""

import numpy as np
from numpy.polynomial.hermite_e import hermegauss
from pandas import DataFrame

from analysis.stats.mixed.fit import MixedFit
from analysis.stats.mixed.links import DISTRIBUTIONS
from analysis.stats.mixed.nested import Matrix, Vector

#: Nodes of the quadrature over preferences, and ratings at a time.
NODES, AT_A_TIME = 12, 50_000
#: Of a variance that is next to nothing, where one category is as good as certain.
LEAST_VARIANCE = 1e-6


def rater_fit(fit: MixedFit, factor: str = "rater") -> DataFrame:
    """Of each level of the factor that is the coarsest of its side: `level`, `n` ratings,
    `severity`, `infit` and `outfit`.

    A rating's expectation E and variance W are of the level's own conditional mode, the modes of
    the other side (scenarios, texts) and the fixed effects; what is nested in the level, such as
    its preferences, belongs to W. `severity` is how many points lower the level rates than an
    average one would rate the same, `infit` is Σ(x − E)² / ΣW, `outfit` the mean of (x − E)² / W.
    Both are about 1 where ratings vary as the model says, more of noisy ratings, less of ones that
    vary too little. Where few others rated the same, the modes follow each rating, and all are
    below 1. Raises KeyError for an unknown factor.
    """
    data = fit.data
    group = data.group(factor)
    side, other = data.sides if data.sides[0].groups[0].name == factor else data.sides[::-1]
    design = data.X if fit.link == "identity" else data.X[:, 1:]
    texts: Vector = design @ fit.coefficients.to_numpy()
    for each in other.groups:
        texts = texts + fit.modes[each.name].to_numpy(dtype=float)[each.codes]
    own = fit.modes[factor].to_numpy()[group.codes]
    spread = float(sum(fit.sds[each.name] ** 2 for each in side.groups[1:]))
    expected, variance = _moments(fit, texts + own, spread)
    of_average = _moments(fit, texts, spread)[0]
    squares = (data.y - expected) ** 2
    levels = len(group.labels)

    def total(values: Vector) -> Vector:
        return np.asarray(np.bincount(group.codes, values, levels), dtype=float)

    n = np.bincount(group.codes, minlength=levels)
    return DataFrame(
        {
            "level": list(group.labels),
            "n": n,
            "severity": total(of_average - expected) / n,
            "infit": total(squares) / total(variance),
            "outfit": total(squares / variance) / n,
        }
    )


def _moments(fit: MixedFit, predicted: Vector, spread: float) -> tuple[Vector, Vector]:
    """The mean and the variance of ratings about their predictor, with an effect of variance
    `spread` more.
    """
    if fit.link == "identity":
        residual = fit.residual_sd or 0.0
        return predicted, np.full(len(predicted), residual**2 + spread)
    link = DISTRIBUTIONS[fit.link]
    nodes, weights = hermegauss(NODES) if spread else (np.zeros(1), np.ones(1))
    weights = weights / weights.sum()
    thresholds, categories = fit.thresholds.to_numpy(), np.array(fit.categories)
    parts: list[Matrix] = []
    for start in range(0, len(predicted), AT_A_TIME):
        part = predicted[start : start + AT_A_TIME, None, None]
        at = thresholds[:, None] - part - np.sqrt(spread) * nodes
        upto = link.cumulative(at) @ weights
        ends = np.ones((len(part), 1))
        shares = np.diff(np.hstack([0 * ends, upto, ends]), axis=1)
        mean = shares @ categories
        parts.append(np.column_stack([mean, shares @ categories**2 - mean**2]))
    moments = np.vstack(parts)
    return moments[:, 0], np.maximum(moments[:, 1], LEAST_VARIANCE)
