"""Ratings: the points of their scale, how often each was given, and the mean of every response on
every dimension.
"""

from collections.abc import Sequence

import numpy as np
from pandas import DataFrame

from analysis.catalogue import columns as c
from analysis.catalogue.spec import Column, TableSpec
from analysis.study_data import ITEM

#: Of a variance of equal ratings, which the sums of a composite's thirds miss by as much.
ROUNDING = 1e-12
UNRATED = "no included rater rated it"
ONE_RATING = "no standard deviation, because there is one rating"

ITEMS = TableSpec(
    "items",
    "Mean rating of every response",
    (
        c.SCENARIO, c.SET, c.MODEL, c.CONDITION, c.DIMENSION, c.N.but(meaning="Number of ratings"),
        c.MEAN, c.SD,
        Column("gold", "Gold score of the response"),
        Column("total", "Sum of the ratings", kind="count").csv_only(),
        c.NOTE,
    ),
    question="How was each response rated?",
    observations="ratings",
    says="Ratings of the included raters only. The same for every recipe.",
    section="Systems",
    subject="systems",
    appendix=True,
)  # fmt: skip


def points_of(scale: Sequence[tuple[float, str]], *, between: bool) -> list[float]:
    """The points of a scale; of a slider, which rates `between` them, its ends and quarters."""
    values = [float(value) for value, _ in scale]
    if between:
        low, high = values[0], values[-1]
        return [low + (high - low) * quarter / 4 for quarter in range(5)]
    return values


def rating_counts(ratings: DataFrame) -> DataFrame:
    """How many raters gave each item each value: columns `ITEM`, `rating`, `n`."""
    return ratings.groupby([*ITEM, "rating"], observed=True).size().reset_index(name="n")


def items(counts: DataFrame, known: DataFrame) -> DataFrame:
    """n, mean and standard deviation (ddof 1) of every known item's ratings, and its gold score.

    `counts` comes from `rating_counts`; `known` has the columns `ITEM` and `gold`, and its order
    is kept. `total` is the sum of the ratings, exact, so that means can be compared without
    rounding. An item without ratings has n 0 and no mean; one rating has no deviation; `note` says
    so.
    """
    n, rating = counts["n"], counts["rating"]
    parts = counts[ITEM].assign(n=n, total=n * rating, squares=n * rating**2)
    sums = parts.groupby(ITEM, observed=True).sum().reset_index()
    table = known.merge(sums, on=ITEM, how="left", validate="one_to_one")
    n, total, squares = (
        table[name].fillna(0).astype(sums[name].dtype) for name in ("n", "total", "squares")
    )
    variance = (n * squares - total**2) / (n * (n - 1)).where(n > 1)
    mean, sd = total / n.where(n > 0), np.sqrt(variance.mask(variance.abs() < ROUNDING, 0.0))
    note = np.select([n == 0, n == 1], [UNRATED, ONE_RATING], default="")
    return table[ITEM].assign(n=n, mean=mean, sd=sd, gold=table["gold"], total=total, note=note)
