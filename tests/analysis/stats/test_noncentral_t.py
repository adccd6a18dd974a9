"""The noncentral t distribution, there too where scipy's gives up."""

import numpy as np
import pytest
from scipy.special import nctdtr
from scipy.stats import t as students_t

from analysis.stats.noncentral_t import cdf, noncentrality_interval


@pytest.mark.parametrize("df", [1, 2, 7.5, 114, 13_000])
@pytest.mark.parametrize("t", [-40, -2.5, 0, 0.3, 3, 60])
def test_distribution_equals_that_of_scipy_and_without_noncentrality_that_of_student(
    t: float, df: float
) -> None:
    assert cdf(t, df, 0) == pytest.approx(students_t.cdf(t, df), abs=1e-11)
    for noncentrality in t + np.array([-1.5, 0.2, 2]):
        assert cdf(t, df, noncentrality) == pytest.approx(nctdtr(df, noncentrality, t), abs=1e-10)


@pytest.mark.parametrize(("t", "df"), [(10, 100), (37, 10_000), (1e6, 5), (-300, 1), (0, 20)])
def test_interval_leaves_t_in_neither_tail_however_far_out(t: float, df: float) -> None:
    low, high = noncentrality_interval(t, df)
    assert low < high
    assert cdf(t, df, low) == pytest.approx(0.975, abs=1e-9)
    assert cdf(t, df, high) == pytest.approx(0.025, abs=1e-9)
