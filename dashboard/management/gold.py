"""What the commands about gold scores have in common."""

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from kombu.exceptions import OperationalError

from analysis.models import AnalysisRun
from config.celery import wake
from dashboard.judges.gold_choice import NotChosen, make_gold
from judge.queries import GoldSource
from survey.models import Study
from survey.tidy import counted_sources


def choose(command: BaseCommand, study: Study, source: GoldSource) -> None:
    """Make a source the gold one, have the analysis made anew, and say so.

    Raises CommandError.
    """
    try:
        choice = make_gold(
            study, source, author=None, why="chosen by a command", sources=counted_sources()
        )
    except NotChosen as problem:
        raise CommandError(f"{problem}.") from None
    command.stdout.write(f"{study}: the gold scores are now those of {source.name}")
    if choice.after.state == AnalysisRun.State.DONE:
        return
    try:
        wake("analysis.run", choice.after.pk)
    except OperationalError as error:
        command.stderr.write(
            f"The broker does not answer ({error}). The analysis is queued all the same: a worker "
            f"looks for work every {settings.SWEEP_SECONDS:.0f} s."
        )
    changed = f"{settings.SITE_URL}/studies/{study}/gold/changes/{choice.after.pk}/"
    before = f"?before={choice.before.pk}" if choice.before else ""
    command.stdout.write(f"What that changes: {changed}{before}")
