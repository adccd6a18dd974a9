"""Withdrawing: everything about a person is deleted, everywhere it has gone.

What stays is that somebody withdrew, and until its retention date the key by which they are paid
and recognised. Apps that keep more about a person than rows hanging on `Participant` say how to
erase it by appending to `erasers`.
"""

from collections.abc import Callable
from datetime import datetime, timedelta

from django.core import signing
from django.db import transaction

from survey.models import Identity, Participant, Withdrawal

SALT = "survey.withdrawal"

#: Called inside the deleting transaction, before the person's rows go.
erasers: list[Callable[[Participant], None]] = []


def token_of(participant: Participant) -> str:
    """What stands in the person's private link."""
    return signing.dumps(participant.pk, salt=SALT)


def participant_of(slug: str, token: str) -> Participant | None:
    """Whom a private link belongs to; None for a wrong link, or after the withdrawal."""
    try:
        key = signing.loads(token, salt=SALT)
    except signing.BadSignature:
        return None
    people = Participant.objects.select_related("study")
    return people.filter(pk=key, study__slug=slug).first()


@transaction.atomic
def withdraw(*, participant: Participant, at: datetime) -> None:
    """Delete everything about the person. Harmless when repeated."""
    locked = Participant.objects.select_for_update().filter(pk=participant.pk).first()
    if locked is None:
        return
    study = locked.study
    identity = Identity.objects.filter(participant=locked).first()
    kept = timedelta(days=study.settings["withdrawal_key_days"])
    Withdrawal.objects.create(
        study=study,
        source=locked.source,
        withdrawn_at=at,
        slug=study.slug,
        kind=identity.kind if identity else "",
        key=identity.key if identity else "",
        prolific_study_id=identity.prolific_study_id if identity else "",
        prolific_session_id=identity.prolific_session_id if identity else "",
        key_kept_until=at + kept,
    )
    for erase in erasers:
        erase(locked)
    locked.delete()


def erase_old_keys(*, at: datetime) -> int:
    """Blank the payment keys whose retention date has passed; how many there were."""
    return (
        Withdrawal.objects.filter(key_kept_until__lt=at)
        .exclude(key="", prolific_study_id="", prolific_session_id="")
        .update(key="", prolific_study_id="", prolific_session_id="")
    )
