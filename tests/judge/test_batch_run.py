"""Calls in batches, with a real worker that is killed where money is at stake."""

from collections import Counter
from decimal import Decimal
from pathlib import Path

import pytest

from tests.e2e.installation import Installation, running_installation
from tests.judge.test_fault_run import ASKED_AFTER_AN_ANSWER, SCORES, STATES
from tests.servers.batch_judge import BatchJudge, BatchPlan, batch_judge
from tests.servers.judge_faults import Plan
from tests.survey import small_study

# Both brokers: test_fault_run.py.
pytestmark = [pytest.mark.e2e, pytest.mark.embedded]

JUDGING = """
ways_in: [link]
judging:
  judges: [{name: j, replicates: 3, seed: 1, batch: true}]
"""
CALLS = 30
SEQUENCE = ["words", "garbage", "prose", "answer", "rate_limit", "server_error"]
ANSWERED = "SELECT count(*) FROM judge_call WHERE state = 'answered' AND response_id IS NOT NULL"
COSTS = "SELECT cost, cost_is_estimate FROM judge_attempt"


def kill_at(step: str, installation: Installation, server: BatchJudge, *, number: int = 1) -> int:
    """Start the worker, and end it at once when the server has done this step and not answered.
    Returns how many calls were answered by then.
    """
    with server.holding(step, number=number):
        installation.start("worker")
        server.wait_for_kind(step, number)
        installation.kill("worker")
    ((answered,),) = installation.query(ANSWERED)
    return int(answered)


def test_worker_that_is_killed_in_the_midst_of_a_batch_asks_nothing_twice(tmp_path: Path) -> None:
    plan = BatchPlan(lines=Plan(sequence=SEQUENCE), ends=["expired"])
    (tmp_path / "study.yaml").write_text(small_study.YAML + JUDGING, encoding="utf-8")
    (tmp_path / "responses.csv").write_text(small_study.CSV, encoding="utf-8")
    times = {"JUDGE_TIMEOUT_SECONDS": "30", "JUDGE_LEASE_SECONDS": "3", "SWEEP_SECONDS": "0.5"}
    with (
        batch_judge(plan) as server,
        running_installation(
            tmp_path,
            worker=False,
            WORKER_PROCESSES="1",
            WEB_CONCURRENCY="1",  # nobody visits
            JUDGE_BASE_URL=server.base_url,
            JUDGE_MODEL="test-model",
            JUDGE_BACKOFF_SECONDS="0.05",
            **times,
        ) as installation,
    ):
        installation.manage_all(("load_study", tmp_path), ("judge", "small"))
        assert kill_at("create", installation, server) == 0
        # Of the two files of an expired batch, the first is recorded and the second is not.
        committed = kill_at("download", installation, server, number=2)
        installation.start("worker")
        done = installation.manage("judge", "small", "--wait")
        assert f"{CALLS} of {CALLS} calls answered" in done.stdout, done.stderr

        assert 0 < committed < CALLS
        assert Counter(state for (state,) in installation.query(STATES)) == {"answered": CALLS}
        assert installation.query(ASKED_AFTER_AN_ANSWER) == []
        sent = Counter(
            line["custom_id"] for batch in server.batches.values() for line in batch.requests
        )
        assert set(sent.values()) == {1}, "no request was in two batches"
        assert [len(batch.requests) for batch in server.batches.values()] == [30, 19]
        given = {e.request_id: e.score for e in server.log if e.scores and not e.is_probe}
        assert dict(installation.query(SCORES)) == given
        costs = installation.query(COSTS)
        assert not any(is_estimate for _, is_estimate in costs), "nothing is possibly paid"
        paid = sum(Decimal(str(cost)) for cost, _ in costs)
        assert float(paid) == pytest.approx(sum(entry.cost for entry in server.log), abs=1e-9)
