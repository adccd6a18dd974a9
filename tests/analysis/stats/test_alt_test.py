"""The alternative annotator test, by hand and for judges whose worth is known."""

import numpy as np
import pytest
from pandas import DataFrame, Series
from scipy.stats import t as students_t
from scipy.stats import ttest_1samp

from analysis.stats.alt_test import AltTest, alt_test

_ = np.nan


def crowd(items: int = 200, raters: int = 6, noise: float = 1.0, seed: int = 1) -> DataFrame:
    """Raters who see the same truth through noise of their own, on a scale from 1 to 5."""
    draw = np.random.default_rng(seed)
    seen = truth_of(items, seed)[:, None] + draw.normal(0, noise, (items, raters))
    return DataFrame(np.clip(np.rint(seen), 1, 5), columns=[f"r{n}" for n in range(raters)])


def truth_of(items: int = 200, seed: int = 1) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    return np.random.default_rng(1000 + seed).integers(1, 6, items).astype(float)


def test_rater_is_held_against_the_judge_item_by_item() -> None:
    ratings = DataFrame({"a": [1, 2, 3, 5], "b": [1, 4, 3, 1], "c": [1, 4, 5, 2]})
    judge = Series([1.0, 4.0, 3.0, 5.0])
    found = alt_test(ratings, judge, epsilon=0.2, fewest_items=4)
    a = found.raters.iloc[0]
    # Distances to b and c. Judge: 0, 0, √2, √12.5; a: 0, 2, √2, √12.5.
    assert (a["rater"], a["items"]) == ("a", 4)
    assert (a["judge_wins"], a["rater_wins"]) == (1.0, 0.75)
    # Advantages of a: 0, −1, 0, 0. Their mean is −¼, its standard error ¼.
    assert a["p"] == pytest.approx(students_t.cdf((-0.25 - 0.2) / 0.25, df=3))


def step_by_step(ratings: DataFrame, judge: "Series[float]", epsilon: float) -> tuple[float, float]:
    """Winning rate and advantage as the paper tells them, one rater and item after the other."""
    p_values, advantages = [], []
    values = ratings.to_numpy()
    for rater in range(values.shape[1]):
        judge_wins, rater_wins = [], []
        for score, row in zip(judge, values, strict=True):
            own, others = row[rater], np.delete(row, rater)
            others = others[~np.isnan(others)]
            if np.isnan(own) or np.isnan(score) or not len(others):
                continue
            of_judge, of_rater = (
                round(float(np.sqrt(np.mean((others - value) ** 2))), 9) for value in (score, own)
            )
            judge_wins.append(of_judge <= of_rater)
            rater_wins.append(of_rater <= of_judge)
        differences = np.array(rater_wins, dtype=float) - np.array(judge_wins)
        p_values.append(ttest_1samp(differences, epsilon, alternative="less").pvalue)
        advantages.append(np.mean(judge_wins))
    m = len(p_values)
    harmonic = sum(1 / k for k in range(1, m + 1))
    bounds = [rank / m * 0.05 / harmonic for rank in range(1, m + 1)]
    below = [
        rank
        for rank, (p, bound) in enumerate(zip(sorted(p_values), bounds, strict=True), 1)
        if p <= bound
    ]
    return max(below, default=0) / m, float(np.mean(advantages))


@pytest.mark.parametrize("epsilon", [0.1, 0.15, 0.2])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_all_raters_at_once_come_to_what_the_paper_does_step_by_step(
    epsilon: float, seed: int
) -> None:
    draw = np.random.default_rng(seed)
    ratings = crowd(items=90, raters=7, noise=1.2, seed=seed).astype(float)
    ratings = ratings.mask(draw.random(ratings.shape) < 0.4)
    # Thirds, as means of three calls are, and one item without a score.
    seen = truth_of(90, seed)[:, None] + draw.normal(0, 1.5, (90, 3))
    judge = Series(np.clip(np.rint(seen), 1, 5).mean(axis=1))
    judge[4] = _
    found = alt_test(ratings, judge, epsilon=epsilon)
    assert found.winning_rate is not None
    winning_rate, advantage = step_by_step(ratings, judge, epsilon)
    assert found.winning_rate == pytest.approx(winning_rate)
    assert found.advantage == pytest.approx(advantage)


def test_who_always_wins_or_loses_by_the_same_is_certain() -> None:
    ratings = DataFrame({name: [3.0] * 30 for name in "abc"})
    equal = alt_test(ratings, Series([3.0] * 30), epsilon=0.1).raters
    assert equal["p"].tolist() == [0, 0, 0]
    far = alt_test(ratings, Series([5.0] * 30), epsilon=0.1).raters
    assert far["p"].tolist() == [1, 1, 1]


def test_p_values_are_adjusted_after_benjamini_and_yekutieli() -> None:
    found = alt_test(crowd(), Series(truth_of()), epsilon=0.1).raters
    ordered = found.sort_values("p", ascending=False)
    harmonic, m = sum(1 / k for k in range(1, 7)), 6
    expected, lowest = [], 1.0
    for rank, p in zip(range(m, 0, -1), ordered["p"], strict=True):
        lowest = min(lowest, p * harmonic * m / rank)
        expected.append(lowest)
    assert ordered["p_adjusted"].tolist() == pytest.approx(expected)


def test_judge_who_sees_the_truth_may_take_everybodys_place_and_one_who_errs_nobodys() -> None:
    good = alt_test(crowd(), Series(truth_of()), epsilon=0.1)
    assert (good.winning_rate, good.passes) == (1.0, True)
    upside_down = alt_test(crowd(), Series(6 - truth_of()), epsilon=0.1)
    assert (upside_down.winning_rate, upside_down.passes) == (0.0, False)
    assert good.advantage is not None
    assert upside_down.advantage is not None
    assert upside_down.advantage < 0.5 < good.advantage


def test_judge_who_always_answers_three_passes_where_raters_are_noisy_and_is_shown_to() -> None:
    def always(value: float, ratings: DataFrame) -> AltTest:
        return alt_test(ratings, Series(value, index=ratings.index), epsilon=0.1)

    noisy, careful = crowd(noise=2.5), crowd(noise=0.4)
    assert always(3.0, noisy).passes
    assert not always(1.0, noisy).passes
    assert [always(value, careful).winning_rate for value in (1.0, 2.0, 3.0, 4.0, 5.0)] == [0.0] * 5


def test_rater_with_too_few_items_is_named_and_not_counted() -> None:
    ratings = crowd().astype(float)
    ratings.loc[20:, "r0"] = _
    ratings["alone"] = _
    found = alt_test(ratings, Series(truth_of()), epsilon=0.1)
    raters = found.raters.set_index("rater")
    assert raters.loc["r0", "items"] == 20
    assert raters.index[raters["p"].isna()].tolist() == ["r0", "alone"]
    assert raters["replaceable"].isna().tolist() == [True, *[False] * 5, True]
    assert found.winning_rate == 1.0


def test_items_that_the_judge_or_all_others_left_out_are_nobodys() -> None:
    ratings = crowd(items=40)
    judge = Series(truth_of(40)).drop(range(5))
    ratings.loc[5:6, ["r1", "r2", "r3", "r4", "r5"]] = _
    found = alt_test(ratings, judge, epsilon=0.1).raters.set_index("rater")
    assert found["items"].tolist() == [33] * 6


def test_without_anybody_to_test_there_is_no_result() -> None:
    found = alt_test(crowd(items=10), Series(truth_of(10)), epsilon=0.1)
    assert isinstance(found, AltTest)
    assert (found.winning_rate, found.advantage, found.passes) == (None, None, False)
