"""Recipes: files that say how a study is analysed."""

from pathlib import Path

import pytest
from pandas import Series

from analysis.recipe import (
    FOLDER,
    Grouping,
    MarginOutsideScale,
    Margins,
    MixedModels,
    Scale,
    in_order,
    read_recipe,
    shipped_recipes,
)
from analysis.tables import groups
from survey.files.problems import DefinitionError

PAPER, SOUND = shipped_recipes().values()


def grouping(**said: object) -> Grouping:
    return Grouping.model_validate({"column": "age", **said})


def sides(of: Grouping, *answers: object) -> str:
    """`a`, `b` or `-` for each answer."""
    return "".join(side or "-" for side in groups.sides(of, Series(list(answers), dtype="object")))


def problems(tmp_path: Path, text: str, recipe: str = "paper") -> list[str]:
    """What is wrong with a shipped recipe whose first line is replaced by `text`."""
    shipped = (FOLDER / f"{recipe}.yaml").read_text()
    file = tmp_path / "mine.yaml"
    file.write_text(shipped.replace("unit: rating\n", text))
    with pytest.raises(DefinitionError) as refused:
        read_recipe(file)
    return [str(problem).removeprefix(f"{tmp_path}/") for problem in refused.value.problems]


def test_shipped_recipes_differ_in_their_unit() -> None:
    assert (PAPER.name, PAPER.unit, PAPER.raters) == ("paper", "rating", ["included"])
    assert (SOUND.name, SOUND.unit, SOUND.raters) == ("sound", "participant", ["included", "all"])


def test_shipped_recipes_compare_the_same_groups() -> None:
    assert PAPER.groups == SOUND.groups
    assert list(PAPER.groups) == ["age", "education", "gender", "race"]


def test_age_of_sixty_is_in_the_older_group() -> None:
    assert sides(PAPER.groups["age"], 60, 59, 59.5, "61", "", None, "old") == "abba---"


def test_named_number_is_found_in_a_column_with_gaps() -> None:
    thirty = grouping(a={"label": "30", "values": ["30"]}, b={"label": "other", "others": True})
    assert list(groups.sides(thirty, Series([30.0, 41.0, None]))) == ["a", "b", ""]


def test_unknown_education_is_in_neither_group() -> None:
    education = PAPER.groups["education"]
    answers = ("Graduate or professional degree", "Bachelor's degree", "Other/Unknown", None)
    assert sides(education, *answers) == "ab--"


def test_every_stated_race_but_white_is_non_white() -> None:
    race = PAPER.groups["race"]
    assert sides(race, "White or Caucasian", "White", "Asian", "Other/Unknown", "") == "bbaa-"


def test_people_of_other_genders_are_in_neither_group() -> None:
    assert sides(PAPER.groups["gender"], "Woman", "Man", "Non-binary") == "ab-"


def test_ends_of_numbers_are_open_or_closed_as_named() -> None:
    between = grouping(
        a={"label": "in", "above": 20, "at_most": 30}, b={"label": "out", "others": True}
    )
    assert sides(between, 20, 20.5, 30, 31, None) == "baab-"


def unknown(of: Grouping, *answers: object) -> dict[str, int]:
    return groups.unknown(of, Series(list(answers), dtype="object"))


def test_answers_that_neither_group_knows_and_nobody_left_out_are_unknown() -> None:
    given = ("Man", "Female", "Male", "Female", "woman", "Non-binary", "Prefer not to answer", None)
    assert unknown(PAPER.groups["gender"], *given) == {"Female": 2, "Male": 1, "woman": 1}


@pytest.mark.parametrize("factor", ["education", "race"])
def test_where_a_group_is_all_others_no_answer_is_unknown(factor: str) -> None:
    assert unknown(PAPER.groups[factor], "anything", "Other/Unknown", "") == {}


def test_a_number_between_groups_of_numbers_is_not_unknown_but_a_text_is() -> None:
    apart = grouping(a={"label": "old", "at_least": 60}, b={"label": "young", "below": 30})
    assert unknown(apart, 45, "45", "45-50", "nan", "inf") == {"45-50": 1, "nan": 1}


def test_answer_in_both_groups_is_refused() -> None:
    both = grouping(a={"label": "a", "values": ["60"]}, b={"label": "b", "at_most": 60})
    with pytest.raises(ValueError, match="'60' of age is in both groups"):
        sides(both, 60)


