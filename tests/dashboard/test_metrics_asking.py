"""Metrics asked for by page, API and command are the same request."""

import hashlib
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client

from analysis.models import ComputedMetric, MetricsRequest
from jobs.models import Job
from jobs.runner import run_job
from survey.models import Study, StudyEvent
from tests.dashboard.conftest import Woken
from tests.dashboard.reading import text_of
from tests.factories import make_study

ASK, API = "/studies/small/results/metrics/compute/", "/api/studies/small/metrics/"
COLUMNS = "scenario,set,model,condition,perplexity"
PERPLEXITIES = f"{COLUMNS},mood\nS1,1,Ant,tuned,12.5,glad\n"
IGNORED = "line 1: column 'mood' is ignored"


@pytest.fixture
def study(db: None) -> Study:
    return make_study()


def sent(content: str) -> SimpleUploadedFile:
    return SimpleUploadedFile("values.csv", content.encode())


def metrics(*arguments: object) -> str:
    out = StringIO()
    call_command("metrics", "small", *map(str, arguments), stdout=out, stderr=out)
    return out.getvalue()


def asked() -> tuple[Any, ...]:
    """What is stored of a request; it is deleted."""
    stored = MetricsRequest.objects.get()
    assert stored.options is not None
    kept = (stored.metrics, stored.options["phrases"], stored.perplexities)
    stored.delete()
    return kept


def test_metrics_and_phrases_are_chosen_on_page_and_by_api(
    page: Client, study: Study, woken: Woken
) -> None:
    page.post(ASK, {"metrics": ["words", "stock_phrases"], "phrases": "a cup of tea\n\n I see \n"})
    by_page = asked()
    chosen = {"metrics": ["words", "stock_phrases"], "phrases": ["a cup of tea", "I see"]}
    answer = page.post(API, chosen, content_type="application/json")
    assert answer.status_code == 202
    assert answer.json()["request"]["metrics"] == ["words", "stock_phrases"]
    assert answer.json()["notices"] == []
    by_api = asked()
    assert by_page == by_api == (chosen["metrics"], chosen["phrases"], None)
    assert [name for name, _ in woken] == ["analysis.metrics"] * 2
    authors = StudyEvent.objects.filter(action="metrics requested").values_list("author__username")
    assert list(authors) == [("ada",), ("ada",)]


@pytest.mark.slow
def test_command_computes_its_own_request_which_says_what_it_made(study: Study) -> None:
    said = metrics("--metric", "stock_phrases", "--phrase", "answers")
    assert "stock_phrases: 10 of 10 responses have a value" in said
    done = MetricsRequest.objects.get()
    assert (done.state, done.metrics) == (Job.State.DONE, ["stock_phrases"])
    assert StudyEvent.objects.get(action="metrics requested").author is None
    metrics("--metric", "words")
    assert MetricsRequest.objects.get().metrics == ["words"]
    assert set(ComputedMetric.objects.values_list("name", flat=True)) == {"stock_phrases", "words"}


@pytest.mark.slow
def test_file_of_perplexities_is_read_alike_and_recorded(
    page: Client, study: Study, woken: Woken, tmp_path: Path
) -> None:
    said = text_of(page.post(ASK, {"perplexity": sent(PERPLEXITIES)}, follow=True))
    assert f"Note: values.csv, {IGNORED}" in said
    by_page = asked()
    answer = page.post(API, {"perplexity": sent(PERPLEXITIES), "metrics": ["perplexity"]})
    assert answer.json()["notices"] == [f"values.csv, {IGNORED}"]
    (request,) = MetricsRequest.objects.all()
    assert request.perplexities == by_page[2]
    digest = hashlib.sha256(PERPLEXITIES.encode()).hexdigest()
    assert by_page[2]["about"] == {"file": "values.csv", "sha256": digest}
    assert list(by_page[2]["values"].values()) == [12.5]
    assert run_job(MetricsRequest, request.pk)
    stored = ComputedMetric.objects.get()
    assert stored.recorded["settings"] == by_page[2]["about"]
    assert [value.value for value in stored.values.exclude(value=None)] == [12.5]
    request.refresh_from_db()
    assert request.perplexities is None, "only what is stored of them is kept"

    stored.delete()
    file = tmp_path / "values.csv"
    file.write_text(PERPLEXITIES, encoding="utf-8")
    said = metrics("--metric", "perplexity", "--perplexity", file)
    assert f"Note: {file}, {IGNORED}" in said
    assert "perplexity: 1 of 10 responses have a value" in said
    assert ComputedMetric.objects.get().recorded["settings"] == by_page[2]["about"]


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"metrics": ["rouge"]}, "rouge"),
        ({"phrases": "x" * 201}, "200 characters"),
        ({"perplexity": sent(f"{COLUMNS}\nS1,1,Ant,tuned,.5\n")}, "line 2"),
        ({"perplexity": sent(f"{COLUMNS}\n")}, "the file has no perplexities"),
        ({"perplexity": sent("")}, "values.csv"),
    ],
)
def test_page_and_api_refuse_what_the_command_refuses(
    page: Client, study: Study, woken: Woken, given: dict[str, Any], problem: str
) -> None:
    for file in given.values():
        if isinstance(file, SimpleUploadedFile):
            file.seek(0)
    assert problem in text_of(page.post(ASK, given, follow=True))
    for file in given.values():
        if isinstance(file, SimpleUploadedFile):
            file.seek(0)
    answer = page.post(API, given)
    assert answer.status_code == 400 and problem in answer.content.decode()
    assert list(answer.json()) == list(given), "the field that it is about"
    assert not MetricsRequest.objects.exists() and not woken


def test_other_metrics_wait_until_those_under_way_are_done(
    page: Client, study: Study, woken: Woken
) -> None:
    chosen = {"metrics": ["words"]}
    for _ in range(2):
        answer = page.post(API, chosen, content_type="application/json")
        assert answer.status_code == 202, "the same request"
    refused = page.post(API, {"metrics": ["chrf"]}, content_type="application/json")
    assert refused.status_code == 400
    assert "is under way, with other options" in refused.content.decode()
    assert "is under way, with other options" in text_of(page.post(ASK, follow=True))
    with pytest.raises(CommandError, match="is under way, with other options"):
        metrics("--metric", "chrf")
    assert MetricsRequest.objects.get().metrics == ["words"]


@pytest.mark.slow
def test_request_of_before_options_were_kept_has_those_of_the_installation(study: Study) -> None:
    asked = MetricsRequest.objects.create(study=study)
    assert run_job(MetricsRequest, asked.pk)
    asked.refresh_from_db()
    assert asked.state == Job.State.DONE and "words" in asked.metrics


def test_failed_command_leaves_no_request(study: Study) -> None:
    with pytest.raises(CommandError, match="stock_phrases needs phrases"):
        metrics("--metric", "stock_phrases")
    assert not MetricsRequest.objects.exists()


def test_perplexities_have_one_source(study: Study, tmp_path: Path) -> None:
    file = tmp_path / "values.csv"
    file.write_text(PERPLEXITIES, encoding="utf-8")
    with pytest.raises(CommandError, match="from --perplexity or from an endpoint, not both"):
        metrics("--perplexity", file, "--perplexity-endpoint", "lab", "--perplexity-model", "m")
    with pytest.raises(CommandError, match="from --perplexity or from an endpoint, not both"):
        metrics("--perplexity", file, "--given-prompt")
