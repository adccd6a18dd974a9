"""The map of US regions: right means on right states, and nothing fetched from anywhere."""

import json
from typing import Any

import pytest
from pandas import DataFrame

from analysis.figures.regions import OUTLINES, region_map
from analysis.figures.style import SEQUENCE
from analysis.not_available import NotAvailable
from analysis.recipe import shipped_recipes
from analysis.study_data import ITEM
from analysis.tables.anova import anova
from survey.regions import REGIONS, STATES
from tests.analysis.figures.drawn import checked, notes

RECIPES = shipped_recipes()
Scale = list[tuple[int, str]]
SCALE: Scale = [(1, "Not at all"), (2, "Slightly"), (3, "Fairly"), (4, "Very"), (5, "Extremely")]
REGION_OF = {"a": "West", "b": "West", "c": "South", "d": "Midwest", "e": "Other", "f": None}


def ratings(*rows: tuple[str, str, int]) -> DataFrame:
    """Ratings by participant, scenario and value."""
    full = [(who, scenario, "", "Ant", "plain", "warmth", value) for who, scenario, value in rows]
    table = DataFrame(full, columns=["participant", *ITEM, "rating"])
    return table.astype(dict.fromkeys(ITEM, "category"))


def people(regions: dict[str, str | None] = REGION_OF) -> DataFrame:
    return DataFrame({"participant": list(regions), "region": list(regions.values())})


def figure(
    data: DataFrame, recipe: str = "sound", *, scale: Scale = SCALE, tested: bool = False
) -> dict[str, Any]:
    who = people()
    tests = anova(data, who, RECIPES[recipe], raters="included") if tested else None
    made = region_map(data, who, RECIPES[recipe], scale, tests)
    return checked(made)


def names(made: dict[str, Any]) -> dict[str, str]:
    return {
        trace["name"]: trace["text"][0] for trace in made["data"] if trace.get("mode") == "text"
    }


def fills(made: dict[str, Any]) -> dict[str, str]:
    return {trace["name"]: trace["fillcolor"] for trace in made["data"] if "fill" in trace}


def note(made: dict[str, Any]) -> str:
    """Of the first view."""
    return notes(made)[made["layout"]["title"]["text"]]


UNEVEN = ratings(("a", "S1", 1), ("a", "S1", 1), ("b", "S1", 4), ("c", "S1", 3), ("e", "S1", 5))


def test_each_region_has_its_mean_and_its_raters_and_the_highest_says_so() -> None:
    assert names(figure(UNEVEN)) == {
        "Northeast": "Northeast:<br>no raters",
        "Midwest": "Midwest:<br>no raters",
        "South": "<b>South 3.00</b><br>1 rater<br>highest mean",
        "West": "<b>West 2.50</b><br>2 raters",
    }


def test_quotes_are_over_their_region_and_in_every_note() -> None:
    quotes = {"West": "Heard, <b>really</b> heard.", "South": "Kind words, but too many of them."}
    made = checked(region_map(UNEVEN, people(), RECIPES["sound"], SCALE, quotes=quotes))
    over = {trace["name"]: trace["text"] for trace in made["data"] if "fill" in trace}
    assert over["West"].endswith("<br>“Heard, &lt;b&gt;really&lt;/b&gt; heard.”")
    assert "“" not in over["Midwest"]
    assert names(made)["West"] == "<b>West 2.50</b><br>2 raters"
    said = "South: “Kind words, but too many of them.”"
    assert all(said in text for text in notes(made).values())


def test_the_mean_is_over_the_recipes_unit() -> None:
    assert names(figure(UNEVEN, "sound"))["West"] == "<b>West 2.50</b><br>2 raters"
    assert names(figure(UNEVEN, "paper"))["West"] == "<b>West 2.00</b><br>3 ratings"


def test_the_darker_the_higher_and_without_raters_nothing() -> None:
    apart = ratings(("a", "S1", 1), ("c", "S1", 3))
    assert fills(figure(apart)) == {
        "Northeast": "rgba(0,0,0,0)",
        "Midwest": "rgba(0,0,0,0)",
        "South": SEQUENCE[-1],
        "West": SEQUENCE[0],
    }
    assert "Colours span the means found: 1.00 to 3.00." in note(figure(apart))


