"""Which systems are chosen as best, and as worst, of those on a page?

Choices come as a table with a row per system that a rater was shown in a block: `rater`, `block`,
`system` and `choice` (`best`, `worst` or empty). A block without a choice of a kind counts for
nothing in what is said about that kind.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
from pandas import DataFrame, Series
from scipy.stats import chisquare
from statsmodels.stats.inter_rater import fleiss_kappa
from statsmodels.stats.proportion import proportion_confint

from analysis.stats.bootstrap import RESAMPLES, Matrix, affordable, percentiles, resampled
from analysis.stats.finite import refuse_boundless
from analysis.stats.inestimable import Inestimable

Kind = Literal["best", "worst"]
Whole = npt.NDArray[np.int64]

INTERVAL = ["ci_low", "ci_high"]
PERMUTATIONS = 9999
#: Fewest expected choices of each system for χ² (W. G. Cochran, 1954).
FEWEST_EXPECTED = 5


def choice_shares(
    choices: DataFrame,
    kind: Kind,
    *,
    seed: int,
    resamples: int = RESAMPLES,
    confidence: float = 0.95,
) -> DataFrame:
    """How often each system was chosen when it was shown, with an interval over raters.

    One row per system: `system`, `chosen`, `shown`, `share` (chosen / shown), `ci_low`, `ci_high`
    and `note`, which says why one of them is null. The interval is Wilson's where each rater could
    choose a system once. Otherwise raters are resampled; where a system was never or always
    chosen, resamples do not differ, and Wilson's interval takes a rater for one choice. Raises
    ValueError for two choices of a kind in a block. E. B. Wilson (1927), Probable inference.
    """
    made = _made(choices, kind)
    tally = _tally(choices[made], (choices["choice"] == kind)[made].astype(float))
    raters = (tally.shown > 0).sum(axis=0)
    whole = (tally.totals == 0) | (tally.totals == tally.sights)
    once = raters == tally.sights
    shares = tally.ratios(None if once.all() else seed, resamples, confidence)
    if len(tally.amount) > 1:
        chosen = tally.totals * raters // tally.sights
        wilson = proportion_confint(chosen, raters, alpha=1 - confidence, method="wilson")
        for name, bound in zip(INTERVAL, wilson, strict=True):
            shares[name] = np.where(once | whole, bound, shares[name])
        _without_alike(shares)
    names = {"total": "chosen", "ratio": "share"}
    return _with_unseen(shares, choices).rename(columns=names)


def _without_alike(ratios: DataFrame) -> None:
    """Takes away intervals of no width: raters who are all alike do not tell how others vary."""
    same = ratios["ci_low"] == ratios["ci_high"]
    ratios.loc[same, INTERVAL] = np.nan
    ratios.loc[same, "note"] = "no interval, because raters do not differ"


def best_worst_scores(
    choices: DataFrame, *, seed: int, resamples: int = RESAMPLES, confidence: float = 0.95
) -> DataFrame:
    """(best − worst) / shown of each system over the blocks with both, from −1 to 1.

    One row per system: `system`, `balance` (best − worst), `shown`, `score`, `ci_low`, `ci_high`
    (bootstrap over raters) and `note`, which says why one of them is null. Raises ValueError for
    two choices of a kind in a block. J. J. Louviere, T. N. Flynn & A. A. J. Marley (2015),
    Best-worst scaling.
    """
    made = _made(choices, "best") & _made(choices, "worst")
    balance = (choices["choice"] == "best").astype(float) - (choices["choice"] == "worst")
    tally = _tally(choices[made], balance[made])
    scores = tally.ratios(seed, resamples, confidence)
    _without_alike(scores)
    names = {"total": "balance", "ratio": "score"}
    return _with_unseen(scores, choices).rename(columns=names)


def _made(choices: DataFrame, kind: Kind) -> "Series[bool]":
    """Which rows belong to a block in which a choice of that kind was made."""
    per_block = (choices["choice"] == kind).groupby([choices["rater"], choices["block"]])
    counts = per_block.transform("sum")
    if (counts > 1).any():
        row = choices[counts > 1].iloc[0]
        raise ValueError(f"{row['rater']} chose several as {kind} in {row['block']}")
    made: Series[bool] = counts == 1
    return made


@dataclass(frozen=True)
class _Tally:
    """What raters gave to systems, and how often they were shown them (raters × systems)."""

    systems: Sequence[Hashable]
    amount: Matrix
    shown: Matrix

    @property
    def totals(self) -> Whole:
        return np.asarray(self.amount.sum(axis=0), dtype=np.int64)

    @property
    def sights(self) -> Whole:
        return np.asarray(self.shown.sum(axis=0), dtype=np.int64)

    def ratios(self, seed: int | None, resamples: int, confidence: float) -> DataFrame:
        """Σ amounts / shown of each system, with its bootstrap interval over raters (if any)."""
        bounds = [(np.nan, np.nan)] * len(self.systems)
        if len(self.amount) > 1 and seed is not None:
            drawn = resampled(len(self.amount), seed=seed, resamples=resamples)
            times = drawn @ self.shown
            ratios = np.full_like(times, np.nan)
            np.divide(drawn @ self.amount, times, out=ratios, where=times > 0)
            bounds = [percentiles(one, confidence) or (np.nan, np.nan) for one in ratios.T]
        return DataFrame(
            {
                "system": self.systems,
                "total": self.totals,
                "shown": self.sights,
                "ratio": self.totals / self.sights,
                "ci_low": [low for low, _ in bounds],
                "ci_high": [high for _, high in bounds],
                "note": "" if len(self.amount) > 1 else "no interval, because there is one rater",
            }
        )


def _tally(made: DataFrame, amounts: "Series[float]") -> _Tally:
    who, raters = pd.factorize(made["rater"])
    which, systems = pd.factorize(made["system"])
    size = (len(raters), len(systems))
    at = who * size[1] + which
    amount, shown = (
        np.bincount(at, weights, minlength=size[0] * size[1]).reshape(size).astype(float)
        for weights in (amounts.to_numpy(float), np.ones(len(made)))
    )
    return _Tally(list(systems), amount, shown)


def _with_unseen(ratios: DataFrame, choices: DataFrame) -> DataFrame:
    """A row, too, for systems of which nothing is known because no block with them was answered."""
    systems = choices["system"].unique()
    table = ratios.set_index("system").reindex(systems).rename_axis("system").reset_index()
    unseen = "not estimable, because no block that showed it has a choice"
    table["note"] = table["note"].fillna(unseen)
    counts = ["total", "shown"]
    return table.assign(**{name: table[name].fillna(0).astype(int) for name in counts})


@dataclass(frozen=True)
class ChoiceTest:
    """Are all systems chosen alike? `statistic` is Σ (observed − expected)² / expected.

    χ² has `df`; a permutation test has the number of `permutations`.
    """

    statistic: float
    p: float
    systems: int
    raters: int
    choices: int
    df: int | None = None
    permutations: int | None = None


def goodness_of_fit(choices: DataFrame, kind: Kind) -> ChoiceTest | Inestimable:
    """Pearson's χ² with k − 1 degrees of freedom, where its assumptions hold: one choice per rater,
    the same systems shown to each, and 5 or more choices of each system expected.

    Raises ValueError for two choices of a kind in a block.
    """
    made = choices[_made(choices, kind)]
    table = _table(made, kind)
    if isinstance(table, Inestimable):
        return table
    chosen, shown = table
    per_rater = made.loc[made["choice"] == kind, "rater"].value_counts()
    if (per_rater > 1).any():
        return Inestimable("not_independent", "raters chose more than once: permute labels instead")
    if not shown.all():
        return Inestimable("not_independent", "not every rater chose among the same systems")
    n, k = shown.shape
    if n / k < FEWEST_EXPECTED:
        return Inestimable(
            "too_few", f"{n} choices of {k} systems are fewer than {FEWEST_EXPECTED} for each"
        )
    test = chisquare(chosen.sum(axis=0))
    return ChoiceTest(float(test.statistic), float(test.pvalue), k, n, n, df=k - 1)


def permutation_test(
    choices: DataFrame,
    kind: Kind,
    *,
    seed: int,
    within: Literal["block", "rater"] = "block",
    permutations: int = PERMUTATIONS,
) -> ChoiceTest | Inestimable:
    """What χ² would be if systems' labels meant nothing: permuted, always the same for one seed.

    `within` "block": labels change places in every block of every rater by themselves, so that the
    null is that each choice is made blindly. "rater": they change places once per rater, for all
    of the rater's blocks; raters may then have likings of their own, as long as these even out over
    raters. It needs every block of a rater to show the same systems. p counts the observed one
    among the permutations. Raises ValueError for two choices of a kind in a block.
    """
    made = choices[_made(choices, kind)]
    table = _table(made, kind)
    if isinstance(table, Inestimable):
        return table
    chosen, shown = table
    expected = (shown / shown.sum(axis=1, keepdims=True)).sum(axis=0)
    draw = np.random.default_rng(seed)
    if within == "block":
        drawn = _blind(chosen, shown, draw, permutations)
    else:
        by_rater = _by_rater(made, chosen, shown)
        if isinstance(by_rater, Inestimable):
            return by_rater
        drawn = _relabelled(*by_rater, draw, permutations)
    statistic = float(_distance(chosen.sum(axis=0), expected))
    # Sums of the same counts differ in their last digits.
    as_far = int((_distance(drawn, expected) >= statistic - 1e-9).sum())
    return ChoiceTest(
        statistic=statistic,
        p=(1 + as_far) / (1 + permutations),
        systems=len(expected),
        raters=int(made["rater"].nunique()),
        choices=len(chosen),
        permutations=permutations,
    )


def _distance(counts: Matrix, expected: Matrix) -> Matrix:
    """Σ (observed − expected)² / expected over the last axis."""
    distance: Matrix = ((counts - expected) ** 2 / expected).sum(axis=-1)
    return distance


def _table(made: DataFrame, kind: Kind) -> tuple[Matrix, Matrix] | Inestimable:
    """What was chosen and what was shown, blocks in their order (rows) by systems: 1 or 0."""
    if made.empty:
        return Inestimable("no_values", f"nothing was chosen as {kind}")
    systems = {system: number for number, system in enumerate(dict.fromkeys(made["system"]))}
    if len(systems) < 2:
        return Inestimable("one_group", "one system was shown")
    block = made.groupby(["rater", "block"], sort=False).ngroup().to_numpy()
    column = made["system"].map(systems).to_numpy(int)
    shown = np.zeros((block.max() + 1, len(systems)))
    shown[block, column] = 1
    chosen = np.zeros_like(shown)
    picked = (made["choice"] == kind).to_numpy()
    chosen[block[picked], column[picked]] = 1
    return chosen, shown


def _blind(chosen: Matrix, shown: Matrix, draw: np.random.Generator, times: int) -> Matrix:
    """How often each system would be chosen (times × systems) by who picks blindly in each block.

    Blocks that show the same are alike, so that their picks are drawn together.
    """
    counts = np.zeros((times, chosen.shape[1]))
    _, first, blocks = np.unique(
        np.packbits(shown.astype(bool), axis=1), axis=0, return_index=True, return_counts=True
    )
    for sight, times_seen in zip(shown[first], blocks, strict=True):
        counts += draw.multinomial(times_seen, sight / sight.sum(), size=times)
    return counts


def _by_rater(
    made: DataFrame, chosen: Matrix, shown: Matrix
) -> tuple[Matrix, Matrix] | Inestimable:
    """Choices and sights summed over a rater's blocks (raters × systems)."""
    blocks = made.drop_duplicates(["rater", "block"])["rater"]
    who = blocks.map({rater: at for at, rater in enumerate(dict.fromkeys(blocks))}).to_numpy(int)
    picks, sights = (np.zeros((who.max() + 1, chosen.shape[1])) for _ in range(2))
    np.add.at(picks, who, chosen)
    np.add.at(sights, who, shown)
    if ((sights > 0) & (sights < np.bincount(who)[:, None])).any():
        return Inestimable("not_independent", "blocks of one rater show different systems")
    return picks, (sights > 0).astype(float)


