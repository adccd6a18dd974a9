"""The identity of a rater outside: shown only on request, and each time recorded."""

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction

from dashboard.shared.log import record
from survey.models import Identity, Invitation, Participant, StudyEvent

Kind = Identity.Kind


@dataclass(frozen=True)
class KnownAs:
    """How a rater is known outside. Everything is empty for people who came by an open link."""

    prolific_id: str = ""
    #: What researchers wrote on the invitation.
    label: str = ""
    #: Ids of their submissions on Prolific.
    submissions: tuple[str, ...] = ()


@transaction.atomic
def look_up(participant: Participant, author: User) -> KnownAs:
    """The participant's identity; the study's log records that `author` looked.

    `survey.withdrawal` takes the pseudonym out of that record when they withdraw.
    """
    record(participant.study, author, StudyEvent.IDENTITY_SHOWN, rater=participant.pseudonym)
    identity = Identity.objects.filter(participant=participant).first()
    if identity is None:
        return KnownAs()
    if identity.kind == Kind.PROLIFIC:
        sessions = participant.submissions.values_list("session_id", flat=True)
        return KnownAs(prolific_id=identity.key, submissions=tuple(sessions))
    if identity.kind == Kind.INVITATION:
        labels = Invitation.objects.filter(token=identity.key).values_list("label", flat=True)
        return KnownAs(label=labels.first() or "")
    return KnownAs()
