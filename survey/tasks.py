"""Workers' tasks for the survey. Safe to run twice: the database says what is due."""

from celery import shared_task
from django.utils import timezone

from survey.arrival_counts import forget_old_addresses
from survey.participants import forget_old_browsers
from survey.withdrawal import clear_log, erase_old_keys


@shared_task(name="survey.sweep")
def sweep() -> None:
    """Erase expired keys of withdrawals, browsers that never continued, and counts by address."""
    erase_old_keys(at=timezone.now())
    forget_old_browsers(at=timezone.now())
    forget_old_addresses(at=timezone.now())
    clear_log()
