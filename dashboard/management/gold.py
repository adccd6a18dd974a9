"""What the commands about gold scores have in common."""

from collections.abc import Sequence

from django.conf import settings
from django.core.management.base import BaseCommand
from kombu.exceptions import OperationalError

from config.celery import wake
from dashboard.judges.gold_choice import make_gold
from survey.models import Study


def choose(command: BaseCommand, study: Study, name: str, include: Sequence[str]) -> None:
    """Make the source of that name gold, request an analysis, and say so.

    Raises RequestRefused.
    """
    choice = make_gold(study, name, None, include=include)
    command.stdout.write(f"{study}: {choice.source.name} is now gold")
    if choice.after.is_done:
        return
    try:
        wake(choice.after.TASK, choice.after.pk)
    except OperationalError as error:
        command.stderr.write(
            f"The broker does not answer ({error}). The analysis is still queued: a worker looks "
            f"for work every {settings.SWEEP_SECONDS:.0f} s."
        )
    changed = f"{settings.SITE_URL}/studies/{study}/gold/changes/{choice.after.pk}/"
    before = f"?before={choice.before.pk}" if choice.before else ""
    command.stdout.write(f"Changes: {changed}{before}")
