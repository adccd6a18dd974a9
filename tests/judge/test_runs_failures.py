"""A worker's turn where requests fail: what is asked again, what fails, what stops the judge."""

from collections import Counter
from collections.abc import Callable

import pytest
from pytest_django.fixtures import Settings

from judge import runs
from judge.models import Attempt, Call, Judge, Score, StructuredOutput
from judge.queries import failure_reasons, gold_scores, progress
from judge.spending import spent_on
from tests.judge.judging import counts, outcomes, scores_by_request
from tests.servers.faulty_judge import FaultyJudge

# What is made of answers; calls are stored in test_calls.py and test_runs.py on every database.
pytestmark = [pytest.mark.django_db, pytest.mark.embedded]

Server = Callable[..., FaultyJudge]
Queue = Callable[..., Judge]


#: What becomes of each fault's attempt; its call is then asked again.
FAULTS = {
    "request_timeout": ("http_error", 408),
    "conflict": ("http_error", 409),
    "rate_limit": ("http_error", 429),
    "server_error": ("http_error", 500),
    "bad_gateway": ("http_error", 502),
    "overloaded": ("http_error", 503),
    "error_in_200": ("http_error", 502),
    "reset": ("broken_off", None),
    "cut_off_midway": ("broken_off", None),
    "html": ("garbled", 200),
    "truncated": ("garbled", 200),
    "chatter": ("unusable", 200),
    "words": ("unusable", 200),
    "several": ("unusable", 200),
    "out_of_range": ("unusable", 200),
    "decimal": ("unusable", 200),
    "garbage": ("unusable", 200),
    "empty": ("unusable", 200),
}


def test_every_fault_that_may_pass_is_recorded_and_asked_again(
    server_with: Server, queued: Queue, settings: Settings
) -> None:
    server = server_with(sequence=[what for fault in FAULTS for what in (fault, "answer")])
    # Without a wait the call that met a fault is the next one to be asked, and meets its answer.
    settings.JUDGE_CONCURRENCY, settings.JUDGE_BACKOFF_SECONDS = 1, 0
    judge = queued(replicates=3)
    runs.run(judge.pk)
    assert counts(judge) == {"answered": 30}
    assert scores_by_request(judge) == {e.request_id: e.score for e in server.log if e.scores}
    attempts = {a.request_id: a for a in Attempt.objects.filter(call__judge=judge)}
    failed = {
        entry.what: attempts[entry.request_id] for entry in server.log if entry.what in FAULTS
    }
    assert {what: (a.outcome, a.http_status) for what, a in failed.items()} == FAULTS
    assert all(attempt.error for attempt in failed.values())
    for attempt in failed.values():
        answer = attempt.call.attempts.get(outcome="answered")
        assert answer.number > attempt.number
        assert answer.is_repair == attempt.call.attempts.filter(outcome="unusable").exists()
    assert len(server.log) == len(attempts) == 30 + len(FAULTS)


def test_answer_that_comes_too_late_counts_as_possibly_paid_and_is_asked_for_again(
    server_with: Server, queued: Queue, settings: Settings
) -> None:
    server = server_with(sequence=["hang"])
    settings.JUDGE_CONCURRENCY, settings.JUDGE_TIMEOUT_SECONDS = 1, 1
    judge = queued(replicates=1)
    runs.run(judge.pk)
    assert counts(judge) == {"answered": 10}
    too_late = Attempt.objects.filter(outcome="timeout")
    assert server.log[0].request_id in too_late.values_list("request_id", flat=True)
    assert progress(judge).unknown == too_late.count(), "on a busy machine some others, too"


