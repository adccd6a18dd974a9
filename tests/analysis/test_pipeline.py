"""Every way in which data can be thin, or of another shape, and the reason that is given."""

import json
import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas import DataFrame
from pandas.testing import assert_frame_equal

from analysis.pipeline import FIGURES, Contrast, Results, StudyData, analyse
from analysis.quality_rules import QualityRules
from analysis.recipe import Bootstrap, Recipe
from analysis.tables.largest_differences import NO_PAIR
from tests.analysis import by_hand

pytestmark = pytest.mark.slow  # each analyses a whole study

ITEM = ["scenario", "set", "model", "condition", "dimension"]
RULES = QualityRules()
CONTRAST = Contrast("base", "tuned", ("big", "reference"))
SYSTEMS = [("m", "base"), ("m", "tuned"), ("big", "reference")]


def study(
    raters: dict[str, list[int]],
    *,
    people: dict[str, dict[str, Any]] | None = None,
    gold: Sequence[float | None] | None = None,
    contrast: Contrast = CONTRAST,
) -> StudyData:
    """Raters who rated the first of three systems, the first two, or all; one scenario."""
    usual = {"status": "completed", "duration_seconds": 900.0, "attention_checks_failed": 0}
    rows = [
        (who, "S1", "1", *system, "empathy", rating)
        for who, ratings in raters.items()
        for system, rating in zip(SYSTEMS, ratings, strict=False)
    ]
    golds = [
        ("S1", "1", *system, "empathy", score)
        for system, score in zip(SYSTEMS, gold or [], strict=False)
    ]
    participants = [
        usual | {"participant": who, "active": False} | (people or {}).get(who, {})
        for who in [*raters, *(name for name in people or {} if name not in raters)]
    ]
    columns = dict.fromkeys(
        ["participant", *usual, "active", *(k for p in participants for k in p)]
    )
    return StudyData(
        participants=DataFrame(participants, columns=list(columns)),
        ratings=DataFrame(rows, columns=["participant", *ITEM, "rating"]),
        gold=DataFrame(golds, columns=[*ITEM, "gold"]),
        contrast=contrast,
        scenarios=["S1"],
        models=["m", "big"],
        scale=[(1, "Not at all"), (5, "Extremely")],
    )


def test_without_gold_scores_mae_is_absent_with_its_reason() -> None:
    results = analyse(study({"r": [1, 1, 1], "s": [1, 2, 5]}), QualityRules())
    assert results.not_available["raters.mae"] == (
        "there are no gold scores: sigma is over all ratings, and sigma_mae matches nobody"
    )
    assert results.tables["raters"]["sigma"].tolist()[0] == 0.0
    assert results.tables["raters"]["mae"].isna().all()
    assert results.tables["funnel"]["remaining"].tolist() == [2] * 4


def test_all_raters_are_those_who_finished_or_left() -> None:
    people: dict[str, dict[str, Any]] = {
        "still": {"status": "in_progress", "active": True},
        "left": {"status": "in_progress"},
    }
    rated = {"r": [1, 2, 3], "still": [5, 5, 5], "left": [3, 3, 3]}
    recipe = Recipe(name="mine", title="Mine", unit="participant", raters=["included", "all"])
    table = analyse(study(rated, people=people), QualityRules(), [recipe]).tables["systems"]
    counted = table[table["unit"] == "participant"].groupby("raters")["n"].unique().map(list)
    assert counted.to_dict() == {"included": [1], "all": [2]}


def test_who_is_excluded_by_a_decision_is_no_rater_of_any_table() -> None:
    forged = {"excluded_by_decision": "invented"}
    people: dict[str, dict[str, Any]] = {"forged": forged, "quick": {"duration_seconds": 1.0}}
    real = {"r": [1, 2, 3], "s": [2, 2, 5], "quick": [4, 4, 1]}
    recipe = Recipe(
        name="mine",
        title="Mine",
        unit="participant",
        raters=["included", "all"],
        bootstrap=Bootstrap(resamples=200),
    )
    gold = [1.0, 2.0, 4.0]
    without = analyse(study(real, people={"quick": people["quick"]}, gold=gold), RULES, [recipe])
    found = analyse(study({"forged": [5, 5, 5], **real}, people=people, gold=gold), RULES, [recipe])

    funnel = found.tables["funnel"][["step", "excluded", "remaining", "alone"]]
    assert funnel.to_numpy().tolist() == [
        ["decision", 1, 3, 1],
        *without.tables["funnel"][["step", "excluded", "remaining", "alone"]].to_numpy().tolist(),
    ]
    rater = found.tables["raters"].set_index("participant").loc["forged"]
    assert (rater["exclusion"], rater["excluded_by_decision"]) == ("decision", "invented")
    assert (rater["n_ratings"], rater["indices_note"]) == (3, "excluded by a decision")
    assert {"sensitivity", "wins_tests", "systems"} <= found.tables.keys()
    for name in without.tables.keys() - {"funnel", "raters"}:
        assert_frame_equal(found.tables[name], without.tables[name])
    others = found.tables["raters"][found.tables["raters"]["participant"] != "forged"]
    assert_frame_equal(others.reset_index(drop=True), without.tables["raters"])
    [row] = found.exclusions[found.exclusions["rule"] == "decision"].to_dict("records")
    assert row["value"] == {"reason": "invented"} and row["threshold"] == {}


