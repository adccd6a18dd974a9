"""Recording a page once, in one transaction.

Every function first updates the participant's row. That checks that the page is theirs to answer,
moves them on, and holds the row until the transaction ends, so that two submissions of one
person never interleave. What is committed before the redirect stays.
"""

from collections.abc import Mapping
from datetime import datetime

from django.db import transaction

from survey.models import AttentionCheck, DemographicAnswer, Participant, Presentation, Rating

#: A rating's place in a block: (response id, dimension).
Cell = tuple[int, str]
DemographicValue = int | str | list[str]


class OutOfOrder(Exception):
    """The page can't be answered: an earlier one is open, or the survey has ended."""


def _move_on(participant: Participant, *, page: int, total: int, at: datetime) -> None:
    changes: dict[str, object] = {"last_seen_at": at}
    if page == total:
        changes |= {"status": Participant.Status.COMPLETED, "finished_at": at}
    here = Participant.objects.filter(pk=participant.pk, status=Participant.Status.IN_PROGRESS)
    if here.filter(pages_done=page - 1).update(pages_done=page, **changes):
        return
    if not here.filter(pages_done__gte=page).update(**changes):
        raise OutOfOrder


@transaction.atomic
def record_instructions(*, participant: Participant, total: int, at: datetime) -> None:
    """The instructions were read. Raises OutOfOrder."""
    _move_on(participant, page=1, total=total, at=at)


@transaction.atomic
def record_block(
    *,
    participant: Participant,
    presentation: Presentation,
    values: Mapping[Cell, int],
    total: int,
    at: datetime,
) -> None:
    """Store one value for each cell of a block.

    The same page again changes nothing; a changed answer replaces the old one and is counted.
    Raises OutOfOrder.
    """
    assert presentation.page is not None
    _move_on(participant, page=presentation.page, total=total, at=at)
    here = Presentation.objects.filter(pk=presentation.pk)
    if here.filter(answered_at__isnull=True).update(answered_at=at, submitted_at=at):
        Rating.objects.bulk_create(
            Rating(
                presentation=presentation, response_id=response, dimension=dimension, value=value
            )
            for (response, dimension), value in values.items()
        )
        return
    here.update(submitted_at=at)
    for rating in Rating.objects.filter(presentation=presentation):
        value = values[rating.response_id, rating.dimension]
        if value != rating.value:
            rating.value = value
            rating.revisions += 1
            rating.save(update_fields=["value", "revisions"])


@transaction.atomic
def record_check(
    *,
    participant: Participant,
    check: AttentionCheck,
    answer: int,
    right_answer: int,
    total: int,
    at: datetime,
) -> None:
    """Store the answer to an attention check; a changed answer replaces it and is counted.

    Raises OutOfOrder.
    """
    _move_on(participant, page=check.page, total=total, at=at)
    check = AttentionCheck.objects.get(pk=check.pk)
    if check.answer == answer:
        return
    if check.answered_at is None:
        check.answered_at = at
    else:
        check.revisions += 1
    check.answer = answer
    check.passed = answer == right_answer
    check.save(update_fields=["answer", "passed", "answered_at", "revisions"])


@transaction.atomic
def record_demographics(
    *, participant: Participant, values: Mapping[str, DemographicValue], total: int, at: datetime
) -> None:
    """Store the answered questions (skipped ones are absent) and complete the survey.

    Raises OutOfOrder.
    """
    _move_on(participant, page=total, total=total, at=at)
    DemographicAnswer.objects.filter(participant=participant).delete()
    DemographicAnswer.objects.bulk_create(
        DemographicAnswer(participant=participant, name=name, value=value)
        for name, value in values.items()
    )
