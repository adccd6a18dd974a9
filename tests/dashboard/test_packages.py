"""Everything for sharing in one zip: asked for, made by a worker, downloaded, and removed."""

import csv
import json
import re
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from analysis.execution import finished_run
from analysis.manual_decisions import decide_on
from analysis.models import AnalysisRun
from analysis.quality_rules import QualityRules
from analysis.rule_sets import set_rules
from dashboard.share.export_files import write_export
from dashboard.share.models import Package
from dashboard.share.package_making import pack
from dashboard.share.packages import remove_old_packages, request_package
from dashboard.share.psych_ds import data_name
from jobs.leases import to_wake
from jobs.runner import run_job
from survey.models import (
    DemographicAnswer,
    Identity,
    Invitation,
    Participant,
    Rating,
    Study,
    StudyEvent,
)
from survey.tidy import counted_sources
from survey.withdrawal import withdraw
from tests.dashboard.conftest import Woken, likes_tuned
from tests.dashboard.reading import text_of
from tests.factories import add_participant
from tests.prolific import prolific_id

# What is written to files: the database changes nothing of it.
pytestmark = pytest.mark.embedded

PREPARE = "/studies/small/packages/prepare/"
State = Package.State


@pytest.fixture(autouse=True)
def folder(settings: Settings, tmp_path: Path) -> Path:
    """Where the files are."""
    packages: Path = tmp_path / "packages"
    settings.PACKAGES_DIR = packages
    return packages


def made(run: AnalysisRun) -> Package:
    """A package that a worker has made."""
    package = request_package(run=run, recipe="both", images=False)
    run_job(Package, package.pk)
    package.refresh_from_db()
    assert package.state == State.DONE, package.error
    return package


def stored(run: AnalysisRun) -> Package:
    """A package that was made earlier, with little in it."""
    package = request_package(run=run, recipe="both", images=False)
    package.path.parent.mkdir(exist_ok=True)
    with ZipFile(package.path, "w") as packed:
        for name in ("report.html", "funnel.csv"):
            packed.writestr(f"{Path(package.file_name).stem}/analysis/{name}", f"This is {name}")
    package.state, package.finished_at, package.size = State.DONE, timezone.now(), 9
    package.save()
    return package


def asked(run: AnalysisRun) -> Package:
    return request_package(run=run, recipe="both", images=True)


def no_images(figures: dict[str, Any], folder: Path) -> str:
    return "no Chrome or Chromium was found"


# ── What is in it ─────────────────────────────────────────────────────────────────────────────────


def test_zip_holds_the_report_every_table_and_the_data_for_sharing(
    study: Study, run: AnalysisRun
) -> None:
    package = made(run)
    assert package.notes == [
        "Before you share the data: fewer than 5 people gave each of these answers, and could be "
        "recognised by it: sex: Female."
    ]
    with ZipFile(package.path) as packed:
        assert packed.testzip() is None
        top = {Path(name).parts[0] for name in packed.namelist()}
        names = {name.partition("/")[2] for name in packed.namelist()}
    assert top == {f"small-1-run{run.pk}-both"}
    tables = run.results.filter(kind="table").values_list("name", flat=True)
    figures = run.results.filter(kind="figure").values_list("name", flat=True)
    assert {f"analysis/{name}.csv" for name in tables} < names
    assert {f"analysis/{name}.tex" for name in tables} < names
    assert {f"analysis/{name}.json" for name in figures} < names
    assert {
        "README.txt", "analysis/report.html", "analysis/manifest.json", "analysis/codebook.csv",
        "data/study-small_description-ratings_data.csv", "data/codebook.csv", "data/export.json",
        "dataset_description.json", "materials/study.yaml",
    } < names  # fmt: skip
    assert not [name for name in names if "comments" in name or name.endswith("responses.csv")]


