"""`composites:` of a study folder: checked against its dimensions, and changed at any time."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.core.management import CommandError
from django.utils import timezone

from analysis.frames import read_snapshot
from analysis.labels import labels_of
from analysis.locked_plans import LockOptions, lock_plan, planned_content
from analysis.text.preregistration import preregistration
from survey.models import Study
from survey.tidy import counted_sources, reading
from tests.dashboard.loading import run, study_folder

# What files say: the database changes nothing of it.
pytestmark = [pytest.mark.django_db, pytest.mark.embedded]
WARMTH = "- {name: warmth, question: How warm is this response?}"
MORE = "      - {name: care, question: How caring is this response?}\n"
RANKED = """\
  - {kind: ranking, question: Which is warmer?, dimension: warmth}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The small study with two dimensions."""
    study_folder(tmp_path)
    path = tmp_path / "study.yaml"
    path.write_text(path.read_text().replace(f"{WARMTH}\n", f"{WARMTH}\n{MORE}"))
    return tmp_path


def add(folder: Path, composites: str) -> Path:
    path = folder / "study.yaml"
    path.write_text(path.read_text() + f"composites: {composites}\n")
    return path


@pytest.mark.parametrize(
    ("composites", "message"),
    [
        (
            "{empathy: [warmth, car]}",
            "composites.empathy.1: the study rates no dimension 'car'; did you mean 'care'?",
        ),
        (
            "{empathy: [warmth, humour]}",
            "composites.empathy.1: the study rates no dimension 'humour'; there are warmth, care",
        ),
        (
            "{empathy: [warmth]}",
            "composites.empathy: a composite is the mean of two dimensions or more",
        ),
        ("{empathy: [care, care]}", "composites.empathy: dimension 'care' is repeated"),
        (
            "{care: [warmth, care]}",
            "composites.care: 'care' is a dimension that raters rate; give the composite a new",
        ),
        (
            "{Warm*th: [warmth, care]}",
            "composites.Warm*th: the name of a dimension may have at most",
        ),
    ],
)
def test_composite_that_does_not_fit_is_named_with_its_place(
    folder: Path, composites: str, message: str
) -> None:
    path = add(folder, composites)
    with pytest.raises(CommandError) as caught:
        run("load_study", folder)
    [problem] = [line for line in str(caught.value).splitlines() if str(path) in line]
    assert f"{path}, line " in problem
    assert message in problem
    assert not Study.objects.exists()


def test_composite_of_a_study_without_ratings_is_refused(folder: Path) -> None:
    path = add(folder, "{empathy: [warmth, care]}")
    text = path.read_text()
    start, end = text.index("  - kind: likert"), text.index("conditions:")
    checks = text.index("attention_checks:"), text.index("demographics:")
    path.write_text(text[:start] + RANKED + text[end : checks[0]] + text[checks[1] :])
    with pytest.raises(CommandError, match=r"composites\.empathy: the study asks for no ratings"):
        run("load_study", folder)


def test_composite_is_added_while_a_study_runs_and_reaches_the_analysis(folder: Path) -> None:
    run("load_study", folder)
    add(folder, "{empathy: [warmth, care]}\nlabels: {dimensions: {empathy: All in all}}")
    assert "small@1: content unchanged; updated: settings" in run("load_study", folder)
    study = Study.objects.get()
    assert labels_of(study).text("dimensions", "empathy") == "All in all"
    with reading():
        data = read_snapshot(study, counted_sources(), seen_since=timezone.now() - timedelta(1))
    assert data.data.composites == {"empathy": ["warmth", "care"]}
    assert list(data.data.orders["dimension"]) == ["warmth", "care"]


def test_composite_is_part_of_a_locked_plan(folder: Path) -> None:
    run("load_study", folder)
    study = Study.objects.get()
    assert "composites" not in planned_content(study)
    add(folder, "{empathy: [warmth, care]}\npreregistration: {primary: {dimension: empathy}}")
    run("load_study", folder)
    plan = lock_plan(Study.objects.get(), LockOptions(), None)
    assert "Empathy is the mean of Warmth and Care" in preregistration(
        plan.content, plan.sha256, "osf"
    )
