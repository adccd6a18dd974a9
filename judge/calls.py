"""The queue of judge calls: what is to be asked, who asks it, what came of it.

Every step is one short transaction under a lock on the judge's row, so that any number of
workers share one limit, and a worker that dies leaves behind exactly what it had sent.
A call RUNNING under a lease belongs to the attempt named by its lease token; an outcome counts
only while that is so. Failures of an endpoint slow the whole judge down, then stop it.
"""

import logging
import random
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Exists, F, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from judge.exchange import ExchangeFailed, Reply, Request, Scope
from judge.models import Attempt, Call, Judge
from judge.questions import request_for
from survey.definition.tasks import RatingTask
from survey.models import Response, Study
from survey.tidy import definition_of, dimensions_of

logger = logging.getLogger(__name__)

LONGEST_BACKOFF_SECONDS = 60.0
#: An endpoint may ask for a longer wait than our own backoff, up to this.
LONGEST_WAIT_SECONDS = 3600.0
#: Of an answer or an error's body, so that a stray megabyte does not fill the database.
STORED_CHARACTERS = 10_000


@dataclass(frozen=True)
class Claimed:
    """A call and the attempt, already committed, whose request is to be sent for it.

    `task` says what the answer may be, as the study is when it is asked.
    """

    call: Call
    attempt: Attempt
    request: Request
    task: RatingTask


# Planning


def plan_calls(judge: Judge) -> int:
    """Create the calls that a judge lacks; how many those were.

    One for every distinct response × dimension × replicate, replicates side by side.
    """
    dimensions = dimensions_of(definition_of(judge.study))
    replicates = range(1, judge.read_configuration().replicates + 1)
    responses = (
        Response.objects.filter(scenario__study=judge.study)
        .order_by("scenario__position", "id")
        .values_list("id", flat=True)
    )
    with _locked(judge.pk):
        before = judge.calls.count()
        Call.objects.bulk_create(
            [
                Call(judge=judge, response_id=response, dimension=dimension, replicate=replicate)
                for response in responses
                for dimension in dimensions
                for replicate in replicates
            ],
            ignore_conflicts=True,
        )
        return judge.calls.count() - before


def queue_missing(judge: Judge) -> int:
    """Have every missing score asked for: new calls, and failed ones once more, from the start.

    Lifts a stop. Returns how many calls are not answered yet.
    """
    with _locked(judge.pk) as locked:
        plan_calls(locked)
        sent = (
            Attempt.objects.filter(call=OuterRef("pk"))
            .order_by()
            .values("call")
            .annotate(n=Count("id"))
            .values("n")
        )
        locked.calls.filter(state=Call.State.FAILED).update(
            state=Call.State.WAITING,
            forgiven=Coalesce(Subquery(sent, output_field=IntegerField()), 0),
            not_before=None,
            error="",
        )
        locked.stopped, locked.not_before, locked.failures_in_a_row = "", None, 0
        locked.save()
        return locked.calls.exclude(state=Call.State.ANSWERED).count()


# Working


def claim(judge_id: int) -> list[Claimed]:
    """Lease the calls that are due, as far as the shared limit allows, each with its attempt.

    Requests are built before anything is committed: where one cannot be, nothing is leased.
    """
    with _locked(judge_id) as judge:
        now = timezone.now()
        if judge.stopped or (judge.not_before and judge.not_before > now):
            return []
        free = settings.JUDGE_CONCURRENCY - _live(judge.calls.all(), now).count()
        due = list(
            _due(judge.calls.all(), now)
            .select_related("response__scenario", "response__system")
            .annotate(sent=Count("attempts"))
            .order_by("id")[: max(0, free)]
        )
        configuration = judge.read_configuration()
        # After the calls: whoever loads a draft anew replaces the study first, then its calls.
        study = definition_of(Study.objects.get(pk=judge.study_id))
        claimed = []
        for call in due:
            attempt = Attempt(call=call, number=call.sent + 1, request_id=uuid.uuid4().hex)
            request = request_for(
                call, request_id=attempt.request_id, study=study, configuration=configuration
            )
            call.state = Call.State.RUNNING
            call.lease_token = attempt.request_id
            call.lease_until = _end_of_lease(now)
            claimed.append(Claimed(call, attempt, request, study.rated))
        Attempt.objects.bulk_create([c.attempt for c in claimed])
        Call.objects.bulk_update([c.call for c in claimed], ["state", "lease_token", "lease_until"])
        return claimed


