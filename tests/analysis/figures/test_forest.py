"""Forests: what the tables say, each interval where it belongs."""

from typing import Any

import pytest
from pandas import DataFrame

from analysis.figures.forest import contrast_forest, systems_forest
from analysis.figures.style import LINE, PHONE_CHARACTERS
from analysis.not_available import NotAvailable
from analysis.recipe import shipped_recipes
from analysis.study_data import Contrast
from analysis.tables.contrasts import CONTRASTS
from analysis.tables.mixed_models import MIXED_CONTRASTS, MIXED_SYSTEMS
from analysis.tables.systems import SYSTEMS
from tests.analysis.figures.drawn import checked, notes

RECIPE = shipped_recipes()["sound"]
CONTRAST = Contrast("plain", "tuned", ("Owl", "reference"))
FRONT = {"recipe": "sound", "raters": "included", "dimension": "warmth"}
PAIR = {"condition_a": "plain", "condition_b": "tuned"}


def table(columns: list[str], *rows: dict[str, Any]) -> DataFrame:
    return DataFrame([{**FRONT, **row} for row in rows], columns=columns)


def difference(model: str, generalises_to: str, *values: float, **more: str) -> dict[str, Any]:
    """A row of the table of contrasts; without values one that could not be estimated."""
    estimated = dict(zip(("difference", "ci_low", "ci_high", "n"), values, strict=False))
    return {"model": model, "generalises_to": generalises_to, **PAIR, **estimated, **more}


DIFFERENCES = table(
    CONTRASTS.names,
    difference("Ant", "raters", 0.5, 0.3, 0.7, 20),
    difference("Ant", "scenarios", 0.5, -0.1, 1.1, 6),
    difference("Ant", "both"),
    difference("Bee", "raters"),
    difference("all", "raters", -0.25, -0.5, 0.0, 20),
)
MIXED = table(
    MIXED_CONTRASTS.names,
    *(
        {"model": "Ant", "link": "probit", **PAIR, "scale": scale, "difference": value}
        | {"ci_low": value - 0.4, "ci_high": value + 0.4, "n": 1440}
        for scale, value in {"latent": 0.9, "ratings": 0.45}.items()
    ),
)


def intervals(made: dict[str, Any]) -> dict[str, list[Any]]:
    """Each kind's rows: value, how far below and above, or None."""
    return {
        trace["name"]: [
            None if x is None else (x, minus, plus)
            for x, minus, plus in zip(
                trace["x"], trace["error_x"]["arrayminus"], trace["error_x"]["array"], strict=True
            )
        ]
        for trace in made["data"]
        if trace["mode"] == "markers"
    }


def note(made: dict[str, Any]) -> str:
    return notes(made)["Included raters"]


def test_each_row_has_its_estimates_and_what_cannot_be_estimated_has_none() -> None:
    assert intervals(checked(contrast_forest(DIFFERENCES, MIXED, RECIPE))) == {
        "for other raters": [(0.5, 0.2, 0.2), None, (-0.25, 0.25, 0.25)],
        "for other scenarios": [(0.5, 0.6, 0.6), None, None],
        "for both (mixed model: ordinal, probit)": [(0.45, 0.4, 0.4), None, None],
    }


def test_names_say_the_estimate_of_the_model_where_every_row_has_one() -> None:
    """As texts and other figures do, so that a reader meets one number."""
    one = DIFFERENCES[DIFFERENCES["model"] == "Ant"]
    made = checked(contrast_forest(one, MIXED, RECIPE))
    assert made["data"][-1]["text"] == ["<b>Ant</b>: 0.45"]
    assert "After the names: estimates of the mixed model." in note(made)
    some = checked(contrast_forest(DIFFERENCES, MIXED, RECIPE))
    assert some["data"][-1]["text"][0] == "<b>Ant</b>: 0.50" and "After" not in note(some)


def test_names_say_the_difference_and_all_models_come_last() -> None:
    made = checked(contrast_forest(DIFFERENCES, None, RECIPE))
    assert made["data"][-1]["text"] == [
        "<b>Ant</b>: 0.50",
        "<b>Bee</b>: not estimable",
        "<b>all models</b>: −0.25",
    ]


def test_a_line_stands_at_zero_which_is_on_the_axis() -> None:
    made = checked(contrast_forest(DIFFERENCES[:1], None, RECIPE))
    assert made["data"][0]["x"] == [0, 0]
    low, high = made["layout"]["xaxis"]["range"]
    assert low < 0
    assert high > 0.7


def test_the_note_says_recipe_interval_and_units() -> None:
    text = note(checked(contrast_forest(DIFFERENCES, MIXED, RECIPE)))
    assert text.startswith("Recipe sound; 95 % intervals. n: ")
    assert "n: 20 raters or 6 scenarios or 1,440 ratings." in text


def test_the_axis_says_on_which_side_of_zero_who_is_higher() -> None:
    axis = checked(contrast_forest(DIFFERENCES, None, RECIPE))["layout"]["xaxis"]
    assert axis["title"]["text"] == "plain minus tuned (points)<br>← tuned higher · plain higher →"


def test_long_names_of_conditions_have_room_below_the_axis() -> None:
    long = DIFFERENCES.assign(condition_a="tuned on " + 8 * "many ", condition_b=8 * "plain ")
    short, made = (checked(contrast_forest(each, None, RECIPE)) for each in (DIFFERENCES, long))
    lines = made["layout"]["xaxis"]["title"]["text"].split("<br>")
    assert max(map(len, lines)) <= PHONE_CHARACTERS
    assert len(lines) > 3
    more = LINE * (len(lines) - 2)
    assert made["layout"]["margin"]["b"] == short["layout"]["margin"]["b"] + more
    assert made["layout"]["height"] == short["layout"]["height"] + more


