"""Does a judge say of things what people say of them?

Each thing (a response, on a dimension) has the judge's score and the mean of people's ratings.
Things come in groups (scenarios), and what sets groups apart, such as how sad their subject is,
says nothing about the judge: correlations are taken within groups, and groups are resampled.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from pandas import DataFrame, Series
from scipy.stats import kendalltau, pearsonr

from analysis.stats.agreement import limits_of_agreement
from analysis.stats.bootstrap import RESAMPLES, Matrix, percentiles, resampled
from analysis.stats.finite import refuse_boundless

COLUMNS = ["judge", "people"]
#: A sum of squares up to this is what rounding leaves of a constant column after centring.
UNVARIED = 1e-12


@dataclass(frozen=True)
class Correlation:
    """A correlation of deviations from group means; `interval` is its percentile bootstrap over
    groups, None where there is only one group.
    """

    r: float
    interval: tuple[float, float] | None
    things: int
    groups: int


def correlation_within(
    things: DataFrame,
    *,
    seed: int,
    columns: Sequence[str] = COLUMNS,
    ranks: bool = False,
    resamples: int = RESAMPLES,
) -> Correlation | None:
    """How two columns of `things` go together within each `group`: Pearson's r, pooled over groups.

    With `ranks` the values are replaced by their mid-ranks within the group, which makes it
    Spearman's ρ where there is one group. Rows without both values, and groups with fewer than
    two such rows, say nothing and are left out. None where a column never varies within any.
    Raises ValueError for infinite values.
    """
    known = things[["group", *columns]].dropna()
    refuse_boundless(known[list(columns)].to_numpy(float), "the values")
    known = known[known.groupby("group")["group"].transform("size") >= 2]
    grouped = known.groupby("group", sort=False)[list(columns)]
    values = grouped.rank() if ranks else known[list(columns)].astype(float)
    centred = values - values.groupby(known["group"], sort=False).transform("mean")
    x, y = (centred[name] for name in columns)
    sums = DataFrame({"xy": x * y, "xx": x * x, "yy": y * y})
    # A resample's r needs no more than the sums of the groups that were drawn.
    by_group = sums.groupby(known["group"], sort=False).sum().to_numpy()
    groups = len(by_group)
    if by_group[:, 1:].sum(axis=0).min() <= UNVARIED:
        return None
    r = float(pearsonr(x, y).statistic)
    interval = None
    if groups > 1:
        interval = percentiles(_r(resampled(groups, seed=seed, resamples=resamples) @ by_group))
    return Correlation(r, interval, len(known), groups)


def kendall_within(
    things: DataFrame,
    *,
    seed: int,
    columns: Sequence[str] = COLUMNS,
    resamples: int = RESAMPLES,
) -> Correlation | None:
    """Kendall's τ-b of two columns of `things` in each `group`, averaged over groups.

    Groups where a column does not vary, or with fewer than two rows with both values, have none and
    are left out. None if all are.
    """
    known = things[["group", *columns]].dropna()
    taus, used = [], 0
    for _, part in known.groupby("group", sort=False, observed=True):
        x, y = (part[name].to_numpy(float) for name in columns)
        if len(part) > 1 and np.ptp(x) > UNVARIED and np.ptp(y) > UNVARIED:
            taus.append(float(kendalltau(x, y).statistic))
            used += len(part)
    if not taus:
        return None
    values = np.array(taus)
    interval = None
    if len(values) > 1:
        weights = resampled(len(values), seed=seed, resamples=resamples) / len(values)
        interval = percentiles(weights @ values)
    return Correlation(float(values.mean()), interval, used, len(values))


def _r(sums: Matrix) -> Matrix:
    """r of each row of Σxy, Σxx, Σyy; NaN where x or y does not vary."""
    xy, xx, yy = sums.T
    varied = np.minimum(xx, yy) > UNVARIED
    correlations: Matrix = np.full(len(sums), np.nan)
    np.divide(xy, np.sqrt(xx * yy), out=correlations, where=varied)
    return correlations


@dataclass(frozen=True)
class Mean:
    """A mean, and its percentile bootstrap over groups, None where there is only one group."""

    value: float
    interval: tuple[float, float] | None


def grouped_mean(values: "Series[float]", groups: "Series[Any]", *, seed: int) -> Mean | None:
    """The mean of values that come in groups; None where there is none."""
    sums = values.groupby(groups, sort=False, observed=True).agg(["sum", "count"]).to_numpy(float)
    sums = sums[sums[:, 1] > 0]
    if not len(sums):
        return None
    total, n = sums.sum(axis=0)
    if len(sums) == 1:
        return Mean(total / n, None)
    drawn = resampled(len(sums), seed=seed) @ sums
    return Mean(total / n, percentiles(drawn[:, 0] / drawn[:, 1]))


def difference_of_means(
    values: "Series[float]", within: "Series[bool]", groups: "Series[Any]", *, seed: int
) -> Mean | None:
    """The mean of the values `within` less that of the others; None where there are none of either.

    Its interval resamples groups; resamples that lack one of the two are left out.
    """
    parts = DataFrame(
        {
            "a": values.where(within),
            "b": values.where(~within),
        }
    ).groupby(groups, sort=False, observed=True)
    sums = np.hstack([parts.sum().to_numpy(float), parts.count().to_numpy(float)])
    sums = sums[sums[:, 2:].any(axis=1)]
    (difference,) = _difference(sums.sum(axis=0, keepdims=True))
    if np.isnan(difference):
        return None
    if len(sums) == 1:
        return Mean(float(difference), None)
    drawn = resampled(len(sums), seed=seed) @ sums
    return Mean(float(difference), percentiles(_difference(drawn)))


def _difference(sums: Matrix) -> Matrix:
    a, b, n_a, n_b = sums.T
    with np.errstate(invalid="ignore", divide="ignore"):
        differences: Matrix = np.where((n_a > 0) & (n_b > 0), a / n_a - b / n_b, np.nan)
    return differences


def signed_bias(things: DataFrame, by: str, *, seed: int) -> DataFrame:
    """How much higher the judge scores than people, for each value of the column `by`.

    One row per value, in order of appearance: `by`'s own name, `bias` (mean of judge − people),
    `ci_low` and `ci_high` (bootstrap over `group`; resamples without the value are left out),
    `lower` and `upper` limits of agreement, `things`. Null where there are too few things or
    groups; no row where nothing has both. Raises ValueError for infinite scores or ratings.
    """
    numbers = ["bias", "ci_low", "ci_high", "lower", "upper"]
    known = things[things["judge"].notna() & things["people"].notna() & things[by].notna()]
    if known.empty:
        return DataFrame(columns=[by, *numbers, "things"])
    refuse_boundless(known[COLUMNS].to_numpy(float), "the values")
    differences = known["judge"] - known["people"]
    values = list(known[by].unique())
    by_group = differences.groupby([known["group"], known[by]], sort=False, observed=True)
    parts = by_group.agg(["sum", "count"]).unstack(fill_value=0)
    sums, n = (parts[of][values].to_numpy(dtype=float) for of in ("sum", "count"))
    drawn = resampled(len(n), seed=seed)
    counts = drawn @ n
    means = np.full_like(counts, np.nan)
    np.divide(drawn @ sums, counts, out=means, where=counts > 0)
    rows = []
    for number, value in enumerate(values):
        limits = limits_of_agreement(differences[known[by] == value])
        several = (n[:, number] > 0).sum() > 1
        low, high = (several and percentiles(means[:, number])) or (None, None)
        rows.append(
            {
                by: str(value),
                "bias": sums[:, number].sum() / n[:, number].sum(),
                "ci_low": low,
                "ci_high": high,
                "lower": limits.lower if limits else None,
                "upper": limits.upper if limits else None,
                "things": int(n[:, number].sum()),
            }
        )
    table = DataFrame(rows, columns=[by, *numbers, "things"])
    return table.assign(**{name: pd.to_numeric(table[name]) for name in numbers})
