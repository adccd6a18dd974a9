"""The densities of Figure 2 as Plotly's data: right numbers, in their right place."""

from typing import Any

import numpy as np
import pytest
from pandas import DataFrame
from scipy.stats import gaussian_kde

from analysis.figures.ratings import RatingCounts, kernel_density, ratings_kde
from analysis.figures.style import INK
from analysis.study_data import ITEM, Contrast
from analysis.tables.items import rating_counts
from tests.analysis.figures.drawn import checked, notes

CONTRAST = Contrast("base", "tuned", ("zed", "reference"))
SCALE = [(1, "Not at all"), (2, "A little"), (3, "Somewhat"), (4, "Much"), (5, "Extremely")]


def counts(ratings: dict[tuple[str, str, str, str, str], list[int]]) -> DataFrame:
    rows = [(*key, value) for key, values in ratings.items() for value in values]
    return rating_counts(DataFrame(rows, columns=[*ITEM, "rating"]))


def figure(
    ratings: dict[tuple[str, str, str, str, str], list[int]],
    *,
    contrast: Contrast = CONTRAST,
    scale: list[tuple[int, str]] = SCALE,
    between: bool = False,
) -> dict[str, Any]:
    made = ratings_kde(counts(ratings), contrast, scale, between=between)
    return checked(made)


def curve(made: dict[str, Any], panel: str, name: str) -> dict[str, Any]:
    """The density of `name` in a model's panel."""
    places = [a["xref"].split()[0] for a in made["layout"]["annotations"] if panel in a["text"]]
    (found,) = [
        t
        for t in made["data"]
        if [t["xaxis"]] == places and t["name"] == name and t["mode"] == "lines"
    ]
    return dict(found)


def labels(made: dict[str, Any]) -> list[str]:
    return [text for t in made["data"] for text in t.get("text", []) if text]


TWO_SETS = {
    ("S1", "1", "m1", "base", "empathy"): [1, 2, 2, 3],
    ("S1", "1", "m1", "tuned", "empathy"): [3, 4, 4, 5],
    ("S1", "1", "zed", "reference", "empathy"): [4, 5, 5, 5],
    ("S1", "2", "m2", "base", "empathy"): [2, 3, 4, 5],
    ("S1", "2", "zed", "reference", "empathy"): [1, 1, 2, 2],
}


@pytest.mark.parametrize("values", [[1, 2, 2, 3, 5], [1, 5], [0, 100, 37, 37, 80]])
def test_kernel_density_is_that_of_scipy(values: list[int]) -> None:
    grid = np.linspace(min(values), max(values), 50)
    distinct, times = np.unique(np.array(values, dtype=float), return_counts=True)
    ours = kernel_density(RatingCounts(distinct, times.astype(float)), grid)
    assert ours is not None
    assert ours == pytest.approx(gaussian_kde(values)(grid), rel=1e-12)


@pytest.mark.parametrize("values", [[3.0], [3.0, 3.0, 3.0]])
def test_one_rating_or_equal_ones_have_no_density(values: list[float]) -> None:
    ratings = RatingCounts(np.array(values[:1]), np.array([float(len(values))]))
    assert kernel_density(ratings, np.linspace(1, 5, 9)) is None


def test_each_model_has_a_panel_with_its_conditions_and_its_sets_reference() -> None:
    made = figure(TWO_SETS)
    grid = np.linspace(1, 5, 81)
    for panel, name, values in [
        ("m1", "base", [1, 2, 2, 3]),
        ("m1", "tuned", [3, 4, 4, 5]),
        ("m1", "reference (zed)", [4, 5, 5, 5]),
        ("m2", "base", [2, 3, 4, 5]),
        ("m2", "reference (zed)", [1, 1, 2, 2]),
    ]:
        drawn = curve(made, panel, name)
        assert drawn["y"] == pytest.approx(gaussian_kde(values)(grid), rel=1e-3)
        assert (drawn["x0"], len(drawn["y"])) == (1.0, 81)
        assert drawn["dx"] == pytest.approx(0.05)
    assert len(made["data"]) == 2 * 5


def test_means_are_annotated_with_their_n() -> None:
    assert labels(figure(TWO_SETS)) == [
        "base 2.00 (n = 4)",
        "tuned 4.00 (n = 4)",
        "reference 4.75 (n = 4)",
        "base 3.50 (n = 4)",
        "reference 1.50 (n = 4)",
    ]


def test_the_line_of_a_mean_ends_on_the_curve() -> None:
    mean = figure(TWO_SETS)["data"][1]
    assert mean["x"][:3] == [2.0, 2.0, None]
    assert mean["y"][0] == 0
    assert mean["y"][1] == pytest.approx(gaussian_kde([1, 2, 2, 3])(2.0)[0], rel=1e-3)


def test_equal_ratings_are_a_line_at_their_mean_without_a_curve() -> None:
    made = figure({("S1", "", "m", "base", "empathy"): [4, 4, 4]})
    density, mean = made["data"]
    assert density["y"] == [None]
    assert mean["x"][:2] == [4.0, 4.0]
    assert labels(made) == ["base 4.00 (n = 3, all equal)"]


def test_a_single_rating_is_drawn_too() -> None:
    assert labels(figure({("S1", "", "m", "base", "empathy"): [4]})) == ["base 4.00 (n = 1)"]


def test_one_scenario_needs_no_menu() -> None:
    layout = figure(TWO_SETS)["layout"]
    assert "updatemenus" not in layout
    assert layout["title"]["text"] == "S1"


