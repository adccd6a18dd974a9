"""What the commands that decide about raters have in common."""

from collections.abc import Collection
from contextlib import suppress

from django.utils import timezone
from kombu.exceptions import OperationalError

from analysis.manual_decisions import decide_on, decided_in_words
from config.celery import wake
from survey.models import Participant, Study


def decide(
    study: Study, participants: Collection[Participant], *, excluded: bool, reason: str
) -> str:
    """Record a decision, wake a worker for new analyses, and say so. Raises DecisionRefused."""
    changed = decide_on(
        study=study,
        participants=participants,
        excluded=excluded,
        reason=reason,
        at=timezone.now(),
    )
    if changed:
        with suppress(OperationalError):  # the broker is silent: workers look by themselves
            wake("analysis.sweep")
    return decided_in_words(changed, excluded=excluded)
