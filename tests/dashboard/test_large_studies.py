"""A study of more ratings than those of which an analysis computes everything unasked."""

import pytest
from django.test import Client

from analysis.models import AnalysisRun
from analysis.recipe import shipped_recipes
from analysis.runs import request_run
from jobs.runner import run_job
from survey.models import Study
from survey.tidy import counted_sources
from tests.dashboard.conftest import Woken, likes_tuned
from tests.dashboard.reading import text_of
from tests.factories import add_participant, make_study

pytestmark = pytest.mark.embedded

RESULTS = "/studies/rated/results/"
API = "/api/studies/rated/analysis/"


@pytest.fixture
def run(db: None, monkeypatch: pytest.MonkeyPatch) -> AnalysisRun:
    """The analysis of a study that counts as large."""
    monkeypatch.setattr("analysis.size.LARGE", 10)
    study = make_study(slug="rated", recipes=list(shipped_recipes().values()))
    for name in ("ann", "ben", "cat", "dan"):
        add_participant(study, pseudonym=name, rate=likes_tuned)
    run = request_run(study=study, sources=counted_sources())
    run_job(AnalysisRun, run.pk)
    run.refresh_from_db()
    return run


def test_page_offers_the_tables_that_were_left_for_later(
    page: Client, run: AnalysisRun, woken: Woken
) -> None:
    assert "Compute all tables" in text_of(page.get(RESULTS))
    sent = {"page": "results", "everything": "on"}
    answer = page.post("/studies/rated/analysis/recompute/", sent, follow=True)
    asked = AnalysisRun.objects.get(everything=True)
    assert woken == [("analysis.run", asked.pk)]
    assert "An analysis of 48 ratings takes about a minute" in text_of(answer)
    run_job(AnalysisRun, asked.pk)
    assert asked.results.filter(name="order_effects").exists()
    assert "Compute all tables" not in text_of(page.get(RESULTS))


def test_page_does_not_offer_them_where_none_was_left(page: Client, run: AnalysisRun) -> None:
    run.manifest["left_for_later"] = []
    run.save()
    assert "Compute all tables" not in text_of(page.get(RESULTS))


def test_api_computes_everything_if_asked_to(page: Client, run: AnalysisRun, woken: Woken) -> None:
    assert page.post(API).json()["id"] == run.pk
    asked = page.post(API, {"everything": True}, content_type="application/json").json()
    assert asked["id"] != run.pk
    assert Study.objects.get().analysis_runs.get(pk=asked["id"]).everything
