"""Means with resampled raters and scenarios, places, and the matrix of wins."""

from typing import Any

import numpy as np
import pytest

from analysis.stats.inestimable import Inestimable
from analysis.stats.order import Resamples, places, resampled_means, win_matrix


def rated(
    means: list[float], raters: int = 12, scenarios: int = 20, *, noise: float = 1.0, seed: int = 1
) -> Any:
    """Ratings, and the numbers of their systems, raters and scenarios; all rate everything."""
    draw = np.random.default_rng(seed)
    system, rater, scenario = (each.ravel() for each in np.indices((len(means), raters, scenarios)))
    ratings = np.array(means)[system] + draw.normal(0, noise, len(system))
    return ratings, system, rater, scenario


def test_equal_means_share_the_better_place() -> None:
    assert list(places(np.array([2.0, 3.0, 3.0 + 1e-12, 1.0]))) == [3, 1, 1, 4]


def first(found: Resamples | Inestimable) -> Any:
    """How often each system has the highest mean."""
    assert isinstance(found, Resamples)
    return (places(found.means[1:]) == 1).mean(axis=0)


def test_systems_that_lie_far_apart_keep_their_order_and_alike_ones_take_turns() -> None:
    assert list(first(resampled_means(*rated([1.0, 3.0, 2.0], noise=0.2), seed=1))) == [0, 1, 0]
    alike = first(resampled_means(*rated([2.0, 2.0, 0.0], noise=2.0), seed=1))
    assert alike.sum() == pytest.approx(1) and 0.02 < alike[0] < 0.98


@pytest.mark.slow
def test_means_of_resamples_scatter_as_means_of_other_raters_would() -> None:
    """Of two systems that differ by 1 for half of three raters' SD: first as often as t says."""
    draw = np.random.default_rng(5)
    shares = []
    for _ in range(300):
        tastes = draw.normal(0, 1, 3)
        system, rater = (each.ravel() for each in np.indices((2, 3)))
        ratings = np.where(system == 0, tastes[rater], 0.0)
        found = resampled_means(ratings, system, rater, np.zeros(6, int), seed=1, resamples=200)
        shares.append(first(found)[0])
    assert np.mean(shares) == pytest.approx(0.5, abs=0.05)


def test_one_scenario_leaves_raters_to_resample_and_one_of_both_leaves_nothing() -> None:
    assert isinstance(resampled_means(*rated([1.0, 2.0], scenarios=1), seed=1), Resamples)
    assert isinstance(resampled_means(*rated([1.0, 2.0], raters=1), seed=1), Resamples)
    nothing = resampled_means(*rated([1.0, 2.0], raters=1, scenarios=1), seed=1)
    assert isinstance(nothing, Inestimable)
    assert str(nothing).endswith("there are no other raters and no other scenarios")


def test_resamples_without_a_system_are_left_out_and_too_few_are_not_enough() -> None:
    """Every rater sees one system: with a single rater of each, some system is always missing."""
    ratings, system, rater, scenario = rated([1.0, 2.0, 3.0], raters=6)
    own = rater % 3 == system
    found = resampled_means(ratings[own], system[own], rater[own], scenario[own], seed=1)
    assert isinstance(found, Resamples) and 200 < found.n < 1800
    own = rater == system
    found = resampled_means(ratings[own], system[own], rater[own], scenario[own], seed=1)
    assert isinstance(found, Inestimable) and "some system has no rating" in str(found)


def test_same_seed_gives_the_same_order_and_no_rating_counts_twice() -> None:
    data = rated([1.0, 1.2, 1.1])
    one, other = (resampled_means(*data, seed=7) for _ in range(2))
    assert isinstance(one, Resamples) and isinstance(other, Resamples)
    assert (one.means == other.means).all()
    twice = resampled_means(*(np.concatenate([each, each]) for each in data), seed=7)
    assert isinstance(twice, Resamples) and twice.means == pytest.approx(one.means)


def test_win_matrix_counts_units_with_both_systems() -> None:
    means = np.array([[3.0, 2.0, np.nan], [1.0, 2.0, 2.0], [0.1 + 0.2, 0.3, 1.0]])
    found = win_matrix(means)
    assert found.wins.tolist() == [[0, 1, 0], [1, 0, 0], [2, 1, 0]]
    assert found.both.tolist() == [[3, 3, 2], [3, 3, 2], [2, 2, 2]]
