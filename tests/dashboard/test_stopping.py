"""Researchers stop what workers compute: on its page and by the API."""

import re
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from analysis.metrics_requests import request_metrics
from analysis.models import AnalysisRun, MetricsRequest, PerturbationRun, ScoredText, Scorer
from analysis.multiverses import request_multiverse
from analysis.perturbation_requests import PerturbationOptions, request_perturbations
from analysis.runs import request_overdue_runs, request_run
from analysis.scored_texts import request_score
from analysis.scorer_requests import ScorerOptions, request_scorer
from dashboard.design.models import PlannedGrid
from dashboard.design.plan_options import PlanOptions, request_plan
from dashboard.notices.occasions import happened
from dashboard.overview.events import ACTIONS, events
from dashboard.raters.models import SubmissionUpload
from dashboard.raters.uploads import leave_to_worker
from dashboard.rehearsal.models import Simulation
from dashboard.rehearsal.simulations import CrowdOptions, ask_for_raters
from dashboard.share.models import Package
from dashboard.share.packages import request_package
from dashboard.shared.log import record
from dashboard.shared.models import Membership
from dashboard.shared.roles import Role
from dashboard.shared.stopping import names
from jobs import leases
from jobs.leases import to_wake
from jobs.models import Job
from jobs.runner import kinds, run_job
from survey.models import Study, StudyEvent
from survey.tidy import counted_sources
from tests.dashboard.conftest import Woken
from tests.dashboard.reading import text_of
from tests.factories import add_participant
from tests.jobs.losing import lost_before_it_is_stored

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


def waiting_text(study: Study, run: AnalysisRun) -> ScoredText:
    scorer = waiting_scorer(study, run)
    done = {"state": State.DONE, "finished_at": timezone.now()}
    Scorer.objects.filter(pk=scorer.pk).update(**done)
    asker, _ = User.objects.get_or_create(username="tess")
    return request_score(scorer, "An answer", asker)


def waiting_scorer(study: Study, run: AnalysisRun) -> Scorer:
    return request_scorer(study, ScorerOptions(), sources=counted_sources())


def waiting_perturbations(study: Study, run: AnalysisRun) -> PerturbationRun:
    return request_perturbations(study, PerturbationOptions(perturbations=("case",)))


def waiting_simulation(study: Study, run: AnalysisRun) -> Simulation:
    asked, _ = ask_for_raters(study, CrowdOptions(participants=3, seed=1), None)
    return asked


#: By the name of a kind: what makes a job, and the page on which it is.
KINDS: dict[str, tuple[Callable[[Study, AnalysisRun], Job], str]] = {
    "analysis": (waiting_analysis, "raters/"),
    "multiverse": (lambda study, run: request_multiverse(run), "results/order/"),
    "metrics": (lambda study, run: request_metrics(study), "results/metrics/"),
    "scorer": (waiting_scorer, "results/scorer/"),
    "text": (waiting_text, "results/scorer/"),
    "perturbations": (waiting_perturbations, "results/perturbations/"),
    "plan": (waiting_plan, "planning/"),
    "zip": (waiting_package, "downloads/"),
    "submissions": (waiting_lists, "submissions/"),
    "simulation": (waiting_simulation, "rehearsal/"),
}
#: Those that have a route of their own, and where its answer has the job.
ROUTES = {
    "analysis": ("analyses", ""),
    "plan": ("planning", "plan"),
    "zip": ("packages", ""),
    "submissions": ("submissions/upload", "upload"),
}


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def job(kind: str, study: Study, run: AnalysisRun) -> Job:
    return KINDS[kind][0](study, run)


def test_every_kind_of_job_of_a_study_is_here_and_the_log_has_words_for_it() -> None:
    assert set(names()) == set(KINDS)
    assert {f"{kind.NAME} stopped" for kind in kinds()} <= set(ACTIONS)


def test_stopping_what_stores_in_parts_is_a_change_of_the_study(study: Study) -> None:
    for name in ("submissions", "simulation", "analysis"):
        record(study, None, f"{name} stopped")
    said = {event.event.action for event in events([study])}
    assert said >= {"submissions stopped", "simulation stopped"} and "analysis stopped" not in said


def test_button_stops_it_and_the_page_says_who_did(page: Client, kind: str, job: Job) -> None:
    shown = f"/studies/small/{KINDS[kind][1]}"
    stop = f"/studies/small@1/jobs/{kind}/{job.pk}/stop/"
    before = page.get(shown).content.decode()
    assert f'action="{stop}"' in before
    back = re.search(rf'{stop}".*?name="back" value="([^"]*)"', before)
    assert back is not None and back[1].partition("#")[0] == shown
    after = page.post(stop, {"back": back[1]}, follow=True)
    assert f"The {job.WHAT} was stopped." in text_of(after)
    assert "Stopped by ada." in text_of(after)
    assert after.redirect_chain[0][0] == back[1]
    assert stop not in after.content.decode()
    job.refresh_from_db()
    assert (job.state, job.error) == (State.STOPPED, "Stopped by ada.")
    assert job.finished_at is not None
    event = StudyEvent.objects.get(action=f"{kind} stopped")
    assert event.author is not None and event.author.username == "ada"

    again = text_of(page.post(stop, follow=True))
    assert "Nothing was stopped" in again and "had ended already" in again
    assert StudyEvent.objects.filter(action=f"{kind} stopped").count() == 1


@pytest.mark.parametrize(
    "back", ["https://example.org/", "//example.org/", "javascript:x", "corpora", "x", ""]
)
def test_button_leads_nowhere_else(page: Client, study: Study, run: AnalysisRun, back: str) -> None:
    asked = waiting_plan(study, run)
    answer = page.post(f"/studies/small/jobs/plan/{asked.pk}/stop/", {"back": back})
    assert answer["Location"] == "/studies/small@1/"


