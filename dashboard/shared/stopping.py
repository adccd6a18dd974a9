"""Jobs of a study on pages and in the API: which one is meant, and stopping it."""

from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404

from dashboard.shared.log import record
from jobs import leases
from jobs.models import Job
from jobs.runner import kinds
from survey.models import Study


def names() -> list[str]:
    """Of the kinds of job that studies have."""
    return [kind.NAME for kind in kinds() if kind.STUDY]


def jobs_called(study: Study, name: str) -> "QuerySet[Any]":
    """The study's jobs of a kind. Raises Http404."""
    for kind in kinds():
        if kind.STUDY and name == kind.NAME:
            return kind._default_manager.filter(**{kind.STUDY: study})
    raise Http404(f"No kind of job is called {name!r}: it is one of {', '.join(names())}.")


@transaction.atomic
def stop_job(job: Job, *, author: User, study: Study | None) -> bool:
    """End a job that waits or is under way; its worker notices within seconds, and stores nothing
    more. The log says so. False where the job had ended already.
    """
    if not leases.stop(job, f"Stopped by {author}."):
        return False
    record(study, author, f"{job.NAME} stopped", **job.in_log)
    return True