def _relabelled(picks: Matrix, seen: Matrix, draw: np.random.Generator, times: int) -> Matrix:
    """Summed choices (times × systems) with each rater's labels permuted among those seen."""
    counts = np.zeros((times, picks.shape[1]))
    for pick, sight in zip(picks, seen.astype(bool), strict=True):
        counts[:, sight] += draw.permuted(np.tile(pick[sight], (times, 1)), axis=1)
    return counts


@dataclass(frozen=True)
class Concord:
    """`kappa` is the mean over `blocks` in which two raters or more chose; `interval` is by
    `resamples` of blocks, None where there is one. `left_out` blocks have fewer choices.
    """

    kappa: float
    interval: tuple[float, float] | None
    blocks: int
    left_out: int
    resamples: int


def free_marginal_kappa(
    chosen: DataFrame, *, seed: int, resamples: int = RESAMPLES, confidence: float = 0.95
) -> Concord | Inestimable:
    """Do raters choose the same system of a block? 1 if all do, 0 if they agree as by guessing.

    `chosen` has how often each system (columns) was chosen in each block (rows), NaN where it was
    not shown. Agreement by guessing is one in k systems; α, which takes it from how often systems
    are chosen at large, is near 0 where everybody always chooses the same one. J. J. Randolph
    (2005), Free-marginal multirater kappa. Raises ValueError for infinite counts.
    """
    counts = chosen.to_numpy(float)
    refuse_boundless(counts, "the choices")
    n, k = np.nansum(counts, axis=1), (~np.isnan(counts)).sum(axis=1)
    known = (n >= 2) & (k >= 2)
    if not known.any():
        return Inestimable("too_few", "in no block two raters chose among several systems")
    # Block by block: statsmodels takes none in which others chose, or other systems were shown.
    kappas = np.array(
        [fleiss_kappa([row[~np.isnan(row)]], method="randolph") for row in counts[known]]
    )
    interval, times = None, affordable(len(kappas), resamples)
    if len(kappas) > 1:
        drawn = resampled(len(kappas), seed=seed, resamples=times)
        interval = percentiles(drawn @ kappas / len(kappas), confidence)
    left_out = len(known) - len(kappas)
    return Concord(float(kappas.mean()), interval, len(kappas), left_out, times)