def test_zip_tells_nobody_apart_from_their_pseudonym(study: Study) -> None:
    pid, label, reason = prolific_id("ann"), "Zoltan's link", "Zoltan told me so"
    ann, ben = (study.participants.get(pseudonym=name) for name in ("ann", "ben"))
    Identity.objects.create(participant=ann, slug="small", kind="prolific", key=pid)
    invitation = Invitation.objects.create(study=study, label=label)
    Identity.objects.create(participant=ben, slug="small", kind="invitation", key=invitation.token)
    author = User.objects.create_user("zoltan.researcher")
    set_rules(study=study, rules=QualityRules(order=["attention"]), author=author)
    decide_on(
        study=study, participants=[ann], excluded=True, reason=reason, at=timezone.now(),
        author=author,
    )  # fmt: skip
    run = finished_run(study=study, sources=counted_sources())
    with ZipFile(made(run).path) as packed:
        files = {name: packed.read(name).decode() for name in packed.namelist()}
    told = [pid, invitation.token, label, reason, "zoltan", "Zoltan", ann.secret, "127.0.0.1"]
    report = next(name for name in files if name.endswith("report.html"))
    # Not Plotly's own script, but the data of the figures.
    files[report] = re.sub(r"<script>.*?</script>", "", files[report], flags=re.DOTALL)
    assert [(what, name) for name, text in files.items() for what in told if what in text] == []
    [raters] = [text for name, text in files.items() if name.endswith("analysis/raters.csv")]
    assert "ann" in raters and ",decision,true," in raters
    assert "“reason not shared”" in files[report]


# ── Of one snapshot ───────────────────────────────────────────────────────────────────────────────


def of_one_snapshot(package: Package) -> tuple[int, int]:
    """Refuse a zip whose tables and data disagree; its numbers of participants and ratings."""
    manifest, data = (
        json.loads(read(package, name)) for name in ("analysis/manifest.json", "data/export.json")
    )
    assert manifest["snapshot_hash"] == data["snapshot_hash"] == package.run.snapshot_hash
    assert manifest["run"] == package.run_id and f"-run{package.run_id}-" in package.file_name
    people, ratings = (rows(package, data_file(name)) for name in ("participants", "ratings_all"))
    assert (len(people), len(ratings)) == (manifest["n_participants"], manifest["n_ratings"])
    decided = [
        {row["participant"]: (row["included"], row["exclusion"]) for row in table}
        for table in (people, rows(package, "analysis/raters.csv"))
    ]
    assert decided[0] == decided[1]
    return len(people), len(ratings)


def data_file(name: str) -> str:
    return f"data/{data_name('small', f'{name}.csv')}"


def read(package: Package, name: str) -> str:
    with ZipFile(package.path) as packed:
        return packed.read(f"{Path(package.file_name).stem}/{name}").decode()


def rows(package: Package, name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO(read(package, name))))


def test_package_of_an_analysis_of_the_data_as_they_are_computes_nothing(
    study: Study, run: AnalysisRun
) -> None:
    package = made(run)
    assert package.run == run and study.analysis_runs.count() == 1
    assert of_one_snapshot(package) == (4, 48)


def test_answers_that_came_after_the_analysis_are_packed_with_one_of_their_own(
    study: Study, run: AnalysisRun
) -> None:
    add_participant(study, pseudonym="eve", rate=likes_tuned)
    package = request_package(run=run, recipe="both", images=False)
    assert package.run != run and package.run.state == "waiting"
    assert of_one_snapshot(made(run)) == (5, 60)


def test_answers_that_come_between_request_and_worker_are_packed_with_their_analysis(
    study: Study, run: AnalysisRun
) -> None:
    package = request_package(run=run, recipe="both", images=False)
    assert package.run == run
    add_participant(study, pseudonym="eve", rate=likes_tuned)
    assert made(run) == package
    package.refresh_from_db()
    assert package.run != run and not package.run.is_automatic
    assert of_one_snapshot(package) == (5, 60)


def test_change_that_no_fingerprint_shows_is_found_by_the_hash(
    study: Study, run: AnalysisRun
) -> None:
    Rating.objects.filter(pk=Rating.objects.earliest("pk").pk).update(value=1)
    package = made(run)
    assert package.run != run and package.run.snapshot_hash != run.snapshot_hash
    assert of_one_snapshot(package) == (4, 48)


