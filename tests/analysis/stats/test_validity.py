"""A judge against people's means: within groups, and by what sets systems apart."""

import numpy as np
import pytest
from pandas import DataFrame

from analysis.stats.validity import correlation_within, signed_bias


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
    assert found.lower < 0 < found.upper


def test_correlation_is_that_of_deviations_from_group_means() -> None:
    table = things()
    centred = table[["people", "judge"]] - table.groupby("group")[["people", "judge"]].transform(
        "mean"
    )
    found = correlation_within(table, seed=1)
    assert found is not None
    assert found.r == pytest.approx(np.corrcoef(centred["people"], centred["judge"])[0, 1])
    assert (found.things, found.groups) == (120, 6)
    assert found.lower < found.r < found.upper
    assert found == correlation_within(table, seed=1)


def test_rows_and_groups_that_say_nothing_are_left_out() -> None:
    table = things()
    table.loc[0, "judge"] = np.nan
    table.loc[20:38, "people"] = np.nan  # one thing of the second group is left
    found = correlation_within(table, seed=1)
    assert found is not None
    assert (found.things, found.groups) == (99, 5)


def test_without_variation_or_with_one_group_there_is_none() -> None:
    assert correlation_within(things().assign(judge=3.1), seed=1) is None
    assert correlation_within(things(groups=1), seed=1) is None
    assert correlation_within(things().iloc[:0], seed=1) is None


def test_signed_bias_tells_whom_the_judge_favours() -> None:
    table = DataFrame(
        {
            "family": ["Llama", "Llama", "Qwen", "Qwen", "Mistral"],
            "judge": [4.0, 5.0, 3.0, 3.0, 2.0],
            "people": [3.0, 3.0, 3.0, 4.0, 2.0],
        }
    )
    found = signed_bias(table, "family").set_index("family")
    assert found["bias"].tolist()[:2] == [1.5, -0.5]
    assert found.index.tolist() == ["Llama", "Qwen", "Mistral", "all"]
    assert found.index[found["bias"].isna()].tolist() == ["Mistral"]
    assert found.loc["all", "bias"] == pytest.approx(0.4)
    assert found["things"].tolist() == [2, 2, 1, 5]
    spread = 1.96 * np.sqrt(0.5)
    assert found.loc["Llama", "lower"] == pytest.approx(1.5 - spread)
