"""Calls that are asked in batches: which are in one, and how far it is.

A batch goes through its states in order, and every step is committed before the next request is
sent. So a worker can be lost at any moment, and the next one goes on:

- while a batch is filled, nothing has been sent; attempts are committed as for single requests;
- once its file has an id, the batch may exist at the endpoint: it is searched for before it is
  created (again);
- once it has an id of its own, it is asked about until it is over, and its answers are recorded one
  by one. Those that are recorded already are skipped.
"""

import json
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime

from django.conf import settings
from django.utils import timezone

from jobs.leases import end_of_lease
from judge.asking import backoff_seconds, due, later, waits
from judge.attempts import Asked, asked, begin, request_of
from judge.batch_client import URL
from judge.calls import record_failed_batch, record_failure
from judge.configuration import JudgeConfiguration
from judge.endpoint_traits import traits_at, was_found_since
from judge.endpoints import endpoint_of
from judge.exchange import ExchangeFailed
from judge.leases import due_batches, gold_comes_first, locked, open_batches
from judge.models import Attempt, Batch, Call, Judge
from judge.probing import Support, structured_output
from judge.queries import scoring_calls, wanted_calls
from judge.questions import ABOUT, tokens_of
from judge.spending import expected_cost, why_no_more
from survey.storable import storable

State = Batch.State
Outcome = Attempt.Outcome
#: The calls of one batch. Endpoints allow more; this keeps files small.
LARGEST = 1000
#: The calls of a first batch that a budget in money limits: they show what the others will cost.
FIRST = 20
#: The calls that are leased in one transaction.
AT_ONCE = 25
#: How long to wait between two questions about a batch, as a share of its age, and at most.
SHARE_OF_AGE, LONGEST_PAUSE_SECONDS = 0.1, 60.0


class BatchLost(Exception):
    """Another worker has the batch now: this one was too slow."""


def take(judge_id: int) -> Batch | None:
    """Lease a batch of a judge to this worker: one that is due, or else a new one, if there are
    calls for it.
    """
    with locked(judge_id) as judge:
        now = timezone.now()
        batch = due_batches(now).filter(judge=judge).order_by("id").first()
        if batch is None:
            if not _may_begin(judge, now):
                return None
            batch = Batch(judge=judge, key=uuid.uuid4().hex)
        batch.lease_token = uuid.uuid4().hex
        _renew(batch)
        batch.save()
        return batch


def seconds_until_due(judge_id: int) -> float | None:
    """The time until one of a judge's batches is asked about, or a new one begins; None if there is
    nothing to wait for, or another worker has its batches.
    """
    now = timezone.now()
    judge = Judge.objects.select_related("study__judging", "endpoint").get(pk=judge_id)
    begun = list(open_batches(judge))
    free = [one for one in begun if one.lease_until is None or one.lease_until <= now]
    times = [[one.not_before, now] for one in free]
    if not begun and _may_begin(judge, now, waited=True):
        times = [[judge.not_before, judge.endpoint.not_before, now]]
    soonest = min((max(at for at in each if at is not None) for each in times), default=None)
    return (soonest - now).total_seconds() if soonest else None


def renew(batch: Batch) -> None:
    """Keep a batch for another while. Raises BatchLost."""
    with _own(batch):
        pass


def release(batch: Batch) -> None:
    """Leave a batch to the next worker."""
    Batch.objects.filter(pk=batch.pk, lease_token=batch.lease_token).update(
        lease_until=None, lease_token=""
    )


# Filling and sending


def fill(batch: Batch) -> bool:
    """Lease calls to a batch, until none is due, it is full or the budget ends. False if it has
    none, and is gone.
    """
    more = True
    while more:
        with _own(batch) as judge:
            more = _fill_some(judge, batch)
    with _own(batch):
        if not batch.attempts.exists():
            batch.delete()
            return False
        batch.state = State.SENDING
    return True


def _may_begin(judge: Judge, now: datetime, *, waited: bool = False) -> bool:
    """Whether calls wait for a new batch, now or (`waited`) after a wait that the endpoint needs.
    While another one runs, only enough for a whole one.
    """
    if judge.stopped or not judge.read_configuration().asks_in_batches:
        return False
    if waits(judge, now) and not waited:
        return False
    if structured_output(judge) is None or gold_comes_first(judge):
        return False
    waiting = due(wanted_calls(judge), now).count()
    is_whole = waiting >= LARGEST == _size(judge)
    return waiting > 0 and (is_whole or not open_batches(judge).exists())


def _size(judge: Judge) -> int:
    budget = judge.study.judging.read_definition().budget
    answered = scoring_calls(judge).filter(state=Call.State.ANSWERED)
    return FIRST if budget.money is not None and not answered.exists() else LARGEST


