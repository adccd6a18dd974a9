"""Recording a page once, in one transaction.

Every function first updates the participant's row. This checks that they may answer the page,
advances their progress, and locks the row until the transaction ends. So two submissions of one
person never interleave. Answers are committed before the redirect.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db import IntegrityError, transaction
from django.db.models import Case, F, Value, When

from survey.definition.questions import Answer
from survey.models import (
    AttentionCheck,
    DemographicAnswer,
    FreeAnswer,
    PageTime,
    Participant,
    Presentation,
    Rating,
)
from survey.slots import free_slot, hold_again

Status = Participant.Status
#: A page that is sent twice may be recorded in either order, each with its own time.
OVERTAKING = timedelta(seconds=10)


#: How free answers were written, by their names: measured fields of FreeAnswer.
Writing = Mapping[str, Mapping[str, Any]]


class AnswerKey(NamedTuple):
    """The subject of one rating, rank or choice of a block."""

    task: str
    response: int
    dimension: str


@dataclass
class BlockAnswers:
    """All answers on the page of one block.

    `texts` has the free answers by name (empty if not answered), `writing` how they were written,
    `check` the answer to an attention check among the responses.
    """

    ratings: dict[AnswerKey, float] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    writing: Writing = field(default_factory=dict)
    check: float | None = None


@dataclass(frozen=True)
class LastPage:
    """Where the survey ends. With at least `failed_checks_from` failed attention checks (None:
    never) it ends as `failed_attention`.
    """

    number: int
    failed_checks_from: int | None = None


class OutOfOrder(Exception):
    """The page can't be answered: an earlier one is open, or the survey has ended."""


def record_shown(*, participant: Participant, kind: str, page: int, at: datetime) -> None:
    """A page of this kind (of PageTime) was shown; only the first time counts.

    Raises Participant.DoesNotExist if they withdrew at this moment.
    """
    shown = PageTime(participant=participant, kind=kind, page=page, shown_at=at)
    try:
        PageTime.objects.bulk_create([shown], ignore_conflicts=True)
    except IntegrityError:
        raise Participant.DoesNotExist from None


@contextmanager
def recording(
    participant: Participant,
    page: int,
    last: LastPage,
    at: datetime,
    *,
    kind: str | None = None,
    once: bool = False,
) -> Iterator[None]:
    """The transaction that records a page, and its time if `kind` (of PageTime) is given. With
    `once` it can't be answered again.

    Raises OutOfOrder.
    """
    with transaction.atomic():
        here = Participant.objects.filter(pk=participant.pk, status=Status.IN_PROGRESS)
        first = here.filter(pages_done=page - 1).update(pages_done=page, **seen(at))
        if not first:
            again = here.filter(pages_done__gte=page)
            if once or not again.update(**seen(at, overtaking=OVERTAKING)):
                raise OutOfOrder
        elif kind is not None:
            PageTime.objects.bulk_create(
                [PageTime(participant=participant, kind=kind, page=page, answered_at=at)],
                update_conflicts=True,
                unique_fields=["participant", "page"],
                update_fields=["answered_at"],
            )
        yield
        if first and page == last.number:
            here.update(status=Status.COMPLETED, ending=_ending(participant, last), finished_at=at)
            hold_again(participant=participant, at=at)


def seen(at: datetime, *, overtaking: timedelta = timedelta(0)) -> dict[str, Any]:
    """The fields to update for a participant who is active at `at`. If they were active at a later
    time before, the clock was set back.
    """
    backwards = When(last_seen_at__gt=at + overtaking, then=Value(True))
    stepped = Case(backwards, default=F("clock_stepped"))
    return {"last_seen_at": at, "clock_stepped": stepped}


def _ending(participant: Participant, last: LastPage) -> str:
    if last.failed_checks_from is None:
        return "completed"
    failed = AttentionCheck.objects.filter(participant=participant, passed=False).count()
    return "failed_attention" if failed >= last.failed_checks_from else "completed"


def record_instructions(
    *,
    participant: Participant,
    device: Mapping[str, Any],
    page: int,
    last: LastPage,
    at: datetime,
) -> None:
    """Record that the instructions were read, and the measured fields of the device.

    Raises OutOfOrder.
    """
    with recording(participant, page, last, at, kind=PageTime.Kind.INSTRUCTIONS):
        if device:
            Participant.objects.filter(pk=participant.pk).update(**device)


def record_screening(
    *,
    participant: Participant,
    values: Mapping[str, Answer],
    eligible: bool,
    page: int,
    last: LastPage,
    at: datetime,
) -> None:
    """Store the answers. A participant who is not eligible ends here, and their place becomes free.

    It can't be answered again, so participants cannot try other answers. Raises OutOfOrder.
    """
    with recording(participant, page, last, at, kind=PageTime.Kind.SCREENING, once=True):
        _store_answers(participant, values)
        if not eligible:
            send_away(participant, Status.SCREENED_OUT, at)


def send_away(participant: Participant, status: Participant.Status, at: datetime) -> None:
    """End the survey before anything is rated, and free the place. The ending is called as the
    status.
    """
    Participant.objects.filter(pk=participant.pk).update(
        status=status, ending=status.value, finished_at=at
    )
    free_slot(participant)


