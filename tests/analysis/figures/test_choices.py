"""Best and worst choices as stacked bars: right shares in the right bar."""

from typing import Any

import pytest
from pandas import DataFrame, concat

from analysis.absent import Absent
from analysis.figures.choices import best_worst_shares
from analysis.recipe import shipped_recipes
from analysis.tables.choices import choices
from tests.analysis.figures.drawn import checked
from tests.analysis.tables.test_choices import pages

PAPER, SOUND = shipped_recipes().values()
STUDY = pages(
    ("r1", "Q1", "xyz", "x", "z"),
    ("r1", "Q2", "xyz", "x", "y"),
    ("r2", "Q1", "xyz", "y", "z"),
    ("r2", "Q2", "xyz", "x", ""),
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
        "<b>All scenarios</b>, best (4)",
        "<b>All scenarios</b>, worst (3)",
        "<b>Q1</b>, best (2)",
        "<b>Q1</b>, worst (2)",
        "<b>Q2</b>, best (2)",
        "<b>Q2</b>, worst (1)",
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
        "3 of 4 choices<br>chosen on 75.0% of the pages that showed it<br>95 %: 50.0% to 100.0%"
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
    assert points["text"][-1][0] == "<b>All scenarios</b>, best (3)"


def test_more_systems_than_colours_are_told_apart_by_patterns() -> None:
    data = pages(*((f"r{at}", "Q1", "abcdefgh", "a", "h") for at in range(3)))
    looks = [trace["marker"] for trace in drawn(choices(data, SOUND, raters="all"))["data"][:-1]]
    seen = {(look["color"], look.get("pattern", {}).get("shape")) for look in looks}
    assert len(seen) == 8


def test_names_are_text_and_not_tags() -> None:
    data = pages(("r1", "<b>", "xy", "x", "y"), ("r1", "Q", "xy", "x", "y"))
    figure = drawn(choices(data, SOUND, raters="all"))
    assert "<b>&lt;b&gt;</b>, best (1)" in figure["data"][-1]["text"]


def test_recipe_without_choices_has_no_figure() -> None:
    table = choices(STUDY, SOUND, raters="included")
    with pytest.raises(Absent, match="there are no choices"):
        best_worst_shares(table, PAPER)