def test_rules_of_the_analysis_filter_the_data(study: Study, run: AnalysisRun) -> None:
    package = request_package(run=run, recipe="both", images=False)
    set_rules(study=study, rules=QualityRules(order=["attention"]))
    assert made(run) == package
    [dot] = [row for row in rows(package, data_file("participants")) if row["participant"] == "dot"]
    assert (dot["included"], dot["exclusion"]) == ("false", "duration")
    of_one_snapshot(package)


def test_package_waits_for_the_analysis_that_another_worker_computes(
    page: Client, study: Study, run: AnalysisRun
) -> None:
    add_participant(study, pseudonym="eve", rate=likes_tuned)
    package = request_package(run=run, recipe="both", images=False)
    soon = timezone.now() + timedelta(minutes=5)
    at_it = AnalysisRun.objects.filter(pk=package.run_id)
    at_it.update(state=State.RUNNING, attempts=1, lease_until=soon)
    run_job(Package, package.pk)
    package.refresh_from_db()
    assert (package.state, package.attempts) == (State.WAITING, 0)
    assert to_wake(Package) == [package.pk]
    shown = text_of(page.get(f"/studies/small/jobs/zip/{package.pk}/state/"))
    assert shown == "Waiting for the analysis that a worker is computing"
    assert study.analysis_runs.count() == 2  # none beside the one that is under way

    at_it.update(state=State.WAITING)
    run_job(AnalysisRun, package.run_id)
    assert of_one_snapshot(made(run)) == (5, 60)
    assert study.analysis_runs.count() == 2


def test_second_request_while_answers_come_is_the_same_package(
    page: Client, study: Study, run: AnalysisRun, woken: Woken
) -> None:
    page.post(PREPARE, {"recipe": "both"})
    add_participant(study, pseudonym="eve", rate=likes_tuned)
    page.post(PREPARE, {"recipe": "both"})
    assert len(set(woken)) == Package.objects.count() == 1
    shown = text_of(page.get("/studies/small/downloads/"))
    assert "The download will have a new analysis, of the data as they are when it is" in shown


