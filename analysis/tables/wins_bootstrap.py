"""Wins and reference points anew, as often as raters are drawn with replacement.

A resample draws as many raters as took part, excluded ones among them: how many of the drawn count
varies, as it would with other raters. Whether a rater counts depends on nobody else (each rule is
about a rater's own time, checks and ratings, and about gold scores, which no rater changes), so
that a drawn rater brings along the verdict that the funnel gave. Sums of ratings are then those of
the drawn, and means are compared as in `tables.wins`: Σa·n_b against Σb·n_a. Sums and products
are whole numbers below 2⁵³, of which floats lose nothing, so that ties stay ties and the order of
rows is of no account.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from pandas import DataFrame, Index, Series
from scipy.sparse import csr_array

from analysis.absent import Absent
from analysis.recipe import Bootstrap, Wins
from analysis.study_data import ITEM, Contrast

KEYS = ["model", "scenario", "dimension"]
#: Raters × resamples that are in memory at once, in eight bytes a few times over.
AT_ONCE = 2**21

Matrix = npt.NDArray[np.float64]
Truths = npt.NDArray[np.bool_]
Small = npt.NDArray[np.int8]


@dataclass(frozen=True)
class Outcomes:
    """What came of the comparisons (rows) in each resample (columns).

    `higher` is 1 where a won, −1 where b did, 0 at a tie; it says something where `compared`: both
    conditions have ratings. `points` are the reference's, 0 to 2, where it `has_points`.
    """

    higher: Small
    compared: Truths
    points: Small
    has_points: Truths

    def of(self, rows: Truths) -> "Outcomes":
        """Some of the comparisons."""
        return Outcomes(
            self.higher[rows], self.compared[rows], self.points[rows], self.has_points[rows]
        )


@dataclass(frozen=True)
class Comparisons:
    """A row of `keys` (model, scenario, dimension) per comparison, in their order.

    `a`, `b` and `reference` (comparisons × items) say whose ratings are added up for them.
    `totals` and `counts` (items × raters) are the sums and numbers of each rater's ratings.
    """

    keys: DataFrame
    a: csr_array
    b: csr_array
    reference: csr_array
    totals: csr_array
    counts: csr_array

    @property
    def drawn_from(self) -> int:
        """How many raters a resample draws, and from how many."""
        return int(self.totals.shape[1])

    @property
    def rated(self) -> int:
        """How many raters have ratings that count."""
        return len(np.unique(self.counts.indices))

    def outcomes(self, weights: Matrix) -> Outcomes:
        """What comes of them where each rater (row) stands as often as the weights say."""
        totals, counts = self.totals @ weights, self.counts @ weights
        (a, n_a), (b, n_b), (r, n_r) = (
            (side @ totals, side @ counts) for side in (self.a, self.b, self.reference)
        )
        compared = (n_a > 0) & (n_b > 0)
        above_a, above_b = r * n_a > a * n_r, r * n_b > b * n_r
        return Outcomes(
            np.sign(a * n_b - b * n_a).astype(np.int8),
            compared,
            above_a.astype(np.int8) + above_b,
            compared & (n_r > 0),
        )

    def observed(self) -> Outcomes:
        """With every rater once: one column."""
        return self.outcomes(np.ones((self.drawn_from, 1)))

    def resampled(self, bootstrap: Bootstrap, *, at_once: int | None = None) -> Outcomes:
        """With raters drawn anew: a column for each resample, `at_once` of them in memory.

        The same seed gives the same draws, however many are drawn at once.
        """
        parts = [
            self.outcomes(weights)
            for weights in _weights(self.drawn_from, bootstrap, at_once=at_once)
        ]
        return Outcomes(
            *(
                np.hstack([getattr(part, name) for part in parts])
                for name in ("higher", "compared", "points", "has_points")
            )
        )


def comparisons(
    ratings: DataFrame, drawn: "Series[str]", known: DataFrame, contrast: Contrast, wins: Wins
) -> Comparisons:
    """What is compared in wins.csv, and the sums that it rests on.

    `ratings` are those that count, `drawn` the names of everybody whom resamples draw from, `known`
    all items, whether rated or not. Raises Absent as `tables.wins.wins` does, and ValueError for
    ratings of somebody who is not drawn from.
    """
    pair = contrast.conditions
    items = known[ITEM].reset_index(drop=True).assign(item=lambda table: table.index)
    compared = items[items["condition"].isin(pair)]
    if compared.empty:
        raise Absent(f"no response is in condition {pair[0]} or {pair[1]}")
    groups = compared.groupby(KEYS, observed=True, sort=True)
    compared = compared.assign(row=groups.ngroup())
    keys = compared.sort_values("row", kind="stable").drop_duplicates("row")[KEYS]
    shape = (len(keys), len(items))
    a, b = (_chosen(compared[compared["condition"] == condition], shape) for condition in pair)
    beside = _chosen(_beside(compared, items, contrast, wins), shape)
    totals, counts = _sums(ratings, drawn, items)
    return Comparisons(keys.reset_index(drop=True), a, b, beside, totals, counts)


def _chosen(pairs: DataFrame, shape: tuple[int, int]) -> csr_array:
    """Which item (column) is part of which comparison (row)."""
    found = pairs[["row", "item"]].drop_duplicates()
    return csr_array((np.ones(len(found)), (found["row"], found["item"])), shape=shape)


def _beside(compared: DataFrame, items: DataFrame, contrast: Contrast, wins: Wins) -> DataFrame:
    """The items of the reference that a comparison goes by: of the same sets, or of all."""
    if contrast.reference is None:
        return compared.head(0)
    model, condition = contrast.reference
    reference = items[(items["model"] == model) & (items["condition"] == condition)]
    on = ["scenario", "dimension", *(["set"] if wins.reference == "own_set" else [])]
    return compared[["row", *on]].merge(reference[["item", *on]], on=on)


def _sums(
    ratings: DataFrame, drawn: "Series[str]", items: DataFrame
) -> tuple[csr_array, csr_array]:
    """Sum and number of each rater's ratings of each item: items × raters, raters by name."""
    names = Index(sorted(drawn))
    rater = names.get_indexer(Index(ratings["participant"]))
    if (rater < 0).any():
        stranger = ratings["participant"].to_numpy()[rater < 0].min()
        raise ValueError(f"ratings of {stranger!r}, who is not among those drawn from")
    item = ratings[ITEM].merge(items, on=ITEM, how="left", validate="many_to_one")["item"]
    at = (item.to_numpy(dtype=np.intp), rater)
    shape = (len(items), len(names))
    values = ratings["rating"].to_numpy(dtype=float)
    return csr_array((values, at), shape=shape), csr_array((np.ones(len(at[0])), at), shape=shape)


def _weights(raters: int, bootstrap: Bootstrap, *, at_once: int | None) -> Iterator[Matrix]:
    """How often each rater (row) is drawn in each resample (column), some resamples at a time."""
    draw = np.random.default_rng(bootstrap.seed)
    step = at_once or max(1, AT_ONCE // max(raters, 1))
    for start in range(0, bootstrap.resamples, step):
        columns = min(step, bootstrap.resamples - start)
        drawn = draw.integers(raters, size=(columns, raters))
        places = drawn * columns + np.arange(columns)[:, None]
        times = np.bincount(places.ravel(), minlength=raters * columns)
        yield times.reshape(raters, columns).astype(float)
