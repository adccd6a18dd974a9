"""The 306 calls of the published study, with their worker killed midway: real processes."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.installation import Installation, running_installation
from tests.judge.judging import ROOT, TIDE_RESPONSES
from tests.servers.faulty_judge import FaultyJudge, Plan, faulty_judge

pytestmark = pytest.mark.e2e

FAULTS = ["rate_limit", "server_error", "bad_gateway", "hang", "reset", "truncated", "html"]
FAULTS += ["drip", "prose", "chatter", "words", "out_of_range", "garbage"]


@pytest.fixture
def server() -> Iterator[FaultyJudge]:
    plan = Plan(shares=dict.fromkeys(FAULTS, 0.04), latency_seconds=0.1, hang_seconds=3, seed=3)
    with faulty_judge(plan) as server:
        yield server


@pytest.fixture
def installation(server: FaultyJudge, tmp_path: Path) -> Iterator[Installation]:
    with running_installation(
        tmp_path,
        JUDGE_BASE_URL=server.base_url,
        JUDGE_MODEL="test-model",
        JUDGE_TIMEOUT_SECONDS="1",
        JUDGE_LEASE_SECONDS="12",
        SWEEP_SECONDS="1",
        JUDGE_BACKOFF_SECONDS="0.05",
        JUDGE_MAX_ATTEMPTS="30",  # nearly half of all requests fail, and no call is to
    ) as running:
        yield running


def test_killed_worker_loses_no_answer_and_repeats_only_what_was_in_flight(
    installation: Installation, server: FaultyJudge
) -> None:
    assert TIDE_RESPONSES.exists(), "the published responses are not here: ../shared/tide"
    study = (ROOT / "examples" / "tide" / "study.yaml").read_text(encoding="utf-8")
    study = study.replace("\njudge:\n", "\njudge:\n  unusable_answers: 30\n")
    (installation.folder / "study.yaml").write_text(study, encoding="utf-8")
    installation.manage("load_study", installation.folder, "--responses", TIDE_RESPONSES)
    installation.manage("judge", "tide")

    in_flight_at_a_kill: set[str] = set()
    for requests in (80, 200):
        server.wait_for(requests, seconds=120)
        installation.kill("worker")
        sent_before = {entry.request_id for entry in server.log}
        answered_before = calls_in(installation, "answered")
        assert 0 < len(answered_before) < 306
        in_flight = attempts_with(installation, "in_flight")
        assert in_flight, "the kill came between two requests"
        in_flight_at_a_kill |= in_flight
        installation.start("worker")

        server.wait_for(len(sent_before) + 50, seconds=120)
        sent_after = {entry.request_id for entry in server.log} - sent_before
        assert not calls_of(installation, sent_after) & answered_before

    done = installation.manage("judge", "tide", "--wait")
    assert "306 of 306 calls answered" in done.stdout
    assert attempts_with(installation, "in_flight") == set()
    assert attempts_with(installation, "unknown") == in_flight_at_a_kill

    # The server's log and our attempts tell the same story.
    received = [entry.request_id for entry in server.log]
    assert len(set(received)) == len(received), "no attempt was sent twice"
    attempts = dict(installation.query(ATTEMPTS))
    never_arrived = set(attempts) - set(received)
    assert set(received) <= set(attempts)
    # On a busy machine a request's time may be over before the server has taken it up.
    nobody_knows = in_flight_at_a_kill | attempts_with(installation, "timeout")
    assert never_arrived <= nobody_knows
    assert len(attempts) == len(received) + len(never_arrived)
    scores = dict(installation.query(SCORES))
    given = {e.request_id: e.score for e in server.log if e.score is not None}
    lost = set(given) - set(scores)
    assert lost <= in_flight_at_a_kill, "only answers that came after the kill were asked again"
    assert scores == {request: score for request, score in given.items() if request not in lost}
    assert installation.query(ASKED_AFTER_AN_ANSWER) == []
    print(f"{len(received)} requests, {len(in_flight_at_a_kill)} in flight at a kill, ", end="")
    print(f"{len(never_arrived)} of them never arrived, {len(lost)} answered too late")


ATTEMPTS = "SELECT request_id, outcome FROM judge_attempt"
SCORES = """
    SELECT a.request_id, c.score FROM judge_attempt a JOIN judge_call c ON c.id = a.call_id
    WHERE a.outcome = 'answered'
"""
ASKED_AFTER_AN_ANSWER = """
    SELECT later.id FROM judge_attempt answer
    JOIN judge_attempt later ON later.call_id = answer.call_id AND later.number > answer.number
    WHERE answer.outcome = 'answered'
"""


def attempts_with(installation: Installation, outcome: str) -> set[str]:
    return {request for request, found in installation.query(ATTEMPTS) if found == outcome}


def calls_in(installation: Installation, state: str) -> set[int]:
    return {i for (i,) in installation.query("SELECT id FROM judge_call WHERE state = %s", [state])}


def calls_of(installation: Installation, requests: set[str]) -> set[int]:
    found = installation.query("SELECT request_id, call_id FROM judge_attempt")
    return {call for request, call in found if request in requests}
