"""Who answers without reading? Indices of careless responding, one value per rater.

Each is weak evidence on its own, and some that are widely used (longstring, spread) are hardly
better than chance: A. W. Meade & S. B. Craig (2012), Identifying careless responses in survey data;
P. Goldammer et al. (2024), doi 10.3758/s13428-024-02484-3. So none of them decides anything here.

Answers stand one below the other, with `rater` and `value` (NaN: not answered), so that time and
memory grow with their number, however many items there are of which each rater saw a few.
`raters` are those whose indices are wanted, whether or not they answered. All raise ValueError for
an infinite value, and for an answer of somebody who is not among them.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from pandas import DataFrame, Series

from analysis.stats.finite import refuse_boundless
from analysis.stats.inestimable import Inestimable

Mask = npt.NDArray[np.bool_]
Vector = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]

NO_ANSWERS = "no answers"
#: What is left of a constant's spread below this is rounding.
ROUNDING = 1e-12
#: Too little to have read anything: J. L. Huang et al. (2012), Detecting and deterring
#: insufficient effort responding to surveys.
SECONDS_PER_ITEM = 2.0


@dataclass(frozen=True)
class Index:
    """`values` by rater, NaN where there is none; `notes` say why, and are "" elsewhere."""

    values: "Series[float]"
    notes: "Series[str]"


IndexOf = Callable[[DataFrame, pd.Index], Index]


def _index(raters: pd.Index, values: Vector, reasons: dict[str, Mask]) -> Index:
    """The first reason that holds takes the value away."""
    texts = [np.array(reason) for reason in reasons]
    notes = np.select(list(reasons.values()), texts, default=np.array(""))
    kept = np.where(notes == "", values, np.nan)
    return Index(Series(kept, index=raters), Series(notes, index=raters))


@dataclass(frozen=True)
class _Known:
    """The answers given: whose (a place among the raters), the value, and the row it is from."""

    rater: Codes
    value: Vector
    rows: DataFrame
    n: Codes

    @property
    def nobody(self) -> Mask:
        mask: Mask = self.n == 0
        return mask


def _known(answers: DataFrame, raters: pd.Index, column: str = "value") -> _Known:
    """Raises ValueError for an infinite value, and for an answer of somebody else."""
    values = answers[column].to_numpy(dtype=float)
    refuse_boundless(values, column)
    there = ~np.isnan(values)
    rows = answers[there]
    rater = _places(raters, rows)
    return _Known(rater, values[there], rows, np.bincount(rater, minlength=len(raters)))


def _places(raters: pd.Index, rows: DataFrame) -> Codes:
    """Where each row's `rater` stands among the raters."""
    places = raters.get_indexer(pd.Index(rows["rater"])).astype(np.int64)
    if (places < 0).any():
        raise ValueError("There are answers of somebody who is not among the raters")
    return places


def _together(whose: Codes, what: "Series[Any]") -> tuple[Codes, Codes, Codes]:
    """A number for each pair of both; and the two of each such number."""
    code, names = pd.factorize(what)
    pair, pairs = pd.factorize(whose * max(len(names), 1) + code)
    owner, thing = np.divmod(pairs, max(len(names), 1))
    return pair, owner, thing


def _means(code: Codes, values: Vector, n: int) -> Vector:
    """The mean of each code's values, NaN where it has none."""
    counts = np.bincount(code, minlength=n)
    means = np.full(n, np.nan)
    np.divide(np.bincount(code, values, n), counts, out=means, where=counts > 0)
    return means


def longstring(answers: DataFrame, raters: pd.Index) -> Index:
    """The longest run of the same answer; `place` is an answer's place in the rater's own order.

    Places are whole numbers; one that is missing ends a run.
    J. A. Johnson (2005), Ascertaining the validity of individual protocols.
    """
    known = _known(answers, raters)
    place = known.rows["place"].to_numpy(dtype=np.int64)
    order = np.lexsort((place, known.rater))
    rater, value, place = known.rater[order], known.value[order], place[order]
    starts = np.ones(len(order), dtype=bool)
    starts[1:] = (np.diff(rater) != 0) | (np.diff(value) != 0) | (np.diff(place) != 1)
    first = np.flatnonzero(starts)
    longest = np.zeros(len(raters))
    np.maximum.at(longest, rater[first], np.diff(first, append=len(order)))
    return _index(raters, longest, {NO_ANSWERS: known.nobody})


