"""A study of the published shape from files to files: loaded, imported, analysed, exported.

What the numbers must be is worked out independently in `tests/analysis/test_published_study.py`;
here they have to come through the database and the commands unchanged.
"""

import csv
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from analysis.judges.judging import AGREEMENT, CONSISTENCY, GUARD
from analysis.pipeline import analyse
from analysis.quality_rules import QualityRules
from analysis.recipe import Recipe, read_recipes
from analysis.recipe_sets import set_recipes
from analysis.rule_sets import set_rules
from survey.files.csv_text import csv_lines
from survey.models import Study
from tests.analysis import published_study
from tests.analysis.by_hand import rows_of
from tests.dashboard.importing import TIDE, published

RECIPES = list(read_recipes(TIDE / "recipes").values())
pytestmark = [pytest.mark.slow, pytest.mark.django_db]


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return published(tmp_path)


def analyze(folder: Path) -> dict[str, str]:
    call_command("analyze", "tide", out=folder, images=False, verbosity=0)
    files = {path.stem: path.read_text("utf-8") for path in folder.glob("*.csv")}
    codebook = csv.DictReader(files.pop("codebook").splitlines())
    assert [row for row in codebook if not row["meaning"]] == []
    return files


def computed(rules: QualityRules, recipes: list[Recipe]) -> dict[str, str]:
    """The tables of the same data that never saw a database."""
    tables = analyse(published_study.data_of_folder(), rules, recipes).tables
    return {
        name: "".join(csv_lines(list(map(str, table)), map(list, map(dict.values, rows_of(table)))))
        for name, table in tables.items()
    }


@pytest.mark.parametrize(
    ("order", "remaining", "recipes"),
    [
        # Recipes see who is left, who are the same: once is enough.
        pytest.param(
            published_study.DEFAULT_ORDER,
            ["142", "137", "124", "116"],
            RECIPES,
            id="default order",
        ),
        pytest.param(
            published_study.PAPER_ORDER,
            ["146", "133", "124", "116"],
            [],
            id="the paper's order",
            marks=pytest.mark.embedded,
        ),
    ],
)
def test_tables_are_those_of_the_data_themselves(
    study: Study, order: list[Any], remaining: list[str], recipes: list[Recipe], tmp_path: Path
) -> None:
    check_tables(study, QualityRules(order=order), remaining, recipes, tmp_path / "out")


@pytest.mark.embedded
def test_published_responses_give_the_same_tables(
    published_responses: Path, tmp_path: Path
) -> None:
    study = published(tmp_path, responses=published_responses)
    check_tables(study, QualityRules(), ["142", "137", "124", "116"], [], tmp_path / "out")


def check_tables(
    study: Study, rules: QualityRules, remaining: list[str], recipes: list[Recipe], folder: Path
) -> None:
    """The database and the commands change no table, whose figures are checked elsewhere."""
    set_rules(study=study, rules=rules)
    set_recipes(study=study, recipes=recipes)

    tables = analyze(folder)

    steps = list(csv.DictReader(tables["funnel"].splitlines()))
    assert [step["remaining"] for step in steps] == remaining
    expected = computed(rules, recipes)
    # The gold scores are imported, so no call says which model answered.
    about_judges = {*CONSISTENCY, *AGREEMENT, *GUARD} - {"judge_models"}
    assert tables.keys() == {*expected, "protocol", "design_health", *about_judges}
    # The study's file has its own order of answers.
    for found in (tables, expected):
        found["demographics"] = "\n".join(sorted(found["demographics"].splitlines()))
    for name in expected:
        assert without_judges(tables[name]) == without_judges(expected[name]), name


def without_judges(table: str) -> str:
    """A table without printed numbers of judges and metrics, which are not made of the data."""
    others = (",judge_consistency,", ",metric_means,")
    return "\n".join(line for line in table.splitlines() if not any(o in line for o in others))


def test_export_has_the_cleaned_ratings_of_116_raters(study: Study, tmp_path: Path) -> None:
    call_command("export", "tide", out=tmp_path / "out", verbosity=0)

    with (tmp_path / "out" / "ratings.csv").open(encoding="utf-8", newline="") as file:
        raters = [row["participant"] for row in csv.DictReader(file)]
    assert len(set(raters)) == 116
    assert len(raters) == 116 * 120
