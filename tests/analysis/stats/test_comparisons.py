"""Two independent groups: hand arithmetic, ties, and what cannot be compared."""

from collections.abc import Callable
from itertools import combinations
from math import erfc, sqrt
from typing import Any

import numpy as np
import pytest
from pandas import Series
from scipy.stats import rankdata, ttest_ind

from analysis.stats.comparisons import MannWhitney, TwoSampleT, mann_whitney, student_t, welch_t
from analysis.stats.effect_sizes import cohens_d
from analysis.stats.inestimable import Inestimable
from analysis.stats.mean_difference import Names

_ = np.nan
TESTS: list[Callable[..., Any]] = [student_t, welch_t, mann_whitney]


def test_student_is_the_difference_over_its_pooled_error() -> None:
    found = student_t([5, 3, 4], [1, 2, 3, 2])
    assert isinstance(found, TwoSampleT)
    # Squares around the means 4 and 2 are 2 and 2: the pooled variance is 4 / 5.
    error = sqrt(4 / 5 * (1 / 3 + 1 / 4))
    assert found.difference == pytest.approx(2)
    assert found.t == pytest.approx(2 / error)
    assert found.df == 5
    assert (found.a.n, found.a.mean, found.a.sd) == (3, 4.0, 1.0)
    assert found.b.n == 4
    assert found.b.sd == pytest.approx(sqrt(2 / 3))
    assert found.interval == pytest.approx((2 - 2.570582 * error, 2 + 2.570582 * error))


def test_welch_gives_each_group_its_own_variance() -> None:
    found = welch_t([5, 3, 4], [1, 2, 3, 2])
    assert isinstance(found, TwoSampleT)
    parts = 1 / 3, (2 / 3) / 4
    assert found.t == pytest.approx(2 / sqrt(sum(parts)))
    assert found.df == pytest.approx(sum(parts) ** 2 / (parts[0] ** 2 / 2 + parts[1] ** 2 / 3))


@pytest.mark.parametrize("test", [student_t, welch_t])
def test_t_turns_its_sign_with_the_groups_and_keeps_its_p(test: Callable[..., Any]) -> None:
    one, other = test([5, 3, 4.5], [1, 2, 3, 2]), test([1, 2, 3, 2], [5, 3, 4.5])
    assert one.t == -other.t
    assert one.p == other.p
    assert one.interval == pytest.approx(tuple(-bound for bound in reversed(other.interval)))


def test_confidence_widens_the_interval_and_a_tiny_p_stays_above_zero() -> None:
    draw = np.random.default_rng(1)
    a, b = draw.normal(3, 1, 200), draw.normal(0, 1, 300)
    narrow, wide = welch_t(a, b, confidence=0.8), welch_t(a, b, confidence=0.99)
    assert isinstance(narrow, TwoSampleT)
    assert isinstance(wide, TwoSampleT)
    assert wide.interval[0] < narrow.interval[0] < narrow.interval[1] < wide.interval[1]
    assert narrow.p == pytest.approx(ttest_ind(a, b, equal_var=False).pvalue, rel=1e-9)
    assert 0 < narrow.p < 1e-60


@pytest.mark.parametrize("test", TESTS)
def test_missing_values_are_left_out(test: Callable[..., Any]) -> None:
    assert test(Series([5, _, 3, 4]), [1, 2, _, 3, 2, _]) == test([5, 3, 4], [1, 2, 3, 2])


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize(
    ("a", "b", "kind", "because"),
    [
        ([], [], "no_values", "both groups are empty"),
        ([_], [1, 2], "one_group", "group a is empty"),
        ([1, 2], [], "one_group", "group b is empty"),
        ([3, 3, 3], [3, 3], "constant", "all values are the same"),
    ],
)
def test_what_cannot_be_compared_is_said(
    test: Callable[..., Any], a: list[float], b: list[float], kind: str, because: str
) -> None:
    found = test(a, b)
    assert isinstance(found, Inestimable)
    assert found.kind == kind
    assert str(found).endswith(because)