def record_block(
    *,
    participant: Participant,
    presentation: Presentation,
    answers: BlockAnswers,
    check: AttentionCheck | None = None,
    right_answer: float | None = None,
    paradata: Mapping[str, Any],
    last: LastPage,
    at: datetime,
) -> None:
    """Store everything answered on the page of a block.

    The same page again changes nothing; a changed answer replaces the old one and is counted.
    `paradata` has the presentation's measured fields. Raises OutOfOrder.
    """
    assert presentation.page is not None
    with recording(participant, presentation.page, last, at):
        here = Presentation.objects.filter(pk=presentation.pk)
        if here.filter(answered_at__isnull=True).update(
            answered_at=at, submitted_at=at, **paradata
        ):
            _store_first(participant, presentation, answers)
        else:
            here.update(submitted_at=at, **paradata)
            _store_changes(presentation, answers.ratings)
            _store_texts(participant, presentation, answers.texts, answers.writing)
        if check is not None and answers.check is not None:
            _store_check(check, answers.check, right_answer, at)


def _store_first(
    participant: Participant, presentation: Presentation, answers: BlockAnswers
) -> None:
    Rating.objects.bulk_create(
        Rating(
            presentation=presentation,
            response_id=cell.response,
            task=cell.task,
            dimension=cell.dimension,
            value=value,
        )
        for cell, value in answers.ratings.items()
    )
    if any(answers.texts.values()):
        FreeAnswer.objects.bulk_create(
            FreeAnswer(
                participant=participant,
                presentation=presentation,
                name=name,
                text=text,
                **answers.writing.get(name, {}),
            )
            for name, text in answers.texts.items()
            if text
        )


def _store_changes(presentation: Presentation, values: Mapping[AnswerKey, float]) -> None:
    """Replace changed values. A rank or choice may move to another response whose row still has it,
    so changed rows are deleted and created again.
    """
    stored = {
        AnswerKey(row.task, row.response_id, row.dimension): row
        for row in Rating.objects.filter(presentation=presentation)
    }
    revised = {
        (cell.task, cell.dimension, row.value): row.revisions for cell, row in stored.items()
    }
    gone = [row.pk for cell, row in stored.items() if values.get(cell) != row.value]
    new = []
    for cell, value in values.items():
        row = stored.get(cell)
        if row is not None and row.value == value:
            continue
        before = row.revisions if row is not None else revised[cell.task, cell.dimension, value]
        new.append(
            Rating(
                presentation=presentation,
                response_id=cell.response,
                task=cell.task,
                dimension=cell.dimension,
                value=value,
                revisions=before + 1,
            )
        )
    if new:
        Rating.objects.filter(pk__in=gone).delete()
        Rating.objects.bulk_create(new)


def _store_texts(
    participant: Participant,
    presentation: Presentation | None,
    texts: Mapping[str, str],
    writing: Writing,
) -> None:
    stored = {
        answer.name: answer
        for answer in FreeAnswer.objects.filter(participant=participant, presentation=presentation)
    }
    for name, text in texts.items():
        answer, measured = stored.get(name), writing.get(name, {})
        if answer is None:
            if text:
                FreeAnswer.objects.create(
                    participant=participant,
                    presentation=presentation,
                    name=name,
                    text=text,
                    **measured,
                )
            continue
        changed = dict(measured)
        if answer.text != text:
            changed |= {"text": text, "revisions": answer.revisions + 1}
        if changed:
            FreeAnswer.objects.filter(pk=answer.pk).update(**changed)


def _store_check(
    check: AttentionCheck, answer: float, right_answer: float | None, at: datetime
) -> None:
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


def record_check(
    *,
    participant: Participant,
    check: AttentionCheck,
    answer: float,
    right_answer: float,
    last: LastPage,
    at: datetime,
) -> None:
    """Store the answer to an attention check; a changed answer replaces it and is counted.

    Raises OutOfOrder.
    """
    with recording(participant, check.page, last, at):
        _store_check(check, answer, right_answer, at)


def record_closing(
    *,
    participant: Participant,
    texts: Mapping[str, str],
    writing: Writing,
    page: int,
    last: LastPage,
    at: datetime,
) -> None:
    """Store the free answers at the study's end, and how they were written. Raises OutOfOrder."""
    with recording(participant, page, last, at, kind=PageTime.Kind.CLOSING):
        _store_texts(participant, None, texts, writing)


def record_demographics(
    *,
    participant: Participant,
    values: Mapping[str, Answer],
    page: int,
    last: LastPage,
    at: datetime,
) -> None:
    """Store the answered questions (skipped ones are absent). Raises OutOfOrder.

    It can't be answered again: it is the last page and completes the survey.
    """
    with recording(participant, page, last, at, kind=PageTime.Kind.DEMOGRAPHICS):
        _store_answers(participant, values)


def _store_answers(participant: Participant, values: Mapping[str, Answer]) -> None:
    DemographicAnswer.objects.bulk_create(
        DemographicAnswer(participant=participant, name=name, value=value)
        for name, value in values.items()
    )
