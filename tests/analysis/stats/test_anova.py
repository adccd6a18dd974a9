"""Several groups: hand arithmetic, and groups that are empty, constant or of one value."""

from math import sqrt

import numpy as np
import pytest

from analysis.stats.anova import OneWay, games_howell, one_way_anova, welch_anova
from analysis.stats.comparisons import TwoSampleT, welch_t
from analysis.stats.inestimable import Inestimable

_ = np.nan
GROUPS = {"North": [1.0, 2, 3], "South": [2.0, 4, _], "West": [4.0, 5, 5, 6], "East": [_]}


def test_anova_divides_what_lies_between_groups_by_what_lies_within() -> None:
    found = one_way_anova(GROUPS)
    assert isinstance(found, OneWay)
    # Means 2, 3, 5 of 3, 2, 4 values; the mean of all nine is 32 / 9.
    between = 3 * (2 - 32 / 9) ** 2 + 2 * (3 - 32 / 9) ** 2 + 4 * (5 - 32 / 9) ** 2
    within = 2 + 2 + 2
    assert pytest.approx(between / 2 / (within / 6)) == found.F
    assert (found.df1, found.df2) == (2, 6)
    assert found.eta_squared == pytest.approx(between / (between + within))
    omega = (between - 2 * within / 6) / (between + within + within / 6)
    assert found.omega_squared == pytest.approx(omega)
    assert [each.n for each in found.groups.values()] == [3, 2, 4]
    assert found.empty == ("East",)


def test_welch_of_two_groups_is_welchs_t_squared() -> None:
    a, b = [5.0, 3, 4], [1.0, 2, 3, 2]
    found, t = welch_anova({"a": a, "b": b}), welch_t(a, b)
    assert isinstance(found, OneWay)
    assert isinstance(t, TwoSampleT)
    assert pytest.approx(t.t**2) == found.F
    assert found.df2 == pytest.approx(t.df)
    assert found.p == pytest.approx(t.p)


def test_games_howell_of_two_groups_is_welchs_t_and_of_more_asks_more() -> None:
    a, b, c = [5.0, 3, 4], [1.0, 2, 3, 2], [2.0, 3, 5]
    t = welch_t(a, b)
    assert isinstance(t, TwoSampleT)
    alone, among = games_howell({"a": a, "b": b}), games_howell({"a": a, "b": b, "c": c})
    assert not isinstance(alone, Inestimable)
    assert not isinstance(among, Inestimable)
    assert alone[0].p == pytest.approx(t.p)
    assert alone[0].interval == pytest.approx(t.interval)
    assert [(pair.a, pair.b, pair.k) for pair in among] == [
        ("a", "b", 3), ("a", "c", 3), ("b", "c", 3)
    ]  # fmt: skip
    assert (among[0].difference, among[0].t) == (alone[0].difference, alone[0].t)
    assert among[0].p > alone[0].p
    assert among[0].interval[0] < alone[0].interval[0]


@pytest.mark.parametrize("test", [one_way_anova, welch_anova, games_howell])
def test_without_groups_nothing_is_compared(test: object) -> None:
    assert callable(test)
    assert test({}) == Inestimable("no_values", "there are no values")
    assert test({"a": [_], "b": []}) == Inestimable("no_values", "there are no values")
    alone = Inestimable("one_group", "a is the only group with values")
    assert test({"a": [1.0, 2], "b": []}) == alone
    with pytest.raises(ValueError, match="infinite"):
        test({"a": [1.0, np.inf], "b": [1.0, 2]})


def test_equal_variances_need_some_spread_and_own_variances_some_in_each_group() -> None:
    constant = Inestimable("constant", "within each group all values are the same")
    assert one_way_anova({"a": [1.0, 1], "b": [2.0, 2]}) == constant
    assert one_way_anova({"a": [1.0], "b": [2.0]}) == Inestimable(
        "too_few", "every group has one value"
    )
    some = {"a": [1.0, 1], "b": [2.0, 3], "c": [4.0]}
    assert isinstance(one_way_anova(some), OneWay)
    for test in (welch_anova, games_howell):
        assert test(some) == Inestimable("too_few", "a single value has no variance (c)")
        assert test({"a": [1.0, 1], "b": [2.0, 3]}) == Inestimable(
            "constant", "within a group all values are the same (a)"
        )


def test_groups_with_the_same_mean_have_an_f_of_zero() -> None:
    found = one_way_anova({"a": [1.0, 3], "b": [0.0, 4]})
    assert isinstance(found, OneWay)
    assert (found.F, found.p, found.eta_squared) == (0, 1, 0)
    assert found.omega_squared == pytest.approx(-1 / 3)


def test_standard_error_of_a_pair_is_of_its_two_groups_alone() -> None:
    found = games_howell({"a": [2.0, 4], "b": [0.0, 4], "c": [1.0, 9]})
    assert not isinstance(found, Inestimable)
    assert found[0].t == pytest.approx(1 / sqrt(2 / 2 + 8 / 2))
