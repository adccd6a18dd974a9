"""Researchers stop what workers compute: on its page and by the API."""

from dataclasses import replace
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from analysis.models import AnalysisRun
from analysis.runs import request_overdue_runs, request_run
from dashboard.design.models import PlannedGrid
from dashboard.design.plan_options import PlanOptions, request_plan
from dashboard.notices.occasions import happened
from dashboard.raters.models import SubmissionUpload
from dashboard.raters.uploads import leave_to_worker
from dashboard.share.models import Package
from dashboard.share.packages import request_package
from dashboard.shared.models import Membership
from dashboard.shared.roles import Role
from jobs import leases
from jobs.leases import to_wake
from jobs.models import Job
from jobs.runner import Store, Taken, run_job, work_of
from survey.models import Study, StudyEvent
from survey.tidy import counted_sources
from tests.dashboard.conftest import Woken
from tests.dashboard.reading import text_of
from tests.factories import add_participant

pytestmark = pytest.mark.django_db
State = Job.State


def waiting_analysis(study: Study, run: AnalysisRun) -> AnalysisRun:
    add_participant(study, pseudonym="eve")
    return request_run(study=study, sources=counted_sources())


def waiting_plan(study: Study, run: AnalysisRun) -> PlannedGrid:
    return request_plan(study=study, options=PlanOptions())


def waiting_package(study: Study, run: AnalysisRun) -> Package:
    return request_package(run=run, recipe="both", images=False)


def waiting_lists(study: Study, run: AnalysisRun) -> SubmissionUpload:
    lists = b"Submission id,Participant id,Status\ns1,a,ACTIVE\n"
    return leave_to_worker(study=study, files=[("list.csv", lists)], submissions=9000)


#: What makes a job, where its page and its route are, and what the page then says.
KINDS: dict[str, tuple[Any, str, str, str]] = {
    "analysis": (waiting_analysis, "analysis", "analyses", "The analysis was stopped."),
    "plan": (waiting_plan, "planning", "planning", "The computation of the plan was stopped."),
    "zip": (waiting_package, "packages", "packages", "The preparation of the zip was stopped."),
    "submissions": (
        *(waiting_lists, "submissions/upload", "submissions/upload"),
        "The reading of the lists was stopped.",
    ),
}
PAGES = {"analysis": "raters", "plan": "planning", "zip": "downloads", "submissions": "submissions"}


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def job(kind: str, study: Study, run: AnalysisRun) -> Job:
    made: Job = KINDS[kind][0](study, run)
    return made


def test_button_stops_it_and_the_page_says_who_did(page: Client, kind: str, job: Job) -> None:
    _, address, _, said = KINDS[kind]
    shown = f"/studies/small/{PAGES[kind]}/"
    stop = f"/studies/small@1/{address}/{job.pk}/stop/"
    assert f'action="{stop}"' in page.get(shown).content.decode()
    after = page.post(stop, {"page": "raters"}, follow=True)
    assert said in text_of(after) and "Stopped by ada." in text_of(after)
    assert after.redirect_chain[0][0].startswith(f"/studies/small@1/{PAGES[kind]}/")
    assert stop not in after.content.decode()
    job.refresh_from_db()
    assert (job.state, job.error) == (State.STOPPED, "Stopped by ada.")
    assert job.finished_at is not None
    event = StudyEvent.objects.get(action=f"{kind} stopped")
    assert event.author is not None and event.author.username == "ada"

    again = text_of(page.post(stop, follow=True))
    assert "Nothing was stopped" in again and "had ended already" in again
    assert StudyEvent.objects.filter(action=f"{kind} stopped").count() == 1


def test_api_stops_it_once(page: Client, kind: str, job: Job) -> None:
    stop = f"/api/studies/small/{KINDS[kind][2]}/{job.pk}/stop/"
    for _ in range(2):
        answer = page.post(stop, content_type="application/json")
        assert answer.status_code == 200
        sent = answer.json()
        sent = sent.get({"plan": "plan", "submissions": "upload"}.get(kind), sent)
        assert (sent["id"], sent["state"]) == (job.pk, "stopped")
        assert sent["error"] == "Stopped by ada."
    assert StudyEvent.objects.filter(action=f"{kind} stopped").count() == 1
    missing = page.post(stop.replace(f"/{job.pk}/", "/999/"), content_type="application/json")
    assert missing.status_code == 404


def test_viewer_sees_no_button_and_stops_nothing(client: Client, kind: str, job: Job) -> None:
    vi = User.objects.create_user("vi", is_staff=True)
    Membership.objects.create(slug="small", user=vi, role=Role.VIEWER)
    client.force_login(vi)
    stop = f"/studies/small@1/{KINDS[kind][1]}/{job.pk}/stop/"
    assert stop not in client.get(f"/studies/small/{PAGES[kind]}/").content.decode()
    assert client.post(stop).status_code == 403
    job.refresh_from_db()
    assert job.state == State.WAITING


def test_stopped_job_is_taken_by_no_worker(kind: str, job: Job) -> None:
    leases.stop(job, "Stopped by ada.")
    assert (to_wake(AnalysisRun), to_wake(PlannedGrid)) == ([], [])
    assert (to_wake(Package), to_wake(SubmissionUpload)) == ([], [])
    assert not run_job(type(job), job.pk)
    job.refresh_from_db()
    assert (job.state, job.attempts) == (State.STOPPED, 0)


def test_stopped_job_can_be_asked_for_again(
    kind: str, job: Job, study: Study, run: AnalysisRun
) -> None:
    leases.stop(job, "Stopped by ada.")
    if kind == "analysis":
        again: Job = request_run(study=study, sources=counted_sources())
    else:
        again = KINDS[kind][0](study, run)
    assert again.pk != job.pk and again.state == State.WAITING


def test_stopped_analysis_does_not_come_back_by_itself_and_nobody_is_mailed(
    study: Study, run: AnalysisRun
) -> None:
    asked = waiting_analysis(study, run)
    claimed = leases.claim(AnalysisRun, asked.pk)
    assert claimed is not None
    leases.stop(claimed, "Stopped by ada.")
    assert request_overdue_runs() == []
    assert str(asked.pk) not in [one.key for one in happened(study, at=timezone.now())]


def lost_before_it_is_stored(job: Job) -> None:
    """Do a job; after its computing and before its storing, another worker takes it over."""
    work = work_of(type(job))

    def late(taken: Taken[Job]) -> Store:
        store = work.do(taken)
        rows = type(job)._default_manager.filter(pk=job.pk)
        rows.update(lease_token="another worker's")
        return store

    run_job(type(job), job.pk, work=replace(work, do=late))


def test_worker_that_lost_its_lease_before_storing_stores_nothing(job: Job, woken: Woken) -> None:
    lost_before_it_is_stored(job)
    job.refresh_from_db()
    assert (job.state, job.lease_token) == (State.RUNNING, "another worker's")
    assert (job.error, job.finished_at) == ("", None)
    if isinstance(job, AnalysisRun):
        assert not job.results.exists() and not job.rater_quality.exists()
    if isinstance(job, PlannedGrid):
        assert job.rows == []
    if isinstance(job, SubmissionUpload):
        assert job.says == []
    if isinstance(job, Package):
        assert not job.path.exists()
