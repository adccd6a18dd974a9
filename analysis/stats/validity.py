"""Does a judge say of things what people say of them?

Each thing (a response, on a dimension) has the judge's score and the mean of people's ratings.
Things come in groups (scenarios), and what sets groups apart, such as how sad their subject is,
says nothing about the judge: correlations are taken within groups, and groups are resampled.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from pandas import DataFrame, Series

from analysis.stats.agreement import limits_of_agreement

COLUMNS = ["judge", "people"]


@dataclass(frozen=True)
class Correlation:
    """Pearson's r of deviations from group means, with a percentile bootstrap over groups."""

    r: float
    lower: float
    upper: float
    things: int
    groups: int


def correlation_within(
    things: DataFrame,
    *,
    seed: int,
    columns: Sequence[str] = COLUMNS,
    resamples: int = 2000,
    confidence: float = 0.95,
) -> Correlation | None:
    """How two columns of `things` go together within each `group`.

    Rows without both values, and groups with fewer than two such rows, say nothing and are left
    out. None for fewer than two groups, or where a column never varies within any.
    """
    known = things[["group", *columns]].dropna()
    known = known[known.groupby("group")["group"].transform("size") >= 2]
    grouped = known.groupby("group", sort=False)[list(columns)]
    centred = known[list(columns)] - grouped.transform("mean")
    x, y = (centred[name].astype(float) for name in columns)
    sums = DataFrame({"xy": x * y, "xx": x * x, "yy": y * y})
    # A resample's r needs no more than the sums of the groups that were drawn.
    by_group = sums.groupby(known["group"], sort=False).sum().to_numpy()
    r = _r(by_group.sum(axis=0))
    if len(by_group) < 2 or np.isnan(r):
        return None
    draw = np.random.default_rng(seed)
    drawn = draw.integers(len(by_group), size=(resamples, len(by_group)))
    found = np.array([_r(by_group[one].sum(axis=0)) for one in drawn])
    tail = (1 - confidence) / 2
    lower, upper = np.nanquantile(found, [tail, 1 - tail])
    return Correlation(r, float(lower), float(upper), len(known), len(by_group))


def _r(sums: Any) -> float:
    xy, xx, yy = sums
    # What is left of a constant column after centring is rounding.
    return float(xy / np.sqrt(xx * yy)) if min(xx, yy) > 1e-12 else float("nan")


def signed_bias(things: DataFrame, by: str) -> DataFrame:
    """How much higher the judge scores than people, for each value of the column `by`.

    One row per value, in order of appearance, and one for `all` of them: `by`'s own name, `bias`
    (mean of judge − people), `lower` and `upper` limits of agreement, `things`. Null where fewer
    than two things have both.
    """
    differences = things["judge"] - things["people"]
    parts: list[tuple[str, Series[Any]]] = [
        (str(value), differences[things[by] == value]) for value in things[by].dropna().unique()
    ]
    rows = []
    for name, part in [*parts, ("all", differences)]:
        limits = limits_of_agreement(part)
        rows.append(
            {
                by: name,
                "bias": limits.bias if limits else None,
                "lower": limits.lower if limits else None,
                "upper": limits.upper if limits else None,
                "things": int(part.notna().sum()),
            }
        )
    return DataFrame(rows, columns=[by, "bias", "lower", "upper", "things"])
