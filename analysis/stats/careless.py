"""Who answers without reading? Indices of careless responding, one value per rater.

Each is weak evidence on its own, and some that are widely used (longstring, spread) are hardly
better than chance: A. W. Meade & S. B. Craig (2012), Identifying careless responses in survey data;
P. Goldammer et al. (2024), doi 10.3758/s13428-024-02484-3. So none of them decides anything here.

Tables have a row per rater; NaN is what a rater did not answer.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt
import pandas as pd
from pandas import DataFrame, Series

from analysis.stats.bootstrap import Matrix
from analysis.stats.inestimable import Inestimable

Mask = npt.NDArray[np.bool_]

NO_ANSWERS = "no answers"
#: What is left of a constant's spread below this is rounding.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Index:
    """`values` by rater, NaN where there is none; `notes` say why, and are "" elsewhere."""

    values: "Series[float]"
    notes: "Series[str]"


def _index(raters: pd.Index, values: Matrix, reasons: dict[str, Mask]) -> Index:
    """The first reason that holds takes the value away."""
    texts = [np.array(reason) for reason in reasons]
    notes = np.select(list(reasons.values()), texts, default=np.array(""))
    kept = np.where(notes == "", values, np.nan)
    return Index(Series(kept, index=raters), Series(notes, index=raters))


def _matrix(table: DataFrame) -> tuple[Matrix, Mask]:
    """The values, and where there are any. Raises ValueError for an infinite one."""
    values = table.to_numpy(dtype=float)
    if np.isinf(values).any():
        raise ValueError("The answers hold infinite values")
    known: Mask = ~np.isnan(values)
    return values, known


def longstring(answers: DataFrame) -> Index:
    """The longest run of the same answer; columns are positions in the order of presentation.

    Every rater's own order, that is: column 1 is what each saw first. A missing answer ends a run.
    J. A. Johnson (2005), Ascertaining the validity of individual protocols.
    """
    values, known = _matrix(answers)
    run = longest = np.zeros(len(values))
    before = np.full(len(values), np.nan)
    for column in values.T:
        run = np.where(column == before, run + 1, ~np.isnan(column))
        longest = np.maximum(longest, run)
        before = column
    return _index(answers.index, longest, {NO_ANSWERS: known.sum(axis=1) == 0})


def intra_individual_variability(answers: DataFrame) -> Index:
    """The standard deviation (ddof 1) of a rater's answers (IRV), in points of the scale.

    A. M. Dunn et al. (2018), Intra-individual response variability as an indicator of insufficient
    effort responding.
    """
    values, known = _matrix(answers)
    n = known.sum(axis=1)
    squares = _squares_around_mean(values, known)
    spread = np.sqrt(squares / np.maximum(n - 1, 1))
    return _index(answers.index, spread, {NO_ANSWERS: n == 0, "one answer has no spread": n == 1})


def _squares_around_mean(values: Matrix, known: Mask) -> Matrix:
    """Σ (x − x̄)² of each row's known values."""
    filled = np.where(known, values, 0.0)
    means = filled.sum(axis=1, keepdims=True) / np.maximum(known.sum(axis=1, keepdims=True), 1)
    squares: Matrix = (np.where(known, filled - means, 0.0) ** 2).sum(axis=1)
    return squares


def person_total(ratings: DataFrame) -> Index:
    """Pearson's r of a rater's ratings with the others' means, over items (columns) that both have.

    The rater is not among the others. T. F. Donlon & F. E. Fischer (1968), An index of an
    individual's agreement with group-determined item difficulties.
    """
    values, known = _matrix(ratings)
    others = _means_of_others(values)
    both = ~np.isnan(others)
    r, flat, flat_others = _row_correlations(np.where(both, values, np.nan), others)
    few = both.sum(axis=1)
    return _index(
        ratings.index,
        r,
        {
            NO_ANSWERS: known.sum(axis=1) == 0,
            "fewer than three items with other raters": few < 3,
            "the rater's ratings are all the same": flat,
            "the others' means are all the same": flat_others,
        },
    )


def consensus_deviation(ratings: DataFrame) -> Index:
    """Mean |x − mean of the other raters| over the items (columns) that others rated, too."""
    values, known = _matrix(ratings)
    others = _means_of_others(values)
    both = ~np.isnan(others)
    distance = np.where(both, np.abs(values - others), 0.0).sum(axis=1)
    n = both.sum(axis=1)
    return _index(
        ratings.index,
        distance / np.maximum(n, 1),
        {NO_ANSWERS: known.sum(axis=1) == 0, "nobody else rated the same items": n == 0},
    )


