"""Judges that are asked in batches, at a server that misbehaves."""

from collections import Counter
from collections.abc import Callable

import pytest

from judge import runs
from judge.models import Judge
from judge.spending import spent_on
from tests.servers.batch_judge import BatchJudge

Server = Callable[..., BatchJudge]
InBatches = Callable[..., Judge]
RESPONSES = 10


def finish(judge: Judge) -> None:
    """Work until nothing is left to do."""
    while runs.run(judge.pk):
        pass


def requests_in(server: BatchJudge) -> list[int]:
    """How many requests each batch has."""
    return [len(batch.requests) for batch in server.batches.values()]


def check_books(judge: Judge, server: BatchJudge) -> None:
    """No call was asked after its answer, and the money is what the server charged."""
    for call in judge.calls.prefetch_related("attempts"):
        ended = [attempt.outcome for attempt in call.attempts.all()]
        assert ended.count("answered") == (call.state == "answered")
        assert "answered" not in ended[:-1]
    sent = Counter(
        line["custom_id"] for batch in server.batches.values() for line in batch.requests
    )
    assert set(sent.values()) <= {1}, "no request was in two batches"
    charged = sum(entry.cost for entry in server.log)
    assert float(spent_on(judge.study).money) == pytest.approx(charged, abs=1e-9)
