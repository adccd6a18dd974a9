"""The order of systems, with resampled raters and scenarios, and the matrix of wins."""

from typing import Any

import numpy as np
import pytest

from analysis.stats.inestimable import Inestimable
from analysis.stats.order import ResampledOrder, places, resampled_order, win_matrix


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


def test_planted_order_is_found_and_sure_where_systems_lie_far_apart() -> None:
    found = resampled_order(*rated([1.0, 3.0, 2.0], noise=0.2), seed=1)
    assert isinstance(found, ResampledOrder)
    assert list(found.places) == list(found.low) == list(found.high) == [3, 1, 2]
    assert list(found.first) == [0, 1, 0]


def test_systems_that_are_alike_take_turns() -> None:
    found = resampled_order(*rated([2.0, 2.0, 0.0], noise=2.0), seed=1)
    assert isinstance(found, ResampledOrder)
    assert (found.low[:2] == 1).all() and (found.high[:2] == 2).all()
    assert found.first.sum() == pytest.approx(1)
    assert 0.02 < found.first[0] < 0.98


@pytest.mark.slow
def test_means_of_resamples_scatter_as_means_of_other_raters_would() -> None:
    """Of two systems that differ by 1 for half of three raters' SD: first as often as t says."""
    draw = np.random.default_rng(5)
    shares = []
    for _ in range(300):
        tastes = draw.normal(0, 1, 3)
        system, rater = (each.ravel() for each in np.indices((2, 3)))
        ratings = np.where(system == 0, tastes[rater], 0.0)
        found = resampled_order(ratings, system, rater, np.zeros(6, int), seed=1, resamples=200)
        assert isinstance(found, ResampledOrder)
        shares.append(found.first[0])
    assert np.mean(shares) == pytest.approx(0.5, abs=0.05)


def test_one_scenario_leaves_raters_to_resample_and_one_of_both_leaves_nothing() -> None:
    assert isinstance(resampled_order(*rated([1.0, 2.0], scenarios=1), seed=1), ResampledOrder)
    assert isinstance(resampled_order(*rated([1.0, 2.0], raters=1), seed=1), ResampledOrder)
    nothing = resampled_order(*rated([1.0, 2.0], raters=1, scenarios=1), seed=1)
    assert isinstance(nothing, Inestimable)
    assert str(nothing).endswith("there are no other raters and no other scenarios")


def test_resamples_without_a_system_are_left_out_and_too_few_are_not_enough() -> None:
    """Every rater sees one system: with a single rater of each, some system is always missing."""
    ratings, system, rater, scenario = rated([1.0, 2.0, 3.0], raters=6)
    own = rater % 3 == system
    found = resampled_order(ratings[own], system[own], rater[own], scenario[own], seed=1)
    assert isinstance(found, ResampledOrder) and 200 < found.resamples < 1800
    own = rater == system
    found = resampled_order(ratings[own], system[own], rater[own], scenario[own], seed=1)
    assert isinstance(found, Inestimable) and "some system has no rating" in str(found)


def test_same_seed_gives_the_same_order_and_no_rating_counts_twice() -> None:
    data = rated([1.0, 1.2, 1.1])
    one, other = (resampled_order(*data, seed=7) for _ in range(2))
    assert isinstance(one, ResampledOrder) and isinstance(other, ResampledOrder)
    assert (one.first == other.first).all()
    twice = resampled_order(*(np.concatenate([each, each]) for each in data), seed=7)
    assert isinstance(twice, ResampledOrder) and (twice.first == one.first).all()


def test_win_matrix_counts_units_with_both_systems() -> None:
    means = np.array([[3.0, 2.0, np.nan], [1.0, 2.0, 2.0], [0.1 + 0.2, 0.3, 1.0]])
    found = win_matrix(means)
    assert found.wins.tolist() == [[0, 1, 0], [1, 0, 0], [2, 1, 0]]
    assert found.both.tolist() == [[3, 3, 2], [3, 3, 2], [2, 2, 2]]
