"""A worker's turn at the calls, against a server that misbehaves."""

from collections.abc import Callable

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django.fixtures import Settings

from judge import runs, turns
from judge.models import Attempt, Call, Judge, Score, StructuredOutput
from judge.plans import queue_missing
from judge.spending import spent_on
from survey.models import Response, Study
from tests.judge.judging import asked, counts, outcomes, scores_by_request
from tests.servers.faulty_judge import FaultyJudge
from tests.servers.judge_faults import REASON, opinion

pytestmark = pytest.mark.django_db

RENEWAL = 'UPDATE "judge_call" SET "lease_until" = '
Server = Callable[..., FaultyJudge]
Queue = Callable[..., Judge]


def test_run_answers_every_call_with_one_request_each(server_with: Server, queued: Queue) -> None:
    server = server_with()
    judge = queued(replicates=3)
    assert runs.run(judge.pk) is False
    assert counts(judge) == {"answered": 30}
    assert scores_by_request(judge) == {e.request_id: e.score for e in server.log}
    assert len(server.log) == 30


def test_worker_that_waits_for_an_answer_renews_its_lease(
    server_with: Server, queued: Queue, settings: Settings
) -> None:
    server_with(latency_seconds=1.2)
    settings.JUDGE_LEASE_SECONDS, settings.JUDGE_CONCURRENCY = 0.4, 1
    judge = queued(replicates=1)
    rest = judge.calls.order_by("id").values_list("id", flat=True)[1:]
    Call.objects.filter(id__in=list(rest)).update(state="failed")
    with CaptureQueriesContext(connection) as queries:
        runs.run(judge.pk)
    renewals = [q for q in queries if q["sql"].startswith(RENEWAL)]
    assert len(renewals) >= 2
    assert counts(judge) == {"answered": 1, "failed": 9}


def test_run_again_asks_nothing(server_with: Server, queued: Queue) -> None:
    server = server_with()
    judge = queued(replicates=1)
    runs.run(judge.pk)
    runs.run(judge.pk)
    assert len(server.log) == 10


def test_provenance_of_a_score_is_complete(server_with: Server, queued: Queue) -> None:
    server = server_with(sequence=["prose"])
    judge = queued(replicates=1, seed=3)
    runs.run(judge.pk)
    attempt = Attempt.objects.get(provenance__response_id="faulty-0")
    entry = server.log[0]
    assert (attempt.request_id, attempt.request) == (entry.request_id, entry.body)
    assert attempt.outcome == "answered"
    assert attempt.raw_text == (
        f"My rating is {entry.score}, because the reply stays close to what was said."
    )
    assert (attempt.request["model"], attempt.returned_model) == ("test-model", "test-model-served")
    assert (float(attempt.cost or 0), attempt.cost_is_estimate) == (entry.cost, False)
    kept = attempt.provenance
    assert kept["usage"]["cost"] == entry.cost
    assert set(kept["usage"]) == {"prompt_tokens", "completion_tokens", "total_tokens", "cost"}
    assert (kept["provider"], kept["system_fingerprint"], kept["finish_reason"]) == (
        "faults-inc",
        "fp_faulty",
        "stop",
    )
    assert kept["latency_seconds"] > 0
    assert set(kept["versions"]) == {"python", "openai", "httpx2", "pydantic"}


def test_costs_add_up_to_what_the_server_charged(
    server_with: Server, queued: Queue, study: Study
) -> None:
    server = server_with(sequence=["words", "server_error", "refusal"])
    runs.run(queued(replicates=3).pk)
    charged = sum(entry.cost for entry in server.log)
    assert float(spent_on(study).money) == pytest.approx(charged, abs=1e-12)
    assert spent_on(study).estimated == 0


def test_scores_of_a_block_reach_the_responses_that_they_are_about(
    server_with: Server, queued: Queue, study: Study
) -> None:
    server = server_with()
    judge = queued(presentation="block", reasons=True, seed=1, replicates=3)
    runs.run(judge.pk)
    assert counts(judge) == {"answered": 12}
    assert len(server.log) == 12
    texts = {r.pk: r.text for r in Response.objects.filter(scenario__study=study)}
    stored = Score.objects.select_related("call")
    assert stored.count() == 36
    for score in stored:
        seed = score.call.attempts.get().request["seed"]
        assert score.value == opinion(texts[score.response_id], seed, [1, 2, 3])
        assert score.reason == REASON
    assert len(set(stored.values_list("value", flat=True))) == 3


# The probe


