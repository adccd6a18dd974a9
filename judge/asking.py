"""What becomes of calls: those of judges here, and those of other askers in apps above.

A RUNNING call belongs to the attempt of its lease token; an outcome counts only while it does.
Callers hold the lock on the asker's endpoint.
"""

import logging
import random
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, TypeVar

from django.conf import settings
from django.db.models import (
    Count,
    Exists,
    F,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
)
from django.db.models.functions import Coalesce
from django.utils import timezone

from jobs import leases
from judge.completions import Ended
from judge.exchange import ExchangeFailed, Reply, Scope
from judge.models import Asker, Endpoint, QueuedCall, SentAttempt
from judge.money import Price
from judge.spending import cost_of
from survey.storable import storable

logger = logging.getLogger(__name__)

#: The number of sweeps before a woken asker is woken again.
WOKEN_SWEEPS = 4
LONGEST_BACKOFF_SECONDS = 60.0
#: The longest wait that an endpoint can ask for, if longer than our own backoff.
LONGEST_WAIT_SECONDS = 3600.0

State = QueuedCall.State
Outcome = SentAttempt.Outcome
#: Asking again would probably end the same way, so only `--retry` or *Retry* does.
INCOMPLETE = (Outcome.REFUSED, Outcome.FILTERED, Outcome.CUT_OFF)
SomeCall = TypeVar("SomeCall", bound=QueuedCall)
SomeAsker = TypeVar("SomeAsker", bound=Asker)


# Which calls may be asked


def due(calls: QuerySet[SomeCall], now: datetime) -> QuerySet[SomeCall]:
    """Those of `calls` that may be asked now."""
    return calls.filter(Q(not_before=None) | Q(not_before__lte=now), state=State.WAITING)


def live(calls: QuerySet[SomeCall], now: datetime) -> QuerySet[SomeCall]:
    """Those of `calls` that a worker asks now."""
    return calls.filter(state=State.RUNNING, lease_until__gt=now)


def in_flight_at(endpoint: Endpoint, now: datetime | None = None) -> int:
    """The number of calls in flight at an endpoint, of all askers."""
    now = now or timezone.now()
    return sum(
        live(kind.objects.filter(**{f"{kind.ASKER}__endpoint": endpoint}), now).count()
        for kind in QueuedCall.kinds()
    )


def waits(asker: Any, now: datetime) -> bool:
    """Whether an asker, or its endpoint, must pause."""
    return any(at is not None and at > now for at in (asker.not_before, asker.endpoint.not_before))


def to_wake(askers: QuerySet[SomeAsker], calls: QuerySet[Any], now: datetime) -> Any:
    """Those of `askers` that may ask now, have one of their `calls` due, and no worker. `calls` are
    those of an outer asker.

    Askers that were woken recently and not taken up yet are excluded: their message is still
    waiting.
    """
    return askers.filter(
        is_forgotten(now),
        Q(not_before=None) | Q(not_before__lte=now),
        Q(endpoint__not_before=None) | Q(endpoint__not_before__lte=now),
        Exists(due(calls, now)),
        ~Exists(live(calls, now)),
        stopped="",
    )


def is_forgotten(now: datetime) -> Q:
    """Askers without a message that still waits: it may have been lost."""
    lately = now - WOKEN_SWEEPS * timedelta(seconds=settings.SWEEP_SECONDS)
    return Q(woken_at=None) | Q(woken_at__lte=lately)


def is_refused_alone(call: Any, failure: ExchangeFailed, *, has_answers: bool) -> bool:
    """Whether an endpoint that refuses this call accepts others: it did before, or the call was
    refused before and a person has restarted its asker.
    """
    same = call.attempts.filter(number__gt=call.forgiven, http_status=failure.status)
    return has_answers or same.count() > 1


def seconds_until(now: datetime, *times: datetime | None) -> float:
    """Seconds until the last of these times; 0 if all are past."""
    return (max(at for at in (*times, now) if at is not None) - now).total_seconds()


def end_of_lease(now: datetime) -> datetime:
    """When a call is given to another worker, unless its own has renewed the lease by then."""
    return leases.end_of_lease(now, settings.JUDGE_LEASE_SECONDS)


def renew(calls: QuerySet[SomeCall], tokens: Iterable[str]) -> None:
    """The heartbeat of a worker that waits for the answers to the calls with these lease tokens."""
    own = calls.filter(state=State.RUNNING, lease_token__in=list(tokens))
    own.update(lease_until=end_of_lease(timezone.now()))