def record_score(claimed: Claimed, reply: Reply, score: int) -> None:
    """Commit an answer."""
    with _own(claimed, Attempt.Outcome.ANSWERED, reply=reply) as (judge, call):
        if call is None:
            return
        judge.failures_in_a_row = 0
        call.state = Call.State.ANSWERED
        call.score = score
        call.answered_at = timezone.now()


def record_unusable(claimed: Claimed, reply: Reply, reason: str) -> None:
    """Commit that the judge answered without a usable score; ask again, up to a small cap."""
    with _own(claimed, Attempt.Outcome.UNUSABLE, reply=reply, error=reason) as (judge, call):
        if call is None:
            return
        judge.failures_in_a_row = 0
        unusable = call.attempts.filter(
            number__gt=call.forgiven, outcome=Attempt.Outcome.UNUSABLE
        ).count()
        if unusable >= judge.read_configuration().unusable_answers:
            _fail(call, f"given up after unusable answer {unusable}: {reason}")
        else:
            _ask_again(call, claimed, reason)


def record_failure(claimed: Claimed, failure: ExchangeFailed) -> None:
    """Commit that no completion came back; ask again later, give up, or stop the judge."""
    with _own(claimed, failure.outcome, error=str(failure), failure=failure) as (judge, call):
        if call is None:
            return
        judge.failures_in_a_row += 1
        nothing_answered = not judge.calls.filter(state=Call.State.ANSWERED).exists()
        if failure.scope is Scope.REQUEST and not nothing_answered:
            _fail(call, str(failure))
        elif failure.scope is Scope.PASSING:
            _ask_again(call, claimed, str(failure), retry_after=failure.retry_after)
        else:
            _release(call)
            judge.stopped = str(failure)
        _slow_down(judge, failure)


def stop(judge_id: int, reason: str) -> None:
    """Let nobody work on a judge's calls until somebody queues them again."""
    with _locked(judge_id) as judge:
        judge.stopped = reason
        judge.save()


# Recovering


def recover(judge_id: int) -> int:
    """Take back calls whose lease ran out; how many. What had been sent is unknown, maybe paid."""
    with _locked(judge_id) as judge:
        now = timezone.now()
        expired = judge.calls.filter(state=Call.State.RUNNING, lease_until__lte=now)
        lost = list(expired.select_for_update().values_list("id", flat=True))
        Attempt.objects.filter(call_id__in=lost, outcome=Attempt.Outcome.IN_FLIGHT).update(
            outcome=Attempt.Outcome.UNKNOWN,
            ended_at=now,
            error="its worker was lost before the answer was committed",
        )
        taken_back = judge.calls.filter(id__in=lost)
        taken_back.update(state=Call.State.WAITING, lease_token="", lease_until=None)
        # What is lost every time, because it ends its worker for instance, is not paid for ever.
        spent = taken_back.annotate(sent=Count("attempts")).filter(
            sent__gte=F("forgiven") + settings.JUDGE_MAX_ATTEMPTS
        )
        judge.calls.filter(id__in=list(spent.values_list("id", flat=True))).update(
            state=Call.State.FAILED,
            error=f"{settings.JUDGE_MAX_ATTEMPTS} attempts without a score; the last was lost "
            "with its worker",
        )
        return len(lost)


def judges_with_lost_calls() -> list[int]:
    """Judges with calls whose lease ran out."""
    lost = Call.objects.filter(
        judge=OuterRef("pk"), state=Call.State.RUNNING, lease_until__lte=timezone.now()
    )
    return list(Judge.objects.filter(Exists(lost)).values_list("id", flat=True))


def judges_to_wake() -> list[int]:
    """Judges that have calls due and nobody working on them."""
    now = timezone.now()
    calls = Call.objects.filter(judge=OuterRef("pk"))
    return list(
        Judge.objects.filter(
            Exists(_due(calls, now)),
            ~Exists(_live(calls, now)),
            Q(not_before=None) | Q(not_before__lte=now),
            stopped="",
        ).values_list("id", flat=True)
    )


def is_worked_on(judge_id: int) -> bool:
    """Whether any call of a judge is under a live lease."""
    return _live(Call.objects.filter(judge=judge_id), timezone.now()).exists()


def seconds_until_due(judge_id: int) -> float | None:
    """How long until a call may be asked; None where none is waiting, or the judge is stopped."""
    judge = Judge.objects.get(pk=judge_id)
    waiting = judge.calls.filter(state=Call.State.WAITING)
    first = waiting.order_by(F("not_before").asc(nulls_first=True)).first()
    if judge.stopped or first is None:
        return None
    now = timezone.now()
    return (max(first.not_before or now, judge.not_before or now, now) - now).total_seconds()


