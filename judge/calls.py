"""The queue of judge calls: which are due, who makes them, and their outcomes.

Every step is one short transaction under a lock on the endpoint's row. So all workers and judges
share its limit, and a dead worker leaves a record of exactly what it sent. The database counts
requests in flight, even with Redis: it counts the rows that record them, so a killed worker or an
emptied Redis cannot make the count wrong. A RUNNING call belongs to the attempt of its lease token;
an outcome counts only while it does. Failures of an endpoint first slow down the whole judge, then
stop it.
"""

import logging
import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import product

from django.conf import settings
from django.utils import timezone

from judge.attempts import Asked, Claimed, begin
from judge.definition import JudgeConfiguration
from judge.endpoints import check_endpoint, endpoint_here
from judge.exchange import ExchangeFailed, Reply, Scope
from judge.leases import due, gold_comes_first, is_worked_on, live_at, locked, waits
from judge.models import Attempt, Call, Judge, Score, StructuredOutput
from judge.parsing import Scored
from judge.probing import forget_support, next_probe, note_support, structured_output
from judge.queries import asked_calls, scoring_calls
from judge.questions import ABOUT, tokens_of
from judge.spending import cost_of, expected_cost, why_no_more
from judge.storable import storable

logger = logging.getLogger(__name__)

LONGEST_BACKOFF_SECONDS = 60.0
#: The longest wait that an endpoint can ask for, if longer than our own backoff.
LONGEST_WAIT_SECONDS = 3600.0
#: Statuses of an endpoint for a request with a feature that it lacks.
REFUSALS_OF_A_SCHEMA = {400, 404, 415, 422, 501}
Support = StructuredOutput.Support


# Working


def claim(judge_id: int) -> Claimed | None:
    """Lease the next call that is due, with its attempt, if the limits allow one more.

    One at a time, so that workers share an endpoint. The request is built before the commit: if
    that fails, nothing is leased. Raises JudgeNotReady.
    """
    with locked(judge_id) as judge:
        now = timezone.now()
        if judge.stopped or waits(judge, now) or gold_comes_first(judge):
            return None
        configuration = judge.read_configuration()
        here = check_endpoint(configuration)
        if live_at(judge.endpoint, now).count() >= here.concurrency:
            return None
        support = structured_output(judge)
        if support is None:
            call = next_probe(judge, now)
        elif configuration.asks_in_batches:
            return None  # see judge.batches
        else:
            waiting = due(asked_calls(judge), now).order_by("id")
            call = waiting.select_related(*ABOUT).first()
        if call is None:
            return None
        return _lease(judge, call, configuration, structured=support == Support.ENFORCED)


def _lease(
    judge: Judge, call: Call, configuration: JudgeConfiguration, *, structured: bool
) -> Claimed | None:
    """Commit the attempt for a call; stop the judge at the end of the budget."""
    expected = expected_cost(judge, configuration, tokens_of(call, configuration))
    budget = judge.study.judging.read_definition().budget
    if budget.money is not None and expected is None and is_worked_on(judge.pk):
        return None  # the cost of a call is unknown: the one in flight will show it
    if reason := why_no_more(judge, budget, expected=expected):
        judge.stopped = reason
        judge.save(update_fields=["stopped"])
        return None
    return begin(call, configuration, structured=structured, expected=expected)


def record_scores(asked: Asked, reply: Reply, scored: Sequence[Scored]) -> None:
    """Commit an answer: a score for each response that was shown, on each dimension in turn."""
    with _own(asked, Attempt.Outcome.ANSWERED, reply=reply) as (judge, call):
        if call is None:
            return
        about = product(asked.responses, asked.dimensions)
        Score.objects.bulk_create(
            Score(
                call=call,
                response_id=response,
                dimension="" if call.dimension else dimension,
                value=each.score,
                reason=storable(each.reason),
            )
            for (response, dimension), each in zip(about, scored, strict=True)
        )
        _answered(judge, call)


def record_probe(asked: Asked, reply: Reply, *, keeps: bool) -> None:
    """Commit whether an endpoint `keeps` its answers to the probe's schema."""
    support = Support.ENFORCED if keeps else Support.IGNORED
    with _own(asked, Attempt.Outcome.ANSWERED, reply=reply) as (judge, call):
        if call is None:
            return
        note_support(judge, support, reply.text)
        _answered(judge, call)


