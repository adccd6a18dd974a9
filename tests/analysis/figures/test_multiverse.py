"""The specification curve: differences in order, with the choices below them."""

from typing import Any

import pytest
from pandas import DataFrame

from analysis.figures.multiverse import specification_curve
from analysis.not_available import NotAvailable
from analysis.quality_rules import USUAL_LABELS
from analysis.tables.multiverse import MULTIVERSE
from tests.analysis.figures.drawn import checked, notes

FRONT = {
    "recipe": "sound", "model": "all", "dimension": "warmth", "condition_a": "plain",
    "condition_b": "tuned", "scale": "ratings", "is_main": False, "note": "",
}  # fmt: skip


def row(analysis: str, variant: str, difference: float | None, p: float, **more: Any) -> Any:
    of = {"analysis": analysis, "variant": variant, "difference": difference, "p": p}
    significant = None if difference is None else p < 0.05
    return FRONT | of | {"significant": significant} | more


ROWS = [
    row("mixed_linear", "rules in force", 0.3, 0.01, ci_low=0.1, ci_high=0.5, is_main=True),
    row("mixed_linear", "no rule", -0.1, 0.4, ci_low=-0.3, ci_high=0.1),
    row("min_f", "rules in force", 0.2, 0.2),
    row("min_f", "no rule", -0.2, 0.03),
    row("mixed_probit", "no rule", 9.0, 0.01, scale="latent"),
    row("by_scenarios", "no rule", None, 1.0),
]


def curve(*rows: Any) -> dict[str, Any]:
    table = DataFrame([*rows], columns=MULTIVERSE.names)
    return checked(specification_curve(table, USUAL_LABELS))


def test_specifications_stand_in_order_by_what_they_find() -> None:
    made = curve(*ROWS)
    neither, higher, lower = made["data"][:3]
    assert (neither["x"], neither["y"]) == ([2, 3], [-0.1, 0.2])
    assert (higher["x"], higher["y"]) == ([4], [0.3])
    assert (lower["x"], lower["y"]) == ([1], [-0.2])
    assert higher["error_y"]["array"] == higher["error_y"]["arrayminus"] == [0.2]
    assert neither["error_y"]["array"] == [0.2, 0.0]
    assert made["data"][3]["x"] == [4]


def test_marks_below_name_the_choices() -> None:
    marks, names = curve(*ROWS)["data"][4:]
    assert names["text"] == ["linear mixed model", "min F′", "rules in force", "no rule"]
    assert [*zip(marks["x"], marks["y"], strict=True)][:2] == [(1, 1), (1, 3)]


def test_models_are_views_and_notes_count_their_specifications() -> None:
    made = curve(*ROWS, row("min_f", "no rule", 0.5, 0.2, model="Ant"))
    said = notes(made)
    assert said["All models"].startswith("4 specifications, plain minus tuned in points.")
    assert said["Ant"].startswith("1 specification")


def test_without_an_estimate_there_is_no_curve() -> None:
    with pytest.raises(NotAvailable):
        curve(ROWS[-1], ROWS[-2])