def test_an_estimate_says_how_many_of_what_it_rests_on() -> None:
    made = checked(contrast_forest(DIFFERENCES.assign(n=1), MIXED, RECIPE))
    hovers = [trace["text"][0] for trace in made["data"] if trace["mode"] == "markers"]
    assert [hover.split("], ")[1] for hover in hovers] == ["1 rater", "1 scenario", "1,440 ratings"]


def test_a_menu_changes_raters_and_dimensions() -> None:
    every = DIFFERENCES.assign(raters="all", difference=DIFFERENCES["difference"] * 2)
    other = DIFFERENCES.assign(dimension="advice")
    both = DataFrame([*DIFFERENCES.to_dict("records"), *every.to_dict("records")])
    (menu,) = checked(contrast_forest(both, None, RECIPE))["layout"]["updatemenus"]
    assert [button["label"] for button in menu["buttons"]] == ["Included raters", "All raters"]
    changes, _ = menu["buttons"][1]["args"]
    assert changes["x"][1] == [1.0, None, -0.5]
    assert changes["text"][-1][0] == "<b>Ant</b>: 1.00"
    dimensions = DataFrame([*DIFFERENCES.to_dict("records"), *other.to_dict("records")])
    (menu,) = checked(contrast_forest(dimensions, None, RECIPE))["layout"]["updatemenus"]
    assert [b["label"] for b in menu["buttons"]] == [
        "Included raters · warmth",
        "Included raters · advice",
    ]


def test_a_note_counts_the_units_of_its_own_view() -> None:
    every = DIFFERENCES.assign(raters="all", n=DIFFERENCES["n"] + 15)
    both = DataFrame([*DIFFERENCES.to_dict("records"), *every.to_dict("records")])
    said = notes(checked(contrast_forest(both, None, RECIPE)))
    assert "n: 20 raters or 6 scenarios." in said["Included raters"]
    assert "n: 35 raters or 21 scenarios." in said["All raters"]


def test_rows_of_other_recipes_are_left_out() -> None:
    other = DIFFERENCES.assign(recipe="paper", difference=9.0)
    both = DataFrame([*other.to_dict("records"), *DIFFERENCES.to_dict("records")])
    made = checked(contrast_forest(both, None, RECIPE))
    assert made == checked(contrast_forest(DIFFERENCES, None, RECIPE))


def test_where_nothing_is_estimable_there_is_no_figure() -> None:
    with pytest.raises(NotAvailable, match="no difference between the conditions is estimable"):
        contrast_forest(DIFFERENCES[2:4], None, RECIPE)


def mean(unit: str, model: str, condition: str, *values: float) -> dict[str, Any]:
    estimated = dict(zip(("mean", "ci_low", "ci_high", "n"), values, strict=False))
    return {"unit": unit, "model": model, "condition": condition, **estimated}


MEANS = table(
    SYSTEMS.names,
    mean("participant", "Ant", "plain", 3.0, 2.5, 3.5, 20),
    mean("participant", "Owl", "reference", 4.0, 3.8, 4.2, 19),
    mean("scenario", "Ant", "plain", 3.1, 2.1, 4.1, 6),
    {**mean("scenario", "Owl", "reference", 4.0), "n": 1},
)


def test_systems_have_means_by_raters_and_by_scenarios_and_of_the_model() -> None:
    estimates = table(
        MIXED_SYSTEMS.names,
        {"link": "linear", "model": "Ant", "condition": "plain", "scale": "ratings"}
        | {"estimate": 3.0, "ci_low": 2.0, "ci_high": 4.0},
    )
    made = checked(systems_forest(MEANS, estimates, CONTRAST, RECIPE))
    assert intervals(made) == {
        "for other raters": [(3.0, 0.5, 0.5), (4.0, 0.2, 0.2)],
        "for other scenarios": [(3.1, 1.0, 1.0), (4.0, 0.0, 0.0)],
        "for both (mixed model: linear)": [(3.0, 1.0, 1.0), None],
    }
    assert made["data"][-1]["text"] == ["<b>Ant</b>, plain: 3.00", "<b>Owl</b>, reference: 4.00"]
    assert "n: 19 to 20 raters or 1 to 6 scenarios." in note(made)


def test_a_dashed_line_marks_the_reference_where_there_is_one() -> None:
    line = checked(systems_forest(MEANS, None, CONTRAST, RECIPE))["data"][0]
    assert (line["x"], line["line"]["dash"]) == ([4.0, 4.0], "dash")
    without = checked(systems_forest(MEANS, None, Contrast("plain", "tuned", None), RECIPE))
    assert without["data"][0]["x"] == [None, None]
    assert "Dashed" not in note(without)


def test_a_reference_by_another_name_is_called_so() -> None:
    human = MEANS.replace({"model": {"Owl": "people"}, "condition": {"reference": "human"}})
    contrast = Contrast("plain", "tuned", ("people", "human"))
    made = checked(systems_forest(human, None, contrast, RECIPE))
    assert made["data"][-1]["text"][1] == "<b>people</b>, human (reference): 4.00"


def test_no_mean_is_no_figure() -> None:
    with pytest.raises(NotAvailable, match="no mean is estimable"):
        systems_forest(MEANS[:0], None, CONTRAST, RECIPE)
