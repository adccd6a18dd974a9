"""Order effects: what was planted is found, conclusions beside each other, and reasons."""

import itertools

import numpy as np
import pandas as pd
import pytest
from pandas import DataFrame
from pandas.testing import assert_frame_equal
from scipy.stats import t

from analysis.not_available import NotAvailable
from analysis.recipe import MixedModels, Recipe, shipped_recipes
from analysis.stats.mixed import crossed, fit_linear
from analysis.study_data import ITEM, Contrast
from analysis.tables.order_effects import (
    ORDER_CONCLUSIONS,
    ORDER_EFFECTS,
    OrderTables,
    order_effects,
)

PAPER, SOUND = shipped_recipes().values()
CONTRAST = Contrast("plain", "tuned", ("Owl", "reference"))
SYSTEMS = [("Ant", "plain"), ("Ant", "tuned"), ("Bee", "plain"), ("Bee", "tuned"),
           ("Owl", "reference")]  # fmt: skip
SCENARIOS = [f"S{number}" for number in range(6)]


def ratings(
    seed: int = 4,
    raters: int = 40,
    *,
    position: float = 0.0,
    slot: float = 0.0,
    carry_over: float = 0.0,
    tuning: float = 0.3,
    spread: float = 0.8,
    dimensions: tuple[str, ...] = ("warmth",),
) -> DataFrame:
    """Blocks of five in an order of each rater's own. A rating is higher by so much for each
    position, for each block, and for each point of the rating before.
    """
    draw = np.random.default_rng(seed)
    by_rater = draw.normal(0, spread, raters)
    by_item = draw.normal(0, 0.2, (len(SCENARIOS), len(SYSTEMS)))
    rows = []
    for rater, dimension in itertools.product(range(raters), dimensions):
        before = 50.0
        for block, scenario in enumerate(draw.permutation(len(SCENARIOS)), 1):
            for place, system in enumerate(draw.permutation(len(SYSTEMS)), 1):
                name, condition = SYSTEMS[system]
                value = (
                    50.0 + 10 * (by_rater[rater] + by_item[scenario, system] + draw.normal())
                    + 10 * tuning * (condition == "tuned")
                    + position * place + slot * block + carry_over * (before - 50.0)
                )  # fmt: skip
                before = round(value)
                cell = (SCENARIOS[scenario], "1", name, condition, dimension)
                rows.append((f"p{rater:02}", *cell, before, float(block), float(place)))
    columns = ["participant", *ITEM, "rating", "block_position", "response_position"]
    return DataFrame(rows, columns=columns).astype(dict.fromkeys(ITEM, "category"))


def tables(
    data: DataFrame, recipe: Recipe = SOUND, *, contrast: Contrast = CONTRAST
) -> OrderTables:
    return order_effects(data, contrast, recipe, raters="included")


def effect(found: OrderTables, covariate: str) -> "pd.Series":
    (only,) = (row for _, row in found.effects.iterrows() if row["covariate"] == covariate)
    return only


def test_planted_effects_of_the_order_are_found() -> None:
    found = tables(ratings(position=1.5, slot=-1.0, carry_over=0.2))
    for covariate, planted in (
        ("response_position", 1.5), ("block_position", -1.0), ("previous_rating", 0.2),
    ):  # fmt: skip
        of = effect(found, covariate)
        assert of.ci_low < planted < of.ci_high, covariate
        assert of.p_adjusted < 0.01, covariate


def test_no_effect_is_found_where_there_is_none() -> None:
    found = tables(ratings())
    assert (found.effects["p_adjusted"] > 0.05).all()
    assert not found.conclusions["moves"].any()


@pytest.mark.slow
def test_raters_who_differ_are_not_taken_for_ratings_that_follow_each_other() -> None:
    # Five ratings of each of 60 raters who differ a lot. Had the first ones been left out, these
    # estimates would lie above zero by 19 of their standard errors.
    ts = []
    for seed in range(20):
        data = ratings(seed, 60, spread=2.0).query("block_position == 1")
        found = effect(tables(data), "previous_rating")
        ts.append(found.estimate / found.se)
    assert abs(float(np.mean(ts))) < 3 / np.sqrt(20)


def test_estimates_are_those_of_the_model_itself() -> None:
    data = ratings(position=0.5)
    shown = data.sort_values(["participant", "block_position", "response_position"])
    previous = shown.groupby("participant")["rating"].shift()
    frame = shown.assign(
        previous_rating=previous.fillna(previous.mean()),
        system=shown["model"].astype("str") + " " + shown["condition"].astype("str"),
    )
    frame["item"] = frame["system"] + frame["scenario"].astype("str")
    covariates = ["response_position", "block_position", "previous_rating"]
    fit = fit_linear(
        crossed(
            frame, rating="rating", fixed=["system", *covariates], groups=("participant", "item")
        )
    )
    found = tables(data).effects.set_index("covariate")
    assert list(found["estimate"]) == pytest.approx(list(fit.coefficients[covariates]))  # type: ignore[union-attr]  # it fits
    assert list(found["se"]) == pytest.approx(list(fit.standard_errors[covariates]))  # type: ignore[union-attr]  # it fits
    tests = t(found["df"], found["estimate"], found["se"])
    assert list(found["p"]) == pytest.approx(2 * t.sf(abs(found["t"]), found["df"]))
    assert list(found["ci_low"]) == pytest.approx(tests.ppf(0.025))
    assert list(found["ci_high"]) == pytest.approx(tests.ppf(0.975))


