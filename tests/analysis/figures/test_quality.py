"""The figures about raters: the right people in the right place, and no limit that is not there."""

from typing import Any

import numpy as np
import pytest
from pandas import DataFrame

from analysis.figures.quality import distribution, durations, sigma_against_mae
from analysis.not_available import NotAvailable
from analysis.quality_rules import QualityRules
from analysis.raters.thresholds import thresholds
from tests.analysis.figures.drawn import checked, trace

RULES = QualityRules()
RATERS = DataFrame(
    [
        ("careful", 1.0, 0.5, True, "", 600.0),
        ("careful too", 1.1, 0.6, True, "", 1200.0),
        ("<b>flat</b>", 0.2, 1.5, False, "sigma_mae", 1500.0),
        ("quick", 0.9, 0.7, False, "duration", 30.0),
        ("silent", np.nan, np.nan, True, "", np.nan),
        ("still at it", 1.0, 0.4, False, "", 300.0),
    ],
    columns=["participant", "sigma", "mae", "included", "exclusion", "duration_seconds"],
).assign(status="completed", active=[False] * 5 + [True])
RATERS.loc[5, "status"] = "in_progress"
NOBODY = RATERS.iloc[:0]


def note(figure: dict[str, Any]) -> str:
    return str(figure["layout"]["annotations"][-1]["text"]).replace("<br>", " ")


def test_a_point_is_a_rater_with_a_name_by_what_excluded_them() -> None:
    made = checked(sigma_against_mae(RATERS, RULES))
    assert [t["name"] for t in made["data"]] == [
        "included (n = 2)",
        "Too fast or too slow (n = 1)",
        "Low variance and far from gold (n = 1)",
    ]
    included = trace(made, "included (n = 2)")
    assert (included["x"], included["y"]) == ([1.0, 1.1], [0.5, 0.6])
    assert included["text"] == ["careful", "careful too"]
    assert trace(made, "Low variance and far from gold (n = 1)")["text"] == [
        "&lt;b&gt;flat&lt;/b&gt;"
    ]
    looks = {(t["marker"]["color"], t["marker"]["symbol"]) for t in made["data"]}
    assert len({colour for colour, _ in looks}) == len({symbol for _, symbol in looks}) == 3
    assert "Not drawn: 1 without both σ and MAE." in note(made)


def test_the_corner_that_the_rule_excludes_is_shaded() -> None:
    made = checked(sigma_against_mae(RATERS, RULES))
    upright, level, corner = made["layout"]["shapes"]
    assert (upright["x0"], upright["x1"]) == (0.6, 0.6)
    assert (level["y0"], level["y1"]) == (0.9, 0.9)
    (left, right), (_, top) = (made["layout"][axis]["range"] for axis in ("xaxis", "yaxis"))
    assert left < 0 and right > 1.1 and top > 1.5
    assert [corner[end] for end in ("x0", "x1", "y0", "y1")] == [left, 0.6, 0.9, top]


def test_a_rule_that_is_not_applied_has_no_lines() -> None:
    rules = QualityRules(order=["duration"])
    made = checked(sigma_against_mae(RATERS, rules))
    assert "shapes" not in made["layout"]
    assert "Shaded" not in note(made)


def test_it_says_what_sigma_is_of() -> None:
    rules = QualityRules.model_validate({"sigma_mae": {"sigma_over": "blocks"}})
    assert "of a rater's ratings." in note(sigma_against_mae(RATERS, RULES))
    assert "of a rater's block means." in note(sigma_against_mae(RATERS, rules))


def test_bars_count_included_and_excluded_raters() -> None:
    table = thresholds(RATERS, RULES, seed=1)
    made = checked(distribution(RATERS, table, "sigma"))
    included, excluded = trace(made, "included (n = 2)"), trace(made, "excluded (n = 2)")
    assert included["x"] == excluded["x"]
    counted = {
        x: (a, b) for x, a, b in zip(included["x"], included["y"], excluded["y"], strict=True)
    }
    width = included["width"]
    for value, kind in ((1.0, 0), (1.1, 0), (0.2, 1), (0.9, 1)):
        (bar,) = (x for x in counted if x - width / 2 - 1e-9 <= value < x + width / 2 - 1e-9)
        assert counted[bar][kind] == 1
    assert made["layout"]["barmode"] == "stack"
    # four raters are too few for an elbow, the limit in force is there
    assert [t["name"] for t in made["data"]][2:] == ["threshold: below 0.6 (beyond it: 1)"]
    assert trace(made, "threshold: below 0.6 (beyond it: 1)")["x"] == [0.6, 0.6]
    assert "shapes" not in made["layout"]
    assert made["layout"]["yaxis"]["dtick"] == 1  # halves of raters would be marked otherwise


@pytest.mark.parametrize(("careless", "word"), [(15, "elbow"), (0, "bend, no clear elbow")])
def test_an_elbow_is_called_one_where_it_is_clear(careless: int, word: str) -> None:
    draw = np.random.default_rng(3)
    sigma = [*draw.normal(1, 0.12, 100), *draw.normal(0.2, 0.05, careless)]
    raters = DataFrame({"sigma": sigma, "mae": 0.5, "status": "completed", "active": False})
    raters = raters.assign(participant="r", included=True, exclusion="")
    table = thresholds(raters, RULES, seed=1)
    made = checked(distribution(raters, table, "sigma"))
    (line,) = (t for t in made["data"] if t["name"].startswith(word + ": "))
    assert line["x"][0] == pytest.approx(table["elbow"][0], rel=1e-3)
    (interval,) = made["layout"]["shapes"]
    assert interval["x0"] == pytest.approx(table["ci_low"][0], rel=1e-3)
    assert "95 % interval of the bend" in note(made)


def test_durations_stand_beside_the_window_and_very_long_ones_share_a_bar() -> None:
    raters = RATERS.assign(duration_seconds=[600.0, 1200.0, 60 * 151, 60 * 9999, np.nan, 300.0])
    made = checked(durations(raters, RULES))
    assert trace(made, "shortest: 10 min")["x"] == [10, 10]
    assert trace(made, "longest: 75 min")["x"] == [75, 75]
    excluded = trace(made, "excluded (n = 2)")
    assert excluded["y"][-1] == 2
    assert excluded["x"][-1] - excluded["width"] / 2 == pytest.approx(150)
    assert "The last bar includes 2 who took longer than 150 minutes." in note(made)
    assert "Not drawn: 1 without a duration." in note(made)


def test_without_the_rule_durations_have_no_window() -> None:
    made = checked(durations(RATERS, QualityRules(order=["attention"])))
    assert [t["type"] for t in made["data"]] == ["bar", "bar"]


def test_equal_raters_are_one_bar() -> None:
    same = RATERS.assign(sigma=0.0, mae=0.0)
    made = checked(distribution(same, thresholds(same, RULES, seed=1), "mae"))
    assert sum(made["data"][0]["y"]) == 3
    checked(sigma_against_mae(same, RULES))


def test_where_nobody_has_a_value_the_reason_is_given() -> None:
    without = RATERS.assign(mae=np.nan, duration_seconds=np.nan)
    with pytest.raises(NotAvailable, match="no rater in the funnel has both σ and MAE"):
        sigma_against_mae(without, RULES)
    with pytest.raises(NotAvailable, match="has a duration"):
        durations(without, RULES)
    for raters in (without, NOBODY):
        table = thresholds(raters, RULES, seed=1)
        with pytest.raises(NotAvailable, match="has a MAE"):
            distribution(raters, table, "mae")
