"""What a paper prints of each table: LaTeX has these columns, and stands apart where it helps."""

import re
from itertools import product
from typing import Any

import pytest

from analysis.declarations import TABLES
from analysis.recipe import shipped_recipes
from analysis.text.cells import Table
from analysis.text.latex import PDFLATEX, escaped
from dashboard.share.latex_files import as_latex, levels
from survey.definition.labels import Labels

GROUP_TESTS = TABLES["group_tests"].names
CHOICES = TABLES["choices"].names


def filled(**row: Any) -> list[Any]:
    """A row of group_tests.csv in which everything has a value but what is said to be empty."""
    usual = dict.fromkeys(GROUP_TESTS, -0.12345) | {
        "recipe": "sound", "unit": "participant", "raters": "included", "factor": "age",
        "group_a": "60+", "group_b": "under 60", "scenario": "S1", "dimension": "empathy",
        "n_a": 20, "n_b": 96, "method": "asymptotic", "equivalent": False, "note": "",
    }  # fmt: skip
    return [(usual | row)[column] for column in GROUP_TESTS]


def test_tests_of_groups_stand_apart_by_factor_and_test_on_turned_pages() -> None:
    rows = [
        filled(factor=factor, test=test, model=model, condition=condition, **empty)
        for factor in ("age", "gender")
        for test, empty in (
            ("welch", {"u": None, "rank_biserial": None, "method": ""}),
            ("mann_whitney", {"t": None, "df": None, "p_equivalent_adjusted": None}),
        )
        for model, condition in product(("A-model-with-a-long-name", "B"), ("zero_shot", "tuned"))
    ]
    found = as_latex(Table("group_tests", GROUP_TESTS, rows))
    assert re.findall(r"\\label{tab:group_tests-(.*)}", found) == [
        "age-welch", "age-mann_whitney", "gender-welch", "gender-mann_whitney",
    ]  # fmt: skip
    assert found.count(r"\begin{landscape}") == 4
    headings = [line.count(" & ") + 1 for line in found.splitlines() if line.startswith("Model")]
    assert max(headings) <= 16
    assert "% Columns that are in group_tests.csv alone: sd_a, sd_b, difference," in found


def test_the_table_of_raters_who_were_filtered_out_has_these_alone() -> None:
    columns = ["participant", "n_ratings", "included", "exclusion"]
    rows = [["p1", 120, True, ""], ["p2", 60, False, "duration"], ["p3", 7, False, "attention"]]
    found = as_latex(Table("raters", columns, rows))
    assert "p2 & 60 & Too fast or too slow" in found and "p3 & 7 & Failed attention" in found
    assert "p1" not in found
    assert as_latex(Table("raters", columns, rows[:1])) == (
        "% No table: raters.csv has no row of raters excluded by a rule or a decision.\n"
    )


def test_rows_that_the_report_leaves_out_to_be_short_are_in_latex() -> None:
    usual = dict.fromkeys(CHOICES, 0.5) | {"recipe": "sound", "unit": "u", "raters": "all"}
    usual |= {"dimension": "", "model": "m", "condition": "c"}
    rows = [list((usual | {"scenario": name}).values()) for name in ("all", "Q1", "Q2")]
    found = as_latex(Table("choices", CHOICES, rows))
    assert all(f"\n{name} & " in found for name in ("All scenarios", "Q1", "Q2"))


SUMMARY = ["scenario", "a_wins", "b_wins", "ties", "reference_points", "reference_points_max"]


def test_points_of_a_reference_that_there_is_not_are_left_out() -> None:
    without = as_latex(Table("wins_summary", SUMMARY, [["S1", 5, 3, 0, 0, 0]]))
    assert "% Columns that are in wins_summary.csv alone: reference_points, " in without
    compared = as_latex(Table("wins_summary", SUMMARY, [["S1", 5, 3, 0, 0, 16]]))
    assert "points" in compared and "alone" not in compared


HARD = Labels(
    {
        "conditions": {"zero_shot": "Zero & <shot>_1", "tuned": 'Tuned "50 %" #2'},
        "models": {"ant": "蚂蚁"},
    },
    a="Zero & <shot>_1",
    b='Tuned "50 %" #2',
)


def test_headings_and_texts_call_both_conditions_by_their_labels() -> None:
    labels = Labels(a="Zero-shot", b="Fine-tuned")
    rows = [["S1", 5, 3, 0, 12, 16]]
    summary = as_latex(Table("wins_summary", SUMMARY, rows, labels))
    headings = next(line for line in summary.splitlines() if line.startswith("Scenario"))
    assert re.search("Wins.*Zero-shot.*Wins.*Fine-tuned", headings)
    columns = ["model", "condition_a", "difference", "p"]
    cells = [[model, "zero_shot", -0.5, 0.2] for model in ("Ant", "Bee")]
    contrasts = as_latex(Table("contrasts", columns, cells, labels))
    assert r"\caption{Zero-shot against Fine-tuned}" in contrasts
    assert r"\shortstack[r]{Zero-shot\\minus\\Fine-tuned}" in contrasts
    assert "The difference is Zero-shot minus Fine-tuned: " in contrasts
    assert "zero" not in contrasts.replace("are in contrasts.csv alone: condition_a", "")


def test_labels_are_text_to_latex_whatever_they_hold() -> None:
    columns = ["model", "condition", "mean"]
    rows = [["ant", "zero_shot", 1.5], ["ant", "tuned", 2.5], ["bee", "tuned", 2.5]]
    found = as_latex(Table("systems", columns, rows, HARD))
    assert r"蚂蚁 & Zero \& \textless{}shot\textgreater{}\_1 & 1.50" in found
    assert r"蚂蚁 & Tuned \textquotedbl{}50 \%\textquotedbl{} \#2 & 2.50" in found
    assert "Bee & " in found and "use XeLaTeX or LuaLaTeX" in found


def test_headings_are_those_of_the_report() -> None:
    columns = ["dimension", "bias", "limits_low", "limits_high"]
    found = as_latex(Table("judge_bias", columns, [["empathy", 0.5, -1.5, 2.5]]))
    assert "people" in found and "Limits of" in found
    assert "CI" not in found


def test_intervals_have_the_level_of_the_recipe_and_the_usual_one_if_all_recipes_have() -> None:
    recipes = list(shipped_recipes().values())
    assert levels(recipes) == {"paper": 0.95, "sound": 0.95, "": 0.95}
    wide = recipes[0].model_copy(update={"confidence": 0.99})
    assert levels([wide, recipes[1]]) == {"paper": 0.99, "sound": 0.95}
    table = Table("thresholds", ["elbow", "ci_low", "ci_high"], [[1.5, 1.2, 1.8]])
    elbows = as_latex(table, levels(recipes))
    assert r"Elbow & 95\,\%~CI" in elbows


@pytest.mark.parametrize("name", TABLES)
def test_pdflatex_can_set_what_a_table_says(name: str) -> None:
    assert PDFLATEX.fullmatch(escaped(TABLES[name].says))
    assert "`" not in TABLES[name].says
