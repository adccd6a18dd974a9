"""What perturbations do to scores: to those of a scorer that counts, and of a constant one."""

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest
from pandas import DataFrame

from analysis.figures.perturbations import changes_figure
from analysis.not_available import NotAvailable
from analysis.perturbations import BY_RULE, PERTURBATIONS, changes, worst

TEXTS = [
    f"I hear that number {n} is hard for you. {'It will pass, and you are not alone. ' * (n % 4)}"
    for n in range(1, 13)
]


def perturbed(score: Callable[[str], float], width: float = float("nan")) -> DataFrame:
    """Twelve texts of four scenarios, changed in every way and scored."""
    rows = [
        {
            "source": "counter",
            "kind": "metric",
            "dimension": "",
            "perturbation": name,
            "scenario": f"S{n % 4}",
            "response": n,
            "before": score(text),
            "after": score(PERTURBATIONS[name].of(text, seed=1, about=str(n), language="en")),
            "range": width,
        }
        for name in BY_RULE
        for n, text in enumerate(TEXTS)
    ]
    return DataFrame(rows)


def of_each(scores: DataFrame) -> dict[str, dict[str, Any]]:
    """The row of each perturbation."""
    rows = changes(scores, seed=1).to_dict("records")
    return {row["perturbation"]: {str(name): value for name, value in row.items()} for row in rows}


def test_scorer_that_counts_words_shows_which_perturbations_add_words() -> None:
    rows = of_each(perturbed(lambda text: len(text.split())))
    filler = rows.pop("filler")
    assert filler["change"] > 1 and filler["ci_low"] > 0
    assert filler["invariant"] < 0.5
    for row in rows.values():
        assert row["change"] == row["change_sd"] == row["absolute"] == row["largest"] == 0
        assert row["invariant"] == 1


def test_scorer_that_counts_characters_sees_repetition_and_spaces_but_no_capitals() -> None:
    rows = of_each(perturbed(len))
    for name in ("repeated", "whitespace", "filler"):
        assert rows[name]["ci_low"] > 0
    assert rows["misspelled"]["ci_high"] < 0
    for name in ("case", "greek", "leetspeak"):
        assert rows[name]["change"] == 0 and rows[name]["invariant"] == 1


def test_constant_scorer_shows_nothing() -> None:
    scores = perturbed(lambda text: 3.0)
    table = changes(scores, seed=1)
    assert (table[["change", "change_sd", "absolute", "largest"]] == 0).all().all()
    assert (table["invariant"] == 1).all() and (table["n"] == 12).all()
    assert worst(scores).empty


def test_change_in_standard_deviations_does_not_depend_on_the_unit() -> None:
    one = changes(perturbed(len), seed=1)
    tenfold = changes(perturbed(lambda text: 10 * len(text)), seed=1)
    assert one["change_sd"].tolist() == pytest.approx(tenfold["change_sd"].tolist())
    assert tenfold["change"].tolist() == pytest.approx((10 * one["change"]).tolist())


def test_a_change_counts_as_none_within_five_percent_of_the_scale() -> None:
    scores = perturbed(lambda text: 3.0, width=4).assign(after=3.2)
    assert (changes(scores, seed=1)["invariant"] == 1).all()
    assert (changes(scores.assign(after=3.21), seed=1)["invariant"] == 0).all()


def test_texts_without_a_score_are_left_out_and_said() -> None:
    scores = perturbed(len).astype({"after": "float64"})
    scores.loc[scores["perturbation"] == "case", "after"] = float("nan")
    row = of_each(scores)["case"]
    assert row["n"] == 0
    assert row["note"] == "not estimable, because no changed text has a score"


def test_worst_cases_are_the_largest_changes_with_their_texts() -> None:
    table = worst(perturbed(len), most=3)
    sizes = table["change"].abs().tolist()
    every = (perturbed(len)["after"] - perturbed(len)["before"]).abs()
    assert sizes == sorted(sizes, reverse=True) == every.nlargest(3).tolist()


def test_figure_has_a_panel_with_its_own_axis_for_each_source() -> None:
    table = changes(perturbed(len), seed=1)
    tenth = table[["change_sd", "change_sd_low", "change_sd_high"]] / 10
    small = table.assign(source="<b>judge", dimension="warmth", **tenth)
    other = small.assign(dimension="insight")
    drawn = changes_figure(pd.concat([table, small, other])).to_plotly_json()
    layout = drawn["layout"]
    titles = [each["text"] for each in layout["annotations"][1:]]
    assert titles == ["<b>counter</b>", "<b>&lt;b&gt;judge</b>"]
    narrow = [10 * end for end in layout["xaxis2"]["range"]]
    assert layout["xaxis"]["range"] == pytest.approx(narrow, rel=1e-3)
    assert "Filler words" in layout["yaxis2"]["ticktext"]
    (bottom, top), (below, above) = layout["yaxis"]["domain"], layout["yaxis2"]["domain"]
    assert 0 <= below < above < bottom < top < 1
    assert [(each["name"], each["xaxis"], each["showlegend"]) for each in drawn["data"]] == [
        ("change", "x", False), ("warmth", "x2", True), ("insight", "x2", True),
    ]  # fmt: skip


def test_figure_of_no_scores_says_why_there_is_none() -> None:
    table = changes(perturbed(len), seed=1)
    with pytest.raises(NotAvailable, match="no changed text has a score"):
        changes_figure(table.assign(change_sd=float("nan")))
