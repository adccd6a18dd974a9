"""Every column of every table of an analysis has its words."""

import csv
import importlib
import pkgutil
from pathlib import Path

import pytest
from django.core.management import call_command

import analysis.judges
import analysis.raters
import analysis.tables
from dashboard.result_columns import codebook_rows, meaning
from tests.factories import add_participant, make_study

#: Lists of names that are no columns of a table.
FEWEST = 6


def columns_in_code() -> list[tuple[str, str]]:
    """Module and column of every list of columns in the modules that make tables."""
    found = []
    for package in (analysis.judges, analysis.raters, analysis.tables):
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            for name, value in vars(importlib.import_module(module.name)).items():
                is_table = isinstance(value, list) and len(value) >= FEWEST and "note" in value
                if name.isupper() and is_table:
                    found += [(module.name, column) for column in value]
    return found


def test_tables_are_found_in_the_code() -> None:
    assert len({module for module, _ in columns_in_code()}) > 10


@pytest.mark.parametrize("column", sorted({column for _, column in columns_in_code()}))
def test_column_of_the_code_has_words(column: str) -> None:
    assert meaning("some_table", column)


@pytest.mark.parametrize(
    ("table", "column", "says"),
    [
        ("contrasts", "ci_low", "Lower end of the interval"),
        ("wins_tests", "a_wins_high", "Upper end of the interval of a wins"),
        ("order_conclusions", "ci_low_with", "Lower end of the interval, with the order in the"),
        ("sensitivity", "by_raters_p", "p of: Mean a − b"),
        ("funnel", "excluded_prefer_not_to_answer", "of sex: prefer not to answer"),
        ("raters", "participant", "Pseudonym"),
        ("mixed_shares", "rating", "Category of the scale"),
        ("paired", "p", "p value, two-sided"),
        (
            "contrasts",
            "p",
            "of raters and of scenarios, where F is t², that of the two-sided t test",
        ),
        ("alt_test_raters", "p", "one-sided"),
        ("choices", "score", "(best − worst) / shown"),
        ("choices", "best_ci_low", "Lower end of the interval of share_best"),
        ("choices", "score_ci_low", "Lower end of the interval of score"),
        ("wins_tests", "a_share_high", "exact"),
        ("agreement_all", "n_items", "of choices, blocks"),
        ("mixed_models", "n_items", "each once in however many sets"),
        ("judge_consistency", "kind", "a file or a panel"),
        ("judge_bias", "raters", "every rule but sigma_mae"),
        ("raters", "gold_by", "gold"),
        ("order_conclusions", "what_moves", "Which of the two"),
        ("alt_test_raters", "p_adjusted", "Benjamini and Yekutieli's method over raters"),
        ("group_tests", "p_adjusted", "by Holm's method over the recipe's family"),
        ("win_differences", "p_adjusted", "by Holm's method over all comparisons"),
        ("new_table", "p_adjusted", "by Holm's method"),
    ],
)
def test_words_follow_from_name_and_table(table: str, column: str, says: str) -> None:
    assert says in meaning(table, column)


@pytest.mark.parametrize(
    ("table", "what"),
    [
        ("anova", "F"),
        ("games_howell", "any two of the groups"),
        ("ranking_tests", "χ²"),
        ("choice_tests", "the statistic"),
        ("position_tests", "χ²"),
        ("thresholds", "Silverman's"),
    ],
)
def test_p_of_a_test_without_two_sides_is_not_said_to_have_them(table: str, what: str) -> None:
    said = meaning(table, "p")
    assert what in said and "two-sided" not in said


def test_unknown_column_has_no_words() -> None:
    assert list(codebook_rows({"new": ["shoe_size"]})) == [("new.csv", "shoe_size", "")]


@pytest.mark.django_db
def test_analysis_writes_a_codebook_without_gaps(tmp_path: Path) -> None:
    study = make_study()
    for name in ("ann", "ben", "cat"):
        add_participant(study, pseudonym=name, demographics={"age": 30, "sex": "Female"})
    call_command("analyze", "small", out=tmp_path / "out", images=False, verbosity=0)
    with (tmp_path / "out" / "codebook.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    written = {path.name for path in (tmp_path / "out").glob("*.csv")} - {"codebook.csv"}
    assert {row["file"] for row in rows} == written
    assert [row for row in rows if not row["meaning"]] == []