def test_a_decision_makes_a_funnel_where_no_rule_is_applied() -> None:
    people: dict[str, dict[str, Any]] = {
        "forged": {"excluded_by_decision": "invented"},
        "still": {"excluded_by_decision": "too", "status": "in_progress", "active": True},
    }
    rated = {"r": [1, 2, 3], "forged": [5, 5, 5], "still": [5, 5, 5]}
    found = analyse(study(rated, people=people), QualityRules(order=[]))
    assert found.tables["funnel"]["step"].tolist() == ["decision"]
    assert found.tables["funnel"]["excluded"].tolist() == [1]  # who is still at it is in no step
    assert found.tables["items"]["n"].tolist() == [1, 1, 1]


def test_rule_that_is_not_applied_is_not_spoken_of() -> None:
    results = analyse(study({"r": [1, 1, 1]}), QualityRules(order=["duration"]))
    assert results.not_available["raters.mae"] == (
        "there are no gold scores: sigma is over all ratings"
    )


def test_a_study_without_ratings_filters_by_its_other_rules_and_says_what_is_absent() -> None:
    people: dict[str, dict[str, Any]] = {
        "quick": {"duration_seconds": 1.0},
        "left": {"status": "in_progress"},
        "kept": {},
    }
    data = replace(study({}, people=people, contrast=Contrast(None, None, None)), scale=[])
    results = analyse(data, QualityRules())
    asked = "the study asks for no ratings"
    assert results.not_available == {
        **dict.fromkeys(["raters.sigma", "raters.mae", "thresholds", "gold_distance"], asked),
        **dict.fromkeys(["sigma_mae", "sigma", "mae"], asked),
        "rater_differences": asked,
        "demographics": "the study asks no demographic question",
        **dict.fromkeys(OF_RATINGS, asked),
    }
    assert results.tables["funnel"]["step"].tolist() == ["duration", "attention", "early_exit"]
    assert results.tables["raters"]["exclusion"].tolist() == ["", "early_exit", "duration"]
    assert set(results.tables["raters"]["note"]) == {""}
    assert list(results.figures) == ["consort", "durations"]


def test_ratings_between_the_ends_of_a_slider_are_analysed_like_others() -> None:
    data = replace(
        study({"r": [10, 55, 90], "s": [20, 60, 100]}, gold=[10.0, 50.0, 95.5]),
        scale=[(0, "Not at all"), (100, "Fully")],
        between=True,
    )
    results = analyse(data, QualityRules())
    assert results.tables["items"]["mean"].tolist() == [15.0, 57.5, 95.0]
    assert results.tables["wins"]["winner"].tolist() == ["b"]
    assert results.figures["ratings_kde"]["layout"]["xaxis"]["range"] == [0, 100]


def test_half_points_are_analysed_as_exactly_as_whole_ones() -> None:
    """A scale of half the length: the same wins and ties, and half of every mean and spread."""
    whole = study({"r": [1, 2, 5], "s": [4, 3, 3], "t": [3, 3, 4]}, gold=[2.0, 3.0, 4.0])
    halved = replace(
        whole,
        ratings=whole.ratings.assign(rating=whole.ratings["rating"] / 2),
        gold=whole.gold.assign(gold=whole.gold["gold"] / 2),
        scale=[(value / 2, label) for value, label in whole.scale],
    )
    one, other = (analyse(data, QualityRules(order=[])) for data in (whole, halved))
    for name, columns in {"items": ["mean", "sd", "total"], "raters": ["sigma", "mae"]}.items():
        for column in columns:
            assert (one.tables[name][column] / 2).tolist() == other.tables[name][column].tolist()
    assert one.tables["wins"]["winner"].tolist() == ["tie"]
    for column in ("winner", "reference_points"):
        assert one.tables["wins"][column].tolist() == other.tables["wins"][column].tolist()
    assert one.tables["items"]["total"].dtype == "int64"


