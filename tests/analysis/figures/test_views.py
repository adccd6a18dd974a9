"""Which scenarios figures show one by one, and what they say of the others."""

import pytest
from pandas import DataFrame

from analysis.figures.style import COLOURS
from analysis.figures.views import by_scenario


def titles_and_notes(n: dict[str, int]) -> tuple[list[str], str]:
    """The views of a study with so many ratings in each scenario, and what their notes add."""
    table = DataFrame({"scenario": list(n), "dimension": "warmth", "n": list(n.values())})
    views = list(by_scenario(table, numbers="items.csv"))
    (left_out,) = {view.left_out for view in views}
    return [view.title for view in views], left_out


def test_up_to_twelve_scenarios_of_twenty_ratings_are_shown_one_by_one() -> None:
    names = [f"S{number:02}" for number in range(12)]
    assert titles_and_notes(dict.fromkeys(names, 20)) == (["All scenarios", *names], "")


def test_more_scenarios_are_shown_together_alone() -> None:
    assert titles_and_notes({f"S{number}": 500 for number in range(13)}) == (
        ["All scenarios"],
        "More than 12 scenarios are not shown individually: the numbers of all 13 are in "
        "items.csv.",
    )


@pytest.mark.parametrize(
    ("n", "shown", "left_out"),
    [
        (
            {"S1": 20, "S2": 19},
            ["All scenarios", "S1"],
            "1 of 2 scenarios has fewer than 20 ratings and is not shown individually: its numbers "
            "are in items.csv.",
        ),
        (
            {"S1": 3, "S2": 19},
            ["All scenarios"],
            "2 of 2 scenarios have fewer than 20 ratings and are not shown individually: their "
            "numbers are in items.csv.",
        ),
    ],
)
def test_scenarios_with_few_ratings_are_not_shown_by_themselves(
    n: dict[str, int], shown: list[str], left_out: str
) -> None:
    assert titles_and_notes(n) == (shown, left_out)


def test_an_only_scenario_is_shown_whatever_it_has() -> None:
    assert titles_and_notes({"S1": 1}) == (["S1"], "")


#: What dark pages draw figures on (--surface).
NIGHT = "#1c2124"


@pytest.mark.parametrize("opacity", [1, 0.8])
def test_colours_show_on_dark_pages(opacity: float) -> None:
    for colour in COLOURS:
        assert contrast(over(colour, NIGHT, opacity), channels(NIGHT)) >= 3, colour


def channels(colour: str) -> list[float]:
    return [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]


def over(colour: str, ground: str, opacity: float) -> list[float]:
    both = zip(channels(colour), channels(ground), strict=True)
    return [opacity * above + (1 - opacity) * below for above, below in both]


def contrast(one: list[float], other: list[float]) -> float:
    """The ratio of WCAG 2."""
    low, high = sorted(map(luminance, (one, other)))
    return (high + 0.05) / (low + 0.05)


def luminance(colour: list[float]) -> float:
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
