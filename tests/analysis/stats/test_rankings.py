"""Friedman's test, Kendall's W and pairs of systems."""

from itertools import permutations, product

import numpy as np
import pytest
from pandas import DataFrame

from analysis.stats.bootstrap import resampled
from analysis.stats.inestimable import Inestimable
from analysis.stats.rankings import (
    Friedman,
    WithinBlocks,
    concordance_interval,
    concordance_within_blocks,
    friedman,
)

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


def every_order(table: DataFrame) -> float:
    """p by counting: every order of every rater's ranks, and how many have totals as uneven."""
    ranks = table.rank(axis=1).to_numpy()
    of_raters = [list(permutations(row)) for row in ranks]
    totals = np.array([np.sum(each, axis=0) for each in product(*of_raters)])
    uneven = (totals**2).sum(axis=1)
    return float((uneven >= (ranks.sum(axis=0) ** 2).sum() - 1e-9).mean())


@pytest.mark.parametrize(
    "table",
    [
        DataFrame({"x": [1, 1, 1, 1], "y": [2, 2, 2, 2]}),
        DataFrame({"x": [1, 1, 2, 1, 1], "y": [2, 3, 1, 2, 3], "z": [3, 2, 3, 3, 2]}),
        DataFrame({"x": [1, 1, 2], "y": [1, 3, 1], "z": [3, 2, 2]}),
    ],
    ids=["two systems", "three systems", "ties"],
)
def test_p_of_few_raters_counts_all_permutations(table: DataFrame) -> None:
    """Four raters who prefer x to y: p = .125, where χ² has .046."""
    found = friedman(table, seed=1)
    assert isinstance(found, Friedman) and found.method == "exact"
    assert found.p == pytest.approx(every_order(table))


def test_p_of_more_raters_is_of_random_permutations_and_of_many_by_chi_squared() -> None:
    draw = np.random.default_rng(2)
    table = DataFrame(draw.normal([0, 0.3, 0.5, 0.5], size=(60, 4)))
    few, many = (friedman(table.head(n), seed=1) for n in (20, 60))
    assert isinstance(few, Friedman) and isinstance(many, Friedman)
    assert (few.method, many.method) == ("permuted", "asymptotic")
    by_chi = friedman(table.head(20))
    assert isinstance(by_chi, Friedman) and by_chi.method == "asymptotic"
    assert few.p == pytest.approx(by_chi.p, abs=0.03)
    again = friedman(table.head(20), seed=1)
    assert isinstance(again, Friedman) and again.p == few.p


@pytest.mark.slow
@pytest.mark.parametrize(("raters", "systems"), [(4, 2), (4, 4), (10, 3)])
def test_few_raters_without_preferences_are_rarely_said_to_have_some(
    raters: int, systems: int
) -> None:
    """By χ² four raters of two systems would be in 12.5 % of studies."""
    draw = np.random.default_rng(7)
    tables = (DataFrame(draw.normal(size=(raters, systems))) for _ in range(400))
    found = [friedman(table, seed=1) for table in tables]
    rejected = sum(isinstance(each, Friedman) and each.p < 0.05 for each in found)
    assert rejected <= 32  # 99 % of such counts where 5 % are rejected


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


def w_of(table: DataFrame) -> float:
    found = friedman(table)
    assert isinstance(found, Friedman)
    return found.w


def test_interval_of_w_draws_raters_and_counts_no_rater_against_himself() -> None:
    table = DataFrame(np.random.default_rng(3).normal([0, 0.5, 1, 1.5], size=(8, 4)))
    weights = resampled(8, seed=2, resamples=300)
    ranks = table.rank(axis=1).to_numpy()
    pairs = np.corrcoef(ranks)  # Spearman's ρ of every two raters
    expected = []
    for times in weights:
        together = np.outer(times, times)
        np.fill_diagonal(together, 0)
        expected.append(1 / 8 + 7 / 8 * (together * pairs).sum() / together.sum())
    bounds = concordance_interval(table, seed=2, resamples=300)
    assert bounds == pytest.approx(np.quantile(np.clip(expected, 0, 1), [0.025, 0.975]))
    assert bounds is not None
    assert bounds[0] < w_of(table) < bounds[1]


def test_interval_of_w_is_there_only_where_w_is() -> None:
    assert concordance_interval(RANKS.iloc[:1], seed=1) is None
    assert concordance_interval(DataFrame([[1, 2, 3]] * 5), seed=1) == (1, 1)


def test_w_within_blocks_is_the_mean_of_that_of_each_block_over_who_judged_all_of_it() -> None:
    draw = np.random.default_rng(5)
    tables = [DataFrame(draw.integers(1, 6, size=(9, k)).astype(float)) for k in (5, 5, 3)]
    tables[0].iloc[2, 1] = tables[0].iloc[4, 4] = _
    tied = DataFrame(np.full((4, 3), 2.0))
    judged = DataFrame(
        [
            (rater, block, system, value)
            for block, table in enumerate([*tables, tied])
            for rater, row in table.iterrows()
            for system, value in row.items()
            if not np.isnan(value)
        ],
        columns=["rater", "block", "system", "value"],
    )
    found = concordance_within_blocks(judged.sample(frac=1, random_state=1), seed=1)
    assert isinstance(found, WithinBlocks)
    each = [w_of(table) for table in tables]
    assert found.w == pytest.approx(np.mean(each))
    assert (found.blocks, found.left_out, found.raters, found.things) == (3, 1, 9, 13)
    drawn = resampled(3, seed=1) @ np.array(each) / 3
    assert found.interval == pytest.approx(np.quantile(drawn, [0.025, 0.975]))


def test_w_within_blocks_needs_a_block_that_two_raters_judged() -> None:
    alone = DataFrame({"rater": [0, 0], "block": [0, 0], "system": [0, 1], "value": [1, 2]})
    for judged, kind in [(alone, "no_values"), (alone.head(0), "no_values")]:
        found = concordance_within_blocks(judged, seed=1)
        assert isinstance(found, Inestimable)
        assert found.kind == kind