def take_back(
    calls: QuerySet[SomeCall], attempts: QuerySet[Any], *, missing: str
) -> QuerySet[SomeCall]:
    """Take back those of `calls` whose lease expired, and return them. Their requests, among
    `attempts`, are unknown and possibly billed. A call that is lost every time fails: a score, or
    what else was asked for, is `missing` then.
    """
    now = timezone.now()
    expired = calls.filter(state=State.RUNNING, lease_until__lte=now)
    lost = list(expired.select_for_update().values_list("id", flat=True))
    attempts.filter(call_id__in=lost, outcome=Outcome.IN_FLIGHT).update(
        outcome=Outcome.UNKNOWN,
        ended_at=now,
        error="its worker was lost before the answer was committed",
    )
    taken_back = calls.filter(id__in=lost)
    taken_back.update(state=State.WAITING, lease_token="", lease_until=None)
    # A call that is lost every time, for example because it kills its worker, is not paid for
    # ever.
    spent = taken_back.annotate(sent=Count("attempts")).filter(
        sent__gte=F("forgiven") + settings.JUDGE_MAX_ATTEMPTS
    )
    calls.filter(id__in=list(spent.values_list("id", flat=True))).update(
        state=State.FAILED,
        error=f"{settings.JUDGE_MAX_ATTEMPTS} attempts without a {missing}; the last was lost "
        "with its worker",
    )
    return taken_back


def _with_last_outcome(calls: QuerySet[SomeCall]) -> QuerySet[Any]:
    """`calls`, each with the outcome of its last attempt as `last_outcome`."""
    attempts: Any = calls.model._meta.get_field("attempts").related_model
    last = attempts.objects.filter(call=OuterRef("pk")).order_by("-number").values("outcome")[:1]
    return calls.annotate(last_outcome=Coalesce(Subquery(last), Value("")))


def ended_incomplete(calls: QuerySet[SomeCall]) -> dict[str, int]:
    """How many of `calls` failed because the answer was refused, filtered or cut off, by outcome:
    only a person has these asked again.
    """
    failed = _with_last_outcome(calls.filter(state=State.FAILED)).order_by()
    counted = failed.values_list("last_outcome").annotate(n=Count("id"))
    counts = dict(counted.values_list("last_outcome", "n"))
    return {outcome.value: counts[outcome] for outcome in INCOMPLETE if outcome in counts}


def without_incomplete(calls: QuerySet[SomeCall]) -> QuerySet[Any]:
    """`calls` without those that `ended_incomplete` counts."""
    return _with_last_outcome(calls).exclude(state=State.FAILED, last_outcome__in=INCOMPLETE)


def outcomes_in_words(incomplete: Mapping[str, int]) -> str:
    """Calls that ended incomplete, for people: `6 refused, 16 cut off`."""
    return ", ".join(f"{n} {Ended(outcome).in_words}" for outcome, n in incomplete.items())


def request_again(asker: Any, failed: QuerySet[Any]) -> None:
    """Queue failed calls of an asker again from the start, and restart it."""
    attempts = failed.model._meta.get_field("attempts").related_model
    sent = attempts.objects.filter(call=OuterRef("pk")).order_by().values("call")
    failed.update(
        state=State.WAITING,
        forgiven=Coalesce(
            Subquery(sent.annotate(n=Count("id")).values("n"), output_field=IntegerField()), 0
        ),
        not_before=None,
        error="",
    )
    asker.stopped, asker.not_before, asker.failures_in_a_row = "", None, 0
    asker.endpoint.not_before = None
    save_pace(asker)


# Outcomes


