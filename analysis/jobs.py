"""Jobs as a queue in the database: taken by a worker for a while, by another one if it is lost."""

from datetime import datetime, timedelta
from typing import Any, TypeVar

from django.db.models import F, Q, QuerySet
from django.utils import timezone

from analysis.models import Job

J = TypeVar("J", bound=Job)
State = Job.State

#: A worker that is silent for this long is taken to be dead.
LEASE = timedelta(minutes=5)
#: A job whose workers die this often is not tried again.
MAX_ATTEMPTS = 3


class Lost(Exception):
    """A job is no longer this worker's: another one took it over, or it was deleted."""


def _free(now: datetime) -> Q:
    return Q(state=State.WAITING) | Q(state=State.RUNNING, lease_until__lt=now)


def claim(jobs: QuerySet[J], job_id: int) -> J | None:
    """Take a job that waits or whose worker is lost; None where there is nothing to take."""
    now = timezone.now()
    free = jobs.filter(_free(now), pk=job_id)
    free.filter(state=State.RUNNING, attempts__gte=MAX_ATTEMPTS).update(
        state=State.FAILED,
        error=f"the worker was lost {MAX_ATTEMPTS} times while computing it (out of memory?)",
        finished_at=now,
    )
    taken = free.update(
        state=State.RUNNING,
        lease_until=now + LEASE,
        started_at=now,
        attempts=F("attempts") + 1,
    )
    if not taken:
        return None
    # A participant who was counted in it may have withdrawn since: then it is deleted.
    return jobs.filter(pk=job_id).first()


def is_kept(job: Job, **progress: Any) -> bool:
    """Keep a job for another LEASE, and note its progress. False where it is no longer this
    worker's: another one has taken it over, or it is gone.
    """
    return bool(_mine(job).update(lease_until=timezone.now() + LEASE, **progress))


def give_back(job: Job) -> None:
    """Let another worker go on with a job, at once and as if this one had not taken it."""
    _mine(job).update(state=State.WAITING, lease_until=None, attempts=F("attempts") - 1)


def fail(job: Job, error: Exception) -> None:
    """Say what error ended a job, unless it is no longer this worker's."""
    refuse(job, f"{type(error).__name__}: {error}")


def refuse(job: Job, why: str) -> None:
    """Say why a job failed, unless it is no longer this worker's."""
    _mine(job).update(state=State.FAILED, error=why, finished_at=timezone.now())


def _mine(job: J) -> QuerySet[J]:
    jobs = type(job)._default_manager.all()
    return jobs.filter(pk=job.pk, state=State.RUNNING, attempts=job.attempts)


def jobs_to_wake(jobs: QuerySet[J]) -> list[int]:
    """Jobs that wait, or whose worker is lost."""
    free = jobs.filter(_free(timezone.now()))
    return list(free.order_by("id").values_list("id", flat=True))
