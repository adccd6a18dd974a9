"""Equivalence and non-inferiority: p and interval say the same."""

import numpy as np
import pytest
from scipy.stats import ttest_1samp, ttest_ind

from analysis.stats.comparisons import TwoSampleT, student_t
from analysis.stats.equivalence import equivalence, non_inferiority
from analysis.stats.paired import PairedT, paired_t

A, B = np.array([4.1, 3.8, 4.4, 4.0, 3.9, 4.2]), np.array([4.0, 4.1, 4.2, 3.9, 4.0, 4.0])


def paired() -> PairedT:
    found = paired_t(A, B)
    assert isinstance(found, PairedT)
    return found


def groups() -> TwoSampleT:
    found = student_t(A, B)
    assert isinstance(found, TwoSampleT)
    return found


def test_equivalence_of_pairs_is_two_one_sided_tests() -> None:
    found = equivalence(paired(), 0.3)
    assert found.p_lower == pytest.approx(ttest_1samp(A - B, -0.3, alternative="greater").pvalue)
    assert found.p_upper == pytest.approx(ttest_1samp(A - B, 0.3, alternative="less").pvalue)
    assert found.p == max(found.p_lower, found.p_upper)


def test_equivalence_of_groups_is_two_one_sided_tests() -> None:
    found = equivalence(groups(), 0.3)
    assert found.p_lower == pytest.approx(ttest_ind(A + 0.3, B, alternative="greater").pvalue)
    assert found.p_upper == pytest.approx(ttest_ind(A - 0.3, B, alternative="less").pvalue)


@pytest.mark.parametrize("margin", [0.01, 0.1, 0.2, 0.3, 1.0])
def test_equivalent_where_the_interval_lies_within_the_margins(margin: float) -> None:
    found = equivalence(paired(), margin)
    low, high = found.interval
    assert found.equivalent == (-margin < low and high < margin)


@pytest.mark.parametrize("margin", [0.01, 0.1, 0.2, 0.3, 1.0])
def test_not_inferior_where_the_lower_bound_is_above_the_margin(margin: float) -> None:
    found = non_inferiority(paired(), margin)
    assert found.non_inferior == (found.lower > -margin)
    assert found.p == pytest.approx(ttest_1samp(A - B, -margin, alternative="greater").pvalue)


def test_a_smaller_alpha_asks_for_more() -> None:
    strict, usual = (equivalence(paired(), 0.3, alpha=alpha) for alpha in (0.01, 0.05))
    assert strict.interval[0] < usual.interval[0]
    assert strict.p == usual.p
    assert non_inferiority(paired(), 0.3, alpha=0.01).lower < non_inferiority(paired(), 0.3).lower


@pytest.mark.parametrize("margin", [0, -0.3, float("nan")])
def test_a_margin_is_above_zero(margin: float) -> None:
    for test in (equivalence, non_inferiority):
        with pytest.raises(ValueError, match="above 0"):
            test(paired(), margin)