@pytest.mark.parametrize(
    ("a", "b", "overlap"),
    [
        ({"at_least": 60}, {"at_most": 60}, True),
        ({"above": 60}, {"at_most": 60}, False),
        ({"at_least": 60}, {"below": 60}, False),
        ({"above": 59.9}, {"below": 60}, True),
        ({"at_least": 20, "below": 30}, {"at_least": 30}, False),
        ({"above": 20}, {"above": 30}, True),
    ],
)
def test_numbers_that_are_in_both_groups_are_refused(
    a: dict[str, float], b: dict[str, float], overlap: bool
) -> None:
    said = {"a": {"label": "a", **a}, "b": {"label": "b", **b}}
    if overlap:
        with pytest.raises(ValueError, match="some numbers are in both groups"):
            grouping(**said)
    else:
        grouping(**said)


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ({"label": "x"}, "say who is in it in one way"),
        ({"label": "x", "others": True, "values": ["y"]}, "say who is in it in one way"),
        ({"label": "b", "values": ["y"]}, "both groups are called 'b'"),
        ({"label": "x", "values": ["z"]}, "answer 'z' is repeated"),
        ({"label": "x", "at_least": float("nan")}, "finite number"),
    ],
)
def test_groups_that_make_no_sense_are_refused(said: dict[str, object], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        grouping(a=said, b={"label": "b", "values": ["z"]})


def test_wrong_key_is_named_with_its_line(tmp_path: Path) -> None:
    assert problems(tmp_path, "unit: rater\n") == [
        "mine.yaml, line 13, column 1: unit: Input should be 'rating' or 'participant'"
    ]
    assert problems(tmp_path, "unit: rating\nmargin: 3\n") == [
        "mine.yaml, line 14, column 1: margin: unknown key; did you mean 'margins'?"
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("mixed_models: {links: []}", "column 16: mixed_models.links: List should have at least 1"),
        (
            "mixed_models: {links: [logit, logit]}",
            "column 16: mixed_models.links: link 'logit' is repeated",
        ),
        ("raters: []", "column 1: raters: List should have at least 1"),
        ("group_tests: []", "column 1: group_tests: List should have at least 1"),
        ("adjust_over: [model, model]", "column 1: adjust_over: 'model' is repeated"),
        (
            "quotes: {Wset: Hm.}",
            "column 10: quotes.Wset: 'Wset' is no region; there are Northeast, Midwest, South",
        ),
        (
            f"quotes: {{West: {'a' * 141}}}",
            "column 10: quotes.West: String should have at most 140 characters",
        ),
    ],
)
def test_wrong_value_is_named_with_its_place(tmp_path: Path, text: str, problem: str) -> None:
    file = tmp_path / "mine.yaml"
    kept = "name: mine\ntitle: Mine\nunit: participant\n"
    file.write_text(f"{kept}{text}\n")
    with pytest.raises(DefinitionError) as refused:
        read_recipe(file)
    assert f"line 4, {problem}" in str(refused.value)


def test_either_margin_may_be_left_out() -> None:
    margins = Margins.model_validate({"groups": 0.5})
    assert (margins.reference, margins.groups) == (None, 0.5)


SLIDER = Scale([(0, "not at all"), (100, "fully")], between=True)


def points(n: int) -> Scale:
    """A scale of so many labelled points, from 1."""
    return Scale([(value, f"label {value}") for value in range(1, n + 1)], between=False)


@pytest.mark.parametrize(
    ("scale", "margin", "links"),
    [
        (points(5), 0.25, ["probit"]),
        (points(7), 0.375, ["probit"]),
        (points(10), 0.5625, ["probit"]),
        (points(11), 0.625, ["linear"]),
        (SLIDER, 6.25, ["linear"]),
        (Scale([(0, "low"), (4, "high")], between=True), 0.25, ["linear"]),
    ],
)
def test_shipped_recipe_takes_its_margins_and_models_from_the_scale(
    scale: Scale, margin: float, links: list[str]
) -> None:
    here = SOUND.on(scale)
    assert (here.margins.in_points("reference"), here.margins.in_points("groups")) == (margin,) * 2
    assert here.mixed_models is not None and here.mixed_models.links == links
    assert SOUND.on(Scale([], between=False)) == SOUND


def test_what_a_recipe_says_itself_holds_on_every_scale() -> None:
    own = {"margins": Margins(groups=3), "mixed_models": MixedModels(links=["logit"])}
    recipe = SOUND.model_copy(update=own)
    assert recipe.on(SLIDER) == recipe


OF_THE_SCALE = "of the scale's length; it has to be 1 to 50 %"


@pytest.mark.parametrize(
    ("scale", "margins", "problem"),
    [
        (points(5), {"groups": 0.25}, ""),
        (points(5), {"groups": 0.04}, ""),
        (points(5), {"groups": 2.0}, ""),
        (SLIDER, {"groups": 1.0}, ""),
        (None, {"groups": 50.0}, ""),
        (None, {"groups": 1, "given_in": "percent"}, ""),
        (points(5), {"groups": 50, "given_in": "percent"}, ""),
        (SLIDER, {"groups": 0.25}, "a margin of 0.25 on a scale from 0 to 100 is 0.25 % of the sc"),
        (points(5), {"groups": 50}, "a margin of 50 on a scale from 1 to 5 is 1250 % of the sc"),
        (None, {"groups": 0.5, "given_in": "percent"}, f"a margin of 0.5 % {OF_THE_SCALE}"),
        (points(5), {"groups": 51, "given_in": "percent"}, f"a margin of 51 % {OF_THE_SCALE}"),
    ],
)
def test_margin_is_one_to_fifty_percent_of_the_scale(
    scale: Scale | None, margins: dict[str, object], problem: str
) -> None:
    recipe = SOUND.model_copy(update={"margins": Margins.model_validate(margins)})
    said = dict(recipe.margins.problems(scale))
    assert list(said) == (["groups"] if problem else [])
    assert said.get("groups", "").startswith(problem)
    if scale is not None and problem:
        with pytest.raises(MarginOutsideScale, match=r"recipe sound, margins\.groups: a margin of"):
            recipe.on(scale)


def test_margin_in_percent_is_not_taken_for_points() -> None:
    with pytest.raises(ValueError, match="no points without a scale"):
        SOUND.margins.in_points("groups")


def test_shipped_recipes_stand_before_others() -> None:
    assert in_order(["zeal", "sound", "mine", "paper"]) == ["paper", "sound", "mine", "zeal"]