@pytest.mark.parametrize(
    ("means", "scale", "ends"),
    [
        ((2, 3), SCALE, (2, 3)),
        ((40, 47), [(0, "None"), (100, "All")], (31, 56)),
        ((1, 1), SCALE, (1, 2)),  # within the scale
        ((98, 99), [(0, "None"), (100, "All")], (75, 100)),
    ],
)
def test_colours_span_a_quarter_of_the_scale_at_least(
    means: tuple[int, int], scale: Scale, ends: tuple[float, float]
) -> None:
    west, south = means
    made = figure(ratings(("a", "S1", west), ("c", "S1", south)), scale=scale)
    legend = made["data"][-1]["marker"]
    assert (legend["cmin"], legend["cmax"]) == ends
    assert legend["colorbar"]["tickvals"] == [ends[0], sum(ends) / 2, ends[1]]
    assert f"Colours span a quarter of the scale: {ends[0]:.2f} to {ends[1]:.2f}." in note(made)


def test_the_note_says_recipe_unit_and_who_is_not_on_the_map_of_its_view() -> None:
    some = [("a", "S1", 1), ("c", "S1", 2), ("e", "S1", 3), ("f", "S1", 3), ("a", "S2", 1)]
    said = notes(figure(ratings(*some * 20, ("f", "S2", 3))))
    assert said["All scenarios"].startswith(
        "Recipe sound; mean of raters' means; 1 = Not at all, 5 = Extremely."
    )
    assert "Without a US region: 2 raters." in said["S1"]
    assert "Without a US region: 1 rater." in said["S2"]


TESTED = ratings(
    *(
        (who, scenario, value)
        for scenario in ("S1", "S2")
        for who, values in {"a": (1, 2), "b": (1, 1), "c": (4, 5)}.items()
        for value in values * 5
    )
)


def test_a_note_says_what_the_test_of_regions_finds_in_its_view() -> None:
    said = notes(figure(TESTED, "paper", tested=True))
    assert "The regions differ: analysis of variance, p\u202f<\u202f.001." in said["All scenarios"]
    assert "p\u202f<\u202f.001, after Holm over the scenarios p\u202f<\u202f.001." in said["S2"]
    said = notes(figure(TESTED, tested=True))
    assert "The test of regions is not estimable, because a single rater" in said["S1"]
    assert "The recipe does not test whether regions differ." in note(figure(TESTED))


def test_regions_that_are_not_shown_to_differ_are_said_not_to() -> None:
    same = ratings(*((who, "S1", value) for who in "abcd" for value in (2, 3, 4)))
    assert "The regions are not shown to differ: analysis of variance, p\u202f>\u202f.999." in note(
        figure(same, "paper", tested=True)
    )


def test_scenarios_share_one_scale_of_colours() -> None:
    four = [("a", "S1", 1), ("c", "S1", 2), ("a", "S2", 4), ("c", "S2", 5)]
    made = figure(ratings(*four * 10))
    (menu,) = made["layout"]["updatemenus"]
    assert [button["label"] for button in menu["buttons"]] == ["All scenarios", "S1", "S2"]
    marker = made["data"][-1]["marker"]
    assert (marker["cmin"], marker["cmax"]) == (1.0, 5.0)
    regions = list(REGIONS)
    changes, layout = menu["buttons"][2]["args"]
    assert layout["title.text"] == "S2"
    assert changes["fillcolor"][regions.index("South")] == SEQUENCE[-1]
    assert changes["fillcolor"][regions.index("West")] == SEQUENCE[-2]
    assert {len(change) for change in changes.values()} == {len(made["data"])}


def test_every_state_is_drawn_once_and_none_is_fetched() -> None:
    outlines = json.loads(OUTLINES.read_text("utf-8"))
    assert set(outlines["states"]) == set(STATES.values())
    made = figure(UNEVEN)
    assert {trace["type"] for trace in made["data"]} == {"scatter"}
    areas = {trace["name"]: trace for trace in made["data"] if "fill" in trace}
    for region, codes in REGIONS.items():
        assert areas[region]["x"].count(None) + 1 == sum(
            len(outlines["states"][code]) for code in codes
        )
    assert len(json.dumps(made)) < 60_000


@pytest.mark.parametrize(
    ("data", "who", "why"),
    [
        (UNEVEN[:0], people(), "there are no ratings"),
        (UNEVEN, people().drop(columns="region"), "the study asks for no region"),
        (UNEVEN, people(dict.fromkeys("abcdef")), "nobody answered region"),
        (UNEVEN, people(dict.fromkeys("abcdef", "Other")), "no rater lives in a region"),
    ],
)
def test_without_regions_the_reason_is_said(data: DataFrame, who: DataFrame, why: str) -> None:
    with pytest.raises(NotAvailable, match=why):
        region_map(data, who, RECIPES["sound"], SCALE)


def test_equal_means_have_no_highest() -> None:
    found = names(figure(ratings(("a", "S1", 2), ("c", "S1", 2))))
    assert found["West"] == "<b>West 2.00</b><br>1 rater"
    assert found["South"] == "<b>South 2.00</b><br>1 rater"
