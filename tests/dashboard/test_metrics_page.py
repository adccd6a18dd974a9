"""Automatic metrics asked for on their page, or by the API, and computed by a worker."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone
from kombu.exceptions import OperationalError
from pytest_django.fixtures import Settings

from analysis.metrics import CORE
from analysis.metrics_requests import request_metrics
from analysis.models import ComputedMetric, MetricsRequest
from jobs.leases import to_wake
from jobs.runner import run_job
from survey.models import Study
from tests.dashboard.conftest import Woken
from tests.dashboard.reading import text_of
from tests.factories import make_study
from tests.servers.text_endpoint import text_endpoint

ASK = "/studies/small/results/metrics/compute/"
PAGE = "/studies/small/results/metrics/"
API = "/api/studies/small/metrics/"
State = MetricsRequest.State


@pytest.fixture
def study(db: None) -> Study:
    """With responses, and nobody who rated them."""
    return make_study()


def computed(study: Study) -> MetricsRequest:
    """A request, after a worker."""
    request = request_metrics(study)
    run_job(MetricsRequest, request.pk)
    request.refresh_from_db()
    return request


def test_page_is_there_before_any_metric_and_its_button_asks_once(
    page: Client, study: Study, woken: Woken
) -> None:
    assert (
        'href="/studies/small@1/results/metrics/"'
        in page.get("/studies/small/results/").content.decode()
    )
    assert "Compute automatic metrics" in text_of(page.get(PAGE))
    for _ in range(2):
        answer = page.post(ASK)
        assert answer.headers["Location"] == "/studies/small@1/results/metrics/#metrics-asked"
    asked = MetricsRequest.objects.get()
    assert woken == [("analysis.metrics", asked.pk)] * 2
    assert to_wake(MetricsRequest) == [asked.pk]
    assert "Waiting for a worker" in text_of(page.get(PAGE))


@pytest.mark.slow
def test_worker_computes_what_needs_only_the_texts_and_the_page_says_so(
    page: Client, study: Study, woken: Woken
) -> None:
    done = computed(study)
    assert (done.state, done.percent, done.error) == (State.DONE, 100, "")
    assert set(ComputedMetric.objects.values_list("name", flat=True)) == set(CORE)
    said = text_of(page.get(PAGE))
    assert f"{len(CORE)} metrics computed, the newest at" in said
    assert "Compute again" in said
    page.post(ASK)
    assert MetricsRequest.objects.get().pk != done.pk


@pytest.mark.slow
def test_what_the_environment_has_is_used_and_named(
    page: Client, study: Study, settings: Settings
) -> None:
    with text_endpoint() as server:
        settings.JUDGE_ENDPOINTS = {"lab": server.settings()}
        for what in ("EMBEDDINGS", "PERPLEXITY"):
            setattr(settings, f"METRICS_{what}_ENDPOINT", "lab")
            setattr(settings, f"METRICS_{what}_MODEL", "letters")
        assert "embeddings by letters, perplexity by letters" in text_of(page.get(PAGE))
        assert computed(study).state == State.DONE
    names = set(ComputedMetric.objects.values_list("name", flat=True))
    assert names == {*CORE, "embedding_cosine", "perplexity"}


def test_problem_is_said_in_one_line_and_nothing_is_stored(
    page: Client, study: Study, settings: Settings, tmp_path: Path
) -> None:
    settings.METRICS_WORDNET = str(tmp_path / "nowhere")
    failed = computed(study)
    assert failed.state == State.FAILED
    assert "nowhere" in failed.error and "\n" not in failed.error
    assert not ComputedMetric.objects.exists()
    assert failed.error in text_of(page.get(PAGE))


def test_progress_says_when_it_is_over(page: Client, study: Study) -> None:
    asked = request_metrics(study)
    of_asked = MetricsRequest.objects.filter(pk=asked.pk)
    lease = timezone.now() + timedelta(minutes=1)
    of_asked.update(state=State.RUNNING, percent=40, lease_until=lease)
    state = f"/studies/small/jobs/metrics/{asked.pk}/state/"
    answer = page.get(state)
    assert "Computing: 40 % done" in text_of(answer) and "X-Finished" not in answer.headers
    assert not run_job(MetricsRequest, asked.pk), "another worker has it"
    of_asked.update(state=State.DONE)
    assert page.get(state).headers["X-Finished"] == "1"


@pytest.mark.slow
def test_api_starts_and_says_how_far_it_is(page: Client, study: Study, woken: Woken) -> None:
    assert page.get(API).json() == {"request": None, "metrics": []}
    started = page.post(API)
    assert started.status_code == 202
    assert started.json()["request"]["state"] == "waiting"
    ((task, pk),) = woken
    assert task == "analysis.metrics" and run_job(MetricsRequest, pk)
    said = page.get(API).json()
    assert (said["request"]["state"], said["request"]["error"]) == ("done", "")
    of_metric = {metric["name"]: metric for metric in said["metrics"]}
    assert set(of_metric) == set(CORE)
    assert of_metric["rouge_l"]["n"] == 8  # the reference has none
    recorded = of_metric["chrf"]["recorded"]
    assert set(recorded) == {"meaning", "package", "version", "settings", "languages"}


def test_silent_broker_loses_no_request_of_the_api(
    page: Client, study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    def silent(task: str, row: int) -> None:
        raise OperationalError("no broker")

    monkeypatch.setattr("dashboard.shared.pages.wake", silent)
    assert page.post(API).status_code == 202
    assert to_wake(MetricsRequest) == [MetricsRequest.objects.get().pk]
