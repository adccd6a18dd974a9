"""Shares of the scale's points: a bar per system, counted right, whatever the scale."""

from collections.abc import Sequence
from typing import Any

import pytest
from pandas import DataFrame

from analysis.figures.shares import category_shares
from analysis.figures.style import SEQUENCE, ink_on, shade
from analysis.study_data import ITEM
from analysis.tables.items import rating_counts
from tests.analysis.figures.drawn import checked, notes

SCALE = [(1, "Not at all"), (2, "Somewhat"), (3, "Extremely")]
Ratings = dict[tuple[str, str, str, str, str], Sequence[float]]


def figure(
    ratings: Ratings, scale: list[tuple[int, str]] = SCALE, *, between: bool = False
) -> dict[str, Any]:
    rows = [(*key, value) for key, values in ratings.items() for value in values]
    table = DataFrame(rows, columns=[*ITEM, "rating"])
    made = category_shares(rating_counts(table), scale, between=between)
    return checked(made)


def bars(made: dict[str, Any]) -> dict[str, list[float]]:
    """Each category's shares, by system."""
    return {trace["name"]: trace["x"] for trace in made["data"] if trace["type"] == "bar"}


def names(made: dict[str, Any]) -> list[str]:
    return list(made["data"][-1]["text"])


ONE_SCENARIO: Ratings = {
    ("S1", "1", "Ant", "plain", "warmth"): [1, 2, 2, 3],
    ("S1", "1", "Ant", "tuned", "warmth"): [3, 3, 3, 3],
    ("S1", "1", "Owl", "reference", "warmth"): [2, 3],
    ("S1", "2", "Owl", "reference", "warmth"): [3, 3],
}


def test_a_bar_per_system_holds_the_share_of_each_point() -> None:
    made = figure(ONE_SCENARIO)
    assert bars(made) == {"1": [0.25, 0, 0], "2": [0.5, 0, 0.25], "3": [0.25, 1, 0.75]}


def test_a_name_says_the_mean_and_how_many_ratings_it_rests_on() -> None:
    assert names(figure(ONE_SCENARIO)) == [
        "<b>Ant</b>, plain: 2.00 (4)",
        "<b>Ant</b>, tuned: 3.00 (4)",
        "<b>Owl</b>, reference: 2.75 (4)",
    ]


def test_systems_of_one_model_stand_together() -> None:
    first, second, third = figure(ONE_SCENARIO)["data"][0]["y"]
    assert third - second > second - first


def test_the_note_explains_the_ends_of_the_scale() -> None:
    (note,) = figure(ONE_SCENARIO)["layout"]["annotations"]
    text = note["text"].replace("<br>", " ")
    assert text.startswith("1 = Not at all, 3 = Extremely. ")
    assert "Unit: rating." in text


def test_all_scenarios_come_first_and_a_menu_shows_each() -> None:
    made = figure(
        {
            ("S1", "", "Ant", "plain", "warmth"): [1] * 20,
            ("S2", "", "Ant", "plain", "warmth"): [3] * 60,
            ("S2", "", "Bee", "plain", "warmth"): [2] * 20,
        }
    )
    (menu,) = made["layout"]["updatemenus"]
    assert [button["label"] for button in menu["buttons"]] == ["All scenarios", "S1", "S2"]
    assert bars(made) == {"1": [0.25, 0], "2": [0, 1], "3": [0.75, 0]}
    changes, layout = menu["buttons"][1]["args"]
    assert layout == {"title.text": "S1"}
    assert changes["x"][:3] == [[1, 0], [0, 0], [0, 0]]
    assert changes["text"][-1] == ["<b>Ant</b>, plain: 1.00 (20)", "<b>Bee</b>, plain: no ratings"]
    # every trace has its part in every view
    assert {len(c) for b in menu["buttons"] for c in b["args"][0].values()} == {len(made["data"])}