def test_gold_scores_of_unrated_items_alone_leave_mae_absent_with_its_reason() -> None:
    results = analyse(study({"r": [1, 2]}, gold=[None, None, 3.0]), QualityRules())
    assert results.not_available["raters.mae"] == (
        "no rating has a gold score: sigma is over all ratings, and sigma_mae matches nobody"
    )
    rater = results.tables["raters"].loc[0]
    assert (rater["n_gold"], rater["note"]) == (0, "none of the ratings has a gold score")


def test_without_rules_everybody_counts_and_the_funnel_is_absent_with_its_reason() -> None:
    quick = {"r": {"duration_seconds": 1.0, "attention_checks_failed": 9}}
    results = analyse(study({"r": [1, 2, 3]}, people=quick), QualityRules(order=[]))
    assert results.not_available["funnel"] == "the study applies no quality rule"
    assert "funnel" not in results.tables
    assert results.tables["raters"]["included"].tolist() == [True]


def test_a_mae_of_exactly_nine_tenths_keeps_the_rater() -> None:
    # |3 − G| of these thirds is 5+2+1+1+0+1+3+4+5+5 = 27 thirds = 9, over ten ratings 9/10
    thirds = [4, 7, 8, 8, 9, 10, 12, 13, 14, 14]
    items = [(f"S{n:02}", "", "m", "base", "empathy") for n in range(10)]
    data = replace(
        study({"r": [3]}),
        ratings=DataFrame([("r", *i, 3) for i in items], columns=["participant", *ITEM, "rating"]),
        gold=DataFrame(
            [(*i, g / 3) for i, g in zip(items, thirds, strict=True)], columns=[*ITEM, "gold"]
        ),
    )
    rater = analyse(data, QualityRules()).tables["raters"].loc[0]
    assert rater["mae"] > 0.9  # in floating point
    assert rater["sigma"] == 0.0
    assert rater["included"]


def test_who_is_still_active_is_a_rater_in_no_step() -> None:
    active = {"status": "in_progress", "active": True}
    results = analyse(study({"r": [1, 2, 3], "s": [5, 5]}, people={"s": active}), QualityRules())
    raters = by_hand.rows_of(results.tables["raters"])
    assert [(r["participant"], r["included"], r["exclusion"]) for r in raters] == [
        ("r", True, ""),
        ("s", False, ""),
    ]
    assert results.tables["funnel"]["remaining"].tolist() == [1] * 4
    assert results.tables["items"]["n"].tolist() == [1, 1, 1]


def test_who_did_not_consent_or_was_screened_out_is_no_rater() -> None:
    people = {name: {"status": name} for name in ("declined", "screened_out", "withdrawn")}
    results = analyse(study({"r": [1, 2, 3]}, people=people), QualityRules())
    assert results.tables["raters"]["participant"].tolist() == ["r"]
    assert results.tables["funnel"]["remaining"].tolist() == [1] * 4


def test_participants_without_the_column_active_are_not_active() -> None:
    data = study({"r": [1, 2, 3]}, people={"r": {"status": "in_progress"}})
    results = analyse(
        replace(data, participants=data.participants.drop(columns="active")), QualityRules()
    )
    assert results.exclusions["rule"].tolist() == ["early_exit"]


#: About everybody, whoever is included: they say for themselves whom or what they lack.
OF_RATERS = {
    "rater_differences", "gold_distance", "consort", "durations", "sigma_mae", "sigma", "mae",
    "flags",  # of scales of two points, as here; others lack it without a word
}  # fmt: skip
TABLES = {
    "funnel", "raters", "thresholds", "demographics", "items", "largest_differences", "wins",
    "wins_summary",
}  # fmt: skip
OF_RATINGS = ["items", "largest_differences", "wins", "wins_summary", "shares", "ratings_kde"]


