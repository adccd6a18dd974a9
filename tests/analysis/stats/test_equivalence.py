"""Equivalence and non-inferiority: p and interval say the same."""

import numpy as np
import pytest
from scipy.stats import ttest_1samp, ttest_ind

from analysis.stats.comparisons import TwoSampleT, student_t, t_tests
from analysis.stats.equivalence import Equivalence, equivalence, equivalences, lower_bound
from analysis.stats.inestimable import Inestimable
from analysis.stats.paired import PairedT, paired_t

A, B = np.array([4.1, 3.8, 4.4, 4.0, 3.9, 4.2]), np.array([4.0, 4.1, 4.2, 3.9, 4.0, 4.0])


def paired(confidence: float = 0.9) -> PairedT:
    found = paired_t(A, B, confidence=confidence)
    assert isinstance(found, PairedT)
    return found


def test_equivalence_of_pairs_is_two_one_sided_tests() -> None:
    found = equivalence(paired(), 0.3)
    assert found.p_lower == pytest.approx(ttest_1samp(A - B, -0.3, alternative="greater").pvalue)
    assert found.p_upper == pytest.approx(ttest_1samp(A - B, 0.3, alternative="less").pvalue)
    assert found.p == max(found.p_lower, found.p_upper)


def test_equivalence_of_groups_is_two_one_sided_tests() -> None:
    groups = student_t(A, B)
    assert isinstance(groups, TwoSampleT)
    found = equivalence(groups, 0.3)
    assert found.p_lower == pytest.approx(ttest_ind(A + 0.3, B, alternative="greater").pvalue)
    assert found.p_upper == pytest.approx(ttest_ind(A - 0.3, B, alternative="less").pvalue)


@pytest.mark.parametrize("equal", [True, False])
def test_many_groups_are_tested_together_and_reasons_stay_in_their_places(equal: bool) -> None:
    pairs = [(A, B), (A, np.array([])), (A[:4], B), (B, A)]
    tests = t_tests(pairs, equal_variances=equal)
    found = equivalences(tests, 0.3, equal_variances=equal)
    assert found[1] == tests[1] == Inestimable("one_group", "group b is empty")
    for place in (0, 2, 3):
        test, near = tests[place], found[place]
        assert isinstance(test, TwoSampleT) and isinstance(near, Equivalence)
        assert near == equivalence(test, 0.3)
        assert near.df == pytest.approx(test.df)


@pytest.mark.parametrize("margin", [0.01, 0.1, 0.2, 0.3, 1.0])
def test_equivalent_where_the_interval_lies_within_the_margins(margin: float) -> None:
    low, high = paired(confidence=0.9).interval
    assert (equivalence(paired(), margin).p < 0.05) == (-margin < low and high < margin)


@pytest.mark.parametrize("margin", [0.01, 0.1, 0.2, 0.3, 1.0])
def test_not_inferior_where_the_lower_bound_is_above_the_margin(margin: float) -> None:
    assert (equivalence(paired(), margin).p_lower < 0.05) == (lower_bound(paired()) > -margin)


@pytest.mark.parametrize("margin", [0, -0.3, float("nan")])
def test_a_margin_is_above_zero(margin: float) -> None:
    with pytest.raises(ValueError, match="above 0"):
        equivalence(paired(), margin)
