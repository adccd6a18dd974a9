"""Jobs as a queue in the database: taken by a worker for a while, by another one if it is lost.

`heartbeat` keeps a job while its worker lives.
"""

import uuid
from datetime import datetime, timedelta
from math import ceil
from typing import Any, TypeVar

from django.conf import settings
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from jobs.models import Job
from survey.storable import storable

J = TypeVar("J", bound=Job)
State = Job.State

#: A job whose workers die this often is not tried again.
MAX_ATTEMPTS = 3


class Lost(BaseException):
    """A job is no longer this worker's: another one took it over, a person stopped it, it took too
    long, or it was deleted.

    No `Exception`: what computes must not take it for an error of its own.
    """


def is_free(now: datetime) -> Q:
    """Rows that no worker has: those without a lease, and those whose lease is over."""
    return Q(lease_until=None) | Q(lease_until__lte=now)


def end_of_lease(now: datetime, seconds: float) -> datetime:
    """When a row is given to another worker, unless its own has renewed the lease by then."""
    return now + timedelta(seconds=seconds)


def _to_do(now: datetime) -> Q:
    return Q(state=State.WAITING) | (Q(state=State.RUNNING) & is_free(now))


def claim(kind: type[J], job_id: int) -> J | None:
    """Take a job that waits or whose worker is lost; None where there is nothing to take."""
    now = timezone.now()
    jobs = kind._default_manager.all()
    free = jobs.filter(_to_do(now), pk=job_id)
    why = f"the worker was lost {MAX_ATTEMPTS} times while computing it (out of memory?)"
    given_up = free.filter(state=State.RUNNING, attempts__gte=MAX_ATTEMPTS)
    given_up.update(**_ended(kind, State.FAILED, why))
    token = uuid.uuid4().hex
    taken = free.update(
        state=State.RUNNING,
        lease_token=token,
        lease_until=end_of_lease(now, settings.JOB_LEASE_SECONDS),
        started_at=now,
        attempts=F("attempts") + 1,
    )
    if not taken:
        return None
    # A participant who was counted in it may have withdrawn since: then it is deleted.
    return jobs.filter(pk=job_id, lease_token=token).first()


def seconds_at_most(kind: type[Job]) -> int:
    """When Celery is to kill the process of such a job. A heartbeat ends it earlier, unless the
    process is in code that lets no other thread run.
    """
    return ceil(60 * float(getattr(settings, kind.LIMIT)) + float(settings.JOB_LEASE_SECONDS))


def is_kept(job: Job, **progress: Any) -> bool:
    """Keep a job for another lease, and note its progress. False where it is no longer this
    worker's: see `Lost`.
    """
    until = end_of_lease(timezone.now(), settings.JOB_LEASE_SECONDS)
    return bool(_mine(job).update(lease_until=until, **progress))


def finish(job: Job, **results: Any) -> None:
    """Note that a job is done, and its results. Raises Lost, and then changes nothing.

    Other results belong into the same transaction, after it: the row stays locked until its end.
    """
    if not is_kept(job, **_ended(job, State.DONE, ""), **results):
        raise Lost


def give_back(job: Job) -> None:
    """Let another worker go on with a job, at once and as if this one had not taken it."""
    _mine(job).update(
        state=State.WAITING, lease_token="", lease_until=None, attempts=F("attempts") - 1
    )


def fail(job: Job, why: str) -> bool:
    """Say why a job failed. False where it is no longer this worker's."""
    return bool(_mine(job).update(**_ended(job, State.FAILED, storable(why))))


def wait_again(job: Job, **values: Any) -> None:
    """Have a job done that has ended, as if it had just been asked for."""
    fresh = {"state": State.WAITING, "error": "", "attempts": 0}
    fresh |= {"started_at": None, "finished_at": None} | values
    for name, value in fresh.items():
        setattr(job, name, value)
    job.save(update_fields=list(fresh))


def stop(job: Job, why: str) -> bool:
    """End a job that waits or is under way; its worker notices within a heartbeat. False where it
    has ended already.
    """
    rows = type(job)._default_manager.filter(pk=job.pk, state__in=Job.UNDER_WAY)
    return bool(rows.update(**_ended(job, State.STOPPED, why)))


def _ended(job: Job | type[Job], state: Job.State, error: str) -> dict[str, Any]:
    """The columns of a job that ends now."""
    return {"state": state, "error": error, "finished_at": timezone.now(), **job.ERASED}


def _mine(job: J) -> QuerySet[J]:
    jobs = type(job)._default_manager.all()
    return jobs.filter(pk=job.pk, state=State.RUNNING, lease_token=job.lease_token)


def to_wake(kind: type[Job]) -> list[int]:
    """The ids of jobs that wait, or whose worker is lost."""
    free = kind._default_manager.filter(_to_do(timezone.now()))
    return list(free.order_by("pk").values_list("pk", flat=True))
