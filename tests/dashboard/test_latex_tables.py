"""What a paper prints of each table: LaTeX has these columns, and stands apart where it helps."""

import re
from itertools import product
from typing import Any

import pytest

from analysis.judges import consistency
from analysis.tables import group_tests, sensitivity
from dashboard.analysis_files import as_latex
from dashboard.report_sections import SECTIONS, Shown, shown

WIDE = {
    "group_tests": group_tests.COLUMNS,
    "sensitivity": sensitivity.COLUMNS,
    "judge_consistency": consistency.CONSISTENCY,
}


def test_tables_with_columns_to_print_are_the_wide_ones() -> None:
    every: dict[str, Shown] = {
        n: how for section in SECTIONS.values() for n, how in section.items()
    }
    assert {name for name, how in every.items() if how.printed} == set(WIDE)


@pytest.mark.parametrize("name", WIDE)
def test_printed_columns_are_columns_of_the_table(name: str) -> None:
    assert set(shown(name).printed) <= {*WIDE[name], "sources"}


def filled(**row: Any) -> list[Any]:
    """A row of group_tests.csv in which everything has a value but what is said to be empty."""
    usual = dict.fromkeys(group_tests.COLUMNS, -0.12345) | {
        "recipe": "sound", "unit": "participant", "raters": "included", "factor": "age",
        "group_a": "60+", "group_b": "under 60", "scenario": "S1", "dimension": "empathy",
        "n_a": 20, "n_b": 96, "method": "asymptotic", "equivalent": False, "note": "",
    }  # fmt: skip
    return [(usual | row)[column] for column in group_tests.COLUMNS]


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
    found = as_latex("group_tests", group_tests.COLUMNS, rows)
    assert re.findall(r"\\label{tab:group_tests-(.*)}", found) == [
        "age-welch", "age-mann_whitney", "gender-welch", "gender-mann_whitney",
    ]  # fmt: skip
    assert found.count(r"\begin{landscape}") == 4
    headings = [line.count(" & ") + 1 for line in found.splitlines() if line.startswith("model")]
    assert max(headings) <= 16
    assert "% Columns that are in group_tests.csv alone: sd_a, sd_b, difference," in found
