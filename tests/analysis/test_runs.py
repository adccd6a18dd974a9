"""Runs are asked for, taken once, and stored whole; data that changed makes another run."""

from datetime import timedelta

import pytest
from django.utils import timezone

from analysis.definition import QualityRules
from analysis.execution import execute, finished_run
from analysis.models import AnalysisRun, Exclusion, RaterQuality
from analysis.queries import latest_run, rater_decisions, results_of
from analysis.rules import set_rules
from analysis.runs import MAX_ATTEMPTS, State, claim, request_run
from judge.models import GoldScore
from survey.models import Participant, Rating, Study
from survey.tidy import counted_sources
from tests.factories import add_participant, make_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def study() -> Study:
    study = make_study()
    add_participant(study, pseudonym="anna", demographics={"age": 30, "sex": "Female"})
    add_participant(study, pseudonym="bert", minutes=5)
    add_participant(study, pseudonym="carl", checks_passed=False)
    return study


def test_run_stores_tables_decisions_and_manifest(study: Study) -> None:
    run = finished_run(study=study, sources=counted_sources())

    assert run.state == State.DONE
    funnel = results_of(run, "table")["funnel"]
    steps = [row[: funnel["columns"].index("alone") + 1] for row in funnel["rows"]]
    assert steps == [
        ["start", 0, 3, 0],
        ["duration", 1, 2, 1],
        ["attention", 1, 1, 1],
        ["early_exit", 0, 1, 0],
        ["sigma_mae", 0, 1, 0],
    ]
    excluded = Exclusion.objects.filter(run=run).values_list("participant__pseudonym", "rule")
    assert list(excluded) == [("bert", "duration"), ("carl", "attention")]
    included = RaterQuality.objects.filter(run=run).values_list(
        "participant__pseudonym", "included"
    )
    assert list(included) == [("anna", True), ("bert", False), ("carl", False)]
    assert run.manifest["snapshot_hash"] == run.snapshot_hash
    assert run.manifest["n_participants"] == 3
    assert latest_run(study, counted_sources()) == run
