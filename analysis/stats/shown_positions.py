"""Does a score depend on the position at which a judge saw the response?

A judge of whole blocks sees all responses of a block in one call, in an order that was drawn at
random, and in others in further calls. So the order itself gives a test: without an effect, any
response could as well have stood where another one did.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from pandas import DataFrame
from scipy.stats import t as student

Matrix = NDArray[np.float64]
DRAWS = 4999
#: Statistics that differ by less, as a share of the observed one, are equal but for rounding.
SAME = 1e-9


@dataclass(frozen=True)
class PositionEffects:
    """`effects` has a row per position: `position` (from 1), `effect` (points above the mean of all
    positions), `ci_low`, `ci_high`, `n` (scores). `p` is that of no effect of any position.
    """

    effects: DataFrame
    p: float
    n_calls: int
    n_scenarios: int


@dataclass(frozen=True)
class _Block:
    """Scores of one block (items × calls), without the means of calls and, if `items`, of items;
    and the position of each, from 0.
    """

    scenario: str
    scores: Matrix
    positions: NDArray[np.int64]

    def without_means(self, values: Matrix, *, items: bool) -> Matrix:
        centred: Matrix = values - values.mean(axis=0)
        return centred - centred.mean(axis=1, keepdims=True) if items else centred


def position_effects(
    scores: DataFrame, *, seed: int, draws: int = DRAWS, confidence: float = 0.95
) -> PositionEffects | None:
    """The effects of positions in calls about whole blocks; None without two positions.

    `scores` has a row per score: `scenario`, `block` (unique over scenarios), `item`, `replicate`,
    `position` (from 1) and `score`; calls that lack a score are left out. Effects are those of
    least squares with position, call and (where the orders tell them apart) item. Intervals are
    jackknifed over scenarios, with t on one degree of freedom less than scenarios; they are NaN
    where that leaves too few.

    `p` is that of a randomization test (Fisher) with `draws` draws: the responses of each block
    change places, the same in all its calls. Its statistic is the sum of squares of the scores'
    sums by position, after the means of calls and items are taken out.
    """
    blocks = _blocks(scores)
    places = max((int(block.positions.max()) + 1 for block in blocks), default=0)
    estimated = None
    for items in (True, False):
        estimated = estimated or _estimates(blocks, places, items=items)
    if estimated is None or places < 2:
        return None
    effects, errors, n_scenarios = estimated
    df = n_scenarios - 1
    reach = errors * student.ppf((1 + confidence) / 2, df) if df else np.full(places, np.nan)
    shown = np.concatenate([block.positions.ravel() for block in blocks])
    table = DataFrame(
        {
            "position": range(1, places + 1),
            "effect": effects,
            "ci_low": effects - reach,
            "ci_high": effects + reach,
            "n": np.bincount(shown, minlength=places),
        }
    )
    p = _randomized(blocks, places, seed=seed, draws=draws)
    return PositionEffects(table, p, sum(b.scores.shape[1] for b in blocks), n_scenarios)


def _blocks(scores: DataFrame) -> list[_Block]:
    """The blocks of two responses or more, with their whole calls."""
    blocks = []
    for (scenario, _), rows in scores.groupby(["scenario", "block"], observed=True):
        values, positions = (
            rows.pivot(index="item", columns="replicate", values=name).to_numpy(float)
            for name in ("score", "position")
        )
        whole = ~(np.isnan(values) | np.isnan(positions)).any(axis=0)
        if len(values) > 1 and whole.any():
            at = positions[:, whole].astype(int) - 1
            blocks.append(_Block(str(scenario), values[:, whole], at))
    return blocks


def _estimates(
    blocks: Sequence[_Block], places: int, *, items: bool
) -> tuple[Matrix, Matrix, int] | None:
    """Effect and standard error of each position, and the number of scenarios; None where the
    orders do not tell positions apart.
    """
    sums: dict[str, tuple[Matrix, Matrix]] = {}
    for block in blocks:
        y = block.without_means(block.scores, items=items).ravel()
        x = np.stack(
            [
                block.without_means((block.positions == at).astype(float), items=items).ravel()
                for at in range(places)
            ],
            axis=1,
        )
        xx, xy = sums.get(block.scenario, (np.zeros((places, places)), np.zeros(places)))
        sums[block.scenario] = (xx + x.T @ x, xy + x.T @ y)
    if not sums:
        return None
    all_xx, all_xy = (np.sum([each[n] for each in sums.values()], axis=0) for n in (0, 1))
    effects = _solved(all_xx, all_xy)
    if effects is None:
        return None
    n = len(sums)
    left_out = [_solved(all_xx - xx, all_xy - xy) for xx, xy in sums.values()]
    if any(each is None for each in left_out):
        return effects, np.full(places, np.nan), n
    deviations = np.array(left_out) - np.mean(np.array(left_out), axis=0)
    return effects, np.sqrt((n - 1) / n * (deviations**2).sum(axis=0)), n


def _solved(xx: Matrix, xy: Matrix) -> Matrix | None:
    """Effects that sum to 0; None where the sums of squares do not determine them."""
    if np.linalg.matrix_rank(xx, hermitian=True) < len(xx) - 1:
        return None
    effects: Matrix = np.linalg.pinv(xx, hermitian=True) @ xy
    return effects


def _randomized(blocks: Sequence[_Block], places: int, *, seed: int, draws: int) -> float:
    """The share of random places of the responses with a statistic as large as the observed."""
    random = np.random.default_rng(seed)
    drawn, observed = np.zeros((draws, places)), np.zeros(places)
    for block in blocks:
        left = block.without_means(block.scores, items=block.scores.shape[1] > 1)
        at = np.stack([block.positions == place for place in range(places)], axis=2)
        # What each response adds to each position, if it has the places of another one.
        sums = np.einsum("srp,ir->sip", at.astype(float), left)
        n = len(left)
        others = np.argsort(random.random((draws, n)), axis=1)
        drawn += sums[others, np.arange(n)].sum(axis=1)
        observed += sums[np.arange(n), np.arange(n)].sum(axis=0)
    statistic = float((observed**2).sum())
    as_large = (drawn**2).sum(axis=1) >= statistic * (1 - SAME)
    return float((1 + as_large.sum()) / (1 + draws))
