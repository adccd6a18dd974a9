"""Results by the API: asking for analyses, tables and answers; the same as from pages."""

import codecs
import json
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from django.test import Client
from pytest_django import Settings

from analysis.models import AnalysisRun, Multiverse
from dashboard.share.models import Package
from dashboard.shared.roles import Role
from jobs.runner import run_job
from survey.models import Study, StudyEvent
from tests.dashboard.api.asking import Change, ask, check_change, everything, read
from tests.dashboard.conftest import Woken
from tests.dashboard.reading import text_of

pytestmark = pytest.mark.embedded  # what pages do by the same functions, on every database

#: Names when and with which numbers of rows it was made.
MANIFEST = "manifest.json"

CHANGES = [
    Change(
        "analysis/",
        {},
        202,
        Role.ANALYST,
        lambda study, said: (
            study.analysis_runs.get(pk=said["id"]).state == said["state"] == "waiting"
        ),
    ),
    Change(
        "multiverse/",
        {},
        202,
        Role.ANALYST,
        lambda study, said: (
            said["multiverse"]["state"] == "waiting"
            and Multiverse.objects.get(run__study=study).run_id == said["multiverse"]["run"]
        ),
    ),
    Change(
        "metrics/",
        {},
        202,
        Role.ANALYST,
        lambda study, said: said["request"]["state"] == study.metrics_request.state == "waiting",
    ),
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.path)
def test_change(study: Study, run: AnalysisRun, woken: Woken, change: Change) -> None:
    if change.path == "analysis/":
        study.participants.get(pseudonym="ann").delete()  # so that there is something to compute
    check_change(study, change)
    assert len(woken) == 1
    assert StudyEvent.objects.latest("id").action.endswith(" requested")


def test_what_is_up_to_date_is_not_computed_again(
    page: Client, study: Study, run: AnalysisRun, woken: Woken
) -> None:
    before = everything()
    answer = ask(page, "post", "analysis/")
    assert (answer.status_code, answer.json()["id"], answer.json()["state"]) == (
        202,
        run.pk,
        "done",
    )
    assert woken == []
    assert {**everything(), "AnalysisRun": []} == {**before, "AnalysisRun": []}  # it is kept now


def test_bad_input(page: Client, study: Study, woken: Woken) -> None:
    before = everything()
    for method, path in (("post", "analysis/"), ("post", "multiverse/"), ("get", "analysis/")):
        answer = ask(page, method, f"{path}?include=everybody")
        said = "include takes panel or simulated or preview or none, not everybody."
        assert (answer.status_code, answer.json()) == (400, {"include": [said]})
    none = ask(page, "post", "multiverse/")
    assert none.status_code == 400
    assert none.json()["detail"].startswith("No analysis yet")
    lost = ask(page, "get", "analyses/?state=lost")
    assert lost.json() == {
        "state": ["state takes waiting, running, done, failed, stopped, not 'lost'."]
    }
    assert everything() == before and woken == []


def test_state_of_the_analysis_is_followed(page: Client, study: Study, run: AnalysisRun) -> None:
    assert read(page, "analysis/")["changed"] is False
    study.participants.get(pseudonym="ann").delete()  # and with her the run
    state = read(page, "analysis/")
    assert (state["run"] is None) or state["changed"]
    number = ask(page, "post", "analysis/").json()["id"]
    assert read(page, "analysis/")["pending"]["id"] == number
    run_job(AnalysisRun, number)
    assert read(page, f"analyses/{number}/")["state"] == "done"
    state = read(page, "analysis/")
    assert (state["run"]["id"], state["pending"], state["raters"], state["included"]) == (
        number, None, 3, 2,
    )  # fmt: skip
    assert read(page, "analyses/?limit=1")["results"][0]["id"] == number
    missing: Any = page.get("/api/studies/small/analyses/999999/")
    assert missing.json() == {"detail": "small@1 has no analysis 999999."}


