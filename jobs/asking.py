"""Asking for a job while one of its kind is under way."""

from typing import Any

from jobs.models import Job
from survey.refusals import RefusalKind, RequestRefused


class AskedOtherwise(RequestRefused):
    """A job is under way that was asked for with other options."""

    kind = RefusalKind.CONFLICT


def refuse_other(job: Job, **asked: Any) -> None:
    """Raise AskedOtherwise where a job under way has other values than these, by column."""
    if any(getattr(job, name) != value for name, value in asked.items()):
        raise AskedOtherwise(
            f"The {job.WHAT} is under way, with other options. Ask again when it is done, or stop "
            "it first."
        )
