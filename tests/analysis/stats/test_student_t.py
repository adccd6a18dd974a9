"""Quantiles of Student's t, against scipy's."""

import pytest
from scipy.stats import t as scipys

from analysis.stats.student_t import t_quantile


@pytest.mark.parametrize("df", [1, 2, 3.5, 10, 115, 7999, 1e5])
@pytest.mark.parametrize("p", [1e-6, 0.025, 0.3, 0.5, 0.6, 0.95, 0.975, 0.9999])
def test_quantiles_are_scipys(p: float, df: float) -> None:
    assert t_quantile(p, df) == pytest.approx(scipys.ppf(p, df), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(("p", "df"), [(0, 5), (1, 5), (0.5, 0), (float("nan"), 5)])
def test_there_is_none_of_no_probability_and_no_freedom(p: float, df: float) -> None:
    with pytest.raises(ValueError, match="no t quantile"):
        t_quantile(p, df)
