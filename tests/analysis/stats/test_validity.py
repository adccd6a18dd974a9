"""A judge against people's means: within groups, and by what sets systems apart."""

import numpy as np
import pytest
from pandas import DataFrame, Series
from scipy.stats import spearmanr

from analysis.stats.validity import (
    Mean,
    correlation_within,
    difference_of_means,
    grouped_mean,
    signed_bias,
)


def things(groups: int = 6, each: int = 20, slope: float = 1.0, seed: int = 1) -> DataFrame:
    """People's means, and a judge who follows them by `slope` within groups that lie far apart."""
    draw = np.random.default_rng(seed)
    group = np.repeat(np.arange(groups), each)
    within = draw.normal(size=groups * each)
    return DataFrame(
        {
            "group": group,
            "people": 10.0 * group + within,
            "judge": 10.0 * group + slope * within + draw.normal(0, 0.5, groups * each),
        }
    )


def test_groups_that_lie_apart_do_not_make_a_judge_good() -> None:
    blind = things(slope=0)
    assert np.corrcoef(blind["people"], blind["judge"])[0, 1] > 0.99
    found = correlation_within(blind, seed=1)
    assert found is not None
    assert abs(found.r) < 0.2
    assert found.interval is not None
    assert found.interval[0] < 0 < found.interval[1]


def test_correlation_is_that_of_deviations_from_group_means() -> None:
    table = things()
    centred = table[["people", "judge"]] - table.groupby("group")[["people", "judge"]].transform(
        "mean"
    )
    found = correlation_within(table, seed=1)
    assert found is not None
    assert found.r == pytest.approx(np.corrcoef(centred["people"], centred["judge"])[0, 1])
    assert (found.things, found.groups) == (120, 6)
    assert found.interval is not None
    assert found.interval[0] < found.r < found.interval[1]
    assert found == correlation_within(table, seed=1)


def test_rows_and_groups_that_say_nothing_are_left_out() -> None:
    table = things()
    table.loc[0, "judge"] = np.nan
    table.loc[20:38, "people"] = np.nan  # one thing of the second group is left
    found = correlation_within(table, seed=1)
    assert found is not None
    assert (found.things, found.groups) == (99, 5)


def test_without_variation_there_is_none_and_one_group_has_no_interval() -> None:
    assert correlation_within(things().assign(judge=3.1), seed=1) is None
    assert correlation_within(things().iloc[:0], seed=1) is None
    alone = correlation_within(things(groups=1), seed=1)
    assert alone is not None
    assert (alone.interval, alone.things, alone.groups) == (None, 20, 1)


def test_with_ranks_it_is_spearmans_within_one_group() -> None:
    table = things(groups=1)
    table["judge"] = table["judge"].round() ** 3  # ties, and far from a line
    found = correlation_within(table, seed=1, ranks=True)
    assert found is not None
    assert found.r == pytest.approx(spearmanr(table["people"], table["judge"]).statistic)


def test_ranks_are_taken_within_groups() -> None:
    table = DataFrame(
        {
            "group": ["a", "a", "a", "b", "b", "b"],
            "people": [1.0, 2.0, 3.0, 101.0, 102.0, 103.0],
            "judge": [1.0, 5.0, 9.0, 8.0, 4.0, 3.0],  # the same order, then the opposite one
        }
    )
    found = correlation_within(table, seed=1, ranks=True)
    assert found is not None
    assert found.r == pytest.approx(0)
    assert found.interval == (-1, 1)


BIASED = DataFrame(
    {
        "group": ["S1", "S2", "S1", "S2", "S1"],
        "family": ["Llama", "Llama", "Qwen", "Qwen", "Mistral"],
        "judge": [4.0, 5.0, 3.0, 3.0, 2.0],
        "people": [3.0, 3.0, 3.0, 4.0, 2.0],
    }
)


def test_signed_bias_tells_whom_the_judge_favours() -> None:
    found = signed_bias(BIASED, "family", seed=1).set_index("family")
    assert found.index.tolist() == ["Llama", "Qwen", "Mistral"]
    assert found["bias"].tolist() == [1.5, -0.5, 0.0]
    assert found["things"].tolist() == [2, 2, 1]
    spread = 1.96 * np.sqrt(0.5)
    assert found.loc["Llama", "lower"] == pytest.approx(1.5 - spread)
    # Of two scenarios with one thing each, resamples have either or both.
    assert found[["ci_low", "ci_high"]].to_numpy()[0].tolist() == [1.0, 2.0]
    assert np.isnan(found[["lower", "upper", "ci_low", "ci_high"]].to_numpy()[2]).all()


def test_signed_bias_of_nothing_has_no_rows() -> None:
    unrated = BIASED.assign(people=np.nan)
    assert signed_bias(unrated, "family", seed=1).to_dict("records") == []


def test_mean_over_groups_weighs_things_and_resamples_groups() -> None:
    found = grouped_mean(Series([1.0, 1.0, 1.0, 5.0]), Series(["a", "a", "a", "b"]), seed=1)
    assert found == Mean(2.0, (1.0, 5.0))
    assert grouped_mean(Series([1.0, 2.0]), Series(["a", "a"]), seed=1) == Mean(1.5, None)
    assert grouped_mean(Series(dtype=float), Series(dtype=str), seed=1) is None


def test_difference_of_means_leaves_out_resamples_that_lack_a_part() -> None:
    values, groups = Series([4.0, 1.0, 3.0]), Series(["a", "a", "b"])
    own = Series([True, False, False])
    # Group a alone: 4 − 1; both groups: 4 − 2; group b alone has nothing of its own.
    assert difference_of_means(values, own, groups, seed=1) == Mean(2.0, (2.0, 3.0))
    assert difference_of_means(values, Series([False] * 3), groups, seed=1) is None
