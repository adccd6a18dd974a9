"""Quantiles of the studentized range have the tails that scipy gives."""

from math import sqrt

import pytest
from scipy.stats import studentized_range
from scipy.stats import t as students_t

from analysis.stats.studentized_range import isf


@pytest.mark.parametrize(("p", "k", "df"), [(0.05, 4, 112.3), (0.5, 3, 20), (1e-3, 50, 9)])
def test_quantile_has_its_tail(p: float, k: int, df: float) -> None:
    assert studentized_range.sf(isf(p, k, df), k, df) == pytest.approx(p, rel=1e-7)


@pytest.mark.parametrize("df", [1, 2.5, 30, 1e5])
def test_range_of_two_means_is_their_t_times_root_two(df: float) -> None:
    for p in (0.5, 0.05, 1e-4):
        assert isf(p, 2, df) == pytest.approx(students_t.isf(p / 2, df) * sqrt(2), rel=1e-8)
