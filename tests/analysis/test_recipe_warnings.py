"""What in a recipe hardly fits a study: said when its folder is loaded."""

from functools import partial
from typing import Any

import pytest

from analysis.recipe import (
    Bootstrap,
    FittedLink,
    Grouping,
    MixedModels,
    Recipe,
    Scale,
    shipped_recipes,
)
from analysis.recipe_warnings import Columns, warnings, warnings_of_shipped
from survey.definition.questions import (
    ChoiceQuestion,
    IntegerQuestion,
    ScreeningQuestion,
    StateQuestion,
)

PAPER, SOUND = shipped_recipes().values()
ASKED = ("age", "education", "gender", "race", "region")
WORDS: dict[str, Any] = {"question": "What?"}
GENDER = ["Woman", "Man", "Prefer not to answer"]
QUESTIONS: Columns = {
    "age": IntegerQuestion(name="age", kind="integer", minimum=18, maximum=99, **WORDS),
    "gender": ChoiceQuestion(name="gender", kind="single", options=GENDER, **WORDS),
    "race": ChoiceQuestion(name="race", kind="multiple", options=["Asian", "White"], **WORDS),
    "people": ChoiceQuestion(
        name="people", kind="multiple", options=["A", "B"], several="More", **WORDS
    ),
    "home": ScreeningQuestion(name="home", options=["1", "2", "many"], eligible=["1"], **WORDS),
    "state": StateQuestion(name="state", kind="us_state", **WORDS),
    "region": None,
}


SCENARIOS = ["Grief at home", "Panic", "Exams"]
SLIDER = Scale([(0, "not at all"), (100, "fully")], between=True)


def points(n: int) -> Scale:
    """A scale of so many labelled points, from 0."""
    return Scale([(value, f"label {value}") for value in range(n)], between=False)


def found(
    recipe: Recipe, *columns: str, scale: Scale | None = None
) -> dict[tuple[str | int, ...], str]:
    return dict(warnings(recipe, dict.fromkeys(columns), scale, SCENARIOS))


def of_group(column: str, left_out: tuple[str, ...] = (), **a: object) -> dict[str, str]:
    """What is questionable about a group `a` beside all others, by the rest of its key."""
    grouping = Grouping.model_validate(
        {
            "column": column,
            "a": {"label": "A", **a},
            "b": {"label": "rest", "others": True},
            "left_out": list(left_out),
        }
    )
    recipe = PAPER.model_copy(update={"groups": {"mine": grouping}})
    return {
        ".".join(map(str, path[2:])): warning
        for path, warning in warnings(recipe, QUESTIONS, None, SCENARIOS)
        if path[:2] == ("groups", "mine")
    }


def test_scenario_of_a_group_that_the_study_lacks_is_named() -> None:
    groups = {"acute": ["Panic", "Grief at hom"]}
    recipe = PAPER.model_copy(update={"scenario_groups": groups})
    assert found(recipe, *ASKED) == {
        ("scenario_groups", "acute", 1): "the study has no scenario 'Grief at hom'; "
        "did you mean 'Grief at home'?"
    }


def test_keys_without_an_effect_are_doubted() -> None:
    assert found(PAPER, *ASKED) == found(SOUND, *ASKED) == {}
    by_ratings = found(SOUND.model_copy(update={"unit": "rating"}), *ASKED[1:-1])
    assert list(by_ratings) == [
        ("groups", "age", "column"),
        ("anova", 0),
        ("mixed_models",),
        ("margins", "reference"),
    ]
    message = "raters have no column 'region', so nobody is in any of its groups"
    assert by_ratings["anova", 0] == message


def test_few_resamples_are_doubted() -> None:
    few = SOUND.model_copy(update={"bootstrap": Bootstrap(resamples=400)})
    assert found(few, *ASKED) == {
        ("bootstrap", "resamples"): "fewer than 2,000 resamples leave the ends of intervals to "
        "chance"
    }