@pytest.mark.embedded
@pytest.mark.parametrize(
    ("schema", "found"),
    [("enforce", "enforced"), ("ignore", "ignored"), ("refuse", "refused")],
)
@pytest.mark.parametrize("presentation", ["single", "block"])
def test_support_of_schemas_is_found_out_once_and_used(
    schema: str, found: str, presentation: str, server_with: Server, queued: Queue
) -> None:
    server = server_with(schema=schema)
    judge = queued(presentation=presentation, replicates=2)
    StructuredOutput.objects.all().delete()
    assert runs.run(judge.pk) is False
    assert StructuredOutput.objects.get().support == found
    assert set(counts(judge)) == {"answered"}
    assert [entry.is_probe for entry in server.log] == [True] + [False] * (len(server.log) - 1)
    structured = {"response_format" in entry.body for entry in asked(server)}
    assert structured == {schema == "enforce"}
    queue_missing(judge)
    runs.run(judge.pk)
    assert sum(entry.is_probe for entry in server.log) == 1


@pytest.mark.parametrize("fault", ["server_error", "rate_limit", "truncated", "reset"])
def test_probe_that_fails_is_asked_again(fault: str, server_with: Server, queued: Queue) -> None:
    server = server_with(probes=[fault])
    judge = queued(replicates=1)
    StructuredOutput.objects.all().delete()
    runs.run(judge.pk)
    assert counts(judge) == {"answered": 10}
    assert [entry.what for entry in server.log if entry.is_probe] == [fault, "answer"]
    assert StructuredOutput.objects.get().support == "enforced"


def test_every_call_is_sent_a_seed_of_its_own(server_with: Server, queued: Queue) -> None:
    server = server_with()
    judge = queued(seed=7, replicates=3)
    runs.run(judge.pk)
    seeds = {entry.request_id: entry.body["seed"] for entry in server.log}
    assert len(set(seeds.values())) == 30
    sent = Attempt.objects.filter(call__judge=judge).select_related("call__response")
    assert seeds == {attempt.request_id: attempt.request["seed"] for attempt in sent}
    scores = {score.call_id: score.value for score in Score.objects.all()}
    for attempt in sent:
        assert attempt.call.response is not None
        expected = opinion(attempt.call.response.text, attempt.request["seed"], [1, 2, 3])
        assert scores[attempt.call_id] == expected
    assert len(set(scores.values())) == 3


# Turns


def test_turn_that_ends_with_requests_in_flight_hands_over_once(
    server_with: Server, queued: Queue
) -> None:
    server = server_with()
    server.answering.clear()
    judge = queued(replicates=3)
    handed_over: list[int] = []

    def is_ending() -> bool:
        """Once its requests have come, and none of them is answered."""
        if len(server.log) == 6:
            server.answering.set()
        return server.answering.is_set()

    def hand_over() -> None:
        free = 6 - judge.calls.filter(state="running").count()
        handed_over.append(free)

    assert runs.run(judge.pk, hand_over=hand_over, is_ending=is_ending) is False
    (free,) = handed_over
    assert free > 0, "whoever takes over finds a slot"
    assert counts(judge) == {"answered": 6, "waiting": 24}, "what was in flight has been recorded"
    assert runs.run(judge.pk, hand_over=hand_over) is False
    assert counts(judge) == {"answered": 30}
    assert len(handed_over) == 1
    assert len(server.log) == 30


def test_turn_ends_early_with_its_worker(server_with: Server, queued: Queue) -> None:
    server = server_with()
    judge = queued(replicates=3)
    runs.run(judge.pk, is_ending=lambda: len(server.log) >= 6)
    assert 6 <= counts(judge)["answered"] < 30
    assert set(outcomes(judge)) == {"answered"}


def test_turn_is_long_enough_for_many_requests(
    server_with: Server, queued: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turns, "TURN_SECONDS", 0.1)
    monkeypatch.setattr(turns, "REQUESTS_IN_A_TURN", 10_000)
    monkeypatch.setattr(turns, "POLL_SECONDS", 60.0)  # nothing is over before an answer has come
    server_with(latency_seconds=0.1)
    judge = queued(replicates=3)
    runs.run(judge.pk)
    assert counts(judge) == {"answered": 30}


def test_turn_at_a_judge_that_is_worked_on_elsewhere_ends_when_there_is_no_slot(
    server_with: Server, queued: Queue
) -> None:
    server = server_with()
    judge = queued(replicates=1)
    judge.calls.filter(pk__in=list(judge.calls.values_list("pk", flat=True)[:6])).update(
        state="running", lease_until="2100-01-01T00:00Z"
    )
    assert runs.run(judge.pk) is False
    assert server.log == []
