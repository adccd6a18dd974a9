"""`manage.py plan`: from a study's files to what it could find, and one line for bad input."""

import csv
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from survey.models import Study

pytestmark = [pytest.mark.django_db, pytest.mark.embedded]


def said(*options: str) -> str:
    out = StringIO()
    call_command("plan", "empathy", *options, stdout=out, stderr=StringIO())
    return out.getvalue()


@pytest.fixture
def study() -> Study:
    call_command("load_study", "examples/empathy", stdout=StringIO(), stderr=StringIO())
    return Study.objects.get(slug="empathy")


def test_grid_is_printed_and_written(study: Study, tmp_path: Path) -> None:
    file = tmp_path / "grid.csv"
    text = said("--raters", "20", "40", "--scenarios", "6", "--pay", "9", "--out", str(file))
    assert "With 20 raters and 6 scenarios, a true difference of" in text
    rows = list(csv.DictReader(file.open()))
    assert [(row["raters"], row["scenarios"]) for row in rows] == [("20", "6"), ("40", "6")]
    assert float(rows[1]["cost"]) == pytest.approx(2 * float(rows[0]["cost"]))


def test_simulated_studies_are_counted(study: Study) -> None:
    text = said("--raters", "6", "--scenarios", "4", "--simulate", "3", "--difference", "2")
    assert "Simulated: " in text and " of 3 studies" in text


def test_own_components_are_read(study: Study, tmp_path: Path) -> None:
    file = tmp_path / "sds.yaml"
    file.write_text(
        "rater: 0.5\nrater_condition: 0\nrater_system: 0\nscenario: 0\nscenario_condition: 0\n"
        "text: 0.2\nresidual: 1\n"
    )
    assert "SD residual: 1.00" in said(
        "--raters", "8", "--scenarios", "6", "--components", str(file)
    )


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--components", "pilot"), "there are no ratings yet that a plan could learn from"),
        (("--components", "nowhere.yaml"), "nowhere.yaml: No such file"),
        (("--raters", "0"), "'0' is no whole number from 1 to 10000"),
        (("--scenarios", "2.5"), "'2.5' is no whole number"),
        (
            ("--difference", "0"),
            "--difference 0.0: It must be from 0.001 to",
        ),
        (("--difference", "nan"), "--difference nan: It must be a finite number."),
        (("--power", "1"), "--power 1.0: It must be from 0.5 to 0.99."),
        (("--difference", "5"), "a difference of 5 points is more than the length of the scale, 4"),
        (("--raters", "1"), "empathy: not estimable, because all ratings have the same rater"),
        (
            ("--scenarios", "1"),
            "empathy: not estimable, because all ratings have the same scenario",
        ),
        (
            ("--include", "simulated"),
            "Test people are counted with components pilot alone.",
        ),
        (("--fee", "-1"), "--fee -1.0: It must be from 0 to 200."),
        (("--simulate", "0"), "'0' is no whole number from 1"),
        (("--out", "/nowhere/grid.csv"), "/nowhere/grid.csv: the folder /nowhere does not exist"),
        (("--out", "/tmp"), "/tmp is a folder; give the name of a file"),
    ],
)
def test_bad_input_has_one_line(study: Study, options: tuple[str, ...], reason: str) -> None:
    with pytest.raises(CommandError) as refused:
        said(*options)
    assert reason in str(refused.value)
    assert "\n" not in str(refused.value).strip()


def test_a_number_that_is_too_small_leaves_the_rows_of_others(study: Study) -> None:
    text = said("--raters", "1", "20", "--scenarios", "6")
    assert "all ratings have the same rater" in text


def test_file_of_components_names_key_and_line(study: Study, tmp_path: Path) -> None:
    file = tmp_path / "sds.yaml"
    file.write_text("rater: -1\nresidual: 1\n")
    with pytest.raises(CommandError) as refused:
        said("--components", str(file))
    assert f"{file}, line 1" in str(refused.value)


def test_unknown_study_is_named(study: Study) -> None:
    with pytest.raises(CommandError, match="there is no study 'nosuch'"):
        call_command("plan", "nosuch", stdout=StringIO())