def test_scenarios_that_are_not_drawn_one_by_one_are_in_the_note() -> None:
    made = figure({(f"S{n}", "", "Ant", "plain", "warmth"): [1, 2, 3] * 10 for n in range(160)})
    assert "updatemenus" not in made["layout"]
    assert notes(made)["All scenarios"].endswith(
        "Unit: rating. More than 12 scenarios are not shown individually: the numbers of all 160 "
        "are in items.csv."
    )


def test_dimensions_are_views_of_their_own() -> None:
    made = figure(
        {
            ("S1", "", "Ant", "plain", "advice"): [1, 2],
            ("S1", "", "Ant", "plain", "warmth"): [3, 3],
        }
    )
    (menu,) = made["layout"]["updatemenus"]
    assert [b["label"] for b in menu["buttons"]] == ["S1 · advice", "S1 · warmth"]


def test_a_slider_of_many_points_is_shown_in_fifths() -> None:
    ratings: Ratings = {("S1", "", "Ant", "plain", "warmth"): [0, 19, 20, 59, 60, 79, 80, 100]}
    made = figure(ratings, [(0, "worst"), (100, "best")], between=True)
    assert bars(made) == {
        "0–19": [0.25],
        "20–39": [0.125],
        "40–59": [0.125],
        "60–79": [0.25],
        "80–100": [0.25],
    }
    assert names(made) == ["<b>Ant</b>, plain: 52.12 (8)"]


@pytest.mark.parametrize(
    ("ends", "categories"),
    [
        ((1, 100), ["1–20", "21–40", "41–60", "61–80", "81–100"]),
        ((0, 10), [str(point) for point in range(11)]),
        ((0, 11), ["0–2", "3–4", "5–6", "7–8", "9–11"]),
    ],
)
def test_fifths_and_points_of_other_sliders(ends: tuple[int, int], categories: list[str]) -> None:
    low, high = ends
    ratings: Ratings = {("S1", "", "Ant", "plain", "warmth"): list(range(low, high + 1))}
    made = figure(ratings, [(low, "worst"), (high, "best")], between=True)
    assert list(bars(made)) == categories
    assert sum(share for (share,) in bars(made).values()) == pytest.approx(1, abs=1e-3)


def test_names_are_text_and_no_markup() -> None:
    made = figure({("S<1>", "", "<b>", "a&b", "warmth"): [1]})
    assert names(made) == ["<b>&lt;b&gt;</b>, a&amp;b: 1.00 (1)"]
    assert made["layout"]["title"]["text"] == "S&lt;1&gt;"


def test_darker_is_more() -> None:
    colours = [trace["marker"]["color"] for trace in figure(ONE_SCENARIO)["data"][:3]]
    assert colours == [SEQUENCE[0], SEQUENCE[2], SEQUENCE[4]]
    assert shade(0.125) == "#d0ecc0"
    assert [ink_on(colour) for colour in (SEQUENCE[0], SEQUENCE[4])] == ["#000000", "#ffffff"]


def test_tenths_are_shown_by_fifths_of_the_scale_that_hold_every_rating() -> None:
    ends = [(0, "None"), (25, "All")]
    given = [0, 4.9, 5, 5.1, 10.3, 20, 25]
    made = figure({("S1", "", "Ant", "plain", "errors"): given}, ends, between=True)
    assert list(bars(made)) == ["0–4.9", "5–9.9", "10–14.9", "15–19.9", "20–25"]
    assert [share[0] for share in bars(made).values()] == pytest.approx(
        [2 / 7, 2 / 7, 1 / 7, 0, 2 / 7], abs=0.001
    )


def test_a_short_line_has_a_bar_for_each_step() -> None:
    ends = [(0, "None"), (2, "All")]
    made = figure({("S1", "", "Ant", "plain", "errors"): [0.25, 1, 1.75]}, ends, between=True)
    assert list(bars(made)) == ["0", "0.25", "0.5", "0.75", "1", "1.25", "1.5", "1.75", "2"]
    made = figure({("S1", "", "Ant", "plain", "errors"): [0.1, 1, 1.7]}, ends, between=True)
    assert list(bars(made)) == ["0–0.3", "0.4–0.7", "0.8–1.1", "1.2–1.5", "1.6–2"]
