"""What a paper prints of each table: LaTeX has these columns, and stands apart where it helps."""

import re
from itertools import product
from typing import Any

import pytest

from analysis.declarations import TABLES
from analysis.recipe import shipped_recipes
from analysis.text.cells import Table
from analysis.text.latex import PDFLATEX, escaped
from dashboard.share.analysis_files import Told, as_latex, levels

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
    found = as_latex(Table("group_tests", GROUP_TESTS, rows), Told())
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
    found = as_latex(Table("raters", columns, rows), Told())
    assert "p2 & 60 & duration" in found and "p3 & 7 & attention" in found
    assert "p1" not in found
    assert as_latex(Table("raters", columns, rows[:1]), Told()) == (
        "% No table: raters.csv has no row of the raters whom a rule or a decision left out.\n"
    )


def test_rows_that_the_report_leaves_out_to_be_short_are_in_latex() -> None:
    usual = dict.fromkeys(CHOICES, 0.5) | {"recipe": "sound", "unit": "u", "raters": "all"}
    usual |= {"dimension": "", "model": "m", "condition": "c"}
    rows = [list((usual | {"scenario": name}).values()) for name in ("all", "Q1", "Q2")]
    found = as_latex(Table("choices", CHOICES, rows), Told())
    assert all(f"\n{name} & " in found for name in ("all", "Q1", "Q2"))


SUMMARY = ["scenario", "a_wins", "b_wins", "ties", "reference_points", "reference_points_max"]


def test_points_of_a_reference_that_there_is_not_are_left_out() -> None:
    without = as_latex(Table("wins_summary", SUMMARY, [["S1", 5, 3, 0, 0, 0]]), Told())
    assert "% Columns that are in wins_summary.csv alone: reference_points, " in without
    compared = as_latex(Table("wins_summary", SUMMARY, [["S1", 5, 3, 0, 0, 16]]), Told())
    assert "points" in compared and "alone" not in compared


def test_a_table_that_stands_by_itself_names_conditions_a_and_b() -> None:
    told = Told(conditions=("zero_shot", "fine_tuned"))
    named = "Condition a is zero\\_shot, b is fine\\_tuned."
    rows = [["S1", 5, 3, 0, 12, 16]]
    for name in ("wins_summary", "guard_wins", "sensitivity", "rater_differences"):
        found = as_latex(Table(name, SUMMARY, rows), told)
        assert named in found
        assert "table of wins" not in found and "next table" not in found
    assert named not in as_latex(Table("group_tests", SUMMARY, rows), told)
    assert named not in as_latex(Table("wins", [*SUMMARY, "condition_a"], [[*rows[0], "x"]]), told)


def test_headings_are_those_of_the_report() -> None:
    columns = ["dimension", "bias", "limits_low", "limits_high"]
    found = as_latex(Table("judge_bias", columns, [["empathy", 0.5, -1.5, 2.5]]), Told())
    assert "Bias & " in found and "Limits of" in found
    assert "CI" not in found


def test_intervals_have_the_level_of_the_recipe_and_the_usual_one_if_all_recipes_have() -> None:
    recipes = list(shipped_recipes().values())
    assert levels(recipes) == {"paper": 0.95, "sound": 0.95, "": 0.95}
    wide = recipes[0].model_copy(update={"confidence": 0.99})
    assert levels([wide, recipes[1]]) == {"paper": 0.99, "sound": 0.95}
    told = Told(levels(recipes))
    elbows = as_latex(Table("thresholds", ["elbow", "ci_low", "ci_high"], [[1.5, 1.2, 1.8]]), told)
    assert r"Elbow & 95\,\%~CI" in elbows


@pytest.mark.parametrize("name", TABLES)
def test_pdflatex_can_set_what_a_table_says(name: str) -> None:
    assert PDFLATEX.fullmatch(escaped(TABLES[name].says))
    assert "`" not in TABLES[name].says
