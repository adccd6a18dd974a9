"""Doing a job: what all kinds have in common. What is a kind's own is its `Work`."""

import logging
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, Generic, TypeVar

from django.apps import apps
from django.db import OperationalError, transaction
from django.utils.module_loading import import_string

from jobs import leases
from jobs.heartbeat import kept
from jobs.leases import Lost
from jobs.models import Job
from survey.refusals import Conflict, RefusalKind, RequestRefused

J = TypeVar("J", bound=Job)
#: Told how many steps of how many are done.
Told = Callable[[int, int], None]
#: Stores what came of a job. It is called in a transaction, to which `Taken.finish` belongs.
Store = Callable[[], None]
#: How often progress is stored, in seconds.
NOTED_EVERY = 1.0

logger = logging.getLogger(__name__)


class GiveBack(Exception):
    """A job can't be done now: it waits, and a sweep wakes a worker for it."""


class NotDone(Conflict):
    """A job did not come to a result; the message says why."""

    unchanged = ""


class TakenElsewhere(NotDone):
    """A worker is at the job."""

    kind = RefusalKind.LATER


def silent(done: int, of: int) -> None:
    """Show no progress."""


def never() -> bool:
    """A command has no worker that may be shut down."""
    return False


class Taken(Generic[J]):
    """A job that this process has, as its work sees it."""

    def __init__(
        self, job: J, told: Told, is_ending: Callable[[], bool], at_end: ExitStack
    ) -> None:
        self.job = job
        #: What is cleaned up however the job ends, after its ending is stored.
        self.at_end = at_end
        self._told, self._is_ending = told, is_ending
        self._noted: dict[str, Any] = {}
        self._next = 0.0

    def keep(self, **values: Any) -> None:
        """Store values of the row at once. Raises Lost."""
        if not leases.is_kept(self.job, **values):
            raise Lost

    def note(self, **values: Any) -> None:
        """Store how far the job is, but not too often. Raises Lost."""
        if values != self._noted and time.monotonic() >= self._next:
            self._noted, self._next = values, time.monotonic() + NOTED_EVERY
            self.keep(**values)

    def step(self, done: int, of: int) -> None:
        """Tell how many steps are done, for kinds with a `percent`. Raises Lost."""
        self._told(done, of)
        self.note(percent=min(99, 100 * done // max(of, 1)))

    def leave_if_ending(self) -> None:
        """Leave the rest to another worker if this one is shutting down. Raises GiveBack."""
        if self._is_ending():
            raise GiveBack

    def finish(self, **results: Any) -> None:
        """Note that the job is done, and its results. Raises Lost, and then nothing is stored."""
        leases.finish(self.job, **results)


#: What a kind of job does, while its lease is renewed. The words of a RequestRefused are shown.
Work = Callable[[Taken[J]], Store]


def kinds(app: str | None = None) -> list[type[Job]]:
    """The kinds of job, of every app or of one."""
    jobs = [kind for kind in apps.get_models() if issubclass(kind, Job)]
    return [kind for kind in jobs if app in (None, kind._meta.app_label)]


def work_of(kind: type[J]) -> Work[J]:
    """The work of a kind, loaded with all that it needs."""
    work: Work[J] = import_string(kind.WORK)
    return work


def run_job(
    kind: type[J],
    job_id: int,
    *,
    told: Told = silent,
    is_ending: Callable[[], bool] = never,
    work: Work[J] | None = None,
) -> bool:
    """Do a job, or store why it was not done. False if there was none to take.

    Raises OperationalError where the database went away or stayed locked: once the lease is over,
    the job is tried again.
    """
    work = work or work_of(kind)  # before the claim: nothing renews the lease meanwhile
    job = leases.claim(kind, job_id)
    if job is None:
        return False
    with ExitStack() as at_end:
        try:
            with kept(job):
                store = work(Taken(job, told, is_ending, at_end))
            with transaction.atomic():
                store()
        except OperationalError:
            raise
        except Lost:
            logger.info("%s is no longer this worker's", job)
        except GiveBack:
            leases.give_back(job)
        except KeyboardInterrupt:  # while it was stored; `kept` sees to the rest
            leases.stop(job, "Stopped in the terminal.")
            raise
        except Exception as error:  # noqa: BLE001 whatever it was: the row has to say that it failed
            _fail(job, error)
    return True


def _fail(job: Job, error: Exception) -> None:
    is_refusal = isinstance(error, RequestRefused)
    words = str(error) if is_refusal else f"{type(error).__name__}: {error}"
    if not leases.fail(job, words):  # a row that is gone may be why
        logger.info("%s is no longer this worker's", job)
    elif is_refusal:  # of what was stored: it can be a bug, so the log says where from
        logger.info("%s was not done: %s", job, words, exc_info=error)
    else:
        logger.error("%s failed", job, exc_info=error)


def run_at_once(job: J, *, told: Told = silent) -> J:
    """A job done in this process, which is a command's. Raises NotDone: why it failed, who stopped
    it, or that it is gone; TakenElsewhere while a worker has it.
    """
    kind = type(job)
    while True:
        is_taken = run_job(kind, job.pk, told=told)
        after = kind._default_manager.filter(pk=job.pk).first()
        if after is None:
            raise NotDone(f"{job} was removed meanwhile: ask for it again")
        if after.is_done:
            return after
        if after.state in Job.WITHOUT_RESULT:
            raise NotDone(after.error)
        if not is_taken or after.state == Job.State.RUNNING:
            raise TakenElsewhere(f"a worker is at {after} already: try again when it is done")
        # It was given back: a participant of the analysis withdrew meanwhile, for example.


def run_or_take_back(job: J, *, told: Told = silent) -> J:
    """As `run_at_once`, but a job without a result is removed, as if it had never been asked for.
    Raises NotDone.
    """
    try:
        return run_at_once(job, told=told)
    except NotDone:  # a worker may have taken it over meanwhile
        rows = type(job)._default_manager.filter(pk=job.pk, state__in=Job.WITHOUT_RESULT)
        rows.delete()
        raise