def _fill_some(judge: Judge, batch: Batch) -> bool:
    """Lease some calls to a batch; whether there may be more for it. Stops the judge if the budget
    allows none at all.
    """
    if judge.stopped:
        return False
    configuration = judge.read_configuration()
    structured = structured_output(judge) == Support.ENFORCED
    budget = judge.study.judging.read_definition().budget
    traits = traits_at(judge.endpoint, judge.model, endpoint_of(configuration))
    held = batch.attempts.count()
    room = min(AT_ONCE, _size(judge) - held)
    waiting = due(wanted_calls(judge), timezone.now()).order_by("id").select_related(*ABOUT)
    calls = list(waiting[:room])
    for call in calls:
        expected = expected_cost(judge, configuration, tokens_of(call, configuration))
        if reason := why_no_more(judge, budget, expected=expected):
            if not open_batches(judge).filter(attempts__isnull=False).exists():
                judge.stopped = reason
                judge.save(update_fields=["stopped"])
            return False
        begin(
            call,
            configuration,
            structured=structured,
            traits=traits,
            expected=expected,
            batch=batch,
        )
    return len(calls) == AT_ONCE


def lines_of(batch: Batch) -> bytes:
    """The file of a batch: a request a line, as JSON."""
    configuration = batch.judge.read_configuration()
    lines = (
        {
            "custom_id": attempt.request_id,
            "method": "POST",
            "url": URL,
            "body": request_of(attempt, configuration).body(),
        }
        for attempt in _in_flight(batch)
    )
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


def note_file(batch: Batch, input_file: str) -> None:
    """Commit that the endpoint has the file: from now on it may have the batch."""
    with _own(batch):
        batch.input_file = storable(input_file)[:200]


def note_running(batch: Batch, remote_id: str, said: str) -> None:
    """Commit that the endpoint has the batch."""
    with _own(batch):
        batch.state, batch.remote_id = State.RUNNING, storable(remote_id)[:200]
        batch.sent_at = timezone.now()
    wait(batch, said)


# Waiting and ending


def wait(batch: Batch, said: str) -> None:
    """Leave a batch alone for a while: the longer, the older it is."""
    with _own(batch):
        age = (timezone.now() - (batch.sent_at or batch.created_at)).total_seconds()
        pause = max(settings.JUDGE_BACKOFF_SECONDS, age * SHARE_OF_AGE)
        batch.not_before = later(min(pause, LONGEST_PAUSE_SECONDS))
        batch.said, batch.error, batch.failures_in_a_row = storable(said)[:200], "", 0


def postpone(batch: Batch, failure: ExchangeFailed) -> int:
    """Ask the endpoint again later, after a `failure` that says nothing about the batch. Returns
    the number of failures in a row.
    """
    with _own(batch):
        batch.failures_in_a_row += 1
        pause = max(backoff_seconds(batch.failures_in_a_row), failure.retry_after or 0)
        batch.not_before, batch.error = later(pause), storable(str(failure))
    return batch.failures_in_a_row


def in_flight(batch: Batch, configuration: JudgeConfiguration) -> dict[str, Asked]:
    """The calls of a batch whose answer is not recorded yet, by the id of their line."""
    return {attempt.request_id: asked(attempt, configuration) for attempt in _in_flight(batch)}


def end(
    batch: Batch,
    unanswered: ExchangeFailed,
    *,
    left: Mapping[str, Asked] | None = None,
    failed: bool = True,
) -> None:
    """End a batch: `unanswered` becomes the outcome of calls without an answer, which are asked
    again. If it answered nothing and `failed`, its judge slows down, unless it showed what the
    endpoint does not accept.
    """
    left = in_flight(batch, batch.judge.read_configuration()) if left is None else left
    for number, each in enumerate(left.values()):
        record_failure(each, unanswered)
        if number % AT_ONCE == 0:
            renew(batch)
    answered = batch.attempts.filter(outcome__in=Attempt.CAME_BACK)
    with _own(batch):
        batch.state, batch.ended_at = State.ENDED, timezone.now()
        batch.error = storable(str(unanswered)) if left else ""
        batch.lease_token, batch.lease_until = "", None
    judge = batch.judge
    learned = was_found_since(judge.endpoint, judge.model, batch.created_at)
    if failed and not answered.exists() and not learned:
        record_failed_batch(batch.judge_id, unanswered)


def _in_flight(batch: Batch) -> Iterator[Attempt]:
    about = [f"call__{name}" for name in ABOUT]
    attempts = batch.attempts.filter(outcome=Outcome.IN_FLIGHT).order_by("id")
    yield from attempts.select_related("batch", *about)


def _renew(batch: Batch) -> None:
    """One request may take its whole timeout; then the worker has to show that it is alive."""
    seconds = settings.JUDGE_TIMEOUT_SECONDS + settings.JUDGE_LEASE_SECONDS
    batch.lease_until = end_of_lease(timezone.now(), seconds)


@contextmanager
def _own(batch: Batch) -> Iterator[Judge]:
    """Commit the caller's changes to a batch, and keep it for another while. Raises BatchLost."""
    with locked(batch.judge_id) as judge:
        if not Batch.objects.filter(pk=batch.pk, lease_token=batch.lease_token).exists():
            raise BatchLost
        _renew(batch)
        yield judge
        if batch.pk is not None:
            batch.save()
