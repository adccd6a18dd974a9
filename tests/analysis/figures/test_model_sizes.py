"""Mean ratings over the size of the models."""

import pytest

from analysis.figures.model_sizes import mean_by_size
from analysis.not_available import NotAvailable
from analysis.recipe import shipped_recipes
from analysis.tables.model_sizes import model_sizes
from tests.analysis.figures.drawn import checked
from tests.analysis.tables.test_model_sizes import CONTRAST, SIZES, ratings

SOUND = shipped_recipes()["sound"]
TABLES = model_sizes(ratings(), CONTRAST, SIZES, SOUND, raters="included")


def test_each_condition_has_marks_at_the_sizes_and_a_line_through_them() -> None:
    figure = checked(mean_by_size(TABLES["model_sizes"], TABLES["size_trends"], SOUND))
    base, tuned, line, flat = figure["data"]
    assert (base["name"], tuned["name"]) == ("base", "tuned")
    assert base["x"] == [7.994, 8.994, 9.994] and tuned["x"] == [8.006, 9.006, 10.01]
    assert line["x"] == flat["x"] == [8.0, 10.0]
    assert line["y"] == pytest.approx([base["y"][0], base["y"][2]], abs=0.01)
    assert flat["y"][0] == flat["y"][1]
    assert base["text"][0] == "Ant, 100M parameters: 1.83"
    ticks = figure["layout"]["xaxis"]["ticktext"]
    assert (ticks[0], ticks[-1]) == ("100M", "10B")


def test_without_intervals_marks_have_none_and_names_are_text() -> None:
    data = ratings({("<b>", "base"): 1, ("Bee", "base"): 2, ("Cat", "base"): 3}, 1, 1)
    sizes = {"<b>": 1e6, "Bee": 5e6, "Cat": 1e7}
    tables = model_sizes(data, CONTRAST, sizes, SOUND, raters="included")
    marks, _ = checked(mean_by_size(tables["model_sizes"], tables["size_trends"], SOUND))["data"]
    assert marks["error_y"]["array"] == [None] * 3
    assert marks["text"][0].startswith("&lt;b&gt;, 1M")


def test_rows_of_other_raters_draw_nothing() -> None:
    sizes, trends = (TABLES[name].assign(raters="all") for name in ("model_sizes", "size_trends"))
    with pytest.raises(NotAvailable):
        mean_by_size(sizes, trends, SOUND)
