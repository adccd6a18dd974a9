"""`models:` of a study folder: the size of its models."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.core.management import CommandError
from django.utils import timezone

from analysis.frames import read_snapshot
from survey.models import Study
from survey.tidy import counted_sources, reading
from tests.dashboard.loading import run, study_folder

# What files say: the database changes nothing of it.
pytestmark = [pytest.mark.django_db, pytest.mark.embedded]


@pytest.mark.parametrize(
    ("models", "message"),
    [
        ("{Ants: {parameters: 1.0e9}}", "models.Ants: the study has no model 'Ants'; did you mean"),
        ("{Dog: {parameters: 1.0e9}}", "models.Dog: the study has no model 'Dog'; there are Ant"),
        ("{Ant: {parameters: 3}}", "models.Ant.parameters: 3 parameters are too few; write 3.0e9"),
        ("{Ant: {parameters: 3B}}", "models.Ant.parameters"),
        ("{Ant: {}}", "models.Ant.parameters"),
    ],
)
def test_size_that_does_not_fit_is_named_with_its_place(
    tmp_path: Path, models: str, message: str
) -> None:
    path = study_folder(tmp_path) / "study.yaml"
    path.write_text(path.read_text() + f"models: {models}\n")
    with pytest.raises(CommandError) as caught:
        run("load_study", tmp_path)
    [problem] = [line for line in str(caught.value).splitlines() if str(path) in line]
    assert message in problem
    assert not Study.objects.exists()


def test_sizes_are_added_while_a_study_runs_and_reach_the_analysis(tmp_path: Path) -> None:
    path = study_folder(tmp_path) / "study.yaml"
    run("load_study", tmp_path)
    path.write_text(
        path.read_text() + "models: {Ant: {parameters: 1.5e9}, Bee: {parameters: 70000}}\n"
    )
    assert "small@1: content unchanged; updated: settings" in run("load_study", tmp_path)
    with reading():
        seen_since = timezone.now() - timedelta(1)
        snapshot = read_snapshot(Study.objects.get(), counted_sources(), seen_since=seen_since)
    assert snapshot.data.parameters == {"Ant": 1.5e9, "Bee": 70_000}