def test_page_that_waits_is_told_how_far_it_is_and_when_it_is_over(
    page: Client, kind: str, job: Job
) -> None:
    state = f"/studies/small/jobs/{kind}/{job.pk}/state/"
    answer = page.get(state)
    assert text_of(answer) == job.status and "X-Finished" not in answer
    assert job.status.startswith("Waiting for")
    leases.stop(job, "Stopped by ada.")
    assert page.get(state)["X-Finished"] == "1"
    assert page.get(state.replace(f"/{job.pk}/", "/999/"))["X-Finished"] == "1"


def test_api_stops_it_once(page: Client, kind: str, job: Job) -> None:
    address = f"/api/studies/small/jobs/{kind}/{job.pk}/"
    assert page.get(address).json()["state"] == "waiting"
    for _ in range(2):
        answer = page.post(f"{address}stop/", content_type="application/json")
        assert answer.status_code == 200
        sent = answer.json()
        assert (sent["id"], sent["kind"], sent["state"]) == (job.pk, kind, "stopped")
        assert sent["error"] == "Stopped by ada." and sent["finished_at"]
    assert page.get(address).json() == sent
    assert StudyEvent.objects.filter(action=f"{kind} stopped").count() == 1
    for missing in (address.replace(f"/{job.pk}/", "/999/"), "/api/studies/small/jobs/tea/1/"):
        assert page.get(missing).status_code == 404
        assert page.post(f"{missing}stop/", content_type="application/json").status_code == 404


@pytest.mark.parametrize("kind", ROUTES)
def test_route_of_its_own_stops_it_too(page: Client, kind: str, job: Job) -> None:
    route, within = ROUTES[kind]
    stop = f"/api/studies/small/{route}/{job.pk}/stop/"
    for _ in range(2):
        sent = page.post(stop, content_type="application/json").json()
        sent = sent[within] if within else sent
        assert (sent["id"], sent["state"], sent["error"]) == (job.pk, "stopped", "Stopped by ada.")
    missing = page.post(stop.replace(f"/{job.pk}/", "/999/"), content_type="application/json")
    assert missing.status_code == 404


def test_viewer_sees_no_button_and_stops_nothing(client: Client, kind: str, job: Job) -> None:
    vi = User.objects.create_user("vi", is_staff=True)
    Membership.objects.create(slug="small", user=vi, role=Role.VIEWER)
    client.force_login(vi)
    stop = f"/studies/small@1/jobs/{kind}/{job.pk}/stop/"
    assert stop not in client.get(f"/studies/small/{KINDS[kind][1]}").content.decode()
    assert client.post(stop).status_code == 403
    stop = f"/api/studies/small/jobs/{kind}/{job.pk}/stop/"
    assert client.post(stop, content_type="application/json").status_code == 403
    job.refresh_from_db()
    assert job.state == State.WAITING


@pytest.mark.parametrize("role", [Role.VIEWER, Role.ANALYST, Role.EDITOR])
def test_who_may_see_and_stop_it(client: Client, kind: str, job: Job, role: Role) -> None:
    user = User.objects.create_user("rob", is_staff=True)
    Membership.objects.create(slug="small", user=user, role=role)
    client.force_login(user)
    is_editor = role == Role.EDITOR
    may_see = is_editor or kind != "submissions"
    may_stop = is_editor or (role == Role.ANALYST and kind not in ("submissions", "simulation"))
    for address in (
        f"/studies/small/jobs/{kind}/{job.pk}/",
        f"/api/studies/small/jobs/{kind}/{job.pk}/",
    ):
        state = address if address.startswith("/api/") else f"{address}state/"
        assert client.get(state).status_code == (200 if may_see else 403)
        stopped = client.post(f"{address}stop/", content_type="application/json")
        assert (stopped.status_code != 403) == may_stop
    job.refresh_from_db()
    assert (job.state == State.STOPPED) == may_stop


def test_stopped_job_is_taken_by_no_worker(kind: str, job: Job) -> None:
    leases.stop(job, "Stopped by ada.")
    assert job.pk not in to_wake(type(job))
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
    assert again.state == State.WAITING and again.error == ""
    assert again.pk in to_wake(type(again))


def test_stopped_analysis_does_not_come_back_by_itself_and_nobody_is_mailed(
    study: Study, run: AnalysisRun
) -> None:
    asked = waiting_analysis(study, run)
    claimed = leases.claim(AnalysisRun, asked.pk)
    assert claimed is not None
    leases.stop(claimed, "Stopped by ada.")
    assert request_overdue_runs() == []
    assert str(asked.pk) not in [one.key for one in happened(study, at=timezone.now())]


@pytest.mark.parametrize("kind", ["analysis", "metrics", "plan", "zip", "submissions"])
def test_worker_that_lost_its_lease_before_storing_stores_nothing(job: Job, woken: Woken) -> None:
    lost_before_it_is_stored(job)
    job.refresh_from_db()
    assert (job.state, job.lease_token) == (State.RUNNING, "another worker's")
    assert (job.error, job.finished_at) == ("", None)
    if isinstance(job, AnalysisRun):
        assert not job.results.exists() and not job.rater_quality.exists()
    if isinstance(job, MetricsRequest):
        assert not job.study.computed_metrics.exists()
    if isinstance(job, PlannedGrid):
        assert job.rows == []
    if isinstance(job, SubmissionUpload):
        assert job.says == []
    if isinstance(job, Package):
        assert not job.path.exists()
