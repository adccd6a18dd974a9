"""What the commands about gold scores have in common."""

from django.conf import settings
from django.core.management.base import BaseCommand
from kombu.exceptions import OperationalError

from analysis.models import AnalysisRun
from config.celery import wake
from dashboard.judges.gold_choice import make_gold
from judge.queries import GoldSource
from survey.models import Study
from survey.tidy import counted_sources


def choose(command: BaseCommand, study: Study, source: GoldSource) -> None:
    """Make a source gold, request an analysis, and say so.

    Raises NotChosen.
    """
    choice = make_gold(
        study, source, author=None, why="chosen by a command", sources=counted_sources()
    )
    command.stdout.write(f"{study}: {source.name} is now gold")
    if choice.after.state == AnalysisRun.State.DONE:
        return
    try:
        wake("analysis.run", choice.after.pk)
    except OperationalError as error:
        command.stderr.write(
            f"The broker does not answer ({error}). The analysis is still queued: a worker looks "
            f"for work every {settings.SWEEP_SECONDS:.0f} s."
        )
    changed = f"{settings.SITE_URL}/studies/{study}/gold/changes/{choice.after.pk}/"
    before = f"?before={choice.before.pk}" if choice.before else ""
    command.stdout.write(f"Changes: {changed}{before}")
