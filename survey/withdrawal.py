"""Withdrawing: everything about a person is deleted, in all apps.

Only the fact of the withdrawal is kept and, until its retention date, the key for paying and
recognising the person. Apps with other data about a person than rows that refer to `Participant`
append a function that erases it to `erasers`, or to `key_erasers` if it must outlive the
withdrawal as long as the key does.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import NamedTuple

from django.core import signing
from django.db import connection, transaction

from survey.models import Identity, Invitation, Participant, Study, StudyEvent, Withdrawal

SALT = "survey.withdrawal"

#: Called in the deleting transaction, before the person's rows are deleted.
erasers: list[Callable[[Participant], None]] = []

#: Called in the erasing transaction with withdrawals whose keys are about to be erased.
key_erasers: list[Callable[[list[Withdrawal]], None]] = []


class PrivateLink(NamedTuple):
    """The content of a private link, so that it also works after the withdrawal."""

    participant: int
    study: int
    source: str
    language: str


def token_of(participant: Participant) -> str:
    """The token in the person's private link."""
    link = PrivateLink(
        participant.pk, participant.study_id, participant.source, participant.language
    )
    return signing.dumps(link, salt=SALT)


def read_token(token: str) -> PrivateLink | None:
    """The content of a private link; None if it is not ours."""
    try:
        return PrivateLink(*signing.loads(token, salt=SALT))
    except signing.BadSignature:
        return None


@transaction.atomic
def withdraw(*, participant: Participant, at: datetime) -> None:
    """Delete everything about the person. Harmless when repeated."""
    # A weak lock: an analysis that is being stored can still refer to them. It has the lock of the
    # study's row, which comes next.
    people = Participant.objects.select_for_update(no_key=True)
    locked = people.filter(pk=participant.pk).first()
    if locked is None:
        return
    study = Study.objects.select_for_update(no_key=True).get(pk=locked.study_id)
    identity = Identity.objects.filter(participant=locked).first()
    # The newest known to be theirs: it is the one that is paid.
    submissions = locked.submissions.order_by("is_theirs", "id")
    submission = submissions.last()
    kept = timedelta(days=study.settings["withdrawal_key_days"])
    Withdrawal.objects.create(
        study=study,
        source=locked.source,
        withdrawn_at=at,
        slug=study.slug,
        kind=identity.kind if identity else "",
        key=identity.key if identity else "",
        prolific_study_id=submission.prolific_study_id if submission else "",
        prolific_session_id=submission.session_id if submission else "",
        key_kept_until=at + kept,
    )
    if identity is not None and identity.kind == Identity.Kind.INVITATION:
        Invitation.objects.filter(token=identity.key).update(label="")  # it may be their name
    looked_up = StudyEvent.objects.filter(study=study, action=StudyEvent.IDENTITY_SHOWN)
    looked_up.filter(detail__rater=locked.pseudonym).update(detail={"rater": "withdrawn"})
    for erase in erasers:
        erase(locked)
    locked.delete()


@transaction.atomic
def erase_old_keys(*, at: datetime) -> int:
    """Erase payment keys after their retention date; returns their number."""
    old = Withdrawal.objects.filter(key_kept_until__lt=at).exclude(
        key="", prolific_study_id="", prolific_session_id=""
    )
    withdrawals = list(old)
    if not withdrawals:
        return 0
    for erase in key_erasers:
        erase(withdrawals)
    invitations = old.filter(kind=Identity.Kind.INVITATION).values("key")
    Invitation.objects.filter(token__in=invitations).delete()
    return old.update(key="", prolific_study_id="", prolific_session_id="")


def clear_log() -> None:
    """Empty SQLite's write-ahead log, where deleted text would stay until it is overwritten.

    Text deleted from the database itself is overwritten at once (`secure_delete`). While another
    process reads, the log is left for the next time.
    """
    if connection.vendor != "sqlite":
        return
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout")
        usual = cursor.fetchone()[0]
        cursor.execute("PRAGMA busy_timeout = 1000")
        try:
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        finally:
            cursor.execute(f"PRAGMA busy_timeout = {usual}")
