"""Do raters order the systems alike, and which stand above which?

Ranks or ratings come as a table of raters (rows) by systems (columns): Friedman's test and
Kendall's W rank within each rater, the same value sharing a mid-rank. Where one rater has several
ranks or ratings of a system, average them first: rows are taken to be independent.
"""

from dataclasses import dataclass
from math import factorial, log
from typing import Literal

import numpy as np
from pandas import DataFrame, Series
from pingouin import friedman as friedman_test
from scipy.stats import permutation_test

from analysis.stats.bootstrap import RESAMPLES, Matrix, affordable, percentiles, resampled
from analysis.stats.comparisons import FEW
from analysis.stats.finite import refuse_boundless
from analysis.stats.inestimable import Inestimable
from analysis.stats.mean_difference import DECIMALS

#: Random permutations; where there are no more, all are taken.
PERMUTATIONS = 9_999
#: So many at a time, whatever the number of raters.
BATCH = 1_000
FriedmanMethod = Literal["asymptotic", "permuted", "exact"]
ASYMPTOTIC: FriedmanMethod = "asymptotic"


@dataclass(frozen=True)
class Friedman:
    """`w` = χ² / (n (k − 1)) is Kendall's coefficient of concordance: 1 where all raters agree.

    `method` says how p was computed. `mean_ranks` are by system, 1 for the lowest value; `n` raters
    count, `left_out` lack a value.
    """

    chi_squared: float
    df: int
    p: float
    method: FriedmanMethod
    w: float
    mean_ranks: "Series[float]"
    n: int
    left_out: int


def friedman(table: DataFrame, *, seed: int | None = None) -> Friedman | Inestimable:
    """Friedman's test with its correction for ties, and Kendall's W, over complete rows.

    By `pingouin.friedman`: scipy's gives no W and takes no two systems. p is asymptotic, which
    rejects too often with few raters; with a `seed`, p of up to `FEW` raters is over all
    permutations of ranks within raters, or over `PERMUTATIONS` random ones. Raises ValueError for
    infinite values. M. Friedman (1937), The use of ranks to avoid the assumption of normality;
    M. G. Kendall & B. Babington Smith (1939), The problem of m rankings.
    """
    complete = table.dropna()
    n, k = complete.shape
    refuse_boundless(complete.to_numpy(dtype=float), "the table")
    if k < 2:
        return Inestimable("one_group", "there are fewer than two systems")
    if n == 0:
        empty = "nobody judged anything" if table.empty else "no rater judged every system"
        return Inestimable("no_values" if table.empty else "incomplete", empty)
    if n == 1:
        return Inestimable("too_few", "one rater judged every system")
    values = complete.astype(float).round(DECIMALS)
    if (values.nunique(axis=1) == 1).all():
        return Inestimable("no_difference", "every rater gave all systems the same")
    long = values.set_axis(range(k), axis=1).reset_index(drop=True).rename_axis("rater")
    long = long.reset_index().melt(id_vars="rater", var_name="system")
    test = friedman_test(long, dv="value", within="system", subject="rater").loc["Friedman"]
    ranks = _ranks(complete)
    p, method = float(test["p_unc"]), ASYMPTOTIC
    if seed is not None and n <= FEW:
        p, method = _permuted(ranks, seed)
    return Friedman(
        chi_squared=float(test["Q"]),
        df=int(test["ddof1"]),
        p=p,
        method=method,
        w=float(test["W"]),
        mean_ranks=Series(ranks.mean(axis=0), index=complete.columns),
        n=n,
        left_out=len(table) - n,
    )


def _permuted(ranks: Matrix, seed: int) -> tuple[float, FriedmanMethod]:
    """How often the systems' totals are as uneven when ranks change places within raters."""

    def uneven(*systems: Matrix, axis: int) -> Matrix:
        return np.asarray(sum(system.sum(axis=axis) ** 2 for system in systems))

    n, k = ranks.shape
    test = permutation_test(
        tuple(ranks.T), uneven, permutation_type="samples", vectorized=True, alternative="greater",
        n_resamples=PERMUTATIONS, batch=BATCH, rng=seed,
    )  # fmt: skip
    is_exact = n * log(factorial(k)) <= log(PERMUTATIONS)
    return float(test.pvalue), "exact" if is_exact else "permuted"


def _ranks(complete: DataFrame) -> Matrix:
    """Within each row; means of the same ratings differ in their last digits."""
    return complete.astype(float).round(DECIMALS).rank(axis=1).to_numpy()


