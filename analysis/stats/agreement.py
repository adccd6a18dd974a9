"""Do those who rated the same things agree?

Ratings come as a table of units (rows) by raters (columns); NaN where somebody did not rate.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
from pandas import DataFrame
from scipy.stats import spearmanr

from analysis.stats.bootstrap import RESAMPLES, Matrix, affordable, percentiles, resampled
from analysis.stats.finite import refuse_boundless
from analysis.stats.inestimable import Inestimable

Whole = npt.NDArray[np.int64]
Level = Literal["nominal", "ordinal", "interval", "ratio"]


def krippendorff_alpha(ratings: DataFrame, level: Level = "ordinal") -> float | None:
    """Krippendorff's α = 1 − D_o / D_e: 1 is perfect agreement, 0 what chance would give.

    Units that fewer than two raters judged tell nothing and are left out. None where fewer than
    two values can be paired, or all of them are the same (nothing could have been disagreed on).
    Raises ValueError for infinite ratings. K. Krippendorff (2011), Computing Krippendorff's
    alpha-reliability.
    """
    counts, values = _counts(ratings)
    (alpha,) = _alphas(counts, values, np.ones((1, len(counts))), level)
    return None if np.isnan(alpha) else float(alpha)


def krippendorff_interval(
    ratings: DataFrame,
    level: Level = "ordinal",
    *,
    seed: int,
    resamples: int = RESAMPLES,
    confidence: float = 0.95,
) -> tuple[float, float] | None:
    """Percentile bootstrap of α over units: its lower and upper bound, None where α is.

    Resamples in which α cannot be had are left out.
    """
    counts, values = _counts(ratings)
    if len(values) < 2:
        return None
    weights = resampled(len(counts), seed=seed, resamples=resamples)
    return percentiles(_alphas(counts, values, weights, level), confidence)


@dataclass(frozen=True)
class Alpha:
    """Krippendorff's α over `units` that two raters or more judged; `interval` is a bootstrap of
    `resamples` of their `clusters`, None where there is one.
    """

    estimate: float
    interval: tuple[float, float] | None
    units: int
    clusters: int
    resamples: int


def alpha_over_clusters(
    ratings: DataFrame,
    level: Level,
    *,
    seed: int,
    resamples: int = RESAMPLES,
    confidence: float = 0.95,
) -> Alpha | Inestimable:
    """α of ratings in one long table, whose interval resamples clusters of units.

    `ratings` has a row per rating: `unit` and `cluster` are numbers from 0, `value` is the rating.
    Units that show the same thing are one cluster, since they go together. Cost and memory grow
    with ratings, and with units × values. Raises ValueError for infinite ratings.
    """
    if ratings.empty:
        return Inestimable("no_values", "there are no ratings")
    given = ratings["value"].to_numpy(float)
    refuse_boundless(given, "the ratings")
    values, value = np.unique(given, return_inverse=True)
    units = ratings["unit"].to_numpy(np.int64)
    size = (int(units.max()) + 1, len(values))
    counts = np.bincount(units * size[1] + value, minlength=size[0] * size[1]).reshape(size)
    cluster: Whole = np.zeros(size[0], dtype=np.int64)
    cluster[units] = ratings["cluster"].to_numpy(np.int64)
    paired = counts.sum(axis=1) >= 2
    if not paired.any():
        return Inestimable("incomplete", "nothing was rated by two raters")
    counts = counts[paired].astype(float)
    (estimate,) = _alphas(counts, values, np.ones((1, len(counts))), level)
    if np.isnan(estimate):
        return Inestimable("constant", "all ratings are the same")
    _, at = np.unique(cluster[paired], return_inverse=True)
    clusters = int(at.max()) + 1
    times = affordable(len(counts), resamples)
    interval = None
    if clusters > 1:
        drawn = resampled(clusters, seed=seed, resamples=times)
        parts = np.array_split(drawn, max(1, times * len(counts) // 2_000_000))
        alphas = np.concatenate([_alphas(counts, values, part[:, at], level) for part in parts])
        interval = percentiles(alphas, confidence)
    return Alpha(float(estimate), interval, len(counts), clusters, times)


def _counts(ratings: DataFrame) -> tuple[Matrix, Matrix]:
    """How often each value was given in each unit of two or more (units × values); the values."""
    matrix = ratings.to_numpy(dtype=float)
    refuse_boundless(matrix, "the ratings")
    matrix = matrix[(~np.isnan(matrix)).sum(axis=1) >= 2]
    values = np.unique(matrix[~np.isnan(matrix)])
    columns = [(matrix == value).sum(axis=1) for value in values]
    return np.array(columns, dtype=float).T.reshape(len(matrix), len(values)), values


def _alphas(counts: Matrix, values: Matrix, weights: Matrix, level: Level) -> Matrix:
    """α for each row of `weights` (resamples × units); NaN where only one value was given.

    With δ² the distance of two values, c_u the counts of unit u's m_u values and n all counts:
    D_o · N = Σ_u c_u δ² c_u / (m_u − 1) and D_e · N (N − 1) = n δ² n.
    """
    judged = counts.sum(axis=1)
    totals = weights @ counts
    if level == "ordinal":
        within, among = _ordinal(counts, totals)
    else:
        distances = _DISTANCES[level](values)
        within, among = ((each @ distances * each).sum(axis=1) for each in (counts, totals))
    observed = (weights * within / (judged - 1)).sum(axis=1)
    varied = ((totals > 0).sum(axis=1) >= 2) & (among > 0)
    alphas: Matrix = np.full(len(weights), np.nan)
    pairs = totals.sum(axis=1) - 1
    np.divide(pairs * observed, among, out=alphas, where=varied)
    return 1 - alphas


def _ordinal(counts: Matrix, totals: Matrix) -> tuple[Matrix, Matrix]:
    """c δ² c of each unit, and n δ² n, in every resample.

    δ is the number of values that lie between two, half of their own included, that is, the
    difference of two mid-ranks g; and Σ c_i c_k (g_i − g_k)² = 2 (Σ c Σ c g² − (Σ c g)²).
    """
    ranks = totals.cumsum(axis=1) - totals / 2
    within = 2 * (counts.sum(axis=1) * (ranks**2 @ counts.T) - (ranks @ counts.T) ** 2)
    moments = [(totals * ranks**power).sum(axis=1) for power in (0, 1, 2)]
    return within, 2 * (moments[0] * moments[2] - moments[1] ** 2)


def _nominal(values: Matrix) -> Matrix:
    return np.asarray(values[:, None] != values, dtype=float)


def _interval(values: Matrix) -> Matrix:
    return np.asarray((values[:, None] - values) ** 2)


def _ratio(values: Matrix) -> Matrix:
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(((values[:, None] - values) / (values[:, None] + values)) ** 2)


_DISTANCES: dict[Level, Callable[[Matrix], Matrix]] = {
    "nominal": _nominal,
    "interval": _interval,
    "ratio": _ratio,
}


def pairwise_spearman(replicates: DataFrame) -> DataFrame:
    """Spearman's ρ of each two columns over the rows that both have. C. Spearman (1904), The proof
    and measurement of association between two things.

    One row per pair: `first`, `second`, `rho` (null where a column is constant or fewer than
    three rows are shared), `n`.
    """
    rows: list[dict[str, Any]] = []
    for first, second in combinations(replicates.columns, 2):
        both = replicates[[first, second]].dropna()
        varied = len(both) >= 3 and both.nunique().min() > 1
        rho = float(spearmanr(both[first], both[second]).statistic) if varied else None
        rows.append({"first": first, "second": second, "rho": rho, "n": len(both)})
    return DataFrame(rows, columns=["first", "second", "rho", "n"])


@dataclass(frozen=True)
class Limits:
    """Limits of agreement, J. M. Bland & D. G. Altman (1986), Statistical methods for assessing
    agreement between two methods of clinical measurement: the mean difference (bias), and
    between which bounds 95 % of the differences are expected. Libraries draw them, and return none.
    """

    bias: float
    lower: float
    upper: float
    n: int


def limits_of_agreement(differences: "pd.Series[float]") -> Limits | None:
    """The limits for differences of paired values; None for fewer than two.

    Raises ValueError for infinite ones.
    """
    known = differences.dropna()
    refuse_boundless(known.to_numpy(dtype=float), "the differences")
    if len(known) < 2:
        return None
    bias, spread = float(known.mean()), float(known.std(ddof=1))
    return Limits(bias, bias - 1.96 * spread, bias + 1.96 * spread, len(known))