@pytest.mark.parametrize("test", [*TESTS, cohens_d])
def test_reasons_name_the_groups(test: Callable[..., Any]) -> None:
    assert test([], [1, 2], names=Names("old", "a young")) == Inestimable(
        "one_group", "group old is empty"
    )


def test_groups_without_any_spread_have_no_error_to_compare_with() -> None:
    constant = Inestimable("constant", "within each group all values are the same")
    assert student_t([3, 3], [4, 4]) == constant
    # Means of thirds differ in their last digits: that is no spread.
    assert welch_t([0.1 + 0.2, 0.3, 0.3], [1.1 + 2.2, 3.3]) == constant


def test_one_value_is_a_group_for_student_and_none_for_welch() -> None:
    found = student_t([5], [1, 2, 3])
    assert isinstance(found, TwoSampleT)
    assert found.df == 2
    assert welch_t([5], [1, 2, 3]) == Inestimable("too_few", "group a has one value")
    for test in (student_t, welch_t):
        assert test([5], [1]) == Inestimable("too_few", "each group has one value")


def test_reasons_call_a_value_what_it_is() -> None:
    names = Names("old", "young", "rater")
    assert welch_t([5], [1, 2], names=names) == Inestimable("too_few", "group old has one rater")
    assert cohens_d([5], [1], names=names) == Inestimable("too_few", "each group has one rater")


def test_infinite_values_and_tables_are_refused() -> None:
    with pytest.raises(ValueError, match="infinite"):
        welch_t([1, np.inf], [1, 2])
    with pytest.raises(ValueError, match="one dimension"):
        mann_whitney([[1, 2], [3, 4]], [1, 2])


def test_mann_whitney_counts_pairs_with_ties_as_one_half() -> None:
    found = mann_whitney([3, 5], [1, 3, 4])
    assert isinstance(found, MannWhitney)
    # 3 against 1, 3, 4 wins 1½; 5 wins 3.
    assert found.u == 4.5
    assert found.effect == pytest.approx(2 * 4.5 / 6 - 1)
    # Five values, one tie of two: σ² = 2 · 3 / 12 · (6 − 6 / 20).
    assert found.p == pytest.approx(erfc(1.5 / sqrt(0.5 * 5.7) / sqrt(2)))


def test_exact_mann_whitney_deals_the_mid_ranks_in_every_way() -> None:
    a, b = [2.0, 3, 3, 5], [1.0, 1, 2, 3, 4, 4]
    found = mann_whitney(a, b, method="exact")
    assert isinstance(found, MannWhitney)
    ranks = rankdata([*a, *b])
    sums = [sum(dealt) for dealt in combinations(ranks, len(a))]
    middle = len(a) * (len(ranks) + 1) / 2
    as_far = [abs(each - middle) >= abs(sum(ranks[: len(a)]) - middle) for each in sums]
    assert found.p == pytest.approx(sum(as_far) / len(sums))
    mirrored = mann_whitney(b, a, method="exact")
    assert isinstance(mirrored, MannWhitney)
    assert mirrored.p == pytest.approx(found.p)


def test_one_against_four_can_never_be_significant_by_the_exact_test() -> None:
    exact, approximate = (
        mann_whitney([9], [1, 2, 3, 4], method=method) for method in ("exact", "asymptotic")
    )
    assert isinstance(exact, MannWhitney)
    assert isinstance(approximate, MannWhitney)
    assert exact.p == pytest.approx(2 / 5)
    assert approximate.p < 0.16


def test_too_many_values_are_said_to_be_so() -> None:
    found = mann_whitney(range(300), range(1, 302), method="exact")
    assert found == Inestimable("too_many", "601 values are too many for the exact distribution")


def test_means_that_differ_in_their_last_digits_are_tied() -> None:
    third = 1 / 3
    assert mann_whitney([3 * third + 1e-13, 2], [1, 2]) == mann_whitney([1, 2], [1, 2])


def test_complete_separation_has_no_interval() -> None:
    found = mann_whitney([4, 5, 6], [1, 2, 3])
    assert isinstance(found, MannWhitney)
    assert (found.effect, found.interval) == (1, None)
