"""What all kinds of job have in common: each ends in one of a few ways, and says so."""

import logging
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.db import OperationalError
from django.utils import timezone

from analysis.models import MetricsRequest
from config.celery import app
from dashboard.design.models import PlannedGrid
from jobs import leases
from jobs.leases import MAX_ATTEMPTS, Lost, to_wake
from jobs.models import Job
from jobs.runner import (
    GiveBack,
    NotDone,
    Store,
    Taken,
    TakenElsewhere,
    kinds,
    run_at_once,
    run_job,
    work_of,
)
from survey.refusals import RequestRefused
from tests.factories import make_study

pytestmark = pytest.mark.django_db
State = Job.State
#: The apps whose sweep wakes workers for their jobs.
SWEPT = ("analysis", "dashboard")
Do = Callable[[Taken[PlannedGrid]], Store]


class NothingToDo(RequestRefused):
    """What the kind of these tests refuses."""


@pytest.fixture
def job() -> PlannedGrid:
    """A job that waits."""
    return PlannedGrid.objects.create(study=make_study(), options={})


def run(job: PlannedGrid, do: Do, **options: Any) -> PlannedGrid:
    """Do a job's work, and read what is stored of it."""
    assert run_job(PlannedGrid, job.pk, work=do, **options)
    return stored(job)


def stored(job: PlannedGrid) -> PlannedGrid:
    return PlannedGrid.objects.get(pk=job.pk)


def done(taken: Taken[PlannedGrid]) -> Store:
    return partial(taken.finish, sentences=["done"])


def raising(error: BaseException) -> Do:
    def do(taken: Taken[PlannedGrid]) -> Store:
        raise error

    return do


# ── Kinds ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("kind", kinds(), ids=lambda kind: kind.TASK)
def test_every_kind_has_work_and_a_task_that_is_ended_in_time(kind: type[Job]) -> None:
    app.loader.import_default_modules()
    assert callable(work_of(kind))
    task = app.tasks[kind.TASK]
    assert task.time_limit == leases.seconds_at_most(kind)
    assert [other for other in kinds() if other.TASK == kind.TASK] == [kind]
    assert kind.TASK.partition(".")[0] == kind._meta.app_label in SWEPT


def test_names_of_tasks_are_those_that_running_installations_send() -> None:
    assert {kind.TASK for kind in kinds()} == {
        *("analysis.run", "analysis.multiverse", "analysis.metrics", "analysis.scorer"),
        *("analysis.scored_text", "analysis.perturbations", "dashboard.plan"),
        *("dashboard.package", "dashboard.corpus", "dashboard.submissions", "dashboard.simulate"),
    }
    assert {kind.TASK for kind in kinds("dashboard")} == {
        kind.TASK for kind in kinds() if kind.TASK.startswith("dashboard.")
    }


# ── Endings ──────────────────────────────────────────────────────────────────────────────────


def test_job_that_is_done_has_its_results_and_is_not_done_again(job: PlannedGrid) -> None:
    assert to_wake(PlannedGrid) == [job.pk]
    after = run(job, done)
    assert (after.state, after.error, after.sentences) == (State.DONE, "", ["done"])
    assert after.started_at is not None and after.finished_at is not None
    assert after.started_at <= after.finished_at
    assert to_wake(PlannedGrid) == []
    assert not run_job(PlannedGrid, job.pk, work=done)


def test_refusal_is_what_the_job_says_and_no_fault(
    job: PlannedGrid, caplog: pytest.LogCaptureFixture
) -> None:
    after = run(job, raising(NothingToDo("the study asks for no ratings")))
    assert (after.state, after.error) == (State.FAILED, "the study asks for no ratings")
    assert after.finished_at is not None
    assert not caplog.records


def test_refusal_leaves_its_traceback_in_the_log_since_it_may_be_a_fault(
    job: PlannedGrid, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "jobs.runner")
    after = run(job, raising(NothingToDo("nobody rated")))
    assert after.error == "nobody rated"
    (said,) = caplog.records
    assert said.levelno == logging.INFO and said.exc_info


def test_fault_is_named_and_its_traceback_is_in_the_log(
    job: PlannedGrid, caplog: pytest.LogCaptureFixture
) -> None:
    after = run(job, raising(KeyError("colour")))
    assert (after.state, after.error) == (State.FAILED, "KeyError: 'colour'")
    (said,) = caplog.records
    assert said.levelno == logging.ERROR and said.exc_info


