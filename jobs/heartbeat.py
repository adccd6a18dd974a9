"""Keeping a job while its worker lives, and ending work that is no longer wanted.

A thread renews the lease while the job's code runs, so no step of it is too long. The thread dies
with its process: a killed worker's job is free after one lease.
"""

import logging
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from django.conf import settings
from django.db import Error, connection

from jobs import leases
from jobs.leases import Lost
from jobs.models import Job
from survey.origin import WORKER, current_origin

logger = logging.getLogger(__name__)

#: How often a lease is renewed. A stop is noticed as soon: within 5 s of a lease of 5 minutes.
BEATS_IN_A_LEASE = 60
#: Seconds until work that goes on is interrupted again: code that cleans up may swallow one.
PATIENCE = 15.0
#: Interruptions after which a worker's process is killed: then it is in code that none reaches.
INTERRUPTIONS = 4


@contextmanager
def kept(job: Job) -> Iterator[None]:
    """Keep a claimed job while the block runs. Results are stored after it, by `leases.finish`.

    Raises Lost in the middle of the block, within a heartbeat, once the job is no longer this
    worker's. A job that takes longer than its `max_minutes` (of this process's time: a suspended
    computer's does not count) fails, and is then nobody's.

    A job may be computed within another one, as a package's analysis is. Once the outer job is
    lost, the inner one is given back.
    """
    if connection.in_atomic_block:
        yield  # nobody else sees the claim before the transaction ends, so nobody can take it over
        return
    heartbeat = _Heartbeat(job)
    try:
        heartbeat.begin()
        yield
    except Lost:
        connection.close()  # it may have been in the middle of a query
        leases.give_back(job)  # if it is still this worker's
        raise
    except KeyboardInterrupt:
        connection.close()
        leases.stop(job, "Stopped in the terminal.")
        raise
    finally:
        try:
            heartbeat.leave()
        finally:  # a signal may come before that
            heartbeat.end()


class _Heartbeat(threading.Thread):
    """Renews the lease of a job until it ends, or until the job is lost: then it ends the work."""

    #: Those whose work a signal interrupts: a job, and those that are computed within it.
    at_work: "tuple[_Heartbeat, ...]" = ()

    def __init__(self, job: Job) -> None:
        super().__init__(name=f"heartbeat of {job}", daemon=True)
        self.job = job
        self.lost = False
        self._over = threading.Event()
        self._began = time.monotonic()
        self._in_worker = current_origin() == WORKER
        # Signals reach the main thread alone, in which workers and commands compute.
        self._main = threading.main_thread().ident or 0
        self._can_interrupt = threading.get_ident() == self._main

    def begin(self) -> None:
        """Start the beats."""
        if self._can_interrupt:
            signal.signal(signal.SIGUSR2, _interrupt)  # for good: a late one must not end us
            _Heartbeat.at_work = (*_Heartbeat.at_work, self)
        self.start()

    def leave(self) -> None:
        """Interrupt nothing from now on."""
        _Heartbeat.at_work = tuple(one for one in _Heartbeat.at_work if one is not self)

    def end(self) -> None:
        """Stop the beats."""
        self.leave()
        self._over.set()
        if self.ident is not None:
            self.join()

    def run(self) -> None:
        try:
            while not self.lost and not self._over.wait(_seconds_between_beats()):
                self._beat()
        finally:
            connection.close()  # of this thread
        interruptions = 0
        while not self._over.is_set():
            self._end_work(interruptions)
            interruptions += 1
            self._over.wait(PATIENCE)

    def _beat(self) -> None:
        minutes = (time.monotonic() - self._began) / 60
        try:
            if minutes > self.job.max_minutes:
                leases.fail(self.job, _too_long(self.job))
            self.lost = not leases.is_kept(self.job)
        except Error as error:  # locked or away: the next beat tries again
            logger.warning("%s: the lease could not be renewed: %s", self.job, error)
            connection.close()

    def _end_work(self, interruptions: int) -> None:
        if interruptions == 0:
            logger.warning("%s is no longer this worker's: its work ends", self.job)
        if interruptions == INTERRUPTIONS and self._in_worker:
            logger.error("%s does not end: its process is killed", self.job)
            os.kill(os.getpid(), signal.SIGKILL)  # Celery starts another one
        if self._can_interrupt:
            signal.pthread_kill(self._main, signal.SIGUSR2)


def _interrupt(number: int, frame: FrameType | None) -> None:
    if any(heartbeat.lost for heartbeat in _Heartbeat.at_work):
        raise Lost


def _seconds_between_beats() -> float:
    return float(settings.JOB_LEASE_SECONDS) / BEATS_IN_A_LEASE


def _too_long(job: Job) -> str:
    return (
        f"It was ended after {job.max_minutes:g} minutes, the longest that it may take on this "
        f"site. Ask for less, or ask the operator of the site to raise {job.LIMIT} "
        "(docs/operations.md), and start it again."
    )
