"""Calls that share their chance are found, and calls that do not are left alone."""

import numpy as np
import pytest
from numpy.typing import NDArray
from pandas import DataFrame, Series
from pingouin import rm_anova

from analysis.judges.shared_chance import WHAT_TO_DO, replicate_effect, shared_chance

TEXTS = 102


def asked(*replicates: "NDArray[np.float64] | list[float]") -> DataFrame:
    """Scores of texts (rows) in replicates 1, 2, …"""
    return DataFrame(dict(enumerate(replicates, start=1)), dtype="float64")


def said(table: DataFrame, *, texts_a_call: int = 1) -> list[str]:
    calls = Series(table.index // texts_a_call, index=table.index).astype("str")
    return shared_chance(table, calls)


def simulated(
    seed: int, *, noise: float = 0.5, shared: bool = False, mean: float = 3.5
) -> DataFrame:
    """A judge from 1 to 5 whose texts differ with an SD of 0.8, asked three times."""
    draw = np.random.default_rng(seed)
    chance = draw.normal(0, noise, (1 if shared else TEXTS, 3))
    scores = draw.normal(mean, 0.8, (TEXTS, 1)) + chance
    return asked(*np.clip(np.rint(scores), 1, 5).T)


def test_replicates_that_give_every_text_one_score_are_named() -> None:
    varied = np.tile([1.0, 2.0, 3.0], TEXTS // 3)
    assert said(asked(np.full(TEXTS, 5.0), np.full(TEXTS, 4.0), varied)) == [
        "replicate 1 hardly varies, 100% of its scores are 5 and 0% of the other replicates': "
        + WHAT_TO_DO,
        "replicate 2 hardly varies, 100% of its scores are 4 and 0% of the other replicates': "
        + WHAT_TO_DO,
        "replicates differ in level more than by chance, with means 5.00, 4.00, 2.00: "
        + WHAT_TO_DO,
    ]


def test_one_replicate_without_variation_is_found_at_the_others_level() -> None:
    varied = np.tile([3.0, 4.0, 5.0], TEXTS // 3)
    (text,) = said(asked(np.full(TEXTS, 4.0), varied, np.roll(varied, 1)))
    assert text.startswith("replicate 1 hardly varies, 100% of its scores are 4 and 33% of the")


@pytest.mark.parametrize(("same", "n_flags"), [(95, 1), (94, 0)])
def test_a_replicate_hardly_varies_from_95_percent_of_one_score_on(same: int, n_flags: int) -> None:
    nearly = np.repeat([4.0, 3.0], [same, 100 - same])
    texts = said(asked(nearly, np.resize([1.0, 2.0, 4.0, 5.0], 100)))
    assert sum("replicate 1 hardly varies" in text for text in texts) == n_flags


@pytest.mark.parametrize(("difference", "n_flags"), [(1.5, 0), (1.7, 1)])
def test_levels_differ_from_a_p_of_one_in_a_thousand_on(difference: float, n_flags: int) -> None:
    """Ten texts with differences of d ± 1: t is 3 d, with 9 degrees of freedom."""
    first = np.resize([1.0, 3.0, 5.0], 10)
    assert len(said(asked(first, first + difference + np.resize([1.0, -1.0], 10)))) == n_flags


def test_milder_shared_noise_is_found_by_its_levels() -> None:
    (text,) = said(simulated(1, shared=True))
    assert text.startswith("replicates differ in level more than by chance, with means ")


@pytest.mark.parametrize("mean", [3.5, 5.5])
def test_ordinary_judges_are_left_alone(mean: float) -> None:
    """Also one that gives nearly every text the highest score, and near-copies."""
    assert [text for seed in range(20) for text in said(simulated(seed, mean=mean))] == []
    assert [text for seed in range(5) for text in said(simulated(seed, noise=0.05))] == []


def test_nothing_is_said_where_nothing_varies_or_little_is_known() -> None:
    assert said(asked([5.0] * TEXTS, [5.0] * TEXTS)) == []
    assert said(asked([5.0] * TEXTS)) == []
    assert said(asked([5.0] * 9, [4.0] * 9)) == []
    assert said(asked([5.0] * TEXTS, [float("nan")] * TEXTS)) == []
    assert len(said(asked([5.0] * 10, [4.0] * 10))) == 3


def test_texts_of_one_call_share_its_chance_and_count_once() -> None:
    """A block's scores come from one answer: six of them are not six findings."""

    def by_blocks(seed: int) -> DataFrame:
        draw = np.random.default_rng(seed)
        chance = np.repeat(draw.normal(0, 0.7, (TEXTS // 6, 3)), 6, axis=0)
        scores = draw.normal(3, 0.8, (TEXTS, 1)) + chance
        return asked(*np.clip(np.rint(scores), 1, 5).T)

    tables = [by_blocks(seed) for seed in range(10)]
    assert [text for table in tables for text in said(table, texts_a_call=6)] == []
    assert any(said(table) for table in tables), "taken for six calls, they would mislead"


def test_effect_of_replicates_is_that_of_a_repeated_measures_anova() -> None:
    table = simulated(2)
    expected = float(rm_anova(table.iloc[:30], correction=False)["p_unc"].iloc[0])
    assert replicate_effect(table.iloc[:30]) == pytest.approx(expected)
    assert replicate_effect(DataFrame([[1.0, 2.0], [3.0, 4.0]])) == 0.0
    assert replicate_effect(DataFrame([[1.0, 1.0], [3.0, 3.0]])) == 1.0
