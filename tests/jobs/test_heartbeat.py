"""A heartbeat keeps a job while its worker lives, and ends work that is no longer wanted."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import timedelta
from urllib.parse import urlsplit

import pytest
from django.conf import settings as django_settings
from django.db import connection, connections, transaction
from django.utils import timezone
from pytest_django.fixtures import Settings

from analysis.models import AnalysisRun
from analysis.runs import request_run
from config.processes import ROOT
from jobs import leases
from jobs.heartbeat import kept
from jobs.leases import Lost, State, to_wake
from jobs.runner import Store, Taken, run_job
from survey.tidy import counted_sources, reading
from tests.factories import make_study

pytestmark = pytest.mark.django_db(transaction=True)

#: Seconds; ten heartbeats take a sixth of it.
LEASE = 1.0


@pytest.fixture
def run(settings: Settings) -> AnalysisRun:
    """A run that this process has claimed."""
    settings.JOB_LEASE_SECONDS = LEASE
    asked = request_run(study=make_study(), sources=counted_sources())
    claimed = leases.claim(AnalysisRun, asked.pk)
    assert claimed is not None
    return claimed


def stored(run: AnalysisRun) -> AnalysisRun:
    return AnalysisRun.objects.get(pk=run.pk)


def compute_for_ever() -> None:
    """Work that never looks at the database, nor anywhere else."""
    n = 0
    while True:
        n += 1


def test_lease_is_renewed_while_the_work_goes_on(run: AnalysisRun) -> None:
    assert run.lease_until is not None
    three_later = run.lease_until + timedelta(seconds=3 * LEASE)
    with kept(run):
        while AnalysisRun.objects.filter(lease_until__lt=three_later).exists():
            assert to_wake(AnalysisRun) == []
            assert leases.claim(AnalysisRun, run.pk) is None
    leases.finish(run)
    assert (stored(run).state, stored(run).attempts) == (State.DONE, 1)


def test_nothing_renews_it_after_the_work(run: AnalysisRun) -> None:
    with kept(run):
        pass
    assert not [one for one in threading.enumerate() if one.name.startswith("heartbeat of")]
    AnalysisRun.objects.update(lease_until=timezone.now())
    assert to_wake(AnalysisRun) == [run.pk]


def test_within_a_transaction_it_needs_no_renewal(run: AnalysisRun) -> None:
    with transaction.atomic(), kept(run):
        assert not [one for one in threading.enumerate() if one.name.startswith("heartbeat of")]


def stop(run: AnalysisRun) -> None:
    leases.stop(run, "Stopped by ada.")


def take_over(run: AnalysisRun) -> None:
    """Another worker takes it: its lease is made to end before a heartbeat can renew it."""
    with transaction.atomic():
        AnalysisRun.objects.filter(pk=run.pk).update(lease_until=timezone.now())
        assert leases.claim(AnalysisRun, run.pk) is not None


def delete(run: AnalysisRun) -> None:
    AnalysisRun.objects.filter(pk=run.pk).delete()


@pytest.fixture(params=[stop, take_over, delete], ids=lambda act: act.__name__)
def lost(request: pytest.FixtureRequest, run: AnalysisRun) -> Iterator[AnalysisRun]:
    """The run, which is lost a moment after the test has begun to work on it."""
    act: Callable[[AnalysisRun], None] = request.param

    def later() -> None:
        act(run)
        connection.close()

    timer = threading.Timer(0.1, later)
    timer.start()
    yield run
    timer.join()


def test_work_is_interrupted_once_the_job_is_lost(lost: AnalysisRun) -> None:
    with pytest.raises(Lost), kept(lost):
        compute_for_ever()
    with pytest.raises(Lost):
        leases.finish(lost, snapshot_hash="of the worker that lost it")
    assert not AnalysisRun.objects.exclude(snapshot_hash="").exists()


def test_work_of_a_runner_is_interrupted_too(settings: Settings) -> None:
    settings.JOB_LEASE_SECONDS = LEASE
    asked = request_run(study=make_study(), sources=counted_sources())

    def do(taken: Taken[AnalysisRun]) -> Store:
        stop(taken.job)
        compute_for_ever()
        return taken.finish

    assert run_job(AnalysisRun, asked.pk, work=do)
    assert (stored(asked).state, stored(asked).error) == (State.STOPPED, "Stopped by ada.")


def test_job_within_a_lost_one_is_given_back(lost: AnalysisRun) -> None:
    asked = request_run(study=lost.study, sources=counted_sources(["simulated"]))
    within = leases.claim(AnalysisRun, asked.pk)
    assert within is not None
    with pytest.raises(Lost), kept(lost):
        with suppress(Lost), kept(within):
            compute_for_ever()
        compute_for_ever()  # whoever takes the inner one for lost is interrupted again
    assert (stored(within).state, stored(within).attempts) == (State.WAITING, 0)
    assert stored(within).lease_until is None


def test_what_swallows_exceptions_is_interrupted_all_the_same(lost: AnalysisRun) -> None:
    with pytest.raises(Lost), kept(lost):
        while True:
            with suppress(Exception):  # as careless code does
                compute_for_ever()


def test_query_that_is_interrupted_leaves_a_connection_that_works(lost: AnalysisRun) -> None:
    with pytest.raises(Lost), kept(lost), reading():
        while True:
            with connection.cursor() as cursor:
                cursor.execute("SELECT COUNT(*) FROM survey_scenario a, survey_response b")
    assert AnalysisRun.objects.count() in (0, 1)


def test_job_that_takes_too_long_fails_and_says_how_to_allow_more(
    run: AnalysisRun, settings: Settings
) -> None:
    settings.ANALYSIS_MAX_MINUTES = 0.002
    with pytest.raises(Lost), kept(run):
        compute_for_ever()
    after = stored(run)
    assert (after.state, after.finished_at is None) == (State.FAILED, False)
    assert after.error == (
        "It was ended after 0.002 minutes, the longest that it may take on this site. Ask for "
        "less, or ask the operator of the site to raise ANALYSIS_MAX_MINUTES "
        "(docs/operations.md), and start it again."
    )


def test_interrupt_in_the_terminal_stops_the_job(run: AnalysisRun) -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # in the background none is
    try:
        with pytest.raises(KeyboardInterrupt), kept(run):
            signal.raise_signal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)
    assert (stored(run).state, stored(run).error) == (State.STOPPED, "Stopped in the terminal.")


def test_locked_database_delays_a_renewal_and_harms_nothing(
    run: AnalysisRun, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The heartbeat's connection gives up after a moment; the usual ones wait half a minute."""
    options = dict(django_settings.DATABASES["default"].get("OPTIONS", {}))
    if connection.vendor == "sqlite":
        options["timeout"] = 0.05
    else:
        options["options"] += " -c lock_timeout=50"
    monkeypatch.setitem(connections.databases["default"], "OPTIONS", options)
    with kept(run):
        with transaction.atomic():
            AnalysisRun.objects.filter(pk=run.pk).update(fingerprint="locked")
            while "could not be renewed" not in caplog.text:
                pass
        before = stored(run).lease_until
        while stored(run).lease_until == before:
            pass
    leases.finish(run)
    assert stored(run).state == State.DONE


#: A process of a worker in code that nothing interrupts, of a job that is stopped.
DEAF = """
import django; django.setup()
from jobs import heartbeat, leases
from analysis.models import AnalysisRun
from survey.origin import WORKER, is_started_from
is_started_from(WORKER)
heartbeat.PATIENCE = 0.05
run = leases.claim(AnalysisRun, AnalysisRun.objects.get().pk)
with heartbeat.kept(run):
    leases.stop(run, "Stopped by ada.")
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
"""


def test_process_of_a_worker_that_nothing_interrupts_is_killed(run: AnalysisRun) -> None:
    leases.give_back(run)
    name = str(connection.settings_dict["NAME"])
    if connection.vendor == "sqlite":
        url = f"sqlite:///{name}"
    else:
        url = urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{name}").geturl()
    environment = {**os.environ, "DATABASE_URL": url, "JOB_LEASE_SECONDS": str(LEASE)}
    ended = subprocess.run(
        [sys.executable, "-c", DEAF],
        cwd=ROOT,
        env={**environment, "DJANGO_SETTINGS_MODULE": "config.settings"},
        timeout=60,
        check=False,
    )
    assert ended.returncode == -signal.SIGKILL
    assert stored(run).state == State.STOPPED
