"""Planned raters: exact counts, planted effects, the same for the same seed."""

from collections.abc import Mapping
from datetime import timedelta
from fractions import Fraction
from itertools import pairwise
from statistics import mean

import pytest

from survey.simulated.answers import item_position, rating_at, unmatched
from survey.simulated.content import BlockTexts, Content, RatingKey, Text
from survey.simulated.plan import (
    RaterPlan,
    exact_counts,
    plan_raters,
)
from survey.simulated.profile import Behaviour, SimulationProfile
from tests.survey import small_study

SILENT = {"rater_sd": 0.0, "item_sd": 0.0, "residual_sd": 0.0}


def content(yaml: str = small_study.YAML, *, version: int = 1) -> Content:
    blocks: dict[tuple[str, str], list[Text]] = {}
    for row in small_study.rows():
        texts = blocks.setdefault((row.scenario, row.set_name), [])
        texts.append(Text(row.model, row.condition, row.text))
    return Content(
        definition=small_study.definition(yaml),
        version=version,
        codes={"completed": "DONE1"},
        blocks=tuple(
            BlockTexts(scenario, set_name, "prompt", tuple(texts))
            for (scenario, set_name), texts in blocks.items()
        ),
    )


def plans(participants: int, *, seed: int = 1, **parts: Mapping[str, object]) -> list[RaterPlan]:
    return plan_raters(
        profile=SimulationProfile.model_validate(parts),
        content=content(),
        participants=participants,
        seed=seed,
    )


def only(behaviour: str, participants: int = 20) -> list[RaterPlan]:
    return plans(participants, behaviours={behaviour: 1.0})


def test_counts_are_the_nearest_whole_numbers_to_the_shares() -> None:
    """By hand: 1.51, 4.53, 9.06 and 135.90 of 151; the two left go to .90 and .53."""
    shares = {
        Behaviour.STALLER: Fraction("0.01"),
        Behaviour.SPEEDER: Fraction("0.03"),
        Behaviour.EARLY_EXIT: Fraction("0.06"),
    }
    assert exact_counts(shares, 151, Behaviour.CAREFUL) == {
        Behaviour.STALLER: 1,
        Behaviour.SPEEDER: 5,
        Behaviour.EARLY_EXIT: 9,
        Behaviour.CAREFUL: 136,
    }


@pytest.mark.parametrize("people", [1, 2, 3, 10, 151])
def test_counts_add_up(people: int) -> None:
    shares = SimulationProfile.model_validate(
        {"behaviours": {"speeder": 1 / 3, "staller": 1 / 7, "early_exit": 0.01}}
    ).behaviours.shares()
    assert sum(exact_counts(shares, people, Behaviour.CAREFUL).values()) == people


def test_same_seed_gives_the_same_plans() -> None:
    shares = {"speeder": 0.2, "random_clicker": 0.2}
    assert plans(10, behaviours=shares) == plans(10, behaviours=shares)


def test_another_seed_gives_other_people() -> None:
    first, second = plans(10, seed=1), plans(10, seed=2)
    assert not {p.person for p in first} & {p.person for p in second}
    assert not {p.order_seed for p in first} & {p.order_seed for p in second}
    assert [p.ratings for p in first] != [p.ratings for p in second]


def test_people_differ() -> None:
    people = plans(20)
    assert len({p.person for p in people}) == len({p.order_seed for p in people}) == 20
    assert len({tuple(p.ratings.values()) for p in people}) > 15


def test_scale_is_shared_equally_by_its_points() -> None:
    places = [-0.5, 0.0, 0.19, 0.2, 0.59, 0.81, 1.0, 7.0]
    assert [rating_at(x, [1, 2, 3, 4, 5]) for x in places] == [1, 1, 1, 2, 3, 5, 5, 5]
    assert [rating_at(x, [0, 10]) for x in (0.49, 0.5)] == [0, 10]


def test_planted_shifts_add_up() -> None:
    profile = SimulationProfile.model_validate(
        {
            "effects": {
                "centre": 0.5,
                "conditions": {"tuned": 0.1},
                "scenarios": {"S1": 0.02},
                "dimensions": {"warmth": -0.2},
                "systems": [{"model": "Ant", "condition": "tuned", "shift": 0.05}],
                "item_sd": 0,
            }
        }
    )
    ant = RatingKey("S1", "1", "Ant", "tuned", "warmth")
    bee = RatingKey("S2", "2", "Bee", "plain", "warmth")
    assert item_position(profile, 1, ant) == pytest.approx(0.47)
    assert item_position(profile, 1, bee) == pytest.approx(0.3)