def test_answer_that_is_no_option_is_doubted_with_the_options_there_are() -> None:
    options = "its options are Woman, Man, Prefer not to answer"
    assert of_group("gender", ("Prefer not to say",), values=["Womann"]) == {
        "a.values.0": f"group 'A': 'Womann' is no answer to the question gender: {options}",
        "left_out.0": f"'Prefer not to say' is no answer to the question gender: {options}",
    }
    assert of_group("gender", ("Prefer not to answer",), values=["Woman", "Man"]) == {}


@pytest.mark.parametrize(
    "warned",
    [
        lambda columns: warnings(SOUND, columns, None, SCENARIOS),
        partial(warnings_of_shipped, SOUND),
    ],
)
def test_answer_that_no_group_knows_is_doubted_in_shipped_recipes_too(warned: Any) -> None:
    def said(*options: str) -> list[str]:
        gender = ChoiceQuestion(name="gender", kind="single", options=list(options), **WORDS)
        return [
            warning
            for path, warning in warned(dict.fromkeys(ASKED) | {"gender": gender})
            if path == ("groups", "gender")
        ]

    assert said("Female", "Male", "Prefer not to answer") == [
        "'Female' and 'Male', which the question gender offers, are in no group: the tests do not "
        "include people who choose them. Add them to a group, or to left_out"
    ]
    assert said("Woman", "Man", "Another gender") == []


def test_text_about_a_number_and_a_number_that_nobody_may_give_are_doubted() -> None:
    asks = "is no answer to the question age: it asks for a whole number from 18 to 99"
    answers = ["young", "30", "17", "30.0", "²"]
    assert of_group("age", values=answers) == {
        f"a.values.{place}": f"group 'A': {answers[place]!r} {asks}" for place in (0, 2, 3, 4)
    }


@pytest.mark.parametrize(
    ("column", "numbers", "asks"),
    [
        ("age", {"at_least": 60}, ""),
        ("age", {"at_least": 99}, ""),
        ("age", {"above": 99}, "it asks for a whole number from 18 to 99"),
        ("age", {"below": 18}, "it asks for a whole number from 18 to 99"),
        ("age", {"at_most": 18}, ""),
        ("gender", {"at_least": 60}, "its options are Woman, Man, Prefer not to answer"),
        ("home", {"at_least": 2}, ""),
        ("home", {"above": 2}, "its options are 1, 2, many"),
    ],
)
def test_numbers_that_no_answer_lies_in_are_doubted(
    column: str, numbers: dict[str, Any], asks: str
) -> None:
    said = f"group 'A': no answer to the question {column} is such a number: {asks}"
    assert of_group(column, **numbers) == ({"a": said} if asks else {})


def test_several_choices_are_an_answer_as_participants_csv_has_them() -> None:
    assert of_group("race", values=["Asian", "Asian; White"]) == {}
    assert list(of_group("race", values=["Asian; Black"])) == ["a.values.0"]
    assert of_group("people", values=["More"]) == {}


def test_answers_to_what_has_no_list_of_options_are_not_doubted() -> None:
    assert of_group("region", values=["South"]) == of_group("state", values=["TX"]) == {}


def test_another_wording_of_a_shipped_recipe_is_doubted_where_none_of_the_group_fits() -> None:
    assert of_group("race", ("Prefer not to answer",), values=["White or Caucasian", "White"]) == {}
    assert list(of_group("gender", values=["White"])) == ["a.values.0"]


@pytest.mark.parametrize(
    ("scale", "links", "warned"),
    [
        (points(10), ["probit", "linear"], []),
        (points(11), ["linear", "probit", "logit"], [1, 2]),
        (points(11), None, []),
        (SLIDER, ["probit"], [0]),
        (SLIDER, ["linear"], []),
        (None, ["probit"], []),
    ],
)
def test_ordinal_model_of_a_slider_or_of_many_points_is_doubted(
    scale: Scale | None, links: list[FittedLink] | None, warned: list[int]
) -> None:
    recipe = SOUND.model_copy(update={"mixed_models": MixedModels(links=links)})
    said = found(recipe, *ASKED, scale=scale)
    assert list(said) == [("mixed_models", "links", place) for place in warned]
    what = "a slider" if scale is SLIDER else "more than 10 points"
    assert all(each.startswith(f"an ordinal model of {what} has a") for each in said.values())
