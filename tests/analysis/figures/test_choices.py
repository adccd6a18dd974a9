"""Best and worst choices as stacked bars: right shares in the right bar."""

from typing import Any

import pytest
from pandas import DataFrame, concat

from analysis.figures.choices import best_worst_shares
from analysis.not_available import NotAvailable
from analysis.recipe import shipped_recipes
from analysis.tables.choices import choices
from tests.analysis.figures.drawn import checked, notes
from tests.analysis.tables.test_choices import pages

PAPER, SOUND = shipped_recipes().values()
STUDY = pages(
    *(
        answer
        for pair in range(10)
        for answer in (
            (f"a{pair}", "Q1", "xyz", "x", "z"),
            (f"a{pair}", "Q2", "xyz", "x", "y"),
            (f"b{pair}", "Q1", "xyz", "y", "z"),
            (f"b{pair}", "Q2", "xyz", "x", ""),
        )
    )
)


def drawn(table: DataFrame) -> dict[str, Any]:
    figure = best_worst_shares(table, SOUND)
    return checked(figure)


def shares(figure: dict[str, Any]) -> dict[str, list[float]]:
    return {trace["name"]: trace["x"] for trace in figure["data"] if trace["type"] == "bar"}


def test_each_scenario_has_a_bar_of_best_and_one_of_worst() -> None:
    figure = drawn(choices(STUDY, SOUND, raters="included"))
    names = figure["data"][-1]["text"]
    assert names == [
        "<b>All scenarios</b>, best (40)",
        "<b>All scenarios</b>, worst (30)",
        "<b>Q1</b>, best (20)",
        "<b>Q1</b>, worst (20)",
        "<b>Q2</b>, best (20)",
        "<b>Q2</b>, worst (10)",
    ]
    assert shares(figure) == {
        "x, told": [0.75, 0, 0.5, 0, 1, 0],
        "y, told": [0.25, 0.3333, 0.5, 0, 0, 1],
        "z, told": [0, 0.6667, 0, 1, 0, 0],
    }
    assert figure["layout"]["barmode"] == "stack"


def test_what_is_behind_a_bar_is_said_when_it_is_touched() -> None:
    figure = drawn(choices(STUDY, SOUND, raters="included"))
    about = figure["data"][0]["customdata"][0]
    assert about == (
        "30 of 40 choices<br>chosen on 75.0% of the pages that showed it<br>95 %: 65.0% to 85.0%"
    )


def test_a_menu_switches_between_dimensions_and_raters() -> None:
    warmth, advice = (STUDY.assign(dimension=name).astype({"dimension": "category"})
                      for name in ("warmth", "advice"))  # fmt: skip
    swapped = advice.assign(choice=advice["choice"].map({"best": "worst", "worst": "best", "": ""}))
    table = concat(
        [
            choices(data, SOUND, raters=who)
            for who in ("included", "all")
            for data in (warmth, swapped)
        ]
    )
    figure = drawn(table)
    (menu,) = figure["layout"]["updatemenus"]
    assert [button["label"] for button in menu["buttons"]] == [
        *("Included raters · warmth", "Included raters · advice"),
        *("All raters · warmth", "All raters · advice"),
    ]
    points = menu["buttons"][1]["args"][0]
    # One page of the other dimension has no best response.
    assert points["x"][0] == [0, 0.75, 0, 0.5, 0, 1]
    assert points["text"][-1][0] == "<b>All scenarios</b>, best (30)"


def test_scenarios_with_few_choices_have_no_bars_and_the_note_says_so() -> None:
    few = STUDY[(STUDY["scenario"] == "Q1") | (STUDY["participant"] != "a0")]
    figure = drawn(choices(few, SOUND, raters="included"))
    assert [name.split(",")[0] for name in figure["data"][-1]["text"]] == [
        *["<b>All scenarios</b>"] * 2,
        *["<b>Q1</b>"] * 2,
    ]
    assert notes(figure)["Included raters"].endswith(
        "Unit: choice. 1 of 2 scenarios has fewer than 20 choices and is not shown individually: "
        "its numbers are in choices.csv."
    )


def test_more_systems_than_colours_are_told_apart_by_patterns() -> None:
    data = pages(*((f"r{at}", "Q1", "abcdefgh", "a", "h") for at in range(3)))
    looks = [trace["marker"] for trace in drawn(choices(data, SOUND, raters="all"))["data"][:-1]]
    seen = {(look["color"], look.get("pattern", {}).get("shape")) for look in looks}
    assert len(seen) == 8


def test_names_are_text_and_not_tags() -> None:
    raters = [f"r{at}" for at in range(20)]
    data = pages(*((who, scenario, "xy", "x", "y") for who in raters for scenario in ("<b>", "Q")))
    figure = drawn(choices(data, SOUND, raters="all"))
    assert "<b>&lt;b&gt;</b>, best (20)" in figure["data"][-1]["text"]


def test_recipe_without_choices_has_no_figure() -> None:
    table = choices(STUDY, SOUND, raters="included")
    with pytest.raises(NotAvailable, match="there are no choices"):
        best_worst_shares(table, PAPER)
