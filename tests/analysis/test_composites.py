"""Composites: dimensions that are the means of rated ones, in every table that has dimensions."""

from dataclasses import replace
from functools import cache

import pandas as pd
import pytest
from pandas import DataFrame
from pandas.testing import assert_frame_equal

from analysis.judges.consistency import judge_consistency, judge_models
from analysis.judges.judged import JudgesData, judged
from analysis.judges.judging import analyse_judges
from analysis.pipeline import Results, StudyData, analyse, analyse_multiverse
from analysis.quality_rules import QualityRules
from analysis.recipe import Recipe, shipped_recipes
from analysis.study_data import ITEM, CheckedData, Contrast, check
from tests.analysis import judged_study
from tests.analysis.test_by_recipe import mixed, study

PARTS = ["cognitive", "emotional", "behavioral"]
COMPOSITES = {"empathy": PARTS}
SCALE = [(value, str(value)) for value in range(1, 6)]
RULES = QualityRules()
SOUND = shipped_recipes()["sound"]


def rated_on_parts() -> StudyData:
    """Six raters, three systems in four scenarios, every one rated on all parts."""
    data = study(mixed, scenarios=4)
    tables = [
        data.ratings.assign(
            dimension=part, rating=(data.ratings["rating"] + k * data.ratings.index) % 5 + 1
        )
        for k, part in enumerate(PARTS)
    ]
    ratings = pd.concat(tables, ignore_index=True)
    gold = ratings.drop_duplicates(ITEM)[ITEM].assign(gold=range(36)).astype({"gold": "float64"})
    return replace(
        data,
        ratings=ratings,
        gold=gold,
        scale=SCALE,
        orders={"dimension": PARTS},
        composites=COMPOSITES,
    )


def of_empathy(checked: CheckedData) -> DataFrame:
    return checked.ratings[checked.ratings["dimension"] == "empathy"]


@cache
def results() -> Results:
    return analyse(rated_on_parts(), RULES, [SOUND])


def test_composite_is_the_mean_of_a_raters_ratings_of_its_parts() -> None:
    checked = check(rated_on_parts())
    by = ["participant", "scenario", "model", "condition"]
    parts = checked.ratings[~checked.ratings["is_composite"]]
    expected = parts.groupby(by, observed=True)["rating"].mean()
    found = of_empathy(checked).set_index(by)["rating"]
    assert len(found) == 6 * 3 * 4
    assert found.sub(expected).abs().max() < 1e-12


def test_response_without_a_rating_on_every_part_has_no_composite() -> None:
    data = rated_on_parts()
    checked = check(replace(data, ratings=data.ratings.drop(index=0)))
    first = data.ratings.iloc[0]
    [missing] = {*_keys(of_empathy(check(data)))} - {*_keys(of_empathy(checked))}
    assert missing == tuple(first[["participant", "scenario", "model", "condition"]])


def _keys(ratings: DataFrame) -> list[tuple[str, ...]]:
    names = ["participant", "scenario", "model", "condition"]
    return list(ratings[names].astype("str").itertuples(index=False, name=None))


def test_composites_gold_score_needs_that_of_every_part() -> None:
    data = rated_on_parts()
    known = check(replace(data, gold=data.gold.drop(index=0))).known
    gold = known[known["dimension"] == "empathy"]["gold"]
    assert (gold.isna().sum(), gold.notna().sum()) == (1, 11)
    means = check(data).known.groupby("dimension", observed=True)["gold"].mean()
    assert means["empathy"] == pytest.approx(means[PARTS].mean())


def test_composite_was_shown_where_its_parts_were() -> None:
    checked = check(rated_on_parts())
    places = checked.ratings.groupby(
        ["participant", "scenario", "model", "condition"], observed=True
    )[["block_position", "response_position"]].nunique()
    assert (places == 1).all(axis=None)


def test_composite_has_its_rows_and_changes_no_other() -> None:
    without = analyse(replace(rated_on_parts(), composites={}), RULES, [SOUND])
    assert without.tables.keys() == results().tables.keys()
    for name, table in results().tables.items():
        others, expected = table, without.tables[name]
        if "dimension" in table:
            others = table[table["dimension"] != "empathy"].reset_index(drop=True)
            of_points = name == "mixed_shares"
            assert of_points or len(others) < len(table), name
        assert_frame_equal(others, expected.reset_index(drop=True), check_dtype=False)


def test_composites_models_are_linear_and_say_why() -> None:
    table = results().tables["mixed_models"]
    own = table["dimension"] == "empathy"
    assert set(table["link"][own]) == {"linear"}
    assert set(table["link"][~own]) == {"probit"}
    assert table["note"][own].str.startswith("A composite has no points").all()
    assert not table["note"][~own].str.contains("composite").any()
    contrasts = results().tables["mixed_contrasts"].set_index("dimension")
    assert set(contrasts.loc[["empathy"], "scale"]) == {"ratings"}


