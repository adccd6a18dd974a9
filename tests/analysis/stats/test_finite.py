"""Values without a bound are refused by all that takes values; the largest others are not."""

from collections.abc import Callable
from dataclasses import is_dataclass
from math import isfinite
from typing import Any

import numpy as np
import pytest
from pandas import DataFrame, Index, Series

from analysis.stats.agreement import alpha_over_clusters, krippendorff_alpha, limits_of_agreement
from analysis.stats.alt_test import alt_test
from analysis.stats.anova import games_howell, one_way_anova, welch_anova
from analysis.stats.careless import duration_bounds, intra_individual_variability
from analysis.stats.choices import free_marginal_kappa
from analysis.stats.comparisons import mann_whitney, student_t, welch_t
from analysis.stats.effect_sizes import hedges_g
from analysis.stats.elbow import elbow
from analysis.stats.finite import LARGEST
from analysis.stats.intraclass_correlation import intraclass_correlations
from analysis.stats.min_f_prime import min_f_prime
from analysis.stats.paired import paired_t, wilcoxon_signed_rank
from analysis.stats.rankings import concordance_within_blocks, friedman
from analysis.stats.validity import correlation_within, signed_bias

Values = list[float]


def table(values: Values) -> DataFrame:
    return DataFrame({"x": values, "y": values[::-1]})


def long(values: Values) -> DataFrame:
    given = {"unit": [0, 0, 1, 1], "cluster": [0, 0, 1, 1], "value": values}
    return DataFrame(given | {"rater": [0, 1, 0, 1], "block": 0, "system": [0, 0, 1, 1]})


def things(values: Values) -> DataFrame:
    return DataFrame({"group": [1, 1, 2, 2], "judge": values, "people": values[::-1], "by": "x"})


OTHERS = [1.0, 2.0, 5.0, 3.0]
TAKERS: list[Callable[[Values], Any]] = [
    *(lambda v, test=test: test(v, OTHERS) for test in (student_t, welch_t, mann_whitney)),
    *(lambda v, test=test: test(v, OTHERS) for test in (hedges_g, paired_t, wilcoxon_signed_rank)),
    *(
        lambda v, test=test: test({"a": v, "b": OTHERS, "c": [2.0, 3.0]})
        for test in (one_way_anova, welch_anova, games_howell)
    ),
    lambda v: intraclass_correlations(table(v)),
    lambda v: friedman(table(v)),
    lambda v: min_f_prime(table(v)),
    lambda v: krippendorff_alpha(table(v)),
    lambda v: alpha_over_clusters(long(v), "interval", seed=1),
    lambda v: concordance_within_blocks(long(v), seed=1),
    lambda v: limits_of_agreement(Series(v)),
    lambda v: alt_test(table(v), Series(OTHERS), epsilon=0.1, fewest_items=1),
    lambda v: correlation_within(things(v), seed=1),
    lambda v: signed_bias(things(v), "by", seed=1),
    lambda v: free_marginal_kappa(DataFrame([v, v]).abs(), seed=1),
    lambda v: elbow(v * 5, tail="low", seed=1, resamples=20),
    lambda v: duration_bounds(Series(v * 5)),
    lambda v: intra_individual_variability(long(v), Index([0, 1])),
]


@pytest.mark.parametrize("taker", TAKERS)
@pytest.mark.parametrize("boundless", [np.inf, -np.inf, 1e300])
def test_boundless_values_are_refused(taker: Callable[[Values], Any], boundless: float) -> None:
    with pytest.raises(ValueError, match="infinite values"):
        taker([1.0, 4.0, 2.0, boundless])


@pytest.mark.parametrize("taker", TAKERS)
@pytest.mark.filterwarnings("error", "ignore:The inplace keyword")  # of pingouin's own code
def test_the_largest_values_are_computed_with(taker: Callable[[Values], Any]) -> None:
    found = taker([LARGEST, -LARGEST / 2, LARGEST / 4, LARGEST / 8])
    numbers = vars(found).values() if is_dataclass(found) else [found]
    assert all(isfinite(each) for each in numbers if isinstance(each, float))