def intra_individual_variability(answers: DataFrame, raters: pd.Index) -> Index:
    """The standard deviation (ddof 1) of a rater's answers (IRV), in points of the scale.

    A. M. Dunn et al. (2018), Intra-individual response variability as an indicator of insufficient
    effort responding.
    """
    known = _known(answers, raters)
    around = known.value - _means(known.rater, known.value, len(raters))[known.rater]
    squares = np.bincount(known.rater, around**2, len(raters))
    spread = np.sqrt(squares / np.maximum(known.n - 1, 1))
    return _index(
        raters, spread, {NO_ANSWERS: known.nobody, "one answer has no spread": known.n == 1}
    )


def person_total(answers: DataFrame, raters: pd.Index) -> Index:
    """Pearson's r of a rater's ratings with the others' means, over items that both have.

    Answers have an `item`; who rated one twice counts with the mean. The rater is not among the
    others. T. F. Donlon & F. E. Fischer (1968), An index of an individual's agreement with
    group-determined item difficulties.
    """
    known = _known(answers, raters)
    rater, own, others = _beside_others(known)
    r, flat, flat_others = _correlations(rater, own, others, len(raters))
    return _index(
        raters,
        r,
        {
            NO_ANSWERS: known.nobody,
            "fewer than three items with other raters": np.bincount(rater, minlength=len(raters))
            < 3,
            "the rater's ratings are all the same": flat,
            "the others' means are all the same": flat_others,
        },
    )


def consensus_deviation(answers: DataFrame, raters: pd.Index) -> Index:
    """Mean |x − mean of the other raters| over the items (`item`) that others rated, too.

    x is the mean of who rated an item twice.
    """
    known = _known(answers, raters)
    rater, own, others = _beside_others(known)
    distance = _means(rater, np.abs(own - others), len(raters))
    return _index(
        raters,
        distance,
        {NO_ANSWERS: known.nobody, "nobody else rated the same items": np.isnan(distance)},
    )


def _beside_others(known: _Known) -> tuple[Codes, Vector, Vector]:
    """Of each rater and item that somebody else rated, too: whose, the rating, the others' mean."""
    pair, rater, item = _together(known.rater, known.rows["item"])
    own = _means(pair, known.value, len(rater))
    others = np.bincount(item)[item] - 1
    total = np.bincount(item, own)[item] - own
    shared = others > 0
    return rater[shared], own[shared], total[shared] / others[shared]


def _correlations(code: Codes, x: Vector, y: Vector, n: int) -> tuple[Vector, Mask, Mask]:
    """r of each code's two series; and where x, and where y, is constant."""
    counts = np.bincount(code, minlength=n)
    one, other = (series - _means(code, series, n)[code] for series in (x, y))
    xx, yy = (np.bincount(code, series**2, n) for series in (one, other))
    flat, flat_other = (squares <= ROUNDING * np.maximum(counts, 1) for squares in (xx, yy))
    r = np.full(n, np.nan)
    products = np.bincount(code, one * other, n)
    np.divide(products, np.sqrt(xx * yy), out=r, where=~(flat | flat_other))
    return r, flat, flat_other


def even_odd(answers: DataFrame, raters: pd.Index) -> Index:
    """Does a rater give the two halves of each block the same? Spearman–Brown's 2r / (1 + r).

    Answers have a `block` and a `half`, 0 or 1. r is taken over blocks, of the mean of the one half
    with the mean of the other; what falls below −1 is −1. J. A. Johnson (2005), Ascertaining the
    validity of individual protocols.
    """
    known = _known(answers, raters)
    pair, owner, _ = _together(known.rater, known.rows["block"])
    half = known.rows["half"].to_numpy(dtype=np.int64)
    halves = _means(2 * pair + half, known.value, 2 * len(owner)).reshape(-1, 2)
    both = ~np.isnan(halves).any(axis=1)
    rater, (one, other) = owner[both], halves[both].T
    r, flat, flat_other = _correlations(rater, one, other, len(raters))
    with np.errstate(divide="ignore", invalid="ignore"):
        stepped_up = np.maximum(2 * r / (1 + r), -1)
    return _index(
        raters,
        stepped_up,
        {
            NO_ANSWERS: known.nobody,
            "fewer than three blocks with both halves": np.bincount(rater, minlength=len(raters))
            < 3,
            "one half is the same in every block": flat | flat_other,
        },
    )