def test_system_may_be_shifted_in_one_scenario_or_on_one_dimension() -> None:
    ant = {"model": "Ant", "condition": "tuned"}
    shifts = [
        {**ant, "scenario": "S1", "shift": 0.1},
        {**ant, "dimension": "warmth", "shift": 0.02},
        {**ant, "scenario": "S1", "dimension": "clarity", "shift": 0.005},
    ]
    effects = {"centre": 0.5, "systems": shifts, "item_sd": 0}
    profile = SimulationProfile.model_validate({"effects": effects})
    positions = [
        item_position(profile, 1, RatingKey(scenario, "1", "Ant", "tuned", dimension))
        for scenario in ("S1", "S2")
        for dimension in ("warmth", "clarity")
    ]
    assert positions == pytest.approx([0.62, 0.605, 0.52, 0.5])


def test_groups_of_raters_are_shifted_by_what_they_say_of_themselves() -> None:
    answers = {
        "age": {"mean": 50, "sd": 15},
        "sex": {"shares": {"Female": 0.5, "Male": 0.5}},
    }
    groups = [
        {"question": "age", "at_least": 60, "shift": 0.1},
        {"question": "age", "at_least": 40, "below": 60, "shift": 0.04},
        {"question": "sex", "values": ["Male"], "model": "Ant", "shift": 0.01},
    ]
    effects = {"centre": 0.5, **SILENT, "groups": groups}
    seen = set()
    for rater in plans(40, effects=effects, demographics={"skip": 0.2, "answers": answers}):
        age = int(rater.demographics.get("age", ["0"])[0])
        by_age = 0.1 if age >= 60 else 0.04 if age >= 40 else 0.0
        is_male = rater.demographics.get("sex") == ["Male"]
        seen.add((by_age, is_male))
        for cell, position in rater.seen.items():
            by_sex = 0.01 if is_male and cell.model == "Ant" else 0.0
            assert position == pytest.approx(0.5 + by_age + by_sex)
    assert len(seen) == 6


def test_response_shown_in_two_sets_has_one_position() -> None:
    first, second = (RatingKey("S1", s, "Oracle", "reference", "warmth") for s in ("1", "2"))
    other = RatingKey("S2", "1", "Oracle", "reference", "warmth")
    profile = SimulationProfile()
    assert item_position(profile, 1, first) == item_position(profile, 1, second)
    assert item_position(profile, 1, first) != item_position(profile, 1, other)


def test_ratings_without_any_spread_are_the_planted_points() -> None:
    effects = {"centre": 0.5, "conditions": {"tuned": 0.3, "reference": -0.3}, **SILENT}
    [rater] = plans(1, effects=effects)
    points = {"plain": 2, "tuned": 3, "reference": 1}  # of the points 1, 2, 3
    assert rater.ratings == {c: points[c.condition] for c in content().cells()}


def test_planted_effect_is_found_in_many_ratings() -> None:
    """A shift of one point, and spreads: the difference of means is near one point."""
    effects = {"centre": 0.35, "conditions": {"tuned": 1 / 3}, "item_sd": 0.0, "residual_sd": 0.1}
    by_condition: dict[str, list[float]] = {}
    for rater in plans(300, effects=effects):
        for cell, value in rater.ratings.items():
            by_condition.setdefault(cell.condition, []).append(value)
    difference = mean(by_condition["tuned"]) - mean(by_condition["plain"])
    assert difference == pytest.approx(1, abs=0.1)


def test_ratings_of_a_reference_differ_from_set_to_set() -> None:
    pairs = [
        (
            rater.ratings[RatingKey("S1", "1", "Oracle", "reference", "warmth")],
            rater.ratings[RatingKey("S1", "2", "Oracle", "reference", "warmth")],
        )
        for rater in plans(50)
    ]
    assert any(first != second for first, second in pairs)


def test_straight_liners_choose_one_end_everywhere() -> None:
    lines = {frozenset(rater.ratings.values()) for rater in only("straight_liner")}
    assert lines == {frozenset({1}), frozenset({3})}


def test_random_clickers_choose_every_point_alike() -> None:
    values = [value for rater in only("random_clicker", 200) for value in rater.ratings.values()]
    shares = [values.count(point) / len(values) for point in (1, 2, 3)]
    assert shares == pytest.approx([1 / 3] * 3, abs=0.03)


def test_attention_failers_alone_answer_their_checks_wrongly() -> None:
    assert {2} & {rater.checks["check_1"] for rater in only("attention_failer")} == set()
    for behaviour in ("speeder", "straight_liner", "early_exit", "staller"):
        assert {rater.checks["check_1"] for rater in only(behaviour)} == {2}