@pytest.mark.parametrize("words", ["a\x00b", "half of \ud83d"])
def test_words_that_a_database_does_not_take_are_stored_without_these_characters(
    job: PlannedGrid, words: str
) -> None:
    after = run(job, raising(NothingToDo(words)))
    assert after.state == State.FAILED
    assert "\x00" not in after.error and "\ud83d" not in after.error
    assert after.error.startswith(words[:1])


def test_job_that_is_given_back_waits_as_if_it_had_not_been_taken(job: PlannedGrid) -> None:
    after = run(job, raising(GiveBack()))
    assert (after.state, after.attempts, after.lease_until) == (State.WAITING, 0, None)
    assert to_wake(PlannedGrid) == [job.pk]


def test_job_is_given_back_while_it_is_stored(job: PlannedGrid) -> None:
    def do(taken: Taken[PlannedGrid]) -> Store:
        def store() -> None:
            taken.finish(sentences=["half"])
            raise GiveBack

        return store

    after = run(job, do)
    assert (after.state, after.attempts, after.sentences) == (State.WAITING, 0, [])


def test_worker_that_is_ending_leaves_the_rest_to_another_one(job: PlannedGrid) -> None:
    def do(taken: Taken[PlannedGrid]) -> Store:
        taken.leave_if_ending()
        return partial(taken.finish)

    assert run(job, do, is_ending=lambda: True).state == State.WAITING
    assert run(job, do, is_ending=lambda: False).state == State.DONE


def test_database_that_is_away_is_no_ending(job: PlannedGrid) -> None:
    with pytest.raises(OperationalError):
        run(job, raising(OperationalError("server closed the connection")))
    assert (stored(job).state, stored(job).attempts) == (State.RUNNING, 1)
    assert to_wake(PlannedGrid) == []
    PlannedGrid.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert to_wake(PlannedGrid) == [job.pk]
    assert (run(job, done).state, stored(job).attempts) == (State.DONE, 2)


def test_job_whose_workers_are_lost_again_and_again_fails(job: PlannedGrid) -> None:
    for _ in range(MAX_ATTEMPTS):
        assert leases.claim(PlannedGrid, job.pk)
        PlannedGrid.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert not run_job(PlannedGrid, job.pk, work=done)
    after = stored(job)
    assert after.state == State.FAILED and "the worker was lost 3 times" in after.error
    assert after.finished_at is not None


def test_job_that_has_ended_can_be_done_again_as_if_it_had_just_been_asked_for(
    job: PlannedGrid,
) -> None:
    leases.wait_again(run(job, raising(KeyError("colour"))), sentences=[])
    after = stored(job)
    assert (after.state, after.error, after.attempts) == (State.WAITING, "", 0)
    assert (after.started_at, after.finished_at) == (None, None)
    assert (run(job, done).state, stored(job).attempts) == (State.DONE, 1)


# ── Lost ─────────────────────────────────────────────────────────────────────────────────────


def stop(job: PlannedGrid) -> None:
    leases.stop(job, "Stopped by ada.")


def take_over(job: PlannedGrid) -> None:
    PlannedGrid.objects.filter(pk=job.pk).update(lease_token="another worker's")


def delete(job: PlannedGrid) -> None:
    PlannedGrid.objects.filter(pk=job.pk).delete()


@pytest.fixture(params=[stop, take_over, delete], ids=lambda act: act.__name__)
def lose(request: pytest.FixtureRequest) -> Callable[[PlannedGrid], None]:
    act: Callable[[PlannedGrid], None] = request.param
    return act


def test_worker_that_lost_a_job_stores_nothing(
    job: PlannedGrid, lose: Callable[[PlannedGrid], None]
) -> None:
    def do(taken: Taken[PlannedGrid]) -> Store:
        lose(taken.job)
        return done(taken)

    assert run_job(PlannedGrid, job.pk, work=do)
    assert not PlannedGrid.objects.exclude(sentences=[]).exists()


def test_worker_that_lost_a_job_tells_no_progress(
    job: PlannedGrid, lose: Callable[[PlannedGrid], None]
) -> None:
    reached = []

    def do(taken: Taken[PlannedGrid]) -> Store:
        lose(taken.job)
        with pytest.raises(Lost):
            taken.keep(sentences=["half"])
        reached.append(True)
        raise Lost

    assert run_job(PlannedGrid, job.pk, work=do)
    assert reached and not PlannedGrid.objects.exclude(sentences=[]).exists()


def test_error_that_comes_of_losing_a_job_is_none(
    job: PlannedGrid, lose: Callable[[PlannedGrid], None], caplog: pytest.LogCaptureFixture
) -> None:
    def do(taken: Taken[PlannedGrid]) -> Store:
        lose(taken.job)
        raise KeyError("of a row that is gone")

    assert run_job(PlannedGrid, job.pk, work=do)
    assert [one for one in caplog.records if one.levelno > logging.INFO] == []
    assert not PlannedGrid.objects.filter(error__contains="KeyError").exists()


