"""Means by dimension: points with intervals, and the radar."""

import itertools
import random
from typing import Any

import pytest
from pandas import DataFrame, concat

from analysis.figures.dimensions import dimension_means, dimension_radar
from analysis.not_available import NotAvailable
from analysis.recipe import shipped_recipes
from analysis.study_data import ITEM
from analysis.tables.systems import systems
from tests.analysis.figures.drawn import checked, notes

PAPER, SOUND = shipped_recipes().values()
SCALE = [(1, "Not at all"), (2, "A little"), (3, "Much")]
DIMENSIONS = ["cognitive", "emotional", "behavioral"]


def ratings(dimensions: list[str] = DIMENSIONS) -> DataFrame:
    draw = random.Random(4)
    rows = [
        (person, scenario, "", model, "told", dimension, draw.randint(1, 3))
        for person, scenario, model, dimension in itertools.product(
            ["p1", "p2", "p3"], ["Q1", "Q2"], ["<Ant>", "Bee"], dimensions
        )
    ]
    table = DataFrame(rows, columns=["participant", *ITEM, "rating"])
    table = table.astype(dict.fromkeys(ITEM, "category"))
    return table.assign(dimension=table["dimension"].cat.reorder_categories(dimensions))


TABLE = systems(ratings(), SOUND, raters="included")


def mean(table: DataFrame, **wanted: str) -> dict[str, Any]:
    for column, value in wanted.items():
        table = table[table[column] == value]
    (only,) = table.to_dict("records")
    return {str(name): value for name, value in only.items()}


def test_systems_are_rows_and_dimensions_marks_with_intervals() -> None:
    figure = checked(dimension_means(TABLE, SOUND, SCALE))
    assert [trace.get("name") for trace in figure["data"]] == [*DIMENSIONS, None]
    assert figure["data"][-1]["text"] == ["<b>&lt;Ant&gt;</b>, told", "<b>Bee</b>, told"]
    expected = mean(TABLE, model="Bee", dimension="emotional", unit="participant")
    emotional = figure["data"][1]
    assert emotional["x"][1] == pytest.approx(expected["mean"], rel=1e-3)
    arms = emotional["error_x"]
    assert arms["array"][1] == pytest.approx(expected["ci_high"] - expected["mean"], rel=1e-3)
    assert arms["arrayminus"][1] == pytest.approx(expected["mean"] - expected["ci_low"], rel=1e-3)
    assert emotional["text"][1].endswith(", 3 raters")
    assert [text.split("n: ")[1] for text in notes(figure).values()] == [
        "3 raters.",
        "2 scenarios.",
    ]


@pytest.mark.parametrize("draw", [dimension_means, dimension_radar])
def test_a_menu_says_what_intervals_speak_of_and_whose_ratings_they_are(draw: Any) -> None:
    both = concat([TABLE, systems(ratings(), SOUND, raters="all")])
    (menu,) = checked(draw(both, SOUND, SCALE))["layout"]["updatemenus"]
    assert [button["label"] for button in menu["buttons"]] == [
        f"{raters}, intervals for {units}"
        for raters in ("Included raters", "All raters")
        for units in ("other raters", "other scenarios")
    ]


def test_a_note_counts_the_raters_of_its_own_view() -> None:
    of_three = ratings()
    of_two = of_three[of_three["participant"] != "p1"]
    both = concat(
        [systems(of_two, SOUND, raters="included"), systems(of_three, SOUND, raters="all")]
    )
    said = notes(checked(dimension_means(both, SOUND, SCALE)))
    assert said["Included raters, intervals for other raters"].endswith(" n: 2 raters.")
    assert said["All raters, intervals for other raters"].endswith(" n: 3 raters.")


def of_models(names: str) -> DataFrame:
    table = ratings()
    one = table[table["model"] == "Bee"].astype({"model": "str"})
    every = concat([one.assign(model=name) for name in names])
    every["model"] = every["model"].astype("category")
    return systems(every, SOUND, raters="included")


def test_radar_has_a_colour_and_a_symbol_for_each_of_up_to_six_systems_and_is_absent_beyond() -> (
    None
):
    lines = checked(dimension_radar(of_models("abcdef"), SOUND, SCALE))["data"]
    assert len({(line["line"]["color"], line["marker"]["symbol"]) for line in lines}) == 6
    with pytest.raises(
        NotAvailable, match=r"more than 6 systems .* of all 7 are in dimension_means"
    ):
        dimension_radar(of_models("abcdefg"), SOUND, SCALE)


def test_radar_has_a_corner_per_dimension_and_a_closed_line_per_system() -> None:
    figure = checked(dimension_radar(TABLE, SOUND, SCALE))
    ant, bee = figure["data"]
    assert (ant["name"], bee["name"]) == ("&lt;Ant&gt;, told", "Bee, told")
    assert bee["theta"] == [*DIMENSIONS, DIMENSIONS[0]]
    assert bee["r"][0] == bee["r"][-1]
    expected = mean(TABLE, model="Bee", dimension="behavioral", unit="participant")
    assert bee["r"][2] == pytest.approx(expected["mean"], rel=1e-3)
    assert bee["text"][2] == (
        f"{expected['mean']:.2f} [{expected['ci_low']:.2f}, {expected['ci_high']:.2f}], 3 raters"
    )
    axis = figure["layout"]["polar"]["radialaxis"]
    assert (axis["range"], axis["tickvals"]) == ([1, 3], [1, 2, 3])


def test_two_dimensions_are_no_radar_and_have_points() -> None:
    table = systems(ratings(DIMENSIONS[:2]), SOUND, raters="included")
    with pytest.raises(NotAvailable, match="a radar needs three dimensions"):
        dimension_radar(table, SOUND, SCALE)
    assert len(checked(dimension_means(table, SOUND, SCALE))["data"]) == 3


def test_one_dimension_has_no_points_beside_those_of_the_systems() -> None:
    table = TABLE[TABLE["dimension"] == "emotional"]
    with pytest.raises(NotAvailable, match="one dimension"):
        dimension_means(table, SOUND, SCALE)


def test_system_that_was_not_rated_on_a_dimension_has_a_gap() -> None:
    gap = TABLE[(TABLE["model"] != "Bee") | (TABLE["dimension"] != "emotional")]
    assert checked(dimension_means(gap, SOUND, SCALE))["data"][1]["x"][1] is None
    assert checked(dimension_radar(gap, SOUND, SCALE))["data"][1]["r"][1] is None


def test_single_rater_has_means_without_intervals() -> None:
    one = ratings()
    table = systems(one[one["participant"] == "p1"], SOUND, raters="included")
    arms = checked(dimension_means(table, SOUND, SCALE))["data"][0]["error_x"]
    assert arms["array"] == [0, 0]


def test_slider_is_marked_at_its_quarters() -> None:
    figure = checked(dimension_radar(TABLE, SOUND, [(0, "None"), (100, "All")], between=True))
    assert figure["layout"]["polar"]["radialaxis"]["tickvals"] == [0, 25, 50, 75, 100]


def test_other_recipe_has_no_means() -> None:
    with pytest.raises(NotAvailable, match="no mean"):
        dimension_means(TABLE, PAPER, SCALE)