def _means_of_others(values: Matrix) -> Matrix:
    """Of each item, for each rater who rated it; NaN where the rater did not, or nobody else."""
    known = ~np.isnan(values)
    others = known.sum(axis=0) - known
    totals = np.nansum(values, axis=0) - np.nan_to_num(values)
    usable = known & (others > 0)
    found = np.full_like(values, np.nan)
    np.divide(totals, others, out=found, where=usable)
    return found


def _row_correlations(x: Matrix, y: Matrix) -> tuple[Matrix, Mask, Mask]:
    """r of each row's two series, NaN in the same places; and where x, and where y, is constant."""
    known = ~np.isnan(x)
    n = np.maximum(known.sum(axis=1, keepdims=True), 1)
    centred = []
    for series in (x, y):
        filled = np.where(known, series, 0.0)
        centred.append(np.where(known, filled - filled.sum(axis=1, keepdims=True) / n, 0.0))
    one, other = centred
    xx, yy = (one**2).sum(axis=1), (other**2).sum(axis=1)
    flat = [squares <= ROUNDING * n[:, 0] for squares in (xx, yy)]
    r: Matrix = np.full(len(x), np.nan)
    np.divide((one * other).sum(axis=1), np.sqrt(xx * yy), out=r, where=~(flat[0] | flat[1]))
    return r, flat[0], flat[1]


