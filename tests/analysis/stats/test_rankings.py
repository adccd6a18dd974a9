"""Friedman's test, Kendall's W and pairs of systems."""

import numpy as np
import pytest
from pandas import DataFrame

from analysis.stats.inestimable import Inestimable
from analysis.stats.paired import SignedRank, wilcoxon_signed_rank
from analysis.stats.rankings import Friedman, friedman, pairwise_wilcoxon

_ = np.nan
RANKS = DataFrame({"x": [1, 1, 2, 1], "y": [2, 3, 1, 2], "z": [3, 2, 3, 3]})


def test_friedman_without_ties_is_the_textbook_formula() -> None:
    found = friedman(RANKS)
    assert isinstance(found, Friedman)
    n, k, totals = 4, 3, np.array([5, 8, 11])
    expected = 12 / (n * k * (k + 1)) * (totals**2).sum() - 3 * n * (k + 1)
    assert found.chi_squared == pytest.approx(expected)
    assert found.p == pytest.approx(np.exp(-expected / 2))  # χ² with two degrees of freedom
    assert found.w == pytest.approx(expected / (n * (k - 1)))
    assert found.mean_ranks.to_dict() == {"x": 1.25, "y": 2.0, "z": 2.75}


def test_perfect_concordance_has_a_w_of_one_with_ties_too() -> None:
    for row in ([1, 2, 3], [1, 2, 2]):
        found = friedman(DataFrame([row] * 5))
        assert isinstance(found, Friedman)
        assert found.w == pytest.approx(1)


def test_incomplete_raters_are_left_out_and_counted() -> None:
    table = RANKS.astype(float)
    table.loc[9] = [1, _, 3]
    found = friedman(table)
    assert isinstance(found, Friedman)
    assert (found.n, found.left_out) == (4, 1)
    complete = friedman(RANKS)
    assert isinstance(complete, Friedman)
    assert found.chi_squared == complete.chi_squared


@pytest.mark.parametrize(
    ("table", "kind"),
    [
        (RANKS.iloc[:0], "no_values"),
        (DataFrame({"x": [1, _], "y": [_, 2]}), "incomplete"),
        (RANKS[["x"]], "one_group"),
        (RANKS.iloc[:1], "too_few"),
        (DataFrame({"x": [3, 2], "y": [3, 2], "z": [3, 2]}), "no_difference"),
    ],
    ids=["nobody", "no complete rater", "one system", "one rater", "all ties"],
)
def test_what_cannot_be_ordered_is_said(table: DataFrame, kind: str) -> None:
    found = friedman(table)
    assert isinstance(found, Inestimable)
    assert found.kind == kind


def test_infinite_values_are_refused() -> None:
    with pytest.raises(ValueError, match="infinite"):
        friedman(RANKS.replace(3, np.inf))


def test_pairs_are_tested_with_holm_over_those_that_can_be() -> None:
    table = DataFrame({"x": [1, 2, 3, 2, 1], "y": [3, 3, 4, 5, _], "z": [1, 2, 3, 2, _]})
    found = pairwise_wilcoxon(table)
    assert [(pair.a, pair.b) for pair in found] == [("x", "y"), ("x", "z"), ("y", "z")]
    first, second, third = found
    assert first.test == wilcoxon_signed_rank(table["x"], table["y"])
    assert second.test == Inestimable("no_difference", "all 4 differences are zero")
    assert second.p_adjusted is None
    assert isinstance(first.test, SignedRank)
    assert isinstance(third.test, SignedRank)
    assert first.test.p == pytest.approx(third.test.p)
    assert first.p_adjusted == pytest.approx(2 * first.test.p)  # a family of two


def test_no_systems_have_no_pairs() -> None:
    assert pairwise_wilcoxon(RANKS[["x"]]) == ()
