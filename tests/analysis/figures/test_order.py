"""Systems in order: means, intervals, and lines that join those not told apart."""

from typing import Any

import pandas as pd
import pytest
from pandas import DataFrame

from analysis.figures.order import systems_order
from analysis.not_available import NotAvailable
from analysis.recipe import shipped_recipes
from analysis.study_data import Contrast
from analysis.tables.told_apart import SYSTEM_GROUPS
from tests.analysis.figures.drawn import checked, notes

RECIPE = shipped_recipes()["sound"]
CONTRAST = Contrast(None, None, ("Owl", "human"))


def table(*systems: tuple[str, float, str], **more: Any) -> DataFrame:
    """Systems with their means and letters, the highest first."""
    front = {"recipe": "sound", "raters": "included", "dimension": "warmth", "link": "probit"}
    rows = [
        {**front, "model": model, "condition": "human" if model == "Owl" else "base", "n": 1200}
        | {"place": place, "estimate": mean, "ci_low": mean - 0.25, "ci_high": mean + 0.5}
        | {"letters": letters, **more}
        for place, (model, mean, letters) in enumerate(systems, start=1)
    ]
    return DataFrame(rows, columns=SYSTEM_GROUPS.names)


SYSTEMS = [("Owl", 4.0, "a"), ("Ant", 3.5, "ab"), ("Bee <3", 2.0, "b")]


def test_systems_stand_in_order_with_place_mean_and_letters() -> None:
    made = checked(systems_order(table(*SYSTEMS), CONTRAST, RECIPE))
    assert made["data"][-1]["text"] == [
        "1. <b>Owl</b>, human (reference): 4.00 (a)",
        "2. <b>Ant</b>, base: 3.50 (ab)",
        "3. <b>Bee &lt;3</b>, base: 2.00 (b)",
    ]
    marks = made["data"][0]
    assert (marks["x"], marks["error_x"]["array"]) == ([4.0, 3.5, 2.0], [0.5] * 3)


def test_a_line_joins_those_that_share_a_letter() -> None:
    made = checked(systems_order(table(*SYSTEMS), CONTRAST, RECIPE))
    lines = [(line["x"], line["y"]) for line in made["data"] if line.get("xaxis") == "x2"]
    assert lines == [([0, 0], [0.0, 1.0]), ([1, 1], [1.0, 2.0])]


def test_each_dimension_has_an_order_of_its_own_and_may_lack_a_system() -> None:
    other = table(("Ant", 4.5, "a"), ("Owl", 1.0, "b"), dimension="effort")
    made = checked(systems_order(pd.concat([table(*SYSTEMS), other]), CONTRAST, RECIPE))
    views = {b["label"]: b["args"][0] for b in made["layout"]["updatemenus"][0]["buttons"]}
    assert list(views) == ["Included raters · warmth", "Included raters · effort"]
    assert views["Included raters · effort"]["x"][:3] == [[4.5, 1.0], [0], [1]]


def test_note_says_what_a_shared_letter_does_not_show() -> None:
    said = notes(checked(systems_order(table(*SYSTEMS), CONTRAST, RECIPE)))["Included raters"]
    assert "3,600 ratings" in said and "no evidence that they are equally good" in said


def test_many_systems_stand_closer_together() -> None:
    many = table(*((f"m{n}", n / 10, "a") for n in range(50)))
    made = checked(systems_order(many, CONTRAST, RECIPE))
    assert 1500 < made["layout"]["height"] < 1800


def test_without_a_model_there_is_no_figure() -> None:
    with pytest.raises(NotAvailable, match="no mixed model"):
        systems_order(table(*SYSTEMS, estimate=None), CONTRAST, RECIPE)
