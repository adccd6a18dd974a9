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

Level = Literal["nominal", "ordinal", "interval", "ratio"]
Matrix = npt.NDArray[np.float64]


def krippendorff_alpha(ratings: DataFrame, level: Level = "ordinal") -> float | None:
    """Krippendorff's α = 1 − D_o / D_e: 1 is perfect agreement, 0 what chance would give.

    Units that fewer than two raters judged tell nothing and are left out. None where fewer than
    two values can be paired, or all of them are the same (nothing could have been disagreed on).
    K. Krippendorff (2011), Computing Krippendorff's alpha-reliability.
    """
    coincidences, values = _coincidences(ratings.to_numpy(dtype=float))
    return _alpha(coincidences.sum(axis=0), _DISTANCES[level](coincidences, values))


def krippendorff_interval(
    ratings: DataFrame,
    level: Level = "ordinal",
    *,
    seed: int,
    resamples: int = 2000,
    confidence: float = 0.95,
) -> tuple[float, float] | None:
    """Percentile bootstrap of α over units: its lower and upper bound, None where α is.

    Resamples in which α cannot be had are left out.
    """
    matrix = ratings.to_numpy(dtype=float)
    coincidences, values = _coincidences(matrix)
    distances = _DISTANCES[level]
    if _alpha(coincidences.sum(axis=0), distances(coincidences, values)) is None:
        return None
    draw = np.random.default_rng(seed)
    found = []
    for _ in range(resamples):
        drawn = coincidences[draw.integers(len(coincidences), size=len(coincidences))]
        alpha = _alpha(drawn.sum(axis=0), distances(drawn, values))
        if alpha is not None:
            found.append(alpha)
    tail = (1 - confidence) / 2
    lower, upper = np.quantile(found, [tail, 1 - tail])
    return float(lower), float(upper)


def _coincidences(matrix: Matrix) -> tuple[Matrix, Matrix]:
    """How often each two values met in each unit (units × values × values), and the values.

    A unit's pairs are weighted by 1 / (m − 1), so that each of its m values counts once.
    """
    values = np.unique(matrix[~np.isnan(matrix)])
    counts = (matrix[:, :, None] == values).sum(axis=1).astype(float)
    judged = counts.sum(axis=1)
    counts, judged = counts[judged >= 2], judged[judged >= 2]
    pairs = counts[:, :, None] * counts[:, None, :]
    pairs[:, np.arange(len(values)), np.arange(len(values))] -= counts
    weighted: Matrix = pairs / (judged - 1)[:, None, None]
    return weighted, values


def _alpha(coincidences: Matrix, distances: Matrix) -> float | None:
    totals = coincidences.sum(axis=1)
    n = totals.sum()
    expected = (np.outer(totals, totals) * distances).sum()
    if expected == 0:
        return None
    return float(1 - (n - 1) * (coincidences * distances).sum() / expected)


def _nominal(coincidences: Matrix, values: Matrix) -> Matrix:
    different: Matrix = (values[:, None] != values).astype(float)
    return different


def _ordinal(coincidences: Matrix, values: Matrix) -> Matrix:
    """The squared number of values that lie between two, half of their own included."""
    totals = coincidences.sum(axis=(0, 1))
    middle = np.cumsum(totals) - totals / 2
    return np.asarray((middle[:, None] - middle) ** 2)


def _interval(coincidences: Matrix, values: Matrix) -> Matrix:
    return np.asarray((values[:, None] - values) ** 2)


def _ratio(coincidences: Matrix, values: Matrix) -> Matrix:
    sums = values[:, None] + values
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(((values[:, None] - values) / sums) ** 2)


_DISTANCES: dict[Level, Callable[[Matrix, Matrix], Matrix]] = {
    "nominal": _nominal,
    "ordinal": _ordinal,
    "interval": _interval,
    "ratio": _ratio,
}


def pairwise_spearman(replicates: DataFrame) -> DataFrame:
    """Spearman's ρ of each two columns over the rows that both have.

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
    between which bounds 95 % of the differences are expected.
    """

    bias: float
    lower: float
    upper: float
    n: int


def limits_of_agreement(differences: "pd.Series[float]") -> Limits | None:
    """The limits for differences of paired values; None for fewer than two."""
    known = differences.dropna()
    if len(known) < 2:
        return None
    bias, spread = float(known.mean()), float(known.std(ddof=1))
    return Limits(bias, bias - 1.96 * spread, bias + 1.96 * spread, len(known))