def test_data_that_never_agree_with_their_analysis_are_a_clear_failure(
    study: Study, run: AnalysisRun, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def otherwise(*args: Any, **options: Any) -> dict[str, Any]:
        return write_export(*args, **options) | {"snapshot_hash": "another"}

    monkeypatch.setattr("dashboard.share.package_making.write_export", otherwise)
    package = request_package(run=run, recipe="both", images=False)
    run_job(Package, package.pk)
    package.refresh_from_db()
    assert package.state == State.FAILED
    assert "the data changed 3 times between their analysis and the zip" in package.error
    assert list(folder.iterdir()) == []


def test_analysis_that_fails_is_why_there_is_no_package(study: Study, run: AnalysisRun) -> None:
    add_participant(study, pseudonym="eve", rate=likes_tuned)
    DemographicAnswer.objects.filter(name="sex").update(value=[[1]])  # which nobody can send
    package = request_package(run=run, recipe="both", images=False)
    run_job(Package, package.pk)
    package.refresh_from_db()
    assert package.state == State.FAILED
    assert "the analysis failed: " in package.error


# ── Asking for it ─────────────────────────────────────────────────────────────────────────────────


def test_researcher_asks_sees_progress_and_downloads(
    page: Client, study: Study, run: AnalysisRun, woken: Woken
) -> None:
    answer = page.post(PREPARE, {"recipe": "both", "images": "on"}, follow=True)
    package = Package.objects.get()
    assert woken == [("dashboard.package", package.pk)]
    assert "Waiting for a worker" in text_of(answer)

    state = f"/studies/small/jobs/zip/{package.pk}/state/"
    Package.objects.update(state=State.RUNNING, stage="images", percent=40)
    assert text_of(page.get(state)) == "Drawing figures: 40 % done"
    Package.objects.update(state=State.WAITING)
    run_job(Package, package.pk, work=partial(pack, draw=no_images))
    assert page.get(state)["X-Finished"] == "1"

    name = f"small-1-run{run.pk}-both.zip"
    shown = text_of(page.get("/studies/small/downloads/"))
    assert name in shown and "Images are missing: no Chrome or Chromium was found." in shown
    zipped = page.get(f"/studies/small/packages/{package.pk}/")
    assert zipped["Content-Disposition"] == f'attachment; filename="{name}"'
    content = b"".join(zipped.streaming_content)  # type: ignore[attr-defined]  # it is streamed
    with ZipFile(BytesIO(content)) as packed:
        readme = packed.read(f"{Path(name).stem}/README.txt").decode()
    assert "Images are missing: no Chrome or Chromium was found." in readme


def test_same_request_takes_the_file_that_is_there(
    page: Client, study: Study, run: AnalysisRun, woken: Woken
) -> None:
    package = stored(run)
    answer = page.post(PREPARE, {"recipe": "both"}, follow=True)
    assert "This download is already prepared." in text_of(answer)
    assert (Package.objects.get(), woken) == (package, [])
    page.post(PREPARE, {"recipe": "both", "images": "on"})
    assert Package.objects.count() == 2


def test_settings_that_changed_since_make_another_file(study: Study, run: AnalysisRun) -> None:
    package = stored(run)
    StudyEvent.objects.create(study=study, action="settings", detail={"from": {}, "to": {}})
    again = request_package(run=run, recipe="both", images=False)
    assert (again.state, again == package, Package.objects.get()) == (State.WAITING, False, again)


def test_run_that_a_package_is_of_is_kept(study: Study, run: AnalysisRun) -> None:
    AnalysisRun.objects.filter(pk=run.pk).update(is_automatic=True)
    asked(run)
    run.refresh_from_db()
    assert not run.is_automatic


def test_without_an_analysis_the_page_offers_to_compute_one(
    page: Client, study: Study, woken: Woken
) -> None:
    shown = text_of(page.get("/studies/small/downloads/"))
    assert "No analysis to share yet. Press “Compute” above" in shown
    answer = page.post(PREPARE, {"recipe": "both"}, follow=True)
    assert "No analysis yet: press “Compute” first." in text_of(answer)
    assert (Package.objects.count(), woken) == (0, [])


def test_recipe_that_is_not_there_is_refused_in_one_line(
    page: Client, study: Study, run: AnalysisRun, woken: Woken
) -> None:
    answer = page.post(PREPARE, {"recipe": "soundest"}, follow=True)
    assert "The study has no recipe 'soundest'; it has both" in text_of(answer)
    assert (Package.objects.count(), woken) == (0, [])


def test_file_that_is_gone_is_said_to_be_and_made_again(
    page: Client, study: Study, run: AnalysisRun, woken: Woken
) -> None:
    package = stored(run)
    package.path.unlink()
    for address in ("", "report.html"):
        answer = page.get(f"/studies/small/packages/{package.pk}/{address}", follow=True)
        assert "The file of this download is gone." in text_of(answer)
    assert "The file is gone. Prepare it again." in text_of(answer)
    page.post(PREPARE, {"recipe": "both"})
    again = Package.objects.get()
    assert (again.state, woken) == (State.WAITING, [("dashboard.package", again.pk)])


def test_report_is_read_in_the_browser_and_can_ask_nobody_for_anything(
    page: Client, study: Study, run: AnalysisRun
) -> None:
    package = stored(run)
    report = page.get(f"/studies/small/packages/{package.pk}/report.html")
    assert report["Content-Type"] == "text/html; charset=utf-8"
    policy = report["Content-Security-Policy"]
    assert policy.startswith("sandbox allow-scripts") and "default-src 'none'" in policy
    assert "allow-same-origin" not in policy
    assert b"This is report.html" in b"".join(report.streaming_content)  # type: ignore[attr-defined]  # it is streamed
    funnel = page.get(f"/studies/small/packages/{package.pk}/funnel.csv")
    assert funnel["Content-Disposition"] == 'attachment; filename="funnel.csv"'
    assert page.get(f"/studies/small/packages/{package.pk}/wins.exe").status_code == 404


# ── Workers that are lost ─────────────────────────────────────────────────────────────────────────


def test_package_of_a_lost_worker_is_taken_over(
    study: Study, run: AnalysisRun, folder: Path
) -> None:
    package = asked(run)
    lost = timezone.now() - timedelta(seconds=1)
    Package.objects.update(state=State.RUNNING, attempts=1, lease_until=lost)
    (folder / f"{package.pk}-1").mkdir(parents=True)
    assert to_wake(Package) == [package.pk]
    assert run_job(Package, package.pk, work=partial(pack, draw=no_images))
    remove_old_packages()
    assert [path.name for path in folder.iterdir()] == [f"{package.pk}.zip"]
    assert to_wake(Package) == []


def make_while(
    act: Callable[[], object], package: Package, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Make a package; in the middle, `act` happens elsewhere."""

    def interrupted(*args: Any, **options: Any) -> dict[str, Any]:
        act()
        return write_export(*args, **options)

    monkeypatch.setattr("dashboard.share.package_making.write_export", interrupted)
    run_job(Package, package.pk, work=partial(pack, draw=no_images))


def test_worker_that_was_taken_for_dead_changes_nothing(
    study: Study, run: AnalysisRun, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = asked(run)
    make_while(lambda: Package.objects.update(lease_token="another's"), package, monkeypatch)
    package.refresh_from_db()
    assert (package.state, package.lease_token, package.error) == (State.RUNNING, "another's", "")
    assert list(folder.iterdir()) == []


def test_package_that_fails_says_why_and_can_be_asked_for_again(
    page: Client, study: Study, run: AnalysisRun, folder: Path
) -> None:
    def broken(figures: dict[str, Any], folder: Path) -> str:
        raise OSError(28, "No space left on device")

    run_job(Package, asked(run).pk, work=partial(pack, draw=broken))
    shown = text_of(page.get("/studies/small/downloads/"))
    assert "failed" in shown and "No space left on device" in shown
    assert list(folder.iterdir()) == []
    assert asked(run).state == State.WAITING


# ── Removing it ───────────────────────────────────────────────────────────────────────────────────


def test_withdrawal_removes_packages_with_the_answers(
    study: Study,
    run: AnalysisRun,
    folder: Path,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    assert stored(run).path.is_file()
    with django_capture_on_commit_callbacks(execute=True):
        withdraw(participant=study.participants.get(pseudonym="ann"), at=timezone.now())
    assert not Package.objects.exists()
    assert list(folder.iterdir()) == []


def test_withdrawal_while_a_package_is_made_leaves_none(
    study: Study, run: AnalysisRun, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = study.participants.get(pseudonym="ann")
    make_while(lambda: withdraw(participant=ann, at=timezone.now()), asked(run), monkeypatch)
    assert not Package.objects.exists()
    assert list(folder.iterdir()) == []


def test_withdrawal_of_a_test_person_leaves_packages_of_others(
    study: Study, run: AnalysisRun
) -> None:
    package = stored(run)
    robot = Participant.objects.get(pseudonym="robot")
    withdraw(participant=robot, at=timezone.now())
    assert Package.objects.get() == package


def test_old_packages_and_unknown_files_are_removed(
    study: Study,
    run: AnalysisRun,
    folder: Path,
    settings: Settings,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    package = stored(run)
    (folder / "999.zip").touch()
    (folder / "999-1").mkdir()
    remove_old_packages()
    assert [path.name for path in folder.iterdir()] == [f"{package.pk}.zip"]
    old = timezone.now() - timedelta(days=settings.PACKAGE_DAYS, minutes=1)
    Package.objects.update(finished_at=old)
    with django_capture_on_commit_callbacks(execute=True):
        remove_old_packages()
    assert not Package.objects.exists()
    assert list(folder.iterdir()) == []