def concordance_interval(
    table: DataFrame, *, seed: int, resamples: int = RESAMPLES, confidence: float = 0.95
) -> tuple[float, float] | None:
    """Percentile bootstrap over raters of Kendall's W; None where `friedman` has none.

    W is 1/n + (1 − 1/n) r̄ with r̄ the mean correlation of two raters' ranks. A rater who is drawn
    twice would agree with himself and lift r̄: pairs of a rater with himself do not count. Of very
    many raters there are fewer resamples (`bootstrap.affordable`).
    """
    if isinstance(friedman(table), Inestimable):
        return None
    ranks = _ranks(table.dropna())
    n = len(ranks)
    centred = ranks - ranks.mean(axis=1, keepdims=True)
    spreads = (centred**2).sum(axis=1)
    drawn = resampled(n, seed=seed, resamples=affordable(n, resamples))
    sums, own = drawn @ centred, drawn**2 @ spreads
    others = n * (drawn @ spreads) - own
    mean_correlations = np.full(len(drawn), np.nan)
    np.divide((sums**2).sum(axis=1) - own, others, out=mean_correlations, where=others > 1e-9)
    return percentiles(np.clip(1 / n + (1 - 1 / n) * mean_correlations, 0, 1), confidence)


@dataclass(frozen=True)
class WithinBlocks:
    """`w` is the mean over `blocks` of Kendall's W of those who judged all of a block; `interval`
    is by `resamples` of blocks, None where there is one. `raters` and `things` (systems in blocks)
    count; `left_out` blocks have no W.
    """

    w: float
    interval: tuple[float, float] | None
    blocks: int
    left_out: int
    raters: int
    things: int
    resamples: int


def concordance_by_block(judged: DataFrame) -> DataFrame:
    """Kendall's `w` of each block in which two raters told its systems apart; `k` systems, `n`
    raters. Indexed by block.

    `judged` has a row per judgement: `rater`, `block` and `system` are numbers, `value` is a rank
    or a rating. Raters who judged a part of a block are left out there. All blocks at once: 2,000
    calls of `pingouin.friedman`, which is the same, take half a minute. Raises ValueError for
    infinite values.
    """
    refuse_boundless(judged["value"].to_numpy(float), "the values")
    complete = _complete(judged)
    page = complete.groupby(["block", "rater"], sort=False).ngroup()
    rank = complete["value"].round(DECIMALS).groupby(page).rank()
    totals = rank.groupby([complete["block"], complete["system"]]).sum()
    table = DataFrame(
        {
            "k": judged.groupby("block")["system"].nunique(),
            "n": complete.groupby("block")["rater"].nunique(),
            "squares": (rank**2).groupby(complete["block"]).sum(),
            "of_totals": (totals**2).groupby("block").sum(),
        }
    ).fillna(0)
    # As in `friedman`: W = Σ (R − n (k + 1) / 2)² / n over the spread of the ranks.
    even = table["n"] * table["k"] * (table["k"] + 1) ** 2 / 4
    spread = table["squares"] - even
    table["w"] = (table["of_totals"] / table["n"] - even) / spread
    return table.loc[(table["n"] >= 2) & (table["k"] >= 2) & (spread > 1e-9), ["k", "n", "w"]]


def concordance_within_blocks(
    judged: DataFrame, *, seed: int, resamples: int = RESAMPLES, confidence: float = 0.95
) -> WithinBlocks | Inestimable:
    """Do raters order the systems of a block alike? The mean of each block's Kendall's W, of
    judgements as `concordance_by_block` takes them. Raises ValueError for infinite values.
    """
    if judged.empty:
        return Inestimable("no_values", "nobody judged anything")
    table = concordance_by_block(judged)
    if table.empty:
        few = "in no block did two raters who judged all of it tell its systems apart"
        return Inestimable("no_values", few)
    w = table["w"]
    interval, times = None, affordable(len(w), resamples)
    if len(w) > 1:
        drawn = resampled(len(w), seed=seed, resamples=times)
        interval = percentiles(drawn @ w.to_numpy() / len(w), confidence)
    return WithinBlocks(
        w=float(w.mean()),
        interval=interval,
        blocks=len(w),
        left_out=judged["block"].nunique() - len(w),
        raters=_complete(judged).loc[lambda rows: rows["block"].isin(w.index), "rater"].nunique(),
        things=int(table["k"].sum()),
        resamples=times,
    )


def _complete(judged: DataFrame) -> DataFrame:
    """Of those who judged all of a block."""
    systems = judged.groupby("block")["system"].transform("nunique")
    return judged[judged.groupby(["block", "rater"])["system"].transform("size") == systems]
