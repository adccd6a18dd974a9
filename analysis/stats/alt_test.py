"""May a judge take a rater's place? The alternative annotator test.

N. Calderon, R. Reichart & R. Dror (2025), The Alternative Annotator Test for LLM-as-a-Judge.
Each rater is left out in turn, and the judge and the rater are held against the others: who is
nearer to them, item by item?

A judge that knows nothing can pass where single raters are noisy, because a constant near the
middle is near to everybody: the result of `constant_judges` belongs beside every other.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from pandas import DataFrame, Series
from scipy.stats import ttest_1samp
from statsmodels.stats.multitest import multipletests

#: Fewest items of a rater for whom the test is made (section 3).
FEWEST_ITEMS = 30
FALSE_DISCOVERIES = 0.05


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
    to the others is the root of their mean squared difference. A rater's items are those that
    the judge and at least one other rater rated, too. p is of a one-sided t-test that the rater is
    nearer by `epsilon` or more, adjusted after Benjamini and Yekutieli.
    """
    values = ratings.to_numpy(dtype=float)
    own = judge.reindex(ratings.index).to_numpy(dtype=float)
    rows = []
    for place, rater in enumerate(ratings.columns):
        others = np.delete(values, place, axis=1)
        usable = ~np.isnan(values[:, place]) & ~np.isnan(own) & ~np.isnan(others).all(axis=1)
        beside = others[usable]
        of_judge = _distance(own[usable], beside)
        of_rater = _distance(values[usable, place], beside)
        # Roots of the same squares in another order may differ in their last digit.
        equal = np.isclose(of_judge, of_rater, rtol=1e-9, atol=1e-12)
        judge_wins = (equal | (of_judge < of_rater)).astype(float)
        rater_wins = (equal | (of_rater < of_judge)).astype(float)
        tested = usable.sum() >= fewest_items
        rows.append(
            {
                "rater": rater,
                "items": int(usable.sum()),
                "judge_wins": float(judge_wins.mean()) if usable.any() else None,
                "rater_wins": float(rater_wins.mean()) if usable.any() else None,
                "p": _p(rater_wins - judge_wins, epsilon) if tested else None,
            }
        )
    table = DataFrame(rows, columns=["rater", "items", "judge_wins", "rater_wins", "p"])
    table["p"] = pd.to_numeric(table["p"])
    tested_rows = table["p"].notna()
    table["p_adjusted"] = np.nan
    table["replaceable"] = Series([None] * len(table), dtype="boolean")
    if not tested_rows.any():
        return AltTest(table, epsilon, None, None)
    rejected, adjusted, *_ = multipletests(
        table.loc[tested_rows, "p"], alpha=FALSE_DISCOVERIES, method="fdr_by"
    )
    table.loc[tested_rows, "p_adjusted"] = adjusted
    table.loc[tested_rows, "replaceable"] = rejected
    advantage = float(table.loc[tested_rows, "judge_wins"].mean())
    return AltTest(table, epsilon, float(np.mean(rejected)), advantage)


def constant_judges(
    ratings: DataFrame, scale: Sequence[float], *, epsilon: float, fewest_items: int = FEWEST_ITEMS
) -> DataFrame:
    """What judges would get that always answer the same: one row per point of the scale, with
    `value`, `winning_rate`, `advantage`, `passes`.
    """
    rows = []
    for value in scale:
        judge = Series(float(value), index=ratings.index)
        result = alt_test(ratings, judge, epsilon=epsilon, fewest_items=fewest_items)
        rows.append((value, result.winning_rate, result.advantage, result.passes))
    return DataFrame(rows, columns=["value", "winning_rate", "advantage", "passes"])


def _distance(
    values: "np.ndarray[tuple[int], np.dtype[np.float64]]",
    others: "np.ndarray[tuple[int, int], np.dtype[np.float64]]",
) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    """The root mean squared difference of each value to what the others gave in its row."""
    distances: np.ndarray[tuple[int], np.dtype[np.float64]] = np.sqrt(
        np.nanmean((others - values[:, None]) ** 2, axis=1)
    )
    return distances


def _p(advantages: "np.ndarray[tuple[int], np.dtype[np.float64]]", epsilon: float) -> float:
    """One-sided: is the rater's advantage below `epsilon`? A constant one is certain."""
    if np.ptp(advantages) == 0:
        return 0.0 if advantages[0] < epsilon else 1.0
    return float(ttest_1samp(advantages, epsilon, alternative="less").pvalue)