def test_call_without_answer_fails_after_its_attempts(
    server_with: Server, queued: Queue, settings: Settings
) -> None:
    settings.JUDGE_MAX_ATTEMPTS = 1
    settings.JUDGE_CONCURRENCY = 2
    server_with(sequence=["answer", "answer", "server_error"])
    judge = queued(replicates=1)
    runs.run(judge.pk)
    assert counts(judge) == {"answered": 9, "failed": 1}
    assert not judge.calls.get(state=Call.State.FAILED).scores.exists()
    assert failure_reasons(judge) == [
        ("given up after attempt 1: the endpoint answered HTTP 500: this is a server_error", 1)
    ]


def test_unusable_answer_is_repaired_once_and_then_missing(
    server_with: Server, queued: Queue
) -> None:
    server = server_with(shares={"out_of_range": 1.0})
    judge = queued(replicates=1)
    runs.run(judge.pk)
    assert counts(judge) == {"failed": 10}
    assert len(server.log) == 20
    assert Counter(len(entry.body["messages"]) for entry in server.log) == {2: 10, 4: 10}
    assert failure_reasons(judge) == [
        ("no usable score, also after one repair: 7 is not on the scale", 10)
    ]
    assert not Score.objects.filter(call__judge=judge).exists()
    assert gold_scores(judge.study).scores == []


def test_gold_states_how_many_calls_it_rests_on(
    server_with: Server, queued: Queue, settings: Settings
) -> None:
    settings.JUDGE_CONCURRENCY = 1
    server_with(sequence=["words", "words"])
    judge = queued(replicates=3)
    runs.run(judge.pk)
    gold = gold_scores(judge.study).scores
    assert [len(each.calls) for each in gold] == [2] + [3] * 9


@pytest.mark.parametrize("fault", ["plain", "truncated", "words", "empty"])
def test_block_whose_answer_is_no_json_is_asked_again(
    fault: str, server_with: Server, queued: Queue
) -> None:
    server_with(sequence=[fault])
    judge = queued(presentation="block", replicates=1)
    runs.run(judge.pk)
    assert counts(judge) == {"answered": 4}
    outcomes = dict(progress(judge).attempts_by_outcome)
    outcomes.pop("broken_off", None)  # on a connection that the server was closing
    assert sum(outcomes.values()) == 5


@pytest.mark.parametrize(
    ("fault", "status"),
    [
        ("bad_request", 400),
        ("unauthorized", 401),
        ("no_credit", 402),
        ("forbidden", 403),
        ("not_found", 404),
    ],
)
@pytest.mark.parametrize("probed", [True, False])
def test_refusal_of_the_first_requests_stops_the_judge(
    probed: bool, fault: str, status: int, server_with: Server, queued: Queue
) -> None:
    server = server_with(shares={fault: 1.0}, probes=[fault])
    judge = queued(replicates=3)
    if not probed:
        StructuredOutput.objects.all().delete()
    assert runs.run(judge.pk) is False
    now = progress(judge)
    assert now.stopped == f"the endpoint answered HTTP {status}: this is a {fault}"
    assert counts(judge) == {"waiting": 30}
    assert len(server.log) <= 7
    assert outcomes(judge) == {"http_error": len(server.log)}
    assert spent_on(judge.study).money == 0


def test_refusal_of_one_request_among_answers_fails_that_call(
    server_with: Server, queued: Queue, settings: Settings
) -> None:
    settings.JUDGE_CONCURRENCY = 1
    server_with(sequence=["answer", "bad_request"])
    judge = queued(replicates=1)
    runs.run(judge.pk)
    assert counts(judge) == {"answered": 9, "failed": 1}
    assert failure_reasons(judge) == [("the endpoint answered HTTP 400: this is a bad_request", 1)]


def test_wrong_key_among_answers_stops_the_judge(
    server_with: Server, queued: Queue, settings: Settings
) -> None:
    settings.JUDGE_CONCURRENCY = 1
    server = server_with(sequence=["answer", "unauthorized"])
    judge = queued(replicates=1)
    runs.run(judge.pk)
    assert counts(judge) == {"answered": 1, "waiting": 9}
    assert len(server.log) == 2