def even_odd(ratings: DataFrame, blocks: Sequence[Hashable]) -> Index:
    """Does a rater give the two halves of each block the same? Spearman–Brown's 2r / (1 + r).

    `blocks` names the block of each column; the columns of a block are odd and even in turn. r is
    taken over blocks, of the mean of the odd ratings with the mean of the even ones; what falls
    below −1 is −1. J. A. Johnson (2005), Ascertaining the validity of individual protocols.
    Raises ValueError unless there is a block for each column.
    """
    if len(blocks) != len(ratings.columns):
        raise ValueError(f"{len(ratings.columns)} columns need as many blocks, not {len(blocks)}")
    values, known = _matrix(ratings)
    number = Series(list(blocks), dtype=object)
    turn = number.groupby(number, sort=False).cumcount().to_numpy() % 2
    code = pd.factorize(number)[0]
    odd, even = (_block_means(values, known, code, turn == half) for half in (0, 1))
    both = ~(np.isnan(odd) | np.isnan(even))
    r, flat, other_flat = _row_correlations(
        np.where(both, odd, np.nan), np.where(both, even, np.nan)
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        stepped_up = np.maximum(2 * r / (1 + r), -1)
    return _index(
        ratings.index,
        stepped_up,
        {
            NO_ANSWERS: known.sum(axis=1) == 0,
            "fewer than three blocks with both halves": both.sum(axis=1) < 3,
            "one half is the same in every block": flat | other_flat,
        },
    )


def _block_means(values: Matrix, known: Mask, code: npt.NDArray[np.intp], kept: Mask) -> Matrix:
    """Raters × blocks: the mean over the columns kept, NaN where a rater has none of them."""
    member = (code[:, None] == np.arange(code.max(initial=-1) + 1)) & kept[:, None]
    counts = known.astype(float) @ member
    means: Matrix = np.full_like(counts, np.nan)
    np.divide(np.nan_to_num(values) @ member, counts, out=means, where=counts > 0)
    return means


def retest_sd(ratings: DataFrame, items: Sequence[Hashable]) -> Index:
    """How far apart a rater's ratings of the very same thing lie, in points of the scale.

    `items` names what each column shows. √(Σ (x − x̄_item)² / Σ (n_item − 1)) over the items that a
    rater rated twice or more often: the standard deviation within items, pooled. Raises ValueError
    unless there is an item for each column.
    """
    if len(items) != len(ratings.columns):
        raise ValueError(f"{len(ratings.columns)} columns need as many items, not {len(items)}")
    values, known = _matrix(ratings)
    squares, df = np.zeros(len(values)), np.zeros(len(values))
    code = pd.factorize(Series(list(items), dtype=object))[0]
    for item in range(code.max(initial=-1) + 1):
        shown = code == item
        squares += _squares_around_mean(values[:, shown], known[:, shown])
        df += np.maximum(known[:, shown].sum(axis=1) - 1, 0)
    reasons = {NO_ANSWERS: known.sum(axis=1) == 0, "nothing was rated twice": df == 0}
    return _index(ratings.index, np.sqrt(squares / np.maximum(df, 1)), reasons)


def contradictions(answers: DataFrame) -> DataFrame:
    """How often a rater's ratings and ranks say the opposite of each other.

    `answers` has `rater`, `block`, `rating` (more is better) and `rank` (1 is best), a row per
    response. One row per rater: `rater`, `pairs` (two responses of a block that differ both in
    rating and in rank), `contradictions` (the higher rated one is ranked lower) and `share`;
    `note` says why there is no share.
    """
    raters = list(dict.fromkeys(answers["rater"]))
    known = answers.dropna(subset=["rating", "rank"])
    blocks = known.groupby(["rater", "block"], sort=False)
    block, place = blocks.ngroup().to_numpy(), blocks.cumcount().to_numpy()
    rating, rank = (np.full((blocks.ngroups, place.max(initial=-1) + 1), np.nan) for _ in "ab")
    rating[block, place], rank[block, place] = known["rating"], known["rank"]
    pairs, opposite = np.zeros(len(rating)), np.zeros(len(rating))
    for one, other in combinations(range(rating.shape[1]), 2):
        agree = (rating[:, one] - rating[:, other]) * (rank[:, other] - rank[:, one])
        pairs += np.abs(agree) > 0
        opposite += agree < 0
    whose = known.drop_duplicates(["rater", "block"])["rater"].to_numpy()
    counts = DataFrame({"pairs": pairs, "contradictions": opposite}).groupby(whose).sum()
    table = counts.reindex(raters, fill_value=0).astype(int).rename_axis("rater").reset_index()
    share = (table["contradictions"] / table["pairs"]).where(table["pairs"] > 0)
    note = np.where(table["pairs"] > 0, "", "no two responses differ in rating and in rank")
    return table.assign(share=share, note=note)


def share_of_fast_pages(seconds: DataFrame, *, fewest: float) -> Index:
    """The share of a rater's pages (columns) that took fewer than so many seconds.

    J. L. Huang et al. (2012), Detecting and deterring insufficient effort responding to surveys,
    call two seconds per item too fast to have read it. Raises ValueError unless `fewest` is
    positive.
    """
    if not fewest > 0:
        raise ValueError(f"Pages take some time: more than {fewest:g} seconds")
    values, known = _matrix(seconds)
    fast = (np.where(known, values, np.inf) < fewest).sum(axis=1)
    n = known.sum(axis=1)
    return _index(seconds.index, fast / np.maximum(n, 1), {"no page has a time": n == 0})


@dataclass(frozen=True)
class DurationBounds:
    """`lower` and `upper` are the mean ± `sds` standard deviations of `n` durations.

    `outside` names those who took shorter or longer.
    """

    lower: float
    upper: float
    n: int
    sds: float
    outside: tuple[Hashable, ...]


def duration_bounds(seconds: "Series[float]", *, sds: float = 3) -> DurationBounds | Inestimable:
    """The rule that leaves out who is more than `sds` standard deviations (ddof 1) from the mean.

    `seconds` are by rater; missing ones are in no step. Among n raters nobody can be further away
    than (n − 1) / √n standard deviations (P. A. Samuelson, 1968): where that is no more than `sds`,
    the rule could not find anybody. Raises ValueError for infinite durations.
    """
    known = seconds.dropna()
    if np.isinf(known).any():
        raise ValueError("Durations are finite")
    n = len(known)
    if n == 0:
        return Inestimable("no_values", "no duration is known")
    reach = (n - 1) / np.sqrt(n)
    if reach <= sds:
        because = f"among {n} raters nobody can be further than {reach:.2f} SDs from the mean"
        return Inestimable("too_few", because)
    mean, sd = float(known.mean()), float(known.std(ddof=1))
    lower, upper = mean - sds * sd, mean + sds * sd
    if sd <= ROUNDING * abs(mean):
        return Inestimable("constant", "all durations are the same")
    outside = known.index[(known < lower) | (known > upper)]
    return DurationBounds(lower, upper, n, sds, tuple(outside))
