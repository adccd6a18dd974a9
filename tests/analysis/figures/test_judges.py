"""The figures about judges: the right points in the right view."""

import numpy as np
import pytest
from pandas import DataFrame

from analysis.figures.judges import JudgeView, against_people, alt_test, bland_altman, shares
from analysis.figures.printed import images_of
from tests.analysis.figures.drawn import checked, trace

SCALE = [1.0, 2.0, 3.0, 4.0, 5.0]
THINGS = DataFrame(
    {
        "judge": [2.0, 4.0, 5.0],
        "people": [3.0, 3.0, 3.5],
        "group": ["S1", "S1", "S2"],
        "model": ["m", "<b>m</b>", "m"],
        "condition": ["base", "tuned", "base"],
    },
    index=["a", "b", "c"],
)
#: Another judge, which did not score the first response.
OTHER = THINGS.assign(judge=[1.0, 3.0, 3.0]).drop("a")
VIEWS = {JudgeView("llama@1", "empathy"): THINGS, JudgeView("gpt@1", "empathy"): OTHER}


def test_bland_altman_shows_differences_against_means_with_bias_and_limits() -> None:
    made = checked(bland_altman(VIEWS, SCALE))
    base, tuned = trace(made, "base"), trace(made, "tuned")
    assert (base["x"], base["y"]) == ([2.5, 4.25], [-1.0, 1.5])
    assert (tuned["x"], tuned["y"]) == ([3.5], [1.0])
    assert base["text"] == ["m, S1", "m, S2"]
    assert tuned["text"] == ["&lt;b&gt;m&lt;/b&gt;, S1"]
    assert trace(made, "bias")["y"] == [0.5, 0.5]
    spread = 1.96 * float(np.std([-1, 1, 1.5], ddof=1))
    low, high = float(f"{0.5 - spread:.4g}"), float(f"{0.5 + spread:.4g}")
    assert trace(made, "limits of agreement")["y"] == [low, low, None, high, high]
    bottom, top = made["layout"]["yaxis"]["range"]
    assert bottom < low < high < top


def test_a_menu_changes_to_the_other_judge_and_leaves_out_what_it_lacks() -> None:
    made = checked(bland_altman(VIEWS, SCALE))
    (menu,) = made["layout"]["updatemenus"]
    assert [button["label"] for button in menu["buttons"]] == ["llama@1", "gpt@1"]
    points, layout = menu["buttons"][1]["args"]
    assert layout == {"title.text": "gpt@1"}
    assert [t["name"] for t in made["data"]][2:] == ["base", "tuned"]
    assert points["y"][2:] == [[None, -0.5], [0.0]]
    assert points["y"][0] == [-0.25, -0.25]
    first = menu["buttons"][0]["args"][0]
    assert [t["y"] for t in made["data"]] == first["y"]


def test_one_response_has_a_bias_and_no_limits() -> None:
    made = checked(bland_altman({JudgeView("j", "d"): THINGS.head(1)}, SCALE))
    assert trace(made, "limits of agreement")["y"] == [None]
    assert "updatemenus" not in made["layout"]
    assert made["layout"]["title"]["text"] == "j"


def test_judge_stands_against_people_with_the_line_where_both_are_the_same() -> None:
    made = checked(against_people(VIEWS, SCALE))
    base = trace(made, "base")
    assert (base["x"], base["y"]) == ([3.0, 3.5], [2.0, 5.0])
    same = trace(made, "both the same")
    assert same["x"] == same["y"] == [1.0, 5.0]
    colours = {t["marker"]["color"] for t in made["data"] if "marker" in t}
    assert len(colours) == 2


def test_dimensions_are_views_of_their_own() -> None:
    made = checked(
        against_people({JudgeView("j", "warm"): THINGS, JudgeView("j", "clear"): THINGS}, SCALE)
    )
    (menu,) = made["layout"]["updatemenus"]
    assert [button["label"] for button in menu["buttons"]] == ["j · warm", "j · clear"]


def test_shares_of_judges_stand_beside_peoples() -> None:
    rows = [
        ("j", "empathy", 1.0, 0, 0.0, 1, 0.25),
        ("j", "empathy", 2.0, 4, 1.0, 3, 0.75),
        ("k", "empathy", 1.0, 1, 0.5, 1, 0.25),
        ("k", "empathy", 2.0, 1, 0.5, 3, 0.75),
        ("other scale", "empathy", 70.0, 1, 1.0, None, None),
    ]
    columns = ["judge", "dimension", "score", "n", "share", "people_n", "people_share"]
    made = checked(shares(DataFrame(rows, columns=columns)))
    assert [(t["name"], t["x"], t["y"]) for t in made["data"]] == [
        ("j", [1.0, 2.0], [0.0, 1.0]),
        ("k", [1.0, 2.0], [0.5, 0.5]),
        ("people", [1.0, 2.0], [0.25, 0.75]),
    ]


@pytest.mark.parametrize("dimensions", [["empathy"], ["warm", "clear"]])
def test_judges_stand_above_those_that_know_nothing(dimensions: list[str]) -> None:
    rows = [
        (name, dimension, 0.1, rate, rate / 2)
        for dimension in dimensions
        for name, rate in (("j", 0.75), ("always 1", 0.0), ("always 3", 1.0))
    ]
    columns = ["judge", "dimension", "epsilon", "winning_rate", "advantage"]
    made = checked(alt_test(DataFrame(rows, columns=columns)))
    rate, advantage = made["data"]
    assert rate["y"] == advantage["y"] == ["always 3", "always 1", "j"]  # from below
    assert (rate["x"], advantage["x"]) == ([1.0, 0.0, 0.75], [0.5, 0.0, 0.375])
    note = made["layout"]["annotations"][0]["text"]
    assert "ε = 0.1" in note
    # as far to the right as the longest name reaches, longer lines would be cut in print
    assert images_of({"alt_test": made})[0].figure.layout.annotations[0].text == note
    assert ("updatemenus" in made["layout"]) == (len(dimensions) > 1)
