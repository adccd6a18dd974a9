"""A scorer that learns from rated texts: what it finds, and what it says where it finds nothing."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from pandas import DataFrame

from analysis.not_computed import NotComputed
from analysis.scorer import NgramVectors, Trained, card, read_scorer, train
from analysis.scorer.evaluation import half_width
from analysis.scorer.heads import linear
from analysis.scorer_options import TrainingSettings
from tests.analysis.scorer.rated import rated_texts

pytestmark = pytest.mark.slow

#: Enough where no signal matters.
FEW: dict[str, Any] = {"scenarios": 4, "systems": 3}


def trained(ratings: DataFrame, **settings: Any) -> Trained:
    return train(
        ratings,
        NgramVectors(),
        TrainingSettings(**settings),
        scale=(1, 5),
        about={"data": "ratings of a test"},
    )


def row(result: Trained, head: str = "ridge", held_out: str = "scenario") -> dict[str, Any]:
    table = result.evaluation
    chosen = table[(table["head"] == head) & (table["held_out"] == held_out)]
    (only,) = chosen.to_dict("records")
    return {str(name): value for name, value in only.items()}


@pytest.fixture(scope="module")
def found() -> Trained:
    return trained(rated_texts(signal=0.5))


@pytest.fixture(scope="module")
def nothing() -> Trained:
    return trained(rated_texts(signal=0))


def test_planted_signal_is_found_in_scenarios_and_systems_that_were_held_out(
    found: Trained,
) -> None:
    for held_out in ("scenario", "system"):
        own, mean = row(found, held_out=held_out), row(found, "mean", held_out)
        assert own["mse"] < 0.7 * mean["mse"]
        assert own["skill"] == pytest.approx(1 - own["mse"] / mean["mse"])
        assert own["skill_low"] > 0
        assert own["spearman_low"] > 0
    assert "better than the mean: " in card(found, "scorer@1")


def test_where_there_is_no_signal_the_card_says_so(nothing: Trained) -> None:
    own = row(nothing)
    assert own["skill_low"] <= 0
    said = card(nothing, "scorer@1")
    assert "not shown to be better than the mean**" in said or "**worse than the mean**" in said
    assert "Do not use its scores." in said
    assert "better than the mean: " not in said.replace("shown to be better than the mean**: ", "")


def test_errors_on_the_texts_that_it_learned_from_are_too_small(found: Trained) -> None:
    assert row(found, held_out="nothing")["mse"] < row(found)["mse"]


def test_ratings_of_a_scenario_do_not_move_its_own_scores() -> None:
    ratings = rated_texts(signal=0.5, **FEW)
    inverted = ratings.assign(
        rating=ratings["rating"].where(ratings["scenario"] != "S3", 6 - ratings["rating"])
    )
    before, after = (
        trained(each).held_out.set_index("text")["predicted"] for each in (ratings, inverted)
    )
    own = ratings["text"][ratings["scenario"] == "S3"]
    pd.testing.assert_series_equal(before[own], after[own])
    assert not np.allclose(before.drop(own), after.drop(own))


def test_text_that_stands_in_two_scenarios_is_not_learned_from_while_one_is_held_out() -> None:
    ratings = rated_texts(signal=0, **FEW)
    twin = ratings.iloc[[0]].assign(scenario="S4", system="twin", rating=5.0)
    ratings.loc[0, "rating"] = 5.0
    both = pd.concat([ratings, twin], ignore_index=True)
    without = both[both["text"] != twin["text"].iloc[0]]
    of_twin = trained(both).held_out.set_index("text")["predicted"][twin["text"].iloc[0]]
    assert (of_twin < 4).all(), "its rating of 5 elsewhere is not known"
    assert len(without) == len(both) - 2


def test_prediction_interval_covers_new_texts(found: Trained) -> None:
    new = rated_texts(signal=0.5, scenarios=40, seed=99)
    scores = found.scorer.scores(list(new["text"]), NgramVectors())
    covered = (scores["low"] <= new["rating"]) & (new["rating"] <= scores["high"])
    assert 0.9 <= covered.mean() <= 1
    assert 0.85 <= row(found)["coverage"] <= 1


def test_interval_is_the_next_largest_error_and_absent_with_too_few() -> None:
    errors = -np.arange(1, 20).astype("float64")
    assert half_width(errors, 0.95) == 19
    assert half_width(errors[:18], 0.95) is None
    assert half_width(errors, 0.5) == 10


def test_calibration_is_in_order_and_near_the_line(found: Trained) -> None:
    bins = found.calibration
    assert list(bins["bin"]) == [1, 2, 3, 4, 5] and bins["n"].sum() == 60
    assert bins["predicted"].is_monotonic_increasing
    assert bins["rating"].iloc[0] < bins["rating"].iloc[-1]
    assert row(found)["slope_low"] < 1.2 and row(found)["slope_high"] > 0.8


def test_scores_stay_on_the_scale(found: Trained) -> None:
    texts = ["sorry understand hear together with you " * 40, "", "河流"]
    scores = found.scorer.scores(texts, NgramVectors())
    assert scores[["score", "low", "high"]].to_numpy().min() >= 1
    assert scores[["score", "low", "high"]].to_numpy().max() <= 5
    assert list(scores["text"]) == [0, 1, 2]


def test_kept_as_json_it_gives_the_same_scores(found: Trained) -> None:
    again = read_scorer(found.scorer.as_json(), "scorer.json")
    texts = list(rated_texts(signal=1, scenarios=2, seed=5)["text"])
    for one in (again, found.scorer):
        pd.testing.assert_frame_equal(
            one.scores(texts, NgramVectors()), found.scorer.scores(texts, NgramVectors())
        )


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("no JSON", "scorer.json is no scorer: the file: Invalid JSON"),
        ("{}", "scorer.json is no scorer: head: Field required"),
        (b"\x80\x04cos\nsystem\n", "scorer.json is no scorer: the file: Invalid JSON"),
    ],
)
def test_another_file_is_refused_in_one_line(content: str | bytes, problem: str) -> None:
    with pytest.raises(NotComputed, match="is no scorer") as refused:
        read_scorer(content, "scorer.json")
    assert str(refused.value).startswith(problem) and "\n" not in str(refused.value)


def test_other_vectors_than_those_of_the_training_are_refused(found: Trained) -> None:
    class Letters:
        settings = {"model": "letters"}

        def sentence(self, texts: list[str]) -> Any:
            return np.ones((len(texts), 26))

    with pytest.raises(NotComputed, match=r"trained on other vectors \(hashed n-grams\) .*letters"):
        found.scorer.scores(["a"], Letters())  # type: ignore[arg-type]


def test_fingerprint_is_of_the_data_whatever_their_order() -> None:
    ratings = rated_texts(signal=0.5, **FEW)
    one = trained(ratings).scorer
    assert trained(ratings.sample(frac=1, random_state=3)).scorer == one
    other = trained(ratings.assign(rating=ratings["rating"] + 0.1)).scorer
    assert other.fingerprint != one.fingerprint
    assert trained(ratings, seed=2).scorer.fingerprint != one.fingerprint


def test_with_many_scenarios_whole_ones_are_held_out_some_at_a_time() -> None:
    told: list[tuple[int, int]] = []
    ratings = rated_texts(signal=0.5, scenarios=60, systems=2)
    train(
        ratings,
        NgramVectors(),
        TrainingSettings(),
        scale=(1, 5),
        about={"data": "many"},
        progress=lambda done, of: told.append((done, of)),
    )
    assert told[-1] == (150, 150), "50 folds by three heads; two systems are not held out"


def test_each_dimension_has_a_head_of_its_own() -> None:
    both = pd.concat(
        [
            rated_texts(signal=0.5, scenarios=8, systems=3),
            rated_texts(signal=-0.5, scenarios=8, systems=3, dimension="distance"),
        ]
    )
    scores = trained(both).scorer.scores(["sorry I understand and hear you"], NgramVectors())
    by_dimension = scores.set_index("dimension")["score"]
    assert by_dimension["warmth"] > 3 > by_dimension["distance"]


def test_published_head_is_a_linear_layer_and_can_be_chosen(found: Trained) -> None:
    vectors = np.random.default_rng(1).normal(size=(80, 600))
    truth = vectors[:, 0] * 2 + 50
    fit = linear(vectors, truth, 1)
    assert np.corrcoef(fit.of(vectors), truth)[0, 1] > 0.5
    assert fit.of(vectors).mean() == pytest.approx(50, abs=2), "whatever the scale"
    assert row(found, "linear")["mse"] != row(found, "ridge")["mse"]
    assert trained(rated_texts(signal=0.5, **FEW), head="linear").scorer.head == "linear"


@pytest.mark.parametrize(
    ("ratings", "problem"),
    [
        (
            rated_texts(signal=0).assign(rating=3.0),
            "all mean ratings of warmth are 3: there is nothing to learn",
        ),
        (
            rated_texts(signal=1, scenarios=2),
            "warmth has ratings in 2 scenarios; a scorer needs at least 3",
        ),
        (
            rated_texts(signal=1, scenarios=3, systems=3),
            "warmth has 9 rated texts; a scorer needs at least 10",
        ),
        (rated_texts(signal=1).iloc[:0], "there are no ratings to learn from"),
    ],
)
def test_ratings_that_teach_nothing_are_refused(ratings: DataFrame, problem: str) -> None:
    with pytest.raises(NotComputed, match=problem):
        trained(ratings)


def test_other_settings_are_refused() -> None:
    with pytest.raises(ValueError, match="Input should be 'ridge' or 'linear'"):
        trained(rated_texts(signal=1), head="lienar")
    with pytest.raises(ValueError, match="Input should be less than 1"):
        trained(rated_texts(signal=1), confidence=1.0)
