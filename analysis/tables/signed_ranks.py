"""Columns of a signed-rank test within raters, as `paired` and `ranking_pairs` have them. Pure."""

from typing import Any

import numpy as np
from pandas import Series

from analysis.stats.comparisons import method_for
from analysis.stats.inestimable import Inestimable
from analysis.stats.paired import pairs, wilcoxon_signed_rank


def signed_ranks(
    a: "Series[float]", b: "Series[float]", *, confidence: float, nobody: str, lower: bool = False
) -> dict[str, Any]:
    """Wilcoxon's test of two values of the same raters, such as their means; missing ones are NaN.

    Where `lower` values are better ones, as ranks are, effects are positive where a is the lower.
    `n` raters have both, `left_out` one alone. `wilcoxon` is T, the smaller of both sums of ranks,
    `t_plus` that of the raters with whom a stands better. `nobody` completes the reason in `note`
    where no rater has both. Raises ValueError as `stats.paired.pairs` does.
    """
    complete = pairs(a, b)
    if isinstance(complete, Inestimable):
        return {"n": 0, "note": f"not estimable, because {nobody}"}
    first, second, left_out = complete
    n = len(first)
    row = {
        "n": n,
        "mean_a": float(np.mean(first)),
        "mean_b": float(np.mean(second)),
        "left_out": left_out,
    }
    better, worse = (second, first) if lower else (first, second)
    test = wilcoxon_signed_rank(better, worse, method=method_for(n), confidence=confidence)
    if isinstance(test, Inestimable):
        return {**row, "note": str(test)}
    total = test.n * (test.n + 1) / 2
    low, high = test.interval or (None, None)
    note = "" if test.interval else "no interval, because all differences have one direction"
    return {
        **row,
        "wilcoxon": min(test.statistic, total - test.statistic),
        "t_plus": test.statistic,
        "p": test.p,
        "rank_biserial": test.rank_biserial,
        "ci_low": low,
        "ci_high": high,
        "zeros": test.zeros,
        "method": test.method,
        "note": note,
    }