def test_composites_multiverse_has_its_linear_model_as_the_main_result() -> None:
    table = analyse_multiverse(rated_on_parts(), RULES, [SOUND]).tables["multiverse"]
    main = table[table["is_main"]].set_index("dimension")["analysis"]
    assert main.to_dict() == dict.fromkeys(PARTS, "mixed_probit") | {"empathy": "mixed_linear"}


@pytest.mark.slow
def test_equal_means_of_thirds_are_a_tie() -> None:
    """1, 1 and 5/3 have the sum of 1, 4/3 and 4/3; as floats, another one."""
    given = {"a": [(1, 1, 1), (1, 1, 1), (1, 1, 3)], "b": [(1, 1, 1), (1, 1, 2), (1, 1, 2)]}
    rows = [
        (f"r{rater}", "S1", "1", "m", condition, part, value)
        for condition, raters in given.items()
        for rater, values in enumerate(raters)
        for part, value in zip(PARTS, values, strict=True)
    ]
    data = replace(
        study(mixed, raters=3, scenarios=1),
        ratings=DataFrame(rows, columns=["participant", *ITEM, "rating"]),
        contrast=Contrast("a", "b", None),
        composites=COMPOSITES,
        scale=SCALE,
    )
    table = analyse(data, RULES).tables["wins"].set_index("dimension")
    assert table.loc["empathy", "winner"] == "tie"


@pytest.mark.slow
def test_equal_thirds_have_no_spread() -> None:
    data = rated_on_parts()
    rating = data.ratings["dimension"].map(dict(zip(PARTS, [1, 1, 2], strict=True)))
    thirds = data.ratings.assign(rating=rating)
    table = analyse(replace(data, ratings=thirds), QualityRules(order=[])).tables["items"]
    assert (table[table["dimension"] == "empathy"]["sd"] == 0.0).all()


def judged_on_parts() -> JudgesData:
    """Two replicates of a judge that scores all parts of both responses, but one score."""
    cells = [("S1", "1", "m", "plain"), ("S1", "1", "m", "tuned")]
    given = [
        judged_study.judges({"j": {cell: [1.0 + k, 2.0 + n] for n, cell in enumerate(cells)}},
                            dimension=part)
        for k, part in enumerate(PARTS)
    ]  # fmt: skip
    scores = pd.concat([of.judge_scores for of in given], ignore_index=True)
    last = (scores["dimension"] == "behavioral") & (scores["condition"] == "tuned")
    scores.loc[last & (scores["replicate"] == 2), "score"] = None
    return replace(given[0], judge_scores=scores)


def test_judges_composite_is_of_the_scores_in_one_replicate() -> None:
    data = rated_on_parts()
    found = judged(check(data), judged_on_parts(), data.participants["participant"])
    [judge] = found.judges
    table = found.replicates(judge, "empathy").dropna(how="all")
    assert table.to_dict("index") == {
        "S1/m/plain": {1: 2.0, 2: 2.0},
        "S1/m/tuned": {1: 2.0, 2: pytest.approx(float("nan"), nan_ok=True)},
    }
    rows = judge_consistency(found, judge_models(judged_on_parts().returned_models), seed=1)
    assert rows["dimension"].tolist() == [*PARTS, "empathy"]


def test_judges_are_compared_with_people_on_the_composite() -> None:
    tables, _, _ = analyse_judges(rated_on_parts(), judged_on_parts(), RULES)
    for name in ("judge_agreement", "judge_bias", "alt_test", "prediction_powered"):
        assert "empathy" in set(tables[name]["dimension"]), name


@pytest.mark.parametrize("unit", ["rating", "participant"])
def test_composite_of_half_points_is_analysed(unit: str) -> None:
    data = rated_on_parts()
    halves = data.ratings.assign(rating=data.ratings["rating"] / 2)
    recipe = Recipe.model_validate({"name": "mine", "title": "Mine", "unit": unit})
    scale = [(value / 2, str(value)) for value in range(1, 11)]
    found = analyse(replace(data, ratings=halves, scale=scale), RULES, [recipe])
    means = found.tables["items"].groupby("dimension")["mean"].mean()
    assert means["empathy"] == pytest.approx(means[PARTS].mean())


def test_raters_are_filtered_by_what_they_rated() -> None:
    """σ and the number of ratings are of the ratings that a rater gave."""
    raters = results().tables["raters"]
    assert raters["n_ratings"].tolist() == [3 * 4 * 3] * 6
