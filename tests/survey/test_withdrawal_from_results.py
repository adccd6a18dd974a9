"""Withdrawing where results are stored: those that counted the person go, and are computed anew."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from kombu.exceptions import OperationalError

from analysis.execution import finished_run
from analysis.models import AnalysisRun, Exclusion, RaterQuality, Result
from analysis.pipeline import Results, analyse
from analysis.queries import latest_run, results_of
from analysis.recipe_sets import set_recipes
from analysis.runs import request_run
from jobs.runner import run_job
from survey.models import Participant, Study
from survey.tidy import counted_sources
from survey.withdrawal import erasers, withdraw
from tests.factories import add_participant
from tests.survey import withdrawing
from tests.survey.withdrawing import (
    delete_everything,
    elsewhere,
    found,
    take_survey,
    whole_database,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(db: None) -> Study:
    study = withdrawing.load()
    set_recipes(study=study, recipes=())  # a tenth of the time: which tables go does not matter
    return study


def test_results_that_counted_the_person_go_and_are_computed_anew(
    study: Study, client: Client
) -> None:
    add_participant(study, pseudonym="somebody-else")
    participant = take_survey(client)
    old = finished_run(study=study, sources=counted_sources())
    raters = results_of(old, "table")["raters"]["rows"]
    assert {row[0] for row in raters} == {"somebody-else", participant.pseudonym}

    delete_everything(participant)

    [waiting] = AnalysisRun.objects.all()
    assert (waiting.state, waiting.sources, waiting.is_automatic) == ("waiting", old.sources, False)
    assert not Result.objects.exists()
    assert not RaterQuality.objects.exists() and not Exclusion.objects.exists()
    run_job(AnalysisRun, waiting.pk)
    new = latest_run(study, counted_sources())
    assert new is not None
    assert [row[0] for row in results_of(new, "table")["raters"]["rows"]] == ["somebody-else"]
    assert new.manifest["n_participants"] == 1


def test_results_of_other_people_stay(study: Study) -> None:
    add_participant(study, pseudonym="somebody-else")
    robot = add_participant(study, pseudonym="robot", source="simulated")
    real = finished_run(study=study, sources=counted_sources())
    both = finished_run(study=study, sources=counted_sources(["simulated"]))
    withdraw(participant=robot, at=timezone.now())
    assert latest_run(study, real.sources) == real
    assert latest_run(study, both.sources) is None
    assert AnalysisRun.objects.get(state="waiting").sources == both.sources


def withdraw_while_it_is_computed(
    study: Study, participant: Participant, monkeypatch: pytest.MonkeyPatch
) -> AnalysisRun:
    def interrupted(*given: Any, **options: Any) -> Results:
        withdraw(participant=participant, at=timezone.now())
        return analyse(*given, **options)

    run = request_run(study=study, sources=counted_sources())
    monkeypatch.setattr("analysis.execution.analyse", interrupted)
    run_job(AnalysisRun, run.pk)
    monkeypatch.undo()
    return run


def test_run_that_was_computing_with_the_person_stores_nothing(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    person = add_participant(study, pseudonym="leaving")
    old = withdraw_while_it_is_computed(study, person, monkeypatch)
    [waiting] = AnalysisRun.objects.all()
    assert waiting.pk != old.pk
    assert (waiting.state, waiting.error) == ("waiting", "")
    assert found(["leaving"], whole_database()) == []


def test_run_of_which_the_eraser_did_not_know_is_computed_anew(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    person = add_participant(study, pseudonym="leaving")
    remembered = erasers[:]
    erasers.clear()  # as if the run began in the very moment of the withdrawal
    try:
        run = withdraw_while_it_is_computed(study, person, monkeypatch)
    finally:
        erasers.extend(remembered)
    run.refresh_from_db()
    assert (run.state, run.error, run.lease_until) == ("waiting", "", None)
    assert found(["leaving"], whole_database()) == []


def test_workers_are_woken_by_names_of_tasks_that_say_nothing_about_the_person(
    study: Study, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    woken: list[tuple[object, ...]] = []
    monkeypatch.setattr("survey.views.ending.wake", lambda *sent: woken.append(sent))
    delete_everything(take_survey(client))
    assert woken == [("analysis.sweep",), ("survey.sweep",)]


def test_silent_broker_stops_nobody_from_withdrawing(
    study: Study, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*sent: object) -> None:
        raise OperationalError("connection refused")

    monkeypatch.setattr("survey.views.ending.wake", refuse)
    assert b"Your data are deleted" in delete_everything(take_survey(client))
    assert not Participant.objects.exists()


def analysed(study: Study) -> None:
    run_job(AnalysisRun, request_run(study=study, sources=counted_sources()).pk)


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_withdrawing_while_answers_and_analyses_are_stored_leaves_nothing(study: Study) -> None:
    people = [add_participant(study, pseudonym=f"person-{n}") for n in range(6)]
    for person in people:
        withdrawal = lambda: withdraw(participant=person, at=timezone.now())  # noqa: B023, E731  called in this turn
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(elsewhere, [partial(analysed, study), withdrawal]))
    for run in list(AnalysisRun.objects.filter(state="waiting")):
        run_job(AnalysisRun, run.pk)
    assert set(AnalysisRun.objects.values_list("state", "error")) == {("done", "")}
    assert found([person.pseudonym for person in people], whole_database()) == []
