"""Wins and reference points in resamples of raters, drawn with replacement.

A resample draws as many raters as took part, excluded ones among them: how many of the drawn count
varies, as it would with other raters. Whether a rater counts depends on nobody else (each rule is
about a rater's own time, checks and ratings, and about gold scores, which no rater changes), so
that a drawn rater brings along the verdict that the funnel gave. Sums of ratings are then those of
the drawn, and `tables.win_counts` compares their means in whole numbers, so that ties stay ties and
the order of rows is of no account.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from pandas import DataFrame, Index, Series
from scipy.sparse import csr_array

from analysis.recipe import Bootstrap, WinRules
from analysis.study_data import ITEM, Contrast
from analysis.tables.win_counts import Cells, Outcomes, Whole
from analysis.tables.wins import KEYS, cells_in_order, keys_of

#: Raters × resamples that are in memory at once, in eight bytes a few times over.
AT_ONCE = 2**21


@dataclass(frozen=True)
class Comparisons:
    """What is compared: `keys` has a row for each of the `cells`. `totals` and `counts` (items ×
    raters) are the sums and numbers of each rater's ratings.
    """

    keys: DataFrame
    cells: Cells
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

    def outcomes(self, weights: Whole) -> Outcomes:
        """What comes of them where each rater (row) stands as often as the weights say."""
        return self.cells.outcomes(self.totals @ weights, self.counts @ weights)

    def observed(self) -> Outcomes:
        """With every rater once: one column."""
        return self.outcomes(np.ones((self.drawn_from, 1), dtype=np.int64))

    def resampled(self, bootstrap: Bootstrap, *, at_once: int | None = None) -> Outcomes:
        """With raters resampled: a column for each resample, `at_once` of them in memory.

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
    ratings: DataFrame, drawn: "Series[str]", known: DataFrame, contrast: Contrast, wins: WinRules
) -> Comparisons:
    """What is compared in wins.csv, and the sums that it rests on.

    `ratings` are those that count, `drawn` the names of everyone in the resamples, `known`
    all items, whether rated or not. Raises NotAvailable as `tables.wins.wins` does, and ValueError
    for ratings of a person who is not among them.
    """
    items = known[ITEM].sort_values(KEYS, kind="stable", ignore_index=True)
    cells = cells_in_order(items, contrast, own_set=wins.reference == "own_set")
    sums = _sums(ratings, drawn, items.assign(item=items.index))
    return Comparisons(keys_of(cells, items), cells, *sums)


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
    values = ratings["rating"].to_numpy()
    return csr_array((values, at), shape=shape), csr_array((values**0, at), shape=shape)


def _weights(raters: int, bootstrap: Bootstrap, *, at_once: int | None) -> Iterator[Whole]:
    """How often each rater (row) is drawn in each resample (column), some resamples at a time."""
    draw = np.random.default_rng(bootstrap.seed)
    step = at_once or max(1, AT_ONCE // max(raters, 1))
    for start in range(0, bootstrap.resamples, step):
        columns = min(step, bootstrap.resamples - start)
        drawn = draw.integers(raters, size=(columns, raters))
        places = drawn * columns + np.arange(columns)[:, None]
        times = np.bincount(places.ravel(), minlength=raters * columns)
        yield times.reshape(raters, columns)
