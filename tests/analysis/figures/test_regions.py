"""The map of US regions: right means on right states, and nothing fetched from anywhere."""

import json
from typing import Any

import pytest
from pandas import DataFrame

from analysis.absent import Absent
from analysis.figures.regions import OUTLINES, region_map
from analysis.figures.style import SEQUENCE
from analysis.recipe import shipped_recipes
from analysis.study_data import ITEM
from survey.regions import REGIONS, STATES
from tests.analysis.figures.drawn import checked

RECIPES = shipped_recipes()
REGION_OF = {"a": "West", "b": "West", "c": "South", "d": "Midwest", "e": "Other", "f": None}


def ratings(*rows: tuple[str, str, int]) -> DataFrame:
    """Ratings by participant, scenario and value."""
    full = [(who, scenario, "", "Ant", "plain", "warmth", value) for who, scenario, value in rows]
    table = DataFrame(full, columns=["participant", *ITEM, "rating"])
    return table.astype(dict.fromkeys(ITEM, "category"))


def people(regions: dict[str, str | None] = REGION_OF) -> DataFrame:
    return DataFrame({"participant": list(regions), "region": list(regions.values())})


def figure(data: DataFrame, recipe: str = "sound") -> dict[str, Any]:
    made = region_map(data, people(), RECIPES[recipe])
    return checked(made)


def names(made: dict[str, Any]) -> dict[str, str]:
    return {
        trace["name"]: trace["text"][0] for trace in made["data"] if trace.get("mode") == "text"
    }


def fills(made: dict[str, Any]) -> dict[str, str]:
    return {trace["name"]: trace["fillcolor"] for trace in made["data"] if "fill" in trace}


UNEVEN = ratings(("a", "S1", 1), ("a", "S1", 1), ("b", "S1", 4), ("c", "S1", 3), ("e", "S1", 5))


def test_each_region_has_its_mean_and_its_raters_and_the_highest_a_star() -> None:
    assert names(figure(UNEVEN)) == {
        "Northeast": "Northeast:<br>no raters",
        "Midwest": "Midwest:<br>no raters",
        "South": "<b>South 3.00 *</b><br>1 rater",
        "West": "<b>West 2.50</b><br>2 raters",
    }


def test_the_mean_is_over_the_recipes_unit() -> None:
    assert names(figure(UNEVEN, "sound"))["West"] == "<b>West 2.50</b><br>2 raters"
    assert names(figure(UNEVEN, "paper"))["West"] == "<b>West 2.00</b><br>3 ratings"


def test_the_darker_the_higher_and_without_raters_nothing() -> None:
    assert fills(figure(UNEVEN)) == {
        "Northeast": "rgba(0,0,0,0)",
        "Midwest": "rgba(0,0,0,0)",
        "South": SEQUENCE[-1],
        "West": SEQUENCE[0],
    }


def test_the_note_says_recipe_unit_and_who_is_not_on_the_map() -> None:
    made = figure(ratings(("a", "S1", 1), ("c", "S1", 2), ("e", "S1", 3), ("f", "S1", 3)))
    text = made["layout"]["annotations"][0]["text"].replace("<br>", " ")
    assert text.startswith("Recipe sound; mean of raters' means;")
    assert "Without a US region: 2 raters." in text


def test_scenarios_share_one_scale_of_colours() -> None:
    made = figure(ratings(("a", "S1", 1), ("c", "S1", 2), ("a", "S2", 4), ("c", "S2", 5)))
    (menu,) = made["layout"]["updatemenus"]
    assert [button["label"] for button in menu["buttons"]] == ["All scenarios", "S1", "S2"]
    marker = made["data"][-1]["marker"]
    assert (marker["cmin"], marker["cmax"]) == (1.0, 5.0)
    regions = list(REGIONS)
    changes, layout = menu["buttons"][2]["args"]
    assert layout == {"title.text": "S2"}
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
    with pytest.raises(Absent, match=why):
        region_map(data, who, RECIPES["sound"])


def test_equal_means_have_no_highest() -> None:
    found = names(figure(ratings(("a", "S1", 2), ("c", "S1", 2))))
    assert found["West"] == "<b>West 2.00</b><br>1 rater"
    assert found["South"] == "<b>South 2.00</b><br>1 rater"
