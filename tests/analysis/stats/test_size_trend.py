"""The trend of values over sizes, held against scipy's."""

import numpy as np
import pytest
from scipy.stats import linregress, spearmanr

from analysis.stats.size_trend import size_trend

SIZES = np.array([5e8, 1e9, 1.5e9, 1.5e9, 3e9, 3.8e9])
VALUES = np.random.default_rng(1).normal(3, 0.5, (400, 6))


def test_rho_and_line_are_scipys_with_models_of_one_size() -> None:
    found = size_trend(SIZES, VALUES)
    line = linregress(np.log10(SIZES), VALUES[0])
    assert found.slope == pytest.approx(line.slope)
    assert found.intercept == pytest.approx(line.intercept)
    assert found.rho == pytest.approx(spearmanr(SIZES, VALUES[0]).statistic)


def test_intervals_are_percentiles_over_the_resamples() -> None:
    found = size_trend(SIZES, VALUES, confidence=0.9)
    slopes = [linregress(np.log10(SIZES), row).slope for row in VALUES[1:]]
    rhos = [spearmanr(SIZES, row).statistic for row in VALUES[1:]]
    assert found.slope_interval == pytest.approx(np.quantile(slopes, [0.05, 0.95]))
    assert found.rho_interval == pytest.approx(np.quantile(rhos, [0.05, 0.95]))


def test_equal_values_have_a_flat_line_and_no_rank_correlation() -> None:
    found = size_trend(SIZES, np.full((1, 6), 3.0))
    assert found.slope == pytest.approx(0) and np.isnan(found.rho)
    assert found.slope_interval is None