@contextmanager
def own(
    locked: AbstractContextManager[SomeAsker],
    attempt: Any,
    outcome: str,
    *,
    price: Price | None = None,
    reply: Reply | None = None,
    failure: ExchangeFailed | None = None,
    error: str = "",
    provenance: dict[str, Any] | None = None,
) -> Iterator[tuple[SomeAsker, Any]]:
    """Commit an attempt's outcome, then the caller's changes to its call and asker, which `locked`
    gives.

    The call is None if its lease was lost: then the attempt stays unknown, and the call belongs to
    another attempt.
    """
    with locked as asker:
        calls: Any = asker.calls
        call = calls.filter(
            pk=attempt.call_id, state=State.RUNNING, lease_token=attempt.request_id
        ).first()
        if call is None:
            logger.warning("%s: the lease was lost, its outcome (%s) is dropped", attempt, outcome)
            yield asker, None
            return
        attempt.outcome = outcome
        attempt.ended_at = timezone.now()
        attempt.error = storable(error)
        if reply is not None:
            _keep_reply(attempt, reply, price)
            attempt.provenance |= provenance or {}
        if failure is not None:
            attempt.http_status = failure.status
            attempt.raw_text = storable(failure.body)
            if failure.outcome not in SentAttempt.POSSIBLY_PAID:
                attempt.cost, attempt.cost_is_estimate = Decimal(0), False
        attempt.save()
        call.lease_token, call.lease_until = "", None
        before = _pace(asker)
        yield asker, call
        call.save()
        if _pace(asker) != before:
            save_pace(asker)


def save_pace(asker: Any) -> None:
    """Store the fields of an asker and its endpoint that an outcome can change."""
    asker.save(update_fields=["stopped", "not_before", "failures_in_a_row"])
    asker.endpoint.save(update_fields=["not_before"])


def _pace(asker: Any) -> tuple[object, ...]:
    """The fields that an outcome can change; an answer after an answer changes none."""
    return asker.stopped, asker.not_before, asker.failures_in_a_row, asker.endpoint.not_before


def _keep_reply(attempt: Any, reply: Reply, price: Price | None) -> None:
    attempt.http_status = 200
    attempt.raw_text = storable(reply.text)
    attempt.thinking = storable(reply.said.thinking)
    attempt.returned_model = storable(reply.model)[:200]
    attempt.cost, attempt.cost_is_estimate = cost_of(reply, price)
    attempt.provenance = {
        name: storable(value) if isinstance(value, str) else value
        for name, value in reply.provenance.items()
    }


def answered(asker: Asker, call: QueuedCall) -> None:
    """The call has what was asked."""
    asker.failures_in_a_row = 0
    call.state = State.ANSWERED
    call.answered_at = timezone.now()


def fail(call: QueuedCall, reason: str) -> None:
    """Give a call up."""
    call.state = State.FAILED
    call.error = storable(reason)


def release(call: QueuedCall) -> None:
    """Put a call back as if it had not been asked."""
    call.state = State.WAITING


def ask_again(
    call: QueuedCall,
    attempt: SentAttempt,
    reason: str,
    *,
    retry_after: float | None = None,
    at_once: bool = False,
) -> None:
    """Put a call back after an `attempt`, with or without a wait, or fail it after its last one."""
    tries = attempt.number - call.forgiven
    if tries >= settings.JUDGE_MAX_ATTEMPTS:
        fail(call, f"given up after attempt {tries}: {reason}")
        return
    release(call)
    call.not_before = None if at_once else later(max(backoff_seconds(tries), retry_after or 0))


def slow_down(asker: Any, failure: ExchangeFailed, *, concurrency: int) -> str:
    """Pause an endpoint that asks for it, and an asker whose requests all fail. Returns why the
    asker is to be stopped, if it is.
    """
    if failure.retry_after is not None:
        asker.endpoint.not_before = _latest(asker.endpoint.not_before, later(failure.retry_after))
    rounds = asker.failures_in_a_row // concurrency
    if rounds and failure.scope is Scope.TEMPORARY:
        asker.not_before = _latest(asker.not_before, later(backoff_seconds(rounds)))
    if rounds >= settings.JUDGE_MAX_ATTEMPTS and not asker.stopped:
        return f"{asker.failures_in_a_row} failures in a row; the last: {failure}"
    return ""


def _latest(*times: datetime | None) -> datetime | None:
    return max((at for at in times if at is not None), default=None)


def backoff_seconds(tries: int) -> float:
    """Seconds to wait after `tries` failures: doubling, with jitter, up to a longest wait."""
    longest = min(settings.JUDGE_BACKOFF_SECONDS * 2.0 ** (tries - 1), LONGEST_BACKOFF_SECONDS)
    return longest * random.uniform(0.5, 1.0)  # noqa: S311  jitter is no secret


def later(seconds: float) -> datetime:
    """When a wait is over."""
    return timezone.now() + timedelta(seconds=min(seconds, LONGEST_WAIT_SECONDS))