@pytest.mark.parametrize(
    ("data", "reasons"),
    [
        (
            study({"r": [1, 2, 3]}, people={"r": {"duration_seconds": 60.0}}, gold=[1.0] * 3),
            dict.fromkeys(["demographics", *OF_RATINGS], "no rater is included"),
        ),
        (
            study({}, gold=[1.0] * 3),
            dict.fromkeys(["demographics", *OF_RATINGS], "no rater is included"),
        ),
        (
            study({"r": []}, gold=[1.0] * 3),
            {"demographics": "the study asks no demographic question"}
            | dict.fromkeys(OF_RATINGS, "the included raters gave no ratings"),
        ),
        (
            study({"r": [1, 2, 3]}, gold=[1.0] * 3, contrast=Contrast(None, None, None)),
            {"demographics": "the study asks no demographic question"}
            | {"largest_differences": NO_PAIR}
            | dict.fromkeys(
                ["wins", "wins_summary"],
                "the study names no two conditions to compare",
            ),
        ),
        (
            study({"r": [1, 2, 3]}, gold=[1.0] * 3, contrast=Contrast("base", "tuned", None)),
            {
                "demographics": "the study asks no demographic question",
                "largest_differences": NO_PAIR,
                "wins.reference_points": "the study names no reference",
            },
        ),
    ],
    ids=["all excluded", "nobody", "no ratings", "no contrast", "no reference"],
)
def test_what_is_not_there_has_a_reason(data: StudyData, reasons: dict[str, str]) -> None:
    results = analyse(data, QualityRules())
    assert {
        name: why for name, why in results.not_available.items() if name not in OF_RATERS
    } == reasons
    assert set(results.tables) - OF_RATERS == TABLES - set(reasons)
    assert set(results.figures) == set(FIGURES) - set(results.not_available)


def test_one_rater_has_means_without_deviations() -> None:
    results = analyse(study({"r": [1, 2, 3]}, gold=[1.0, 2.0, 3.0]), QualityRules())
    items = results.tables["items"]
    assert items["mean"].tolist() == [1.0, 2.0, 3.0]
    assert items["sd"].isna().all()
    assert results.tables["wins"]["winner"].tolist() == ["b"]
    assert results.tables["wins"]["reference_points"].tolist() == [2]


def test_tables_stand_in_study_order_whatever_the_names() -> None:
    rows = [
        ("r", scenario, name, model, condition, dimension, 3)
        for scenario in ("night", "day")
        for name in ("10", "x", "9", "09")
        for model, condition in (("zeta", "tuned"), ("zeta", "base"), ("alpha", "base"))
        for dimension in ("warm", "clear")
    ]
    data = replace(
        study({"r": []}),
        ratings=DataFrame(rows, columns=["participant", *ITEM, "rating"]),
        scenarios=["night", "day"],
        models=["zeta", "alpha"],
        orders={"dimension": ["warm", "clear"]},
    )
    items = analyse(data, QualityRules()).tables["items"]
    assert {name: list(dict.fromkeys(items[name])) for name in ITEM} == {
        "scenario": ["night", "day"],
        "set": ["09", "9", "10", "x"],  # not in `orders`: numbers as numbers, then text
        "model": ["zeta", "alpha"],
        "condition": ["base", "tuned"],  # a, then b
        "dimension": ["warm", "clear"],
    }


def test_a_study_without_sets_has_an_empty_set() -> None:
    data = study({"r": [1, 2, 3]}, gold=[1.0, 2.0, 3.0])
    data = replace(
        data, ratings=data.ratings.assign(set=None), gold=data.gold.assign(set=float("nan"))
    )
    items = analyse(data, QualityRules()).tables["items"]
    assert items["set"].tolist() == ["", "", ""]
    assert items["gold"].tolist() == [1.0, 2.0, 3.0]


def test_items_that_were_scored_but_not_rated_keep_their_row() -> None:
    items = analyse(study({"r": [1, 2]}, gold=[1.0, 2.0, 3.0]), QualityRules()).tables["items"]
    assert items[["n", "gold"]].to_numpy().tolist() == [[1, 1.0], [1, 2.0], [0, 3.0]]


def test_empty_ratings_are_no_ratings() -> None:
    data = study({"r": [1, 2, 3]})
    holed = data.ratings.assign(rating=[1.0, float("nan"), 3.0])
    items = analyse(replace(data, ratings=holed), QualityRules()).tables["items"]
    assert items["n"].tolist() == [1, 1]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"ratings": {"participant": "nobody"}}, "ratings of 'nobody', who is not among"),
        ({"gold": {"condition": "base", "model": "m"}}, "an item has two gold scores"),
        ({"participants": {"participant": "r"}}, "participant 'r' is repeated"),
    ],
)
def test_data_that_contradict_themselves_are_refused(
    change: dict[str, dict[str, Any]], message: str
) -> None:
    data = study({"r": [1, 2, 3], "s": [1, 2, 3]}, gold=[1.0, 2.0, 3.0])
    changed = {name: getattr(data, name).assign(**to) for name, to in change.items()}
    with pytest.raises(ValueError, match=message):
        analyse(replace(data, **changed), QualityRules())


