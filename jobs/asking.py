"""Asking for a job while one of its kind is under way."""

from typing import Any

from jobs.models import Job
from survey.refusals import Conflict


def refuse_other(job: Job, **asked: Any) -> None:
    """Raise Conflict where a job under way has other values than these, by column."""
    if any(getattr(job, name) != value for name, value in asked.items()):
        raise Conflict(
            f"The {job.WHAT} is under way, with other options. Ask again when it is done, or stop "
            "it first."
        )