# ── Cleaning up, progress ────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "error", [None, NothingToDo("no"), KeyError("no"), GiveBack(), Lost()], ids=repr
)
def test_what_is_to_be_cleaned_up_is_once_the_ending_is_stored(
    job: PlannedGrid, error: BaseException | None
) -> None:
    states: list[str] = []

    def do(taken: Taken[PlannedGrid]) -> Store:
        taken.at_end.callback(lambda: states.append(stored(job).state))
        if error is not None:
            raise error
        return done(taken)

    after = run(job, do)
    assert states == [after.state]


def test_what_is_noted_is_stored_now_and_then_and_what_is_kept_at_once(job: PlannedGrid) -> None:
    stored_then: list[list[str]] = []

    def do(taken: Taken[PlannedGrid]) -> Store:
        for n in range(50):
            taken.note(sentences=[str(n)])
            stored_then.append(stored(job).sentences)
        taken.keep(sentences=["kept"])
        stored_then.append(stored(job).sentences)
        return done(taken)

    run(job, do)
    assert stored_then[0] == stored_then[49] == ["0"] and stored_then[50] == ["kept"]


def test_steps_are_told_each_time_and_never_said_to_be_all(job: PlannedGrid) -> None:
    asked = MetricsRequest.objects.create(study=job.study)
    told: list[tuple[int, int]] = []
    percents: list[int] = []

    def do(taken: Taken[MetricsRequest]) -> Store:
        for done, of in ((0, 0), (1, 50), (50, 50)):
            taken._next = 0.0  # as if some time had passed
            taken.step(done, of)
            percents.append(MetricsRequest.objects.get().percent)
        return partial(taken.finish, percent=100)

    assert run_job(MetricsRequest, asked.pk, work=do, told=lambda n, of: told.append((n, of)))
    assert told == [(0, 0), (1, 50), (50, 50)]
    assert percents == [0, 2, 99] and MetricsRequest.objects.get().percent == 100


def test_command_that_is_interrupted_while_it_stores_has_stopped_the_job(job: PlannedGrid) -> None:
    def do(taken: Taken[PlannedGrid]) -> Store:
        def store() -> None:
            taken.finish(sentences=["half"])
            raise KeyboardInterrupt

        return store

    with pytest.raises(KeyboardInterrupt):
        run(job, do)
    after = stored(job)
    assert (after.state, after.error) == (State.STOPPED, "Stopped in the terminal.")
    assert after.sentences == []


# ── At once ──────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Callable[[Do], None]:
    """Make something else the work of a plan."""

    def use(do: Do) -> None:
        monkeypatch.setattr("dashboard.design.plan_making.plan", do)

    return use


def test_command_gets_what_came_of_it(job: PlannedGrid, work: Callable[[Do], None]) -> None:
    work(done)
    assert run_at_once(job).sentences == ["done"]


def test_command_is_told_why_nothing_came_of_it(
    job: PlannedGrid, work: Callable[[Do], None]
) -> None:
    work(raising(NothingToDo("the study asks for no ratings")))
    with pytest.raises(NotDone, match=r"^the study asks for no ratings$"):
        run_at_once(job)


@pytest.mark.parametrize(
    ("act", "why"),
    [(stop, r"^Stopped by ada\.$"), (delete, "removed meanwhile"), (take_over, "a worker is at")],
)
def test_command_is_told_what_became_of_its_job(
    job: PlannedGrid, work: Callable[[Do], None], act: Callable[[PlannedGrid], None], why: str
) -> None:
    def do(taken: Taken[PlannedGrid]) -> Store:
        act(taken.job)
        return done(taken)

    work(do)
    with pytest.raises(NotDone, match=why):
        run_at_once(job)


def test_command_does_not_wait_for_a_worker(job: PlannedGrid, work: Callable[[Do], None]) -> None:
    work(done)
    assert leases.claim(PlannedGrid, job.pk)
    with pytest.raises(TakenElsewhere, match=f"a worker is at plan {job.pk} of"):
        run_at_once(job)


def test_command_tries_again_what_was_given_back(
    job: PlannedGrid, work: Callable[[Do], None]
) -> None:
    tries = iter([GiveBack()])

    def do(taken: Taken[PlannedGrid]) -> Store:
        for error in tries:
            raise error
        return done(taken)

    work(do)
    assert run_at_once(job).state == State.DONE
