"""A worker's turn at a judge's batches: one request after the other, each step committed."""

import time
from collections.abc import Callable

from judge import batches, calls
from judge.answers import record
from judge.batch_client import MISSING, BatchClient, RemoteBatch
from judge.batches import BatchLost
from judge.exchange import ExchangeFailed, Scope
from judge.models import Attempt, Batch, Judge

State = Batch.State
Outcome = Attempt.Outcome
#: Longer waits are left to the sweep: a batch may take a day.
PATIENCE_SECONDS = 2.0
#: How often to look for a batch that is due.
SHORTEST_PAUSE = 0.05
#: How many answers are recorded before the worker shows that it is alive.
BEAT = 50
#: What an endpoint answers to a key that may not do this.
NO_ACCESS = {401, 402, 403}

LOST = ExchangeFailed(
    "its batch was lost: the endpoint no longer knows it", outcome=Outcome.UNKNOWN
)
NOT_SENT = ExchangeFailed("its batch was not sent", outcome=Outcome.NOT_PROCESSED)


def take_turn(judge_id: int, client: BatchClient, *, is_over: Callable[[], bool]) -> bool:
    """Send and collect a judge's batches until nothing is due soon. True if the turn `is_over`
    before.
    """
    while not is_over():
        batch = batches.take(judge_id)
        if batch is not None:
            try:
                _advance(batch, client)
            except BatchLost:
                continue
            batches.release(batch)
            continue
        pause = batches.seconds_until_due(judge_id)
        if pause is None or pause > PATIENCE_SECONDS:
            return False
        time.sleep(max(pause, SHORTEST_PAUSE))
    return True


def _advance(batch: Batch, client: BatchClient) -> None:
    if batch.state == State.RUNNING:
        _collect(batch, client)
        return
    if not batch.input_file and not _is_wanted(batch):
        batches.end(batch, NOT_SENT, failed=False)
        return
    if batch.state == State.FILLING and not batches.fill(batch):
        return
    _send(batch, client)


def _is_wanted(batch: Batch) -> bool:
    """Whether its judge still asks, and in batches."""
    judge = Judge.objects.get(pk=batch.judge_id)
    return not judge.stopped and judge.read_configuration().asks_in_batches


def _send(batch: Batch, client: BatchClient) -> None:
    """Upload a batch's file and create the batch, unless the endpoint has it already."""
    remote: RemoteBatch | None = None
    try:
        if batch.input_file:
            remote = _find(batch, client)
            if batch.state == State.ENDED or (remote is None and not _is_wanted(batch)):
                if batch.state != State.ENDED:
                    batches.end(batch, NOT_SENT, failed=False)
                return
        else:
            name = f"fivefold-{batch.key}.jsonl"
            batches.note_file(batch, client.upload(batches.lines_of(batch), name=name))
        remote = remote or client.create(batch.input_file, key=batch.key)
    except ExchangeFailed as failure:
        _not_sent(batch, failure)
        return
    batches.note_running(batch, remote.id, remote.said)


def _find(batch: Batch, client: BatchClient) -> RemoteBatch | None:
    """A batch that may have been created by a worker that is lost. Where that can't be found out,
    it counts as possibly billed, and ends.
    """
    try:
        return client.find(batch.input_file, key=batch.key)
    except ExchangeFailed as failure:
        if failure.status not in MISSING:
            raise
        batches.end(batch, LOST, failed=False)
        return None


def _not_sent(batch: Batch, failure: ExchangeFailed) -> None:
    """Try again later, or stop the judge, whose calls wait again."""
    if failure.status in MISSING:
        reason = (
            f"{batch.judge.endpoint} has no batches ({failure}): remove batch: true from the judge "
            "in study.yaml and load it, then its calls are asked one by one"
        )
    elif failure.scope is Scope.TEMPORARY:
        if batches.postpone(batch, failure) < calls.most_attempts():
            return
        calls.stop(batch.judge_id, f"its batch could not be sent: {failure}")
        return
    else:
        reason = f"its batch was refused: {failure}"
    batches.end(
        batch,
        ExchangeFailed(
            reason,
            outcome=Outcome.NOT_PROCESSED,
            scope=Scope.JUDGE,
            status=failure.status if failure.status in NO_ACCESS else None,
        ),
        failed=False,
    )


def _collect(batch: Batch, client: BatchClient) -> None:
    """Ask how far a batch is; record its answers when it is over."""
    try:
        remote = client.retrieve(batch.remote_id)
        if not remote.is_over:
            batches.wait(batch, remote.said)
            return
        _record(batch, client, remote)
    except ExchangeFailed as failure:
        if failure.status == 404:
            batches.end(batch, LOST)
            return
        batches.postpone(batch, failure)
        if failure.status in NO_ACCESS:
            calls.stop(batch.judge_id, str(failure))


def _record(batch: Batch, client: BatchClient, remote: RemoteBatch) -> None:
    """Record each answer as a single request's; the first counts, where a call has several."""
    left = batches.in_flight(batch, batch.judge.read_configuration())
    for file in remote.files:
        for number, answer in enumerate(client.answers(file)):
            if number % BEAT == 0:
                batches.renew(batch)
            asked = left.pop(answer.custom_id, None)
            if asked is not None:
                record(asked, answer.outcome)
    batches.end(batch, remote.unanswered, left=left)
