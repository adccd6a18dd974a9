"""Recording attempts: at the comprehension check, and at training items.

A page of attempts stays open until the last one is made, so an attempt has a number: one that is
sent twice, from a page that the browser kept or on another device, counts once.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from survey.answers import LastPage, OutOfOrder, recording, seen, send_away
from survey.models import ComprehensionAttempt, PageTime, Participant, TrainingAttempt

Status = Participant.Status


@contextmanager
def _recording_attempt(
    earlier: QuerySet[Any], number: int, participant: Participant, page: int, at: datetime
) -> Iterator[None]:
    """The transaction that records attempt `number` at a page that stays open; `earlier` are the
    attempts that are stored.

    Raises OutOfOrder if that attempt is stored, so one that is sent twice counts once.
    """
    with transaction.atomic():
        here = Participant.objects.filter(pk=participant.pk, status=Status.IN_PROGRESS)
        if not here.filter(pages_done=page - 1).update(**seen(at)):
            raise OutOfOrder
        if earlier.count() != number - 1:
            raise OutOfOrder
        yield


def record_comprehension(
    *,
    participant: Participant,
    attempt: int,
    answers: Mapping[str, str],
    passed: bool,
    attempts: int,
    page: int,
    last: LastPage,
    at: datetime,
) -> None:
    """Store attempt number `attempt` of at most `attempts`. Whoever fails the last one ends here,
    and their place becomes free.

    Raises OutOfOrder, also if that attempt was made before.
    """
    earlier = ComprehensionAttempt.objects.filter(participant=participant)
    with _recording_attempt(earlier, attempt, participant, page, at):
        ComprehensionAttempt.objects.create(
            participant=participant,
            number=attempt,
            answers=dict(answers),
            passed=passed,
            answered_at=at,
        )
        if not passed and attempt < attempts:
            return
        with recording(participant, page, last, at, kind=PageTime.Kind.COMPREHENSION, once=True):
            if not passed:
                send_away(participant, Status.FAILED_COMPREHENSION, at)


def record_training(
    *,
    participant: Participant,
    item: str,
    attempt: int,
    ratings: Sequence[Mapping[str, float]],
    within: bool,
    page: int,
    at: datetime,
) -> None:
    """Store try number `attempt` at a training item; its page stays open for the feedback.

    `ratings` has the points given to each response, in the order of the item, by dimension. Raises
    OutOfOrder, also if that try was made before.
    """
    earlier = TrainingAttempt.objects.filter(participant=participant, name=item)
    with _recording_attempt(earlier, attempt, participant, page, at):
        TrainingAttempt.objects.create(
            participant=participant,
            name=item,
            number=attempt,
            ratings=[dict(each) for each in ratings],
            within=within,
            answered_at=at,
        )


def record_feedback_read(
    *, participant: Participant, page: int, last: LastPage, at: datetime
) -> None:
    """Record that the feedback on a training item was read. Raises OutOfOrder."""
    with recording(participant, page, last, at, kind=PageTime.Kind.TRAINING):
        pass
