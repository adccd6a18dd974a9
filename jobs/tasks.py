"""What workers do for jobs: a task for each kind. Safe to run twice: the database says what is
due.

What computes is imported with the first job that needs it: a worker starts in half the time, and
a worker that only asks judges never loads it.
"""

from celery import shared_task

from config.celery import is_ending, wake
from jobs import leases
from jobs.models import Job
from jobs.runner import kinds, run_job


def _make_task(kind: type[Job]) -> None:
    @shared_task(name=kind.TASK, time_limit=leases.seconds_at_most(kind))
    def do(job_id: int) -> None:
        run_job(kind, job_id, is_ending=is_ending)


for _kind in kinds():
    _make_task(_kind)


def wake_waiting(app: str) -> None:
    """Wake a worker for each job of an app that waits, or whose worker is lost."""
    for kind in kinds(app):
        for job_id in leases.to_wake(kind):
            wake(kind.TASK, job_id)
