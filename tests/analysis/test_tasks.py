"""What workers do: the sweep finds what is due, and a task may come twice."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import DjangoDbBlocker

from analysis import tasks
from analysis.models import AnalysisRun
from analysis.runs import State, request_overdue_runs, request_run
from jobs import leases
from jobs.leases import to_wake
from jobs.runner import run_job
from survey.models import Participant, Study
from survey.tidy import counted_sources
from tests.factories import add_participant, make_study
from tests.shared_rows import undone_after_the_file

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def worked(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Study]:
    """A study that workers have analysed by themselves."""
    with undone_after_the_file(django_db_blocker):
        with django_db_blocker.unblock():
            study = make_study()
            add_participant(study, pseudonym="anna")
            work()
        yield study


@pytest.fixture
def analysed(worked: Study, db: None) -> Study:
    return Study.objects.get(pk=worked.pk)


@pytest.fixture
def study(worked: Study, db: None) -> Study:
    """The same study before that."""
    worked.analysis_runs.all().delete()
    return Study.objects.get(pk=worked.pk)


def work() -> list[int]:
    """One sweep and the tasks that it wakes workers for."""
    request_overdue_runs()
    due = to_wake(AnalysisRun)
    for run_id in due:
        run_job(AnalysisRun, run_id)
    return due


def let_rest() -> None:
    """Pretend that the last run is long ago."""
    long_ago = timezone.now() - timedelta(days=1)
    AnalysisRun.objects.update(started_at=long_ago, finished_at=long_ago)


def test_study_with_people_is_analysed_by_itself(analysed: Study) -> None:
    run = AnalysisRun.objects.get()
    assert (run.state, run.sources, run.is_automatic) == (State.DONE, counted_sources(), True)


def test_study_without_people_is_not(db: None) -> None:
    Participant.objects.create(
        study=make_study(slug="empty"), pseudonym="at the door", source="link"
    )

    assert work() == []


def test_study_that_can_not_be_analysed_does_not_keep_others_from_it(
    study: Study, caplog: pytest.LogCaptureFixture
) -> None:
    first = make_study(slug="broken")
    add_participant(first, pseudonym="berta")
    Study.objects.filter(pk=first.pk).update(settings={"places": "none"})
    assert len(work()) == 1
    assert AnalysisRun.objects.get().study == study
    (said,) = caplog.records
    assert said.getMessage() == f"{first}: no analysis was asked for" and said.exc_info


def test_unchanged_data_are_left_alone(analysed: Study) -> None:
    let_rest()

    assert work() == []


def test_changed_data_are_analysed_anew_and_the_old_automatic_run_goes(analysed: Study) -> None:
    let_rest()
    add_participant(analysed, pseudonym="bert")
    work()

    run = AnalysisRun.objects.get()
    assert run.rater_quality.count() == 2


def test_run_that_somebody_asked_for_stays(analysed: Study) -> None:
    asked_for = request_run(study=analysed, sources=counted_sources())
    let_rest()
    add_participant(analysed, pseudonym="bert")
    work()

    assert AnalysisRun.objects.count() == 2
    assert AnalysisRun.objects.filter(pk=asked_for.pk).exists()


def test_worker_rests_after_a_long_run(analysed: Study) -> None:
    now = timezone.now()
    AnalysisRun.objects.update(started_at=now - timedelta(minutes=3), finished_at=now)
    add_participant(analysed, pseudonym="bert")

    assert work() == []


def test_sources_asked_for_once_are_kept_up_to_date(study: Study) -> None:
    with_robots = counted_sources(["simulated"])
    run_job(AnalysisRun, request_run(study=study, sources=with_robots).pk)
    let_rest()
    add_participant(study, pseudonym="robot", source="simulated")
    work()

    run = AnalysisRun.objects.filter(sources=with_robots).latest("id")
    assert run.rater_quality.count() == 2


def test_run_under_way_is_not_doubled(study: Study) -> None:
    run = request_run(study=study, sources=counted_sources())
    leases.claim(AnalysisRun, run.pk)
    add_participant(study, pseudonym="bert")

    assert work() == []
    assert AnalysisRun.objects.get() == run


def test_waiting_and_lost_runs_are_woken(study: Study) -> None:
    waiting = request_run(study=study, sources=counted_sources())
    lost = request_run(study=study, sources=counted_sources(["preview"]))
    leases.claim(AnalysisRun, lost.pk)
    AnalysisRun.objects.filter(pk=lost.pk).update(lease_until=timezone.now())

    assert to_wake(AnalysisRun) == [waiting.pk, lost.pk]


def test_failed_run_is_not_tried_again_until_something_changes(analysed: Study) -> None:
    let_rest()
    AnalysisRun.objects.update(state=State.FAILED)
    assert work() == []

    add_participant(analysed, pseudonym="bert")
    assert len(work()) == 1


def test_task_that_comes_twice_computes_once(study: Study) -> None:
    run = request_run(study=study, sources=counted_sources())
    run_job(AnalysisRun, run.pk)
    run_job(AnalysisRun, run.pk)

    run.refresh_from_db()
    assert (run.state, run.attempts) == (State.DONE, 1)


@pytest.mark.usefixtures("study")
def test_sweep_wakes_a_worker_per_run(django_capture_on_commit_callbacks: Any) -> None:
    with django_capture_on_commit_callbacks() as callbacks:
        tasks.sweep()

    assert [callback.keywords["args"] for callback in callbacks] == [
        (AnalysisRun.objects.get().pk,)
    ]