def retest_sd(answers: DataFrame, raters: pd.Index) -> Index:
    """How far apart a rater's ratings of the very same thing lie, in points of the scale.

    Answers have an `item`. √(Σ (x − x̄_item)² / Σ (n_item − 1)) over the items that a rater rated
    twice or more often: the standard deviation within items, pooled.
    """
    known = _known(answers, raters)
    pair, owner, _ = _together(known.rater, known.rows["item"])
    around = known.value - _means(pair, known.value, len(owner))[pair]
    squares = np.bincount(known.rater, around**2, len(raters))
    df = known.n - np.bincount(owner, minlength=len(raters))
    reasons = {NO_ANSWERS: known.nobody, "nothing was rated twice": df == 0}
    return _index(raters, np.sqrt(squares / np.maximum(df, 1)), reasons)


def contradictions(answers: DataFrame, raters: pd.Index) -> DataFrame:
    """How often a rater's ratings and ranks say the opposite of each other.

    `answers` has `rater`, `block`, `rating` (more is better) and `rank` (1 is best), a row per
    response. One row per rater: `pairs` (two responses of a block that differ both in rating and
    in rank), `contradictions` (the higher rated one is ranked lower) and `share`; `note` says why
    there is no share.
    """
    known = answers.dropna(subset=["rating", "rank"])
    refuse_boundless(known[["rating", "rank"]].to_numpy(dtype=float), "ratings and ranks")
    blocks = known.groupby(["rater", "block"], sort=False)
    block, place = blocks.ngroup().to_numpy(), blocks.cumcount().to_numpy()
    rating, rank = (np.full((blocks.ngroups, place.max(initial=-1) + 1), np.nan) for _ in "ab")
    rating[block, place], rank[block, place] = known["rating"], known["rank"]
    pairs, opposite = np.zeros(len(rating)), np.zeros(len(rating))
    for one, other in combinations(range(rating.shape[1]), 2):
        agree = (rating[:, one] - rating[:, other]) * (rank[:, other] - rank[:, one])
        pairs += np.abs(agree) > 0
        opposite += agree < 0
    first = known.drop_duplicates(["rater", "block"])
    whose = _places(raters, first)
    compared, against = (np.bincount(whose, n, len(raters)) for n in (pairs, opposite))
    both = np.bincount(whose, minlength=len(raters))
    share = _index(
        raters,
        against / np.maximum(compared, 1),
        {
            "nothing was both rated and ranked": both == 0,
            "no two responses differ in rating and in rank": compared == 0,
        },
    )
    return DataFrame(
        {
            "pairs": compared.astype(int),
            "contradictions": against.astype(int),
            "share": share.values,
            "note": share.notes,
        },
        index=raters,
    )


def share_of_fast_pages(
    pages: DataFrame, raters: pd.Index, *, seconds_per_item: float = SECONDS_PER_ITEM
) -> Index:
    """The share of a rater's pages that took less time than it takes to look at their items.

    `pages` has `rater`, `seconds` and `items`: how many there are on it. Raises ValueError unless
    `seconds_per_item` is positive.
    """
    if not seconds_per_item > 0:
        raise ValueError(f"Items take some time: more than {seconds_per_item:g} seconds")
    known = _known(pages, raters, "seconds")
    fast = known.value < seconds_per_item * known.rows["items"].to_numpy(dtype=float)
    share = _means(known.rater, fast.astype(float), len(raters))
    return _index(raters, share, {"no page has a time": known.nobody})


@dataclass(frozen=True)
class DurationBounds:
    """`lower` and `upper` are the mean ± `sds` standard deviations of `n` durations.

    `outside` names those who took shorter or longer.
    """

    mean: float
    sd: float
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
    refuse_boundless(known.to_numpy(dtype=float), "the durations")
    n = len(known)
    if n == 0:
        return Inestimable("no_values", "no duration is known")
    if n == 1:
        return Inestimable("too_few", "one duration has no spread")
    reach = (n - 1) / np.sqrt(n)
    if reach <= sds:
        because = f"among {n} raters nobody can be further than {reach:.2f} SDs from the mean"
        return Inestimable("too_few", because)
    mean, sd = float(known.mean()), float(known.std(ddof=1))
    lower, upper = mean - sds * sd, mean + sds * sd
    if sd <= ROUNDING * abs(mean):
        return Inestimable("constant", "all durations are the same")
    outside = known.index[(known < lower) | (known > upper)]
    return DurationBounds(mean, sd, lower, upper, n, sds, tuple(outside))