def test_careful_raters_take_the_time_given() -> None:
    minutes = [rater.minutes for rater in plans(50)]
    assert 15 <= min(minutes) < 20 and 40 < max(minutes) <= 45


def test_speeders_are_quick() -> None:
    assert all(3 <= rater.minutes <= 8 for rater in only("speeder"))


def test_stallers_leave_one_page_open() -> None:
    for rater in only("staller"):
        longest = max(rater.seconds.values())
        assert longest > 65 * 60
        assert 15 <= rater.minutes - longest / 60 <= 45 or longest < 165 * 60


def test_early_leavers_leave_blocks_unanswered() -> None:
    assert {rater.blocks for rater in only("early_exit", 50)} == {1, 2, 3}


def test_early_leavers_take_longer_than_speeders() -> None:
    """So that a filter on durations does not find them first."""
    assert all(rater.minutes >= 14 for rater in only("early_exit", 50))


def test_people_arrive_one_after_another_minutes_apart() -> None:
    arrivals = [rater.after for rater in plans(400)]
    assert arrivals[0] == timedelta()
    gaps = [later - earlier for earlier, later in pairwise(arrivals)]
    assert min(gaps) > timedelta()
    assert len(set(gaps)) == 399
    assert mean(gap.total_seconds() for gap in gaps) == pytest.approx(120, abs=20)


def test_who_comes_later_moves_nobody() -> None:
    assert [rater.after for rater in plans(20)][:5] == [rater.after for rater in plans(5)]


def test_demographics_are_possible_answers() -> None:
    for rater in plans(100, demographics={"skip": 0.0}):
        answers = rater.demographics
        assert set(answers) == {"age", "sex", "race", "state"}
        assert 18 <= int(answers["age"][0]) <= 99
        assert answers["sex"][0] in ("Female", "Male")


def test_demographics_follow_their_shares() -> None:
    given = {
        "answers": {
            "age": {"mean": 300, "sd": 1},
            "sex": {"shares": {"Female": 0.8, "Male": 0.2}},
            "race": {"shares": {"Asian": 0.5, "White": 0.5}, "second": 1.0},
            "state": {"shares": {"Ohio": 1.0}},
        }
    }
    answers = [rater.demographics for rater in plans(400, demographics=given)]
    assert mean(a["sex"] == ["Female"] for a in answers) == pytest.approx(0.8, abs=0.06)
    assert {a["age"][0] for a in answers} == {"99"}  # the question's maximum
    assert {frozenset(a["race"]) for a in answers} == {frozenset({"Asian", "White"})}
    assert {a["state"][0] for a in answers} == {"Ohio"}


def test_some_questions_are_skipped() -> None:
    answers = [len(rater.demographics) for rater in plans(200, demographics={"skip": 0.25})]
    assert mean(answers) == pytest.approx(3, abs=0.2)


def test_names_that_the_study_lacks_are_listed_with_their_place() -> None:
    profile = SimulationProfile.model_validate(
        {
            "effects": {
                "conditions": {"tuned": 0.1, "tunde": 0.1},
                "systems": [{"model": "Ant", "condition": "reference", "shift": 0.1}],
                "scenarios": {"S9": 0.1},
                "groups": [
                    {"question": "sex", "values": ["Male", "men"], "shift": 0.1},
                    {"question": "sex", "below": 60, "shift": 0.1},
                    {"question": "weight", "at_least": 60, "shift": 0.1},
                    {"question": "age", "below": 60, "scenario": "S9", "shift": 0.1},
                ],
            },
            "demographics": {
                "answers": {
                    "age": {"shares": {"old": 1.0}},
                    "sex": {"shares": {"female": 1.0}},
                    "shoe_size": {"mean": 40, "sd": 3},
                }
            },
        }
    )
    assert sorted(unmatched(profile, content())) == [
        (("demographics", "answers", "age"), "the study's question is of kind integer"),
        (
            ("demographics", "answers", "sex", "shares", "female"),
            "the study's question has no such option",
        ),
        (("demographics", "answers", "shoe_size"), "the study has no such question"),
        (("effects", "conditions", "tunde"), "the study has no such condition"),
        (("effects", "groups", 0, "values", 1), "the study's question has no such option"),
        (("effects", "groups", 1), "the study's question is of kind single"),
        (("effects", "groups", 2, "question"), "the study has no such question"),
        (("effects", "groups", 3), "the study has nothing of these names"),
        (("effects", "scenarios", "S9"), "the study has no such scenario"),
        (("effects", "systems", 0), "the study has no such system"),
    ]
