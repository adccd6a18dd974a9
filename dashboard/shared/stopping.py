"""Stopping what workers compute, for pages and the API."""

from django.contrib.auth.models import User
from django.db import transaction

from dashboard.shared.log import record
from jobs import leases
from jobs.models import Job
from survey.models import Study


@transaction.atomic
def stop_job(job: Job, study: Study, action: str, *, author: User, **detail: object) -> bool:
    """End a job that waits or is under way; its worker notices within seconds, and stores nothing.
    The log says so, as `action` with its `detail`. False where the job had ended already.
    """
    if not leases.stop(job, f"Stopped by {author}."):
        return False
    record(study, author, action, **detail)
    return True
