"""The queue of judge calls: which are due, who makes them, and their outcomes.

Every step is one short transaction under a lock on the endpoint's row. So all workers and judges
share its limit, and a dead worker leaves a record of exactly what it sent. The database counts
requests in flight, even with Redis: it counts the rows that record them, so a killed worker or an
emptied Redis cannot make the count wrong. Failures of an endpoint first slow down the whole judge,
then stop it.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import product

from django.conf import settings
from django.utils import timezone

from judge.asking import (
    answered,
    ask_again,
    due,
    fail,
    in_flight_at,
    is_refused_alone,
    own,
    release,
    save_pace,
    slow_down,
    waits,
)
from judge.attempts import Asked, Claimed, begin
from judge.configuration import JudgeConfiguration
from judge.endpoint_traits import note_trait, traits_at
from judge.endpoints import (
    EndpointHere,
    check_endpoint,
    concurrency_at,
    endpoint_if_set_up,
    endpoint_of,
)
from judge.exchange import ExchangeFailed, Reply, Scope
from judge.leases import gold_comes_first, is_worked_on, locked
from judge.models import Attempt, Call, Judge, Score, StructuredOutput
from judge.parsing import Scored
from judge.probing import forget_support, next_probe, note_support, structured_output
from judge.queries import asked_calls, scoring_calls
from judge.questions import ABOUT, tokens_of
from judge.spending import expected_cost, why_no_more
from survey.storable import storable

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
        if in_flight_at(judge.endpoint, now) >= here.concurrency:
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
        structured = support == Support.ENFORCED
        return _lease(judge, call, configuration, here, structured=structured)


def _lease(
    judge: Judge,
    call: Call,
    configuration: JudgeConfiguration,
    here: EndpointHere,
    *,
    structured: bool,
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
    traits = traits_at(judge.endpoint, judge.model, here)
    return begin(call, configuration, structured=structured, traits=traits, expected=expected)


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
        answered(judge, call)


def record_probe(asked: Asked, reply: Reply, *, keeps: bool) -> None:
    """Commit whether an endpoint `keeps` its answers to the probe's schema."""
    support = Support.ENFORCED if keeps else Support.IGNORED
    with _own(asked, Attempt.Outcome.ANSWERED, reply=reply) as (judge, call):
        if call is None:
            return
        note_support(judge, support, reply.text)
        answered(judge, call)


def record_unusable(asked: Asked, reply: Reply, reason: str) -> None:
    """Commit an answer without a usable score. The judge is asked once to repair it; after that the
    score is missing.
    """
    with _own(asked, Attempt.Outcome.UNUSABLE, reply=reply, error=reason) as (judge, call):
        if call is None:
            return
        judge.failures_in_a_row = 0
        if asked.attempt.is_repair:
            fail(call, f"no usable score, also after one repair: {reason}")
        else:
            ask_again(call, asked.attempt, reason, at_once=True)


def record_incomplete(asked: Asked, reply: Reply, reason: str) -> None:
    """Commit an answer that was cut off, filtered or refused. The same question would end in the
    same way, so it is not asked again by itself: its score is missing.
    """
    with _own(asked, reply.said.ended, reply=reply, error=reason) as (judge, call):
        if call is not None:
            judge.failures_in_a_row = 0
            fail(call, reason)


def record_failure(asked: Asked, failure: ExchangeFailed) -> None:
    """Commit that no completion was received; ask again later, give up, or stop the judge."""
    with _own(asked, failure.outcome, error=str(failure), failure=failure) as (judge, call):
        if call is None:
            return
        here = _endpoint_of(asked.configuration)
        if note_trait(judge.endpoint, judge.model, here, failure, asked.attempt.request):
            release(call)
            return
        if call.is_probe and failure.status in REFUSALS_OF_A_SCHEMA:
            note_support(judge, Support.REFUSED, str(failure))
            answered(judge, call)
            return
        if failure.outcome == Attempt.Outcome.FILTERED:
            fail(call, str(failure))
            return
        if _may_be_the_schema(asked, failure) and not _has_answers(judge):
            # The endpoint accepted the probe's schema, but not this longer one.
            note_support(judge, Support.REFUSED, str(failure))
            release(call)
            return
        in_batch = asked.attempt.batch_id is not None
        judge.failures_in_a_row += 0 if in_batch else 1
        if failure.scope is Scope.REQUEST and is_refused_alone(
            call, failure, has_answers=_has_answers(judge)
        ):
            fail(call, str(failure))
        elif failure.scope is Scope.TEMPORARY:
            wait = failure.retry_after
            ask_again(call, asked.attempt, str(failure), retry_after=wait, at_once=in_batch)
            if call.is_probe and call.state == Call.State.FAILED:
                note_support(judge, Support.UNKNOWN, str(failure))
        else:
            release(call)
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
        save_pace(judge)


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
    """Commit an attempt's outcome, then the caller's changes to its call and judge (see
    `judge.asking.own`).
    """
    batch = asked.attempt.batch
    with own(
        locked(asked.call.judge_id),
        asked.attempt,
        outcome,
        price=asked.configuration.price,
        reply=reply,
        failure=failure,
        error=error,
        provenance={"batch": batch.remote_id} if batch else None,
    ) as (judge, call):
        yield judge, call


def _slow_down(judge: Judge, failure: ExchangeFailed) -> None:
    """Pause or stop a judge and its endpoint as their failures say."""
    if reason := slow_down(judge, failure, concurrency=_concurrency(judge)):
        _stop(judge, reason)


def _concurrency(judge: Judge) -> int:
    return concurrency_at(_endpoint_of(judge.read_configuration()))


def _endpoint_of(configuration: JudgeConfiguration) -> EndpointHere | None:
    return endpoint_if_set_up(lambda: endpoint_of(configuration))