def record_unusable(asked: Asked, reply: Reply, reason: str) -> None:
    """Commit an answer without a usable score. The judge is asked once to repair it; after that the
    score is missing.
    """
    with _own(asked, Attempt.Outcome.UNUSABLE, reply=reply, error=reason) as (judge, call):
        if call is None:
            return
        judge.failures_in_a_row = 0
        if asked.attempt.is_repair:
            _fail(call, f"no usable score, also after one repair: {reason}")
        else:
            _ask_again(call, asked, reason, at_once=True)


def record_failure(asked: Asked, failure: ExchangeFailed) -> None:
    """Commit that no completion was received; ask again later, give up, or stop the judge."""
    with _own(asked, failure.outcome, error=str(failure), failure=failure) as (judge, call):
        if call is None:
            return
        if call.is_probe and failure.status in REFUSALS_OF_A_SCHEMA:
            note_support(judge, Support.REFUSED, str(failure))
            _answered(judge, call)
            return
        if _may_be_the_schema(asked, failure) and not _has_answers(judge):
            # The endpoint accepted the probe's schema, but not this longer one.
            note_support(judge, Support.REFUSED, str(failure))
            _release(call)
            return
        in_batch = asked.attempt.batch_id is not None
        judge.failures_in_a_row += 0 if in_batch else 1
        if failure.scope is Scope.REQUEST and _is_only_this_one(judge, call, failure):
            _fail(call, str(failure))
        elif failure.scope is Scope.TEMPORARY:
            wait = failure.retry_after
            _ask_again(call, asked, str(failure), retry_after=wait, at_once=in_batch)
            if call.is_probe and call.state == Call.State.FAILED:
                note_support(judge, Support.UNKNOWN, str(failure))
        else:
            _release(call)
            _stop(judge, str(failure))
        if not in_batch:
            _slow_down(judge, failure)


def record_failed_batch(judge_id: int, failure: ExchangeFailed) -> None:
    """Slow down, or finally stop, a judge whose whole batch had no answer: as if as many requests
    had failed as its endpoint answers at a time.
    """
    with locked(judge_id) as judge:
        judge.failures_in_a_row += _concurrency(judge)
        _slow_down(judge, failure)
        _save_pace(judge)


def most_attempts() -> int:
    """Requests before a call, or a batch that can't be sent, is given up."""
    return settings.JUDGE_MAX_ATTEMPTS


def stop(judge_id: int, reason: str) -> None:
    """Stop a judge: its calls wait until they are queued again."""
    with locked(judge_id) as judge:
        _stop(judge, reason)
        judge.save(update_fields=["stopped"])


def _may_be_the_schema(asked: Asked, failure: ExchangeFailed) -> bool:
    return "response_format" in asked.attempt.request and failure.status in REFUSALS_OF_A_SCHEMA - {
        404
    }


def _has_answers(judge: Judge) -> bool:
    return scoring_calls(judge).filter(state=Call.State.ANSWERED).exists()


def _is_only_this_one(judge: Judge, call: Call, failure: ExchangeFailed) -> bool:
    """Whether an endpoint that refuses this call accepts others: it did before, or the call was
    refused before and a person has restarted the stopped judge.
    """
    same = call.attempts.filter(number__gt=call.forgiven, http_status=failure.status)
    return _has_answers(judge) or same.count() > 1


def _answered(judge: Judge, call: Call) -> None:
    judge.failures_in_a_row = 0
    call.state = Call.State.ANSWERED
    call.answered_at = timezone.now()


def _stop(judge: Judge, reason: str) -> None:
    judge.stopped = storable(reason)
    forget_support(judge)


