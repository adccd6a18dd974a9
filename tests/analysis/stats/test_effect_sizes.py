"""Cohen's d and Hedges' g, and that their intervals hold what they promise."""

from math import gamma, sqrt

import numpy as np
import pytest
from scipy.stats import nct

from analysis.stats.comparisons import t_tests
from analysis.stats.effect_sizes import (
    StandardizedDifference,
    bias_factor,
    cohens_d,
    cohens_ds,
    hedges_g,
    noncentrality_interval,
)
from analysis.stats.inestimable import Inestimable


def test_d_is_the_difference_in_pooled_standard_deviations_with_its_sign() -> None:
    low, high = [1, 2, 3, 2], [5, 3, 4]
    found, turned = cohens_d(high, low), cohens_d(low, high)
    assert isinstance(found, StandardizedDifference)
    assert isinstance(turned, StandardizedDifference)
    assert found.estimate == pytest.approx(2 / sqrt(4 / 5))
    assert turned.estimate == -found.estimate
    assert turned.interval == (-found.interval[1], -found.interval[0])
    assert (found.df, found.n_a, found.n_b) == (5, 3, 4)


def test_g_is_d_without_its_bias() -> None:
    d, g = cohens_d([5, 3, 4], [1, 2, 3, 2]), hedges_g([5, 3, 4], [1, 2, 3, 2])
    assert isinstance(d, StandardizedDifference)
    assert isinstance(g, StandardizedDifference)
    factor = gamma(2.5) / (sqrt(2.5) * gamma(2))
    assert g.estimate == pytest.approx(factor * d.estimate)
    assert g.interval == pytest.approx([factor * bound for bound in d.interval])
    assert bias_factor(1000) == pytest.approx(1 - 3 / (4 * 1000 - 1), rel=1e-6)


def test_what_cannot_be_estimated_is_said() -> None:
    assert cohens_d([1, 1], [2, 2]) == Inestimable(
        "constant", "within each group all values are the same"
    )
    assert cohens_d([], [2, 2]) == Inestimable("one_group", "group a is empty")
    few = Inestimable("too_few", "three values leave one degree of freedom, where J is 0")
    assert hedges_g([1], [2, 4]) == few


@pytest.mark.slow
def test_interval_holds_the_true_d_in_95_of_100_samples() -> None:
    draw = np.random.default_rng(3)
    samples = [(draw.normal(0.5, 1, 12), draw.normal(0, 1, 20)) for _ in range(2000)]
    found = cohens_ds(t_tests(samples, equal_variances=True))
    intervals = [each.interval for each in found if isinstance(each, StandardizedDifference)]
    assert len(intervals) == 2000
    assert np.mean([low <= 0.5 <= high for low, high in intervals]) == pytest.approx(
        0.95, abs=0.015
    )


@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.999])
def test_noncentralities_leave_t_in_neither_tail_however_far_out_and_few_the_df(
    confidence: float,
) -> None:
    """scipy's distribution function is NaN for some δ far below 0, where no bound ever is."""
    assert np.isnan(nct.cdf(14, 4, np.linspace(-20, -9, 50))).any()
    t, df = map(np.ravel, np.meshgrid([0, 1e-9, 0.3, 2, 6, 14, 40, 300], [1, 2, 5, 114, 13_918]))
    low, high = noncentrality_interval(t, df, confidence)
    assert nct.cdf(t, df, low) == pytest.approx((1 + confidence) / 2, rel=1e-9)
    assert nct.cdf(t, df, high) == pytest.approx((1 - confidence) / 2, rel=1e-6)
    lowest, highest = noncentrality_interval(-t, df, confidence)
    assert lowest == pytest.approx(-high)
    assert highest == pytest.approx(-low)
