"""Elbows: found where a group of careless raters is, and denied where there is only a tail."""

import numpy as np
import pytest
from scipy.stats import norm

from analysis.stats.elbow import Elbow, elbow
from analysis.stats.inestimable import Inestimable


def crowd(careless: float, raters: int = 116, seed: int = 1) -> np.ndarray:
    """σ of raters, a share of whom hardly vary."""
    draw = np.random.default_rng(seed)
    few = round(careless * raters)
    return np.concatenate([draw.normal(0.2, 0.1, few), draw.normal(1, 0.18, raters - few)])


def found_in(values: np.ndarray, tail: str = "low", seed: int = 1) -> Elbow:
    found = elbow(values, tail="low" if tail == "low" else "high", seed=seed, resamples=200)
    assert isinstance(found, Elbow)
    return found


def test_a_group_of_its_own_is_cut_off() -> None:
    found = found_in(crowd(0.1))
    assert found.clear
    assert 0.35 < found.cut < 0.75
    assert found.interval[0] < found.cut < found.interval[1]
    assert 10 <= found.cut_off <= 18
    assert found.verdict.startswith("clear elbow at ")


def valley(values: np.ndarray, bandwidth: float) -> bool:
    """Does the density fall and rise again where 2 to 50 % of the values are below?"""
    points = np.linspace(values.min(), np.median(values), 300)
    density = norm.pdf((points[:, None] - values) / bandwidth).sum(axis=1)
    lowest = np.flatnonzero((density[1:-1] < density[:-2]) & (density[1:-1] < density[2:])) + 1
    below = (values[:, None] <= points[lowest]).mean(axis=0)
    return bool(((below >= 0.02) & (below <= 0.5)).any())


@pytest.mark.slow
def test_p_is_that_of_resamples_smoothed_without_more_variance() -> None:
    values = np.concatenate([np.linspace(0, 1, 8), np.linspace(2, 3, 16)])
    narrow, wide = 0.01, 3.0
    while wide / narrow > 1.001:
        middle = float(np.sqrt(narrow * wide))
        narrow, wide = (middle, wide) if valley(values, middle) else (narrow, middle)
    draw = np.random.default_rng(5)
    hits = 0
    for _ in range(400):
        drawn = draw.choice(values, len(values))
        noisy = drawn + wide * draw.standard_normal(len(drawn)) - drawn.mean()
        smooth = drawn.mean() + noisy / np.sqrt(1 + (wide / values.std()) ** 2)
        hits += valley(smooth, wide)
    found = elbow(values, tail="low", seed=1, resamples=2000)
    assert isinstance(found, Elbow)
    assert found.p == pytest.approx(hits / 400, abs=0.04)


def test_p_is_never_zero_because_the_values_are_a_resample_too() -> None:
    apart = np.concatenate([np.linspace(0.0, 0.1, 20), np.linspace(9.9, 10.0, 96)])
    assert found_in(apart).p == 1 / 201


def test_the_high_tail_is_the_low_one_turned() -> None:
    low, high = found_in(crowd(0.1)), found_in(-crowd(0.1), "high")
    assert (high.cut, high.p, high.cut_off) == (-low.cut, low.p, low.cut_off)
    assert high.interval == (-low.interval[1], -low.interval[0])


def test_a_tail_alone_has_no_clear_elbow() -> None:
    draw = np.random.default_rng(2)
    for values in (draw.normal(1, 0.2, 116), -draw.gamma(8, size=116)):
        found = found_in(values)
        assert not found.clear
        assert found.verdict.startswith("no clear elbow: the tail is not shown to be a group")


def test_the_unit_does_not_matter_and_the_seed_repeats_the_result() -> None:
    values = crowd(0.1)
    one, scaled = found_in(values), found_in(100 * values - 7)
    assert scaled.cut == pytest.approx(100 * one.cut - 7)
    assert scaled.p == one.p
    assert one == found_in(values)


def test_missing_values_are_left_out() -> None:
    assert found_in(np.append(crowd(0.1), [np.nan] * 5)) == found_in(crowd(0.1))


def test_whole_numbers_with_many_ties_have_an_elbow_too() -> None:
    found = found_in(np.repeat([1.0, 8, 9, 10, 11], [10, 20, 40, 30, 16]))
    assert found.clear
    assert 1 <= found.cut < 8


def test_a_handful_or_a_constant_has_no_elbow() -> None:
    assert elbow([1.0] * 19, tail="low", seed=1) == Inestimable(
        "too_few", "fewer than 20 values are known: 19"
    )
    assert elbow([1.3] * 40, tail="low", seed=1) == Inestimable(
        "constant", "all values are the same"
    )
    with pytest.raises(ValueError, match="infinite"):
        elbow([1.0, np.inf], tail="low", seed=1)


@pytest.mark.slow
def test_clear_elbows_are_rare_without_a_group_and_usual_with_one() -> None:
    draw = np.random.default_rng(4)
    without = [found_in(draw.normal(1, 0.2, 116)).clear for _ in range(30)]
    with_one = [found_in(crowd(0.1, seed=seed)).clear for seed in range(30)]
    assert np.mean(without) <= 0.05
    assert np.mean(with_one) >= 0.85