def test_conclusions_stand_without_and_with_the_order() -> None:
    linear = SOUND.model_copy(update={"mixed_models": MixedModels(links=["linear"])})
    found = tables(ratings(), linear).conclusions
    assert list(found["model"]) == ["Ant", "Bee", "all"]
    every = found.set_index("model").loc["all"]
    assert every.ci_low < every.difference < every.ci_high < 0
    assert every.difference_with == pytest.approx(every.difference, abs=0.2)
    assert set(found["unit"]) == {"rating"}
    assert (set(found["n_ratings"]), set(found["n_raters"])) == ({40 * 30}, {40})


def test_conclusion_that_hangs_on_the_order_is_said_to_move() -> None:
    # Tuned responses always came late in their block, and late ones are rated higher.
    data = ratings(tuning=0.0, raters=60)
    late = data["condition"] == "tuned"
    draw = np.random.default_rng(1)
    place = data["response_position"] + np.where(late & (draw.random(len(data)) < 0.9), 10.0, 0.0)
    order = place.groupby([data["participant"], data["scenario"]], observed=True).rank()
    shifted = data.assign(
        response_position=order, rating=data["rating"] + (4 * order).astype("int64")
    )
    every = tables(shifted).conclusions.set_index("model").loc["all"]
    assert every.p < 0.05 < every.p_with
    assert every.moves and "significance" in every.what_moves


def test_dimensions_have_effects_of_their_own() -> None:
    found = tables(ratings(dimensions=("warmth", "depth")))
    assert list(found.effects["dimension"]) == ["depth"] * 3 + ["warmth"] * 3
    assert set(found.effects["n_ratings"]) == {40 * 30}


def test_ratings_of_unknown_order_are_left_out_and_counted() -> None:
    data = ratings()
    elsewhere = data["participant"] == "p03"
    mixed = data.assign(block_position=data["block_position"].mask(elsewhere))
    found = tables(mixed).effects
    assert set(found["n_raters"]) == {39}
    assert set(found["note"]) == {
        "30 of 1200 ratings are left out, because their order is not known"
    }


def test_covariate_that_does_not_vary_has_no_effect_and_the_others_have() -> None:
    data = ratings()
    firsts = data[data["response_position"] == 1]
    found = tables(firsts)
    assert effect(found, "response_position").note == (
        "not estimable, because it is 1 for all ratings"
    )
    assert pd.notna(effect(found, "block_position").estimate)


def test_covariate_that_the_systems_determine_is_said_to_be_so() -> None:
    data = ratings()
    places = {system: float(place) for place, system in enumerate(SYSTEMS, 1)}
    of_row = zip(data["model"], data["condition"], strict=True)
    found = tables(data.assign(response_position=[places[system] for system in of_row]))
    assert effect(found, "response_position").note == (
        "not estimable, because the systems, and the covariates before it, determine it"
    )
    assert pd.notna(effect(found, "block_position").estimate)


def test_what_cannot_be_estimated_is_said() -> None:
    alone = tables(ratings(raters=1))
    assert alone.effects["note"].str.startswith("not estimable, because ").all()
    (conclusion,) = alone.conclusions.to_dict("records")
    assert conclusion["note"].startswith("not estimable, because all ratings have the same rater")
    flat = tables(ratings().assign(rating=3))
    assert effect(flat, "previous_rating").note == "not estimable, because it is 3 for all ratings"
    assert effect(flat, "block_position").note == ("not estimable, because all 1200 ratings are 3")


def test_models_of_one_condition_have_no_conclusion() -> None:
    data = ratings()
    (only,) = tables(data[data["condition"] != "tuned"]).conclusions.to_dict("records")
    assert only["note"] == "not estimable, because no model was rated in both conditions"


def test_nobodys_second_rating_leaves_nothing_to_follow() -> None:
    first = ratings().query("block_position == 1 and response_position == 1")
    found = effect(tables(first), "previous_rating")
    assert found.note == "not estimable, because nobody gave a second rating"


def test_study_without_a_contrast_has_effects_and_no_conclusions() -> None:
    found = tables(ratings(), contrast=Contrast(None, None, None))
    assert len(found.effects) == 3 and found.conclusions.empty
    assert (list(found.effects), list(found.conclusions)) == (
        ORDER_EFFECTS.names,
        ORDER_CONCLUSIONS.names,
    )


def test_tables_are_the_same_whatever_the_order_of_rows() -> None:
    data = ratings()
    one, other = tables(data), tables(data.sample(frac=1, random_state=2))
    assert_frame_equal(one.effects, other.effects)
    assert_frame_equal(one.conclusions, other.conclusions)


def test_tables_are_absent_with_their_reason() -> None:
    data = ratings(raters=3)
    with pytest.raises(NotAvailable, match="there are no ratings"):
        tables(data.head(0))
    with pytest.raises(NotAvailable, match="asks for no mixed models"):
        tables(data, PAPER)
    with pytest.raises(NotAvailable, match="shown is not known of any rating"):
        tables(data.assign(block_position=np.nan, response_position=np.nan))
