"""What the commands that decide about raters have in common."""

from collections.abc import Collection
from contextlib import suppress

from kombu.exceptions import OperationalError

from analysis.manual_decisions import DecisionOptions, decided_in_words
from config.celery import wake
from dashboard.raters.decisions import decide
from survey.models import Participant, Study


def decide_and_wake(
    study: Study, participants: Collection[Participant], options: DecisionOptions
) -> str:
    """Record a decision, wake a worker for the new analysis, and say so. Raises
    RequestRefused.
    """
    decided = decide(study, participants, options, None)
    if not decided.run.is_done:
        with suppress(OperationalError):  # the broker is silent: workers look by themselves
            wake(decided.run.TASK, decided.run.pk)
    return decided_in_words(decided.changed, excluded=options.excluded)
