"""May a judge take a rater's place? The alternative annotator test.

N. Calderon, R. Reichart & R. Dror (2025), The Alternative Annotator Test for LLM-as-a-Judge.
Each rater is left out in turn, and the judge and the rater are held against the others: who is
nearer to them, item by item?

A judge that knows nothing can pass where single raters are noisy, because a constant near the
middle is near to everybody: what judges get that always answer the same belongs beside it.
"""

from dataclasses import dataclass

import numpy as np
from pandas import DataFrame, Series
from scipy.stats import ttest_1samp

from analysis.stats.bootstrap import Matrix
from analysis.stats.finite import refuse_boundless
from analysis.stats.multiplicity import adjust

#: Fewest items of a rater for whom the test is made (section 3).
FEWEST_ITEMS = 30
FALSE_DISCOVERIES = 0.05
TOLERANCE = 1e-9


@dataclass(frozen=True)
class AltTest:
    """`raters` has a row per rater: `rater`, `items`, `judge_wins` and `rater_wins` (shares of the
    items; equal distances are a win of both), `p`, `p_adjusted` and `replaceable`. Raters
    with too few items have null from `p` on and don't count.

    The judge passes where `winning_rate` (share of raters whom it may replace) is at least one
    half. `advantage` is the mean share of items on which it is as near to the others as the
    rater, or nearer. Both are None where no rater could be tested.
    """

    raters: DataFrame
    epsilon: float
    winning_rate: float | None
    advantage: float | None

    @property
    def passes(self) -> bool:
        return self.winning_rate is not None and self.winning_rate >= 0.5


def alt_test(
    ratings: DataFrame,
    judge: "Series[float]",
    *,
    epsilon: float,
    fewest_items: int = FEWEST_ITEMS,
) -> AltTest:
    """Test the judge against everybody in `ratings` (items × raters, NaN where not rated).

    `judge` is indexed by item. `epsilon` is what the judge's lower price is worth: 0.2 where raters
    are experts, 0.15 where they are skilled, 0.1 where they are a crowd (section 3). Distance
    to the others is the root of their mean squared difference: whoever is nearer by it is nearer
    to the others' mean, for mean (o − x)² = variance of o + (mean o − x)². A rater's items are
    those that the judge and at least one other rater rated, too. p is of a one-sided t-test that
    the rater is nearer by `epsilon` or more, adjusted after Benjamini and Yekutieli. Raises
    ValueError for infinite ratings.
    """
    usable, judge_wins, rater_wins = _wins(ratings, judge)
    items = usable.sum(axis=0).astype(int)
    with np.errstate(invalid="ignore"):
        table = DataFrame(
            {
                "rater": ratings.columns,
                "items": items,
                "judge_wins": judge_wins.sum(axis=0) / items,
                "rater_wins": rater_wins.sum(axis=0) / items,
            }
        )
    tested = items >= fewest_items
    table[["p", "p_adjusted"]] = np.nan
    table["replaceable"] = Series([None] * len(table), dtype="boolean")
    if not tested.any():
        return AltTest(table, epsilon, None, None)
    advantages = np.where(usable > 0, rater_wins - judge_wins, np.nan)[:, tested]
    table.loc[tested, "p"] = _p(advantages, epsilon)
    adjusted = adjust(table.loc[tested, "p"], "benjamini-yekutieli").p
    rejected = adjusted <= FALSE_DISCOVERIES
    table.loc[tested, "p_adjusted"] = adjusted
    table.loc[tested, "replaceable"] = rejected
    advantage = float(table.loc[tested, "judge_wins"].mean())
    return AltTest(table, epsilon, float(np.mean(rejected)), advantage)


def _wins(ratings: DataFrame, judge: "Series[float]") -> tuple[Matrix, Matrix, Matrix]:
    """Which items of each rater count, and where the judge and where the rater is as near to the
    others as the other, or nearer (1 or 0, items × raters; 0 for items that don't count).
    """
    values = ratings.to_numpy(dtype=float)
    own = judge.reindex(ratings.index).to_numpy(dtype=float)[:, None]
    refuse_boundless(np.hstack([values, own]), "the ratings")
    rated = ~np.isnan(values)
    others = rated.sum(axis=1, keepdims=True) - rated
    totals = np.nansum(values, axis=1, keepdims=True) - np.nan_to_num(values)
    usable = rated & ~np.isnan(own) & (others > 0)
    means = np.divide(totals, others, out=np.zeros_like(values), where=usable)
    of_judge, of_rater = np.abs(own - means), np.abs(values - means)
    # What is equally near may differ in the last digits.
    judge_wins = usable & (of_judge <= of_rater + TOLERANCE)
    rater_wins = usable & (of_rater <= of_judge + TOLERANCE)
    return usable.astype(float), judge_wins.astype(float), rater_wins.astype(float)


def _p(advantages: Matrix, epsilon: float) -> Matrix:
    """One-sided, for each rater (column): is the mean of their advantages below `epsilon`? A
    constant one is certain. Raters with equally many items are tested in one call.
    """
    known = ~np.isnan(advantages)
    low, high = np.nanmin(advantages, axis=0), np.nanmax(advantages, axis=0)
    p: Matrix = np.where(low < epsilon, 0.0, 1.0)
    n, varied = known.sum(axis=0), low < high
    for size in np.unique(n[varied]):
        alike = varied & (n == size)
        values = advantages[:, alike].T[known[:, alike].T].reshape(-1, size)
        p[alike] = ttest_1samp(values, epsilon, axis=1, alternative="less").pvalue
    return p