def test_any_shape_of_study_is_analysed() -> None:
    """Five systems of one condition each, three dimensions, a scale of 0–100, no sets."""
    dice = random.Random(3)
    systems = [("human", "human"), *((f"m{n}", "prompted") for n in range(4))]
    rows = [
        (f"r{who}", f"S{n}", "", *system, dimension, dice.randint(0, 100))
        for who in range(7)
        for n in range(3)
        for system in systems
        for dimension in ("warm", "clear", "useful")
    ]
    results = analyse(
        replace(
            study({f"r{who}": [] for who in range(7)}),
            ratings=DataFrame(rows, columns=["participant", *ITEM, "rating"]),
            scenarios=["S0", "S1", "S2"],
            models=[model for model, _ in systems],
            contrast=Contrast("human", "prompted", None),
            scale=[(0, "none"), (100, "full")],
        ),
        QualityRules(),
    )
    assert len(results.tables["items"]) == 3 * 5 * 3
    for name in ("wins", "wins_summary"):
        assert results.not_available[name] == "no model is in both compared conditions"


unknown = st.none()
person = st.fixed_dictionaries(
    {
        "status": st.sampled_from(["completed", "completed", "in_progress", "declined"]),
        "active": st.booleans(),
        "duration_seconds": unknown | st.sampled_from([30.0, 900.0, 9000.0]),
        "attention_checks_failed": unknown | st.sampled_from([0, 1]),
        "age": unknown | st.integers(18, 90),
        "sex": unknown | st.sampled_from(["Female", "Male"]),
    }
)
gold_scores = st.lists(unknown | st.integers(3, 15).map(lambda n: n / 3), min_size=3, max_size=3)
contrasts = st.sampled_from(
    [CONTRAST, replace(CONTRAST, reference=None), Contrast(None, None, None)]
)


STUDIES = (st.data(), st.lists(person, max_size=6), gold_scores, contrasts)


@settings(max_examples=8, deadline=None)
@given(*STUDIES)
def test_whatever_is_missing_there_are_results_or_reasons_in_any_order_of_rows(
    draw: st.DataObject,
    people: list[dict[str, Any]],
    gold: list[float | None],
    contrast: Contrast,
) -> None:
    check_results_or_reasons(draw, people, gold, contrast)


@pytest.mark.long
@settings(max_examples=100, deadline=None)
@given(*STUDIES)
def test_whatever_is_missing_in_many_more_studies_there_are_results_or_reasons(
    draw: st.DataObject,
    people: list[dict[str, Any]],
    gold: list[float | None],
    contrast: Contrast,
) -> None:
    check_results_or_reasons(draw, people, gold, contrast)


def check_results_or_reasons(
    draw: st.DataObject,
    people: list[dict[str, Any]],
    gold: list[float | None],
    contrast: Contrast,
) -> None:
    names = {f"r{n}": each for n, each in enumerate(people)}
    rated = {name: draw.draw(st.lists(st.integers(1, 5), max_size=3)) for name in names}
    data = study(rated, people=names, gold=gold, contrast=contrast)
    results = analyse(data, QualityRules())

    assert set(results.tables) - OF_RATERS == TABLES - set(results.not_available)
    assert set(results.figures) == set(FIGURES) - set(results.not_available)
    raters = by_hand.rows_of(results.tables["raters"])
    assert all(row["note"] for row in raters if row["sigma"] is None or row["mae"] is None)
    n_included = sum(row["included"] is True for row in raters)
    assert results.tables["funnel"]["remaining"].iloc[-1] == n_included

    backwards = replace(
        data, participants=data.participants[::-1], ratings=data.ratings[::-1], gold=data.gold[::-1]
    )
    assert_same(analyse(backwards, QualityRules()), results)


def assert_same(one: Results, other: Results) -> None:
    assert {name: table.to_csv() for name, table in one.tables.items()} == {
        name: table.to_csv() for name, table in other.tables.items()
    }
    assert one.exclusions.to_csv() == other.exclusions.to_csv()
    assert json.dumps(one.figures) == json.dumps(other.figures)
    assert one.not_available == other.not_available


def test_system_that_nobody_rated_is_there_without_gold_scores() -> None:
    data = study({f"r{number}": [2, 4] for number in range(4)})
    cells = DataFrame(
        [("S1", "1", *system) for system in SYSTEMS],
        columns=["scenario", "set", "model", "condition"],
    )
    found = analyse(replace(data, responses=cells.assign(response=[0, 1, 2])), RULES, [])
    items = found.tables["items"]
    assert items["model"].tolist() == ["m", "m", "big"]
    assert items["n"].tolist() == [4, 4, 0]
