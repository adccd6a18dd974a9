"""The studentized range equals scipy's, and for two means Student's t."""

from math import sqrt

import pytest
from scipy.stats import studentized_range as of_scipy
from scipy.stats import t as students_t

from analysis.stats.studentized_range import isf, sf


@pytest.mark.parametrize(("q", "k", "df"), [(3, 4, 20), (3.5, 4, 100.3), (8, 2, 3), (12, 6, 12)])
def test_tail_equals_that_of_scipy(q: float, k: int, df: float) -> None:
    assert sf(q, k, df) == pytest.approx(of_scipy.sf(q, k, df), rel=1e-9)


@pytest.mark.parametrize("df", [1, 2.5, 30, 1e5])
def test_range_of_two_means_is_their_t_times_root_two(df: float) -> None:
    for t in (0.1, 1, 2.5):
        assert sf(t * sqrt(2), 2, df) == pytest.approx(2 * students_t.sf(t, df), abs=1e-11)


@pytest.mark.parametrize(("k", "df"), [(2, 1), (4, 112), (50, 9)])
def test_quantile_has_its_tail(k: int, df: float) -> None:
    for p in (0.5, 0.05, 1e-4):
        assert sf(isf(p, k, df), k, df) == pytest.approx(p, rel=1e-8)


def test_no_range_is_below_zero() -> None:
    assert sf(0, 3, 10) == 1
