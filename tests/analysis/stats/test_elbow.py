"""Elbows: found where a group of careless raters is, and denied where there is only a tail."""

import numpy as np
import pytest

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
        assert found.verdict.startswith("no clear elbow: the tail is no group of its own")


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
