"""Careless raters found without gold scores, and held against σ and the distance to gold."""

import numpy as np
import pytest
from pandas import DataFrame

from analysis.not_available import NotAvailable
from analysis.recipe import shipped_recipes
from analysis.tables.rater_fit import rater_fit
from benchmarks.careless import Careless, found, planted

PAPER, SOUND = shipped_recipes().values()


@pytest.fixture(scope="module")
def study() -> Careless:
    return planted(raters=30, scenarios=8, systems=4, seed=3)


@pytest.fixture(scope="module")
def table(study: Careless) -> DataFrame:
    return rater_fit(study.ratings, SOUND, raters="all")


def test_each_rater_has_a_row_the_noisiest_first(study: Careless, table: DataFrame) -> None:
    assert set(table["participant"]) == set(study.behaviour.index)
    assert table["infit"].is_monotonic_decreasing
    assert set(table["n"]) == {32}


def test_remark_names_those_that_answer_by_chance_or_always_the_same(
    study: Careless, table: DataFrame
) -> None:
    remarks = table.set_index("participant")["remark"]
    random = study.behaviour[study.behaviour == "random_clicker"].index
    straight = study.behaviour[study.behaviour == "straight_liner"].index
    assert (remarks[random] == "noisy").mean() >= 2 / 3
    assert (remarks[straight] == "muted").all()
    careful = study.behaviour[study.behaviour == "careful"].index
    assert (remarks[careful] == "").mean() > 0.9


@pytest.mark.slow
def test_fit_finds_random_clickers_better_than_sigma_and_the_distance_to_gold() -> None:
    shares = [found(planted(raters=30, scenarios=8, systems=4, seed=seed)) for seed in range(5)]
    mean = {key: np.mean([each[key] for each in shares]) for key in shares[0]}
    assert mean["infit, random_clicker"] > 0.95
    assert mean["infit, random_clicker"] > mean["mae, random_clicker"]
    assert mean["infit, random_clicker"] > mean["sigma, random_clicker"]
    assert mean["infit, straight_liner"] > 0.95 > mean["mae, straight_liner"]


def test_model_that_cannot_be_had_is_one_row_with_the_reason(study: Careless) -> None:
    alone = study.ratings[study.ratings["participant"] == "p00"]
    (only,) = rater_fit(alone, SOUND, raters="all").to_dict("records")
    assert only["note"].startswith("not estimable, because ") and only["participant"] == ""


def test_recipe_without_mixed_models_has_no_fit(study: Careless) -> None:
    with pytest.raises(NotAvailable, match="no mixed models"):
        rater_fit(study.ratings, PAPER, raters="all")