def test_a_menu_changes_all_points_to_those_of_the_other_scenario() -> None:
    first = {("S1", "", "m", "base", "empathy"): [1, 2] * 10}
    other = {("S2", "", "m", "tuned", "empathy"): [4, 5, 5] * 10}
    made = figure(first | other)
    (menu,) = made["layout"]["updatemenus"]
    assert [button["label"] for button in menu["buttons"]] == ["S1", "S2"]
    points, layout = menu["buttons"][1]["args"]
    assert layout == {"title.text": "S2"}
    # base has nothing in S2, tuned has what it would have in a study of S2 alone
    alone = figure(other)["data"]
    assert points["y"] == [[None], [None], alone[0]["y"], alone[1]["y"]]
    assert points["x"] == [None, [None], None, alone[1]["x"]]
    # the first button brings back what is shown at first
    shown = [trace.get("y") for trace in made["data"]]
    assert menu["buttons"][0]["args"][0]["y"] == shown


def test_more_scenarios_than_are_drawn_one_by_one_are_drawn_together() -> None:
    ratings = {(f"S{n}", "", "m", "base", "empathy"): [1, 2, 4, 5] * 5 for n in range(13)}
    made = figure(ratings)
    together = made["data"][0]["y"]
    assert together == pytest.approx(gaussian_kde([1, 2, 4, 5] * 65)(np.linspace(1, 5, 81)), 1e-3)
    assert labels(made) == ["base 3.00 (n = 260)"]
    ((title, note),) = notes(made).items()
    assert title == "All scenarios"
    assert note.endswith("the numbers of all 13 are in items.csv.")


def test_scenarios_together_count_equal_ratings_once() -> None:
    ratings = {(f"S{n}", "", "m", "base", "empathy"): [4] for n in range(2)}
    assert labels(figure(ratings)) == ["base 4.00 (n = 2, all equal)"]


def test_dimensions_are_views_of_their_own() -> None:
    made = figure(
        {
            ("S1", "", "m", "base", "advice"): [1, 2],
            ("S1", "", "m", "base", "empathy"): [4, 5],
        }
    )
    (menu,) = made["layout"]["updatemenus"]
    assert [button["label"] for button in menu["buttons"]] == ["S1 · advice", "S1 · empathy"]


def test_a_condition_stands_once_in_the_legend_and_has_one_colour() -> None:
    made = figure(TWO_SETS)
    assert sorted(t["name"] for t in made["data"] if t["showlegend"]) == [
        "base",
        "reference (zed)",
        "tuned",
    ]
    colours = {(t["name"], t["line"]["color"], t["line"]["dash"]) for t in made["data"]}
    assert len(colours) == 3


def test_a_study_of_the_reference_alone_shows_it_in_a_panel_of_its_own() -> None:
    made = figure({("S1", "", "zed", "reference", "empathy"): [4, 5]})
    assert labels(made) == ["reference 4.50 (n = 2)"]


def test_names_are_text_and_never_tags() -> None:
    made = figure({("S<1>", "", "<b>m</b>", "<i>", "empathy"): [1, 2]})
    assert made["layout"]["title"]["text"] == "S&lt;1&gt;"
    assert made["layout"]["annotations"][1]["text"] == "<b>&lt;b&gt;m&lt;/b&gt;</b>"
    assert labels(made) == ["&lt;i&gt; 1.50 (n = 2)"]


def test_curves_end_with_the_scale_and_the_note_says_so() -> None:
    scale = [(0, "None"), *((n, f"{n}") for n in range(1, 10)), (10, "Full")]
    made = figure({("S1", "", "m", "base", "empathy"): [0, 4, 10]}, scale=scale)
    trace, axis = made["data"][0], made["layout"]["xaxis"]
    assert trace["x0"] + trace["dx"] * (len(trace["y"]) - 1) == pytest.approx(10)
    assert (axis["range"], axis["tickvals"]) == ([0, 10], list(range(11)))
    (note,) = notes(made).values()
    assert "0 = None, 10 = Full" in note
    assert "smooths whole categories" in note


def test_a_slider_is_marked_at_its_quarters_and_has_no_categories_to_smooth() -> None:
    ends = [(0, "None"), (100, "Full")]
    made = figure({("S1", "", "m", "base", "empathy"): [0, 40, 100]}, scale=ends, between=True)
    trace, axis = made["data"][0], made["layout"]["xaxis"]
    assert trace["x0"] + trace["dx"] * (len(trace["y"]) - 1) == pytest.approx(100)
    assert (axis["range"], axis["tickvals"]) == ([0, 100], [0, 25, 50, 75, 100])
    (note,) = notes(made).values()
    assert "0 = None, 100 = Full" in note
    assert "categories" not in note


def test_it_has_no_background_and_a_colour_that_shows_on_light_and_dark() -> None:
    layout = figure(TWO_SETS)["layout"]["template"]["layout"]
    assert layout["paper_bgcolor"] == layout["plot_bgcolor"] == "rgba(0,0,0,0)"
    for background in ("#ffffff", "#000000"):
        assert contrast_ratio(layout["font"]["color"], background) >= 4.5
    assert layout["font"]["color"] == INK


def contrast_ratio(one: str, other: str) -> float:
    """WCAG 2.2: (L₁ + 0.05) / (L₂ + 0.05) of the relative luminances."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
