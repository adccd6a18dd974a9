"""Every column of every table of an analysis has its words."""

import csv
import importlib
import pkgutil
from pathlib import Path

import pytest
from django.core.management import call_command

import analysis
from dashboard.result_columns import codebook_rows, meaning
from tests.factories import add_participant, make_study

#: Lists of names that are no columns of a table.
FEWEST = 6


def columns_in_code() -> list[tuple[str, str]]:
    """Module and column of every list of columns in the modules that make tables."""
    found = []
    for module in pkgutil.iter_modules(analysis.__path__):
        if module.name in ("admin", "apps", "models", "tasks"):
            continue
        content = vars(importlib.import_module(f"analysis.{module.name}"))
        for name, value in content.items():
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
    ],
)
def test_words_follow_from_name_and_table(table: str, column: str, says: str) -> None:
    assert says in meaning(table, column)


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
