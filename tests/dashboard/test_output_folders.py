"""The folders that `export` and `analyze` write: all or nothing, and nothing that is not theirs."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from analysis.execution import finished_run
from analysis.models import AnalysisRun
from analysis.recipe import shipped_recipes
from analysis.recipe_sets import set_recipes
from judge.models import GoldScore
from survey.models import DemographicAnswer, Study
from survey.tidy import counted_sources
from tests.dashboard.exporting import export, fill
from tests.factories import make_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def study() -> Study:
    return fill(make_study())


def test_second_export_replaces_the_first_and_leaves_other_files(
    study: Study, tmp_path: Path
) -> None:
    folder = export(study, tmp_path / "out")
    (folder / "notes.txt").write_text("mine")
    GoldScore.objects.all().delete()
    export(study, folder)

    assert not (folder / "gold.csv").exists()
    assert (folder / "notes.txt").read_text() == "mine"


def test_file_that_is_not_ours_is_never_overwritten(study: Study, tmp_path: Path) -> None:
    (tmp_path / "ratings.csv").write_text("mine")

    with pytest.raises(CommandError, match="not from an earlier run"):
        export(study, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["ratings.csv"]
    assert (tmp_path / "ratings.csv").read_text() == "mine"


def test_manifest_that_is_not_ours_is_never_believed(study: Study, tmp_path: Path) -> None:
    (tmp_path / "export.json").write_text("[]")

    with pytest.raises(CommandError, match=r"export.json is not ours"):
        export(study, tmp_path)


def test_out_that_is_a_file_is_refused(study: Study, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine")

    with pytest.raises(CommandError, match="is a file, not a folder"):
        export(study, tmp_path / "out")


@pytest.mark.embedded
@pytest.mark.parametrize(
    ("command", "error"),
    [
        (("export", "small"), TypeError),
        pytest.param(("analyze", "small", "--no-images"), CommandError, marks=pytest.mark.slow),
    ],
)
def test_failure_leaves_what_was_there(
    command: tuple[str, ...], error: type[Exception], study: Study, tmp_path: Path
) -> None:
    call_command(*command, out=tmp_path / "out", verbosity=0)
    before = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    # An answer that the survey never stores, and a run that does not know of it yet.
    DemographicAnswer.objects.filter(name="race").update(value=[[1]])
    AnalysisRun.objects.all().delete()

    with pytest.raises(error, match="sequence item 0: expected str instance, list found"):
        call_command(*command, out=tmp_path / "out", verbosity=0)
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == before
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_empty_name_is_not_this_folder(
    study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CommandError, match="--out: give the name of a folder"):
        call_command("export", "small", "--out", "")
    assert not list(tmp_path.iterdir())


def test_unknown_recipe_is_refused_before_anything_is_computed(
    study: Study, tmp_path: Path
) -> None:
    with pytest.raises(CommandError, match="The study has no recipe 'mine'; it has"):
        call_command("analyze", "small", "--recipe", "mine", "--out", str(tmp_path / "out"))
    assert not AnalysisRun.objects.exists() and not (tmp_path / "out").exists()


@pytest.mark.parametrize("command", ["export", "analyze"])
def test_unknown_study_is_refused_and_writes_nothing(
    command: str, tmp_path: Path, db: None
) -> None:
    with pytest.raises(CommandError, match="there is no study 'tiny'"):
        call_command(command, "tiny", out=tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", ["export", "analyze"])
def test_only_test_people_can_be_included_by_name(
    command: str, study: Study, tmp_path: Path
) -> None:
    with pytest.raises(CommandError, match="invalid choice: 'robots'"):
        call_command(command, "small", "--out", str(tmp_path / "out"), "--include", "robots")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.embedded
def test_analysis_is_a_folder_of_tables_figures_report_and_manifest(
    study: Study, tmp_path: Path
) -> None:
    set_recipes(study=study, recipes=list(shipped_recipes().values()))
    call_command(
        "analyze", "small", out=tmp_path / "out", recipe="paper", images=False, verbosity=0
    )

    folder = tmp_path / "out"
    manifest: dict[str, Any] = json.loads((folder / "manifest.json").read_text())
    run = finished_run(study=study, sources=counted_sources())
    assert manifest["snapshot_hash"] == run.snapshot_hash
    assert list(manifest["recipes"]) == ["paper"]
    assert set(manifest["files"]) | {"manifest.json"} == {path.name for path in folder.iterdir()}
    report = (folder / "report.html").read_text("utf-8")
    assert run.snapshot_hash in report
    assert "Wins by model and scenario" in report
    without_scripts = re.sub(r"<script.*?</script>", "", report, flags=re.DOTALL)
    assert not re.search(r"""(src|href)=["']?(https?:)?//""", without_scripts)


@pytest.mark.embedded
def test_analysis_of_a_study_without_people_says_what_is_absent(tmp_path: Path) -> None:
    make_study()
    call_command("analyze", "small", out=tmp_path / "out", images=False, verbosity=0)

    absent = json.loads((tmp_path / "out" / "manifest.json").read_text())["absent"]
    assert absent["wins"] == "no rater is included"
    assert {path.name for path in (tmp_path / "out").glob("*.csv")} == {
        "codebook.csv",
        "funnel.csv",
        "raters.csv",
        "thresholds.csv",
        "protocol.csv",
        "design_health.csv",
    }