def test_answers_are_those_of_the_page_in_plain_sentences(
    page: Client, study: Study, run: AnalysisRun
) -> None:
    subjects = read(page, "results/")
    assert subjects[0]["subject"] == "wins"
    for each in subjects:
        subject = page.get(each["url"]).json()
        shown = text_of(page.get(f"/studies/small/results/{each['subject']}/"))
        for question in subject["questions"]:
            assert question["question"] in shown
            if question["url"]:
                assert page.get(question["url"]).json()["rows"]
            for answer in question["answers"]:
                assert not any("<" in said for said in answer["sound"] + answer["paper"])
        assert subject["run"]["id"] == run.pk
    assert page.get("/api/studies/small/results/nothing/").status_code == 404


def test_figures_are_those_of_the_page(page: Client, study: Study, run: AnalysisRun) -> None:
    listed = read(page, "figures/")["figures"]
    assert {row["figure"] for row in listed} == {
        result.name for result in run.results.filter(kind="figure")
    }
    for row in listed:
        on_page = page.get(f"/studies/small/figures/{run.pk}/{row['figure']}.json")
        assert page.get(row["url"]).json() == on_page.json()
        assert row["svg"] is None
    none: Any = page.get(f"/api/studies/small/figures/{listed[0]['figure']}.svg")
    assert none.status_code == 404
    assert none.json()["detail"].endswith(
        f"has {listed[0]['figure']}.svg: ask for one by packages/."
    )


def files_of_pages(page: Client, run: AnalysisRun) -> dict[str, bytes]:
    """Without the byte order marks, which only files of pages have."""
    names = run.results.filter(kind="table").values_list("name", flat=True)
    files: dict[str, Any] = {
        name: page.get(f"/studies/small/results/{run.pk}/{name}.csv") for name in names
    }
    return {
        f"{name}.csv": answer.getvalue().removeprefix(codecs.BOM_UTF8)
        for name, answer in files.items()
    }


def packed(path: Path) -> dict[str, bytes]:
    """The files of the analysis in a zip."""
    with ZipFile(path) as zipped:
        names = [name for name in zipped.namelist() if "/analysis/" in name]
        return {Path(name).name: zipped.read(name) for name in names}


def test_analysed_by_page_and_by_api_the_same_data_give_the_same_bytes(
    page: Client, study: Study, woken: Woken, settings: Settings, tmp_path: Path
) -> None:
    settings.PACKAGES_DIR = tmp_path
    page.post("/studies/small/analysis/recompute/", {"page": "raters"})
    [(_, of_page)] = woken
    run_job(AnalysisRun, of_page)
    from_pages = files_of_pages(page, AnalysisRun.objects.get(pk=of_page))
    page.post("/studies/small/packages/prepare/", {"recipe": "both"})
    [_, (_, package)] = woken
    run_job(Package, package)
    zip_of_page: Any = page.get(f"/studies/small/packages/{package}/")
    (tmp_path / "page").write_bytes(b"".join(zip_of_page.streaming_content))
    study.analysis_runs.all().delete()
    woken.clear()

    asked = ask(page, "post", "analysis/").json()
    assert asked["state"] == "waiting" and woken == [("analysis.run", asked["id"])]
    run_job(AnalysisRun, asked["id"])
    tables = read(page, "tables/")["tables"]
    from_api: dict[str, Any] = {
        f"{row['table']}.csv": page.get(f"/api/studies/small/tables/{row['table']}.csv")
        for row in tables
    }
    latex = {
        f"{row['table']}.tex": page.get(f"/api/studies/small/tables/{row['table']}.tex").content
        for row in tables
    }
    prepared = ask(page, "post", "packages/", {"recipe": "both", "images": False}).json()
    run_job(Package, prepared["id"])
    made: Any = page.get(read(page, f"packages/{prepared['id']}/")["url"])
    (tmp_path / "api").write_bytes(b"".join(made.streaming_content))

    assert len(from_pages) > 20
    assert {name: answer.getvalue() for name, answer in from_api.items()} == from_pages
    one, other = packed(tmp_path / "page"), packed(tmp_path / "api")
    assert (
        json.loads(one.pop(MANIFEST))["snapshot_hash"]
        == (json.loads(other.pop(MANIFEST))["snapshot_hash"])
    )
    one.pop("report.html"), other.pop("report.html")  # it says when it was made
    assert one == other
    assert {name: one[name] for name in from_pages} == from_pages
    assert {name: one[name] for name in latex} == latex
    assert Package.objects.count() == 1