def _due(calls: QuerySet[Call], now: datetime) -> QuerySet[Call]:
    return calls.filter(Q(not_before=None) | Q(not_before__lte=now), state=Call.State.WAITING)


def _live(calls: QuerySet[Call], now: datetime) -> QuerySet[Call]:
    return calls.filter(state=Call.State.RUNNING, lease_until__gt=now)


def _end_of_lease(now: datetime) -> datetime:
    """Past the deadline of a request sent now, by the time there is to commit what came of it."""
    return now + timedelta(seconds=settings.JUDGE_TIMEOUT_SECONDS + settings.JUDGE_LEASE_SECONDS)


@contextmanager
def _locked(judge_id: int) -> Iterator[Judge]:
    with transaction.atomic():
        yield Judge.objects.select_for_update(of=("self",)).select_related("study").get(pk=judge_id)


@contextmanager
def _own(
    claimed: Claimed,
    outcome: str,
    *,
    reply: Reply | None = None,
    failure: ExchangeFailed | None = None,
    error: str = "",
) -> Iterator[tuple[Judge, Call | None]]:
    """Commit an attempt's outcome, then what the caller makes of its call and judge.

    The call is None when its lease was lost: then the attempt stays unknown, and the call
    belongs to another.
    """
    attempt = claimed.attempt
    with _locked(claimed.call.judge_id) as judge:
        call = judge.calls.filter(
            pk=attempt.call_id, state=Call.State.RUNNING, lease_token=attempt.request_id
        ).first()
        if call is None:
            logger.warning("%s: the lease was lost, its outcome (%s) is dropped", attempt, outcome)
            yield judge, None
            return
        attempt.outcome = outcome
        attempt.ended_at = timezone.now()
        attempt.error = _storable(error)
        if reply is not None:
            attempt.http_status = 200
            attempt.raw_text = _storable(reply.text)
            attempt.returned_model = _storable(reply.model)[:200]
            attempt.provenance = {
                name: _storable(value) if isinstance(value, str) else value
                for name, value in reply.provenance.items()
            }
        if failure is not None:
            attempt.http_status = failure.status
            attempt.raw_text = _storable(failure.body)
        attempt.save()
        call.lease_token, call.lease_until = "", None
        yield judge, call
        call.save()
        judge.save()


def _fail(call: Call, reason: str) -> None:
    call.state = Call.State.FAILED
    call.error = _storable(reason)


def _release(call: Call) -> None:
    call.state = Call.State.WAITING


def _ask_again(
    call: Call, claimed: Claimed, reason: str, *, retry_after: float | None = None
) -> None:
    """Put a call back with a wait, or fail it when it has had all its attempts."""
    tries = claimed.attempt.number - call.forgiven
    if tries >= settings.JUDGE_MAX_ATTEMPTS:
        _fail(call, f"given up after attempt {tries}: {reason}")
        return
    _release(call)
    call.not_before = _later(max(_backoff(tries), retry_after or 0))


def _slow_down(judge: Judge, failure: ExchangeFailed) -> None:
    """Leave an endpoint alone that asks for it or fails all our requests; in the end, stop."""
    rounds = judge.failures_in_a_row // settings.JUDGE_CONCURRENCY
    waits = [failure.retry_after] if failure.retry_after is not None else []
    if rounds and failure.scope is Scope.PASSING:
        waits.append(_backoff(rounds))
    if waits:
        until = _later(max(waits))
        judge.not_before = max(judge.not_before or until, until)
    if rounds >= settings.JUDGE_MAX_ATTEMPTS and not judge.stopped:
        judge.stopped = f"{judge.failures_in_a_row} failures in a row; the last: {failure}"


def _backoff(tries: int) -> float:
    """Seconds to wait after `tries` failures: doubling, with jitter, up to a longest wait."""
    longest = min(settings.JUDGE_BACKOFF_SECONDS * 2.0 ** (tries - 1), LONGEST_BACKOFF_SECONDS)
    return longest * random.uniform(0.5, 1.0)  # noqa: S311  jitter is no secret


def _later(seconds: float) -> datetime:
    return timezone.now() + timedelta(seconds=min(seconds, LONGEST_WAIT_SECONDS))


def _storable(text: str) -> str:
    """`text` as every database takes it: no NUL, no half characters, not endless."""
    text = text[:STORED_CHARACTERS].replace("\x00", "\ufffd")
    return text.encode("utf-8", "replace").decode()