@contextmanager
def _own(
    asked: Asked,
    outcome: str,
    *,
    reply: Reply | None = None,
    failure: ExchangeFailed | None = None,
    error: str = "",
) -> Iterator[tuple[Judge, Call | None]]:
    """Commit an attempt's outcome, then the caller's changes to its call and judge.

    The call is None if its lease was lost: then the attempt stays unknown, and the call belongs to
    another attempt.
    """
    attempt = asked.attempt
    with locked(asked.call.judge_id) as judge:
        call = judge.calls.filter(
            pk=attempt.call_id, state=Call.State.RUNNING, lease_token=attempt.request_id
        ).first()
        if call is None:
            logger.warning("%s: the lease was lost, its outcome (%s) is dropped", attempt, outcome)
            yield judge, None
            return
        attempt.outcome = outcome
        attempt.ended_at = timezone.now()
        attempt.error = storable(error)
        if reply is not None:
            _keep_reply(attempt, reply, asked.configuration)
        if failure is not None:
            attempt.http_status = failure.status
            attempt.raw_text = storable(failure.body)
            if failure.outcome not in Attempt.POSSIBLY_PAID:
                attempt.cost, attempt.cost_is_estimate = Decimal(0), False
        attempt.save()
        call.lease_token, call.lease_until = "", None
        before = _pace(judge)
        yield judge, call
        call.save()
        if _pace(judge) != before:
            _save_pace(judge)


def _save_pace(judge: Judge) -> None:
    judge.save(update_fields=["stopped", "not_before", "failures_in_a_row"])
    judge.endpoint.save(update_fields=["not_before"])


def _pace(judge: Judge) -> tuple[object, ...]:
    """The fields of a judge that an outcome can change; an answer after an answer changes none."""
    return judge.stopped, judge.not_before, judge.failures_in_a_row, judge.endpoint.not_before


def _keep_reply(attempt: Attempt, reply: Reply, configuration: JudgeConfiguration) -> None:
    attempt.http_status = 200
    attempt.raw_text = storable(reply.text)
    attempt.returned_model = storable(reply.model)[:200]
    attempt.cost, attempt.cost_is_estimate = cost_of(reply, configuration.price)
    attempt.provenance = {
        name: storable(value) if isinstance(value, str) else value
        for name, value in reply.provenance.items()
    }
    if attempt.batch is not None:
        attempt.provenance["batch"] = attempt.batch.remote_id


def _fail(call: Call, reason: str) -> None:
    call.state = Call.State.FAILED
    call.error = storable(reason)


def _release(call: Call) -> None:
    call.state = Call.State.WAITING


def _ask_again(
    call: Call,
    asked: Asked,
    reason: str,
    *,
    retry_after: float | None = None,
    at_once: bool = False,
) -> None:
    """Put a call back, with or without a wait, or fail it after its last attempt."""
    tries = asked.attempt.number - call.forgiven
    if tries >= settings.JUDGE_MAX_ATTEMPTS:
        _fail(call, f"given up after attempt {tries}: {reason}")
        return
    _release(call)
    call.not_before = None if at_once else later(max(backoff_seconds(tries), retry_after or 0))


def _slow_down(judge: Judge, failure: ExchangeFailed) -> None:
    """Pause an endpoint that asks for it, and a judge whose requests all fail; finally stop the
    judge.
    """
    if failure.retry_after is not None:
        judge.endpoint.not_before = _latest(judge.endpoint.not_before, later(failure.retry_after))
    rounds = judge.failures_in_a_row // _concurrency(judge)
    if rounds and failure.scope is Scope.TEMPORARY:
        judge.not_before = _latest(judge.not_before, later(backoff_seconds(rounds)))
    if rounds >= settings.JUDGE_MAX_ATTEMPTS and not judge.stopped:
        _stop(judge, f"{judge.failures_in_a_row} failures in a row; the last: {failure}")


def _concurrency(judge: Judge) -> int:
    return endpoint_here(judge.read_configuration().endpoint).concurrency


def _latest(*times: datetime | None) -> datetime | None:
    return max((at for at in times if at is not None), default=None)


def backoff_seconds(tries: int) -> float:
    """Seconds to wait after `tries` failures: doubling, with jitter, up to a longest wait."""
    longest = min(settings.JUDGE_BACKOFF_SECONDS * 2.0 ** (tries - 1), LONGEST_BACKOFF_SECONDS)
    return longest * random.uniform(0.5, 1.0)  # noqa: S311  jitter is no secret


def later(seconds: float) -> datetime:
    """When a wait is over."""
    return timezone.now() + timedelta(seconds=min(seconds, LONGEST_WAIT_SECONDS))