@pytest.mark.parametrize("fault", ["server_error", "html", "reset"])
def test_endpoint_that_only_fails_stops_the_judge_before_its_calls_fail(
    fault: str, server_with: Server, queued: Queue, settings: Settings
) -> None:
    settings.JUDGE_MAX_ATTEMPTS = 3
    settings.JUDGE_CONCURRENCY = 4
    settings.JUDGE_BACKOFF_SECONDS = 0.001
    server = server_with(shares={fault: 1.0})
    judge = queued(replicates=3)
    runs.run(judge.pk)
    assert progress(judge).stopped.startswith("12 failures in a row; the last: ")
    assert 12 <= len(server.log) <= 15
    assert counts(judge).get("answered") is None


def test_nobody_at_the_endpoint_stops_the_judge(
    server_with: Server, queued: Queue, settings: Settings
) -> None:
    settings.JUDGE_MAX_ATTEMPTS = 2
    settings.JUDGE_BASE_URL = "http://127.0.0.1:9/v1"
    judge = queued(replicates=3)
    runs.run(judge.pk)
    assert progress(judge).stopped == (
        "12 failures in a row; the last: could not exchange data with "
        "http://127.0.0.1:9/v1: [Errno 111] Connect call failed ('127.0.0.1', 9)"
    )


def test_rate_limit_holds_back_every_call(
    server_with: Server, queued: Queue, settings: Settings
) -> None:
    settings.JUDGE_CONCURRENCY = 1
    server = server_with(sequence=["rate_limit"], retry_after="0.4")
    runs.run(queued(replicates=1).pk)
    assert server.log[1].received_at - server.log[0].received_at >= 0.4


def test_long_wait_is_left_to_the_sweep(server_with: Server, queued: Queue) -> None:
    server = server_with(shares={"rate_limit": 1.0}, retry_after="3600")
    judge = queued(replicates=3)
    assert runs.run(judge.pk) is False
    assert counts(judge) == {"waiting": 30}
    assert len(server.log) == 6


def test_judge_set_up_for_another_endpoint_is_stopped_and_asks_nobody(
    server_with: Server, queued: Queue
) -> None:
    judge = queued(replicates=1)
    server = server_with()
    runs.run(judge.pk)
    assert server.log == []
    assert "this judge is asked at " in progress(judge).stopped


def test_key_is_missing_at_the_worker(
    server_with: Server, queued: Queue, settings: Settings
) -> None:
    settings.JUDGE_BASE_URL = "https://judge.example.org/v1"
    judge = queued(replicates=1)
    runs.run(judge.pk)
    assert progress(judge).stopped == (
        "JUDGE_API_KEY is missing: judge.example.org needs a key. Set it in the environment "
        "or in .env, for this command and for the worker"
    )


def test_stopped_judge_goes_on_when_queued_again(
    server_with: Server, queued: Queue, settings: Settings
) -> None:
    server_with(api_key="right")
    settings.JUDGE_API_KEY = "wrong"
    judge = queued(replicates=1)
    runs.run(judge.pk)
    assert counts(judge) == {"waiting": 10}
    settings.JUDGE_API_KEY = "right"
    runs.run(judge.pk)
    assert counts(judge) == {"waiting": 10}, "a stop is lifted by people only"
    runs.run(queued(replicates=1).pk)
    assert counts(judge) == {"answered": 10}


def test_what_is_in_flight_is_recorded_though_the_next_request_cannot_be_built(
    server_with: Server, queued: Queue, settings: Settings
) -> None:
    settings.JUDGE_CONCURRENCY = 3
    server_with(latency_seconds=0.1)
    judge = queued(replicates=1)
    Call.objects.filter(pk=judge.calls.order_by("pk")[2].pk).update(dimension="not asked")
    with pytest.raises(KeyError):
        runs.run(judge.pk)
    assert counts(judge) == {"answered": 2, "waiting": 8}
    assert outcomes(judge) == {"answered": 2}
