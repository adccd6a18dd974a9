"""Sharing by the API: a zip is asked for, followed and downloaded, as a whole and by file."""

from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from analysis.models import AnalysisRun
from dashboard.share.models import Package
from dashboard.shared.roles import Role
from survey.models import Study, StudyEvent
from tests.dashboard.api.asking import Bad, Change, ask, check_bad, check_change, read
from tests.dashboard.conftest import Woken

pytestmark = pytest.mark.embedded  # what pages do by the same functions, on every database

BAD = [
    Bad("post", "packages/", {"recipe": "mine"}, {
        "recipe": ["The study has no recipe 'mine'; it has both", "Nothing was changed."]
    }),
    Bad("post", "packages/", {"images": "perhaps"}, {"images": ["Must be a valid boolean."]}),
    Bad("get", "packages/?state=lost", {}, {
        "state": ["state takes waiting, running, done, failed, stopped, not 'lost'."]
    }),
]  # fmt: skip


@pytest.fixture(autouse=True)
def folder(settings: Settings, tmp_path: Path) -> None:
    settings.PACKAGES_DIR = tmp_path


def test_change(study: Study, run: AnalysisRun, woken: Woken) -> None:
    check_change(
        study,
        Change(
            "packages/",
            {"recipe": "both"},
            202,
            Role.ANALYST,
            lambda _, said: (
                (said["state"], said["images"], said["url"]) == ("waiting", True, None)
                and Package.objects.get().pk == said["id"]
            ),
        ),
    )
    assert woken == [("dashboard.package", Package.objects.get().pk)]
    assert StudyEvent.objects.get(action="zip requested").via == "api"


@pytest.mark.parametrize("bad", BAD, ids=lambda bad: f"{bad.path}{bad.sent}")
def test_bad_input(page: Client, study: Study, run: AnalysisRun, woken: Woken, bad: Bad) -> None:
    check_bad(page, bad)
    assert woken == []


def test_without_an_analysis_there_is_nothing_to_share(page: Client, study: Study) -> None:
    answer = ask(page, "post", "packages/", {})
    assert answer.status_code == 400
    assert answer.json()["detail"].startswith("No analysis yet")
    assert not Package.objects.exists()


def finished(run: AnalysisRun) -> Package:
    """A package with a few files, as a worker leaves it."""
    package = Package.objects.create(
        run=run, recipe="both", images=True, state="done", finished_at=timezone.now(), size=9
    )
    with ZipFile(package.path, "w") as packed:
        for name in ("report.html", "funnel.csv", "funnel.tex", "funnel_flow.svg"):
            packed.writestr(f"{Path(package.file_name).stem}/analysis/{name}", f"This is {name}")
        packed.writestr(f"{Path(package.file_name).stem}/data/ratings.csv", "not of the analysis")
    return package


def test_zip_is_downloaded_as_a_whole_and_by_file(
    page: Client, study: Study, run: AnalysisRun
) -> None:
    package = finished(run)
    [listed] = read(page, "packages/?state=done")["results"]
    about = read(page, f"packages/{package.pk}/")
    assert {name: about[name] for name in listed} == listed
    assert about["url"] == f"http://testserver/api/studies/small@1/packages/{package.pk}/zip/"
    whole: Any = page.get(about["url"])
    assert b"".join(whole.streaming_content) == package.path.read_bytes()
    assert set(about["files"]) == {"report.html", "funnel.csv", "funnel.tex", "funnel_flow.svg"}
    for name, url in about["files"].items():
        file: Any = page.get(url)
        assert file.getvalue() == f"This is {name}".encode()
        assert ("Content-Security-Policy" in file.headers) is True
        assert ("attachment" in file.headers.get("Content-Disposition", "")) is (
            name != "report.html"
        )
    svg: Any = page.get("/api/studies/small/figures/funnel_flow.svg")
    assert (svg.getvalue(), svg["Content-Type"]) == (b"This is funnel_flow.svg", "image/svg+xml")


def test_what_is_not_there_says_why(page: Client, study: Study, run: AnalysisRun) -> None:
    package = finished(run)

    def said(path: str) -> str:
        answer: Any = page.get(f"/api/studies/small/packages/{path}")
        assert answer.status_code == 404
        detail: str = answer.json()["detail"]
        return detail

    assert said("999999/") == "small@1 has no download 999999."
    assert said(f"{package.pk}/files/x.csv") == "There is no x.csv in this package."
    package.path.unlink()
    gone = "The file of this download is gone. Prepare it again."
    assert said(f"{package.pk}/zip/") == said(f"{package.pk}/files/report.html") == gone
    assert read(page, f"packages/{package.pk}/")["files"] == {}
    Package.objects.update(state="running")
    assert said(f"{package.pk}/zip/") == "This download is not ready yet."
