"""The effect of the position at which a judge saw a response, from the order that was drawn."""

from collections.abc import Sequence
from itertools import permutations, product

import numpy as np
import pytest
from pandas import DataFrame
from scipy.stats import binom

from analysis.stats.shown_positions import PositionEffects, position_effects

COLUMNS = ["scenario", "block", "item", "replicate", "position", "score"]


def rotated(base: Sequence[int], replicate: int) -> list[int]:
    return [*base[replicate:], *base[:replicate]]


def study(
    seed: int,
    *,
    scenarios: int = 6,
    sets: int = 4,
    responses: int = 5,
    replicates: int = 3,
    first: float = 0.0,
) -> DataFrame:
    """Blocks of responses of different quality, and a judge that adds `first` to position 1."""
    random = np.random.default_rng(seed)
    rows = []
    for scenario, part in product(range(scenarios), range(sets)):
        quality = random.normal(3, 0.8, responses)
        base = list(random.permutation(responses))
        for replicate in range(replicates):
            call = random.normal(0, 0.3)
            for position, item in enumerate(rotated(base, replicate), 1):
                score = quality[item] + call + first * (position == 1) + random.normal(0, 0.4)
                names = (f"s{scenario}", f"s{scenario}/{part}", f"{item}", replicate)
                rows.append((*names, position, score))
    return DataFrame(rows, columns=COLUMNS)


def effects(table: DataFrame, draws: int = 499) -> PositionEffects:
    found = position_effects(table, seed=1, draws=draws)
    assert found is not None
    return found


def test_planted_preference_for_the_first_position_is_found() -> None:
    found = effects(study(1, first=0.5))
    assert found.p <= 0.002
    # Half a point at one of five positions: four fifths of it above the mean of all.
    assert found.effects["effect"].iloc[0] == pytest.approx(0.4, abs=0.1)
    assert found.effects["ci_low"].iloc[0] > 0
    assert found.effects["n"].tolist() == [72] * 5
    assert (found.n_calls, found.n_scenarios) == (72, 6)


@pytest.mark.parametrize("replicates", [1, 2, 5])
def test_effects_are_exact_without_noise(replicates: int) -> None:
    """Of equal responses, whatever the level of a call; more replicates take any quality out."""
    rows = [
        (f"s{s}", f"s{s}", f"{item}", r, place, (0 if replicates == 1 else 2 * item) + s + r + gain)
        for s in range(3)
        for r in range(replicates)
        for place, (item, gain) in enumerate(
            zip(rotated([3, 1, 0, 4, 2], r + s), (1.0, 0, 0, 0, -1.0), strict=True), 1
        )
    ]
    found = effects(DataFrame(rows, columns=COLUMNS))
    assert found.effects["effect"].tolist() == pytest.approx([1, 0, 0, 0, -1])
    assert found.effects["ci_high"].tolist() == pytest.approx([1, 0, 0, 0, -1])


def test_p_is_the_share_of_all_places_of_the_responses() -> None:
    """One block of three responses, one call: six orders, of which as many are as extreme."""
    scores = [5.0, 3.0, 1.0]
    table = DataFrame(
        [("s", "b", f"{n}", 1, n + 1, score) for n, score in enumerate(scores)], columns=COLUMNS
    )
    found = effects(table, draws=4999)
    assert list(permutations(scores))  # every one has the same sum of squares
    assert found.p == 1
    assert found.effects["ci_low"].isna().all()
    two = DataFrame(
        [
            (f"s{b}", f"b{b}", f"{n}", 1, n + 1, score)
            for b in range(2)
            for n, score in enumerate(scores)
        ],
        columns=COLUMNS,
    )
    # Of the six orders of one block to the other, one adds up to as much: the same one.
    assert effects(two, draws=4999).p == pytest.approx(1 / 6, abs=0.02)


@pytest.mark.slow
def test_unbiased_judge_is_found_biased_as_seldom_as_the_level_says(long_run: bool) -> None:
    studies = 1000 if long_run else 100
    found = [effects(study(seed), draws=99).p <= 0.05 for seed in range(studies)]
    assert binom.sf(sum(found) - 1, studies, 0.05) > 0.01


def test_scores_without_a_position_or_with_only_one_say_nothing() -> None:
    table = study(1, scenarios=1, sets=1)
    assert position_effects(table.assign(position=np.nan), seed=1) is None
    assert position_effects(table[table["position"] == 1], seed=1) is None
    assert position_effects(table.head(0), seed=1) is None


def test_call_that_lacks_a_score_is_left_out() -> None:
    table = study(2)
    lost = table.index[(table["replicate"] == 2) & (table["block"] == "s0/0")]
    assert effects(table.drop(lost[:1])).n_calls == 71
    assert effects(table.drop(lost)).effects.equals(effects(table.drop(lost[:1])).effects)
