"""The queue: planning, leases, outcomes, recovery. No endpoint is asked here."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone
from pytest_django.fixtures import Settings

from judge import calls
from judge.calls import Claimed, claim
from judge.exchange import ExchangeFailed, Reply, Scope
from judge.models import Attempt, Call, Judge
from judge.queries import progress
from tests.judge.judging import counts, describe, outcomes

Queue = Callable[..., Judge]
FOUR = Reply(text="2", cut_off=False, model="m")


@pytest.fixture
def judge(queued: Queue) -> Judge:
    """10 calls waiting."""
    return queued(replicates=1)


def failure(scope: Scope = Scope.PASSING, *, retry_after: float | None = None) -> ExchangeFailed:
    return ExchangeFailed(
        "it failed", outcome="http_error", scope=scope, status=500, retry_after=retry_after
    )


def expire_leases(judge: Judge) -> None:
    judge.calls.filter(state=Call.State.RUNNING).update(lease_until=timezone.now())


def claim_one(judge: Judge, settings: Settings) -> Claimed:
    settings.JUDGE_CONCURRENCY = 1
    (claimed,) = claim(judge.pk)
    return claimed


# Planning


def test_plan_holds_every_response_and_replicate_once(queued: Queue) -> None:
    judge = queued(replicates=3)
    planned = list(judge.calls.values_list("response", "dimension", "replicate"))
    responses = {response for response, _, _ in planned}
    assert len(responses) == 10, "the reference stands in two sets and is one response"
    assert sorted(planned) == [
        (response, "warmth", n) for response in sorted(responses) for n in (1, 2, 3)
    ]


def test_plan_twice_adds_nothing(judge: Judge) -> None:
    assert calls.plan_calls(judge) == 0
    assert judge.calls.count() == 10


def test_queue_missing_gives_failed_calls_their_attempts_anew(
    judge: Judge, settings: Settings
) -> None:
    settings.JUDGE_MAX_ATTEMPTS = 1
    for claimed in claim(judge.pk):
        calls.record_failure(claimed, failure())
    assert counts(judge) == {"failed": 6, "waiting": 4}
    assert calls.queue_missing(judge) == 10
    assert counts(judge) == {"waiting": 10}
    settings.JUDGE_MAX_ATTEMPTS = 2
    settings.JUDGE_BACKOFF_SECONDS = 0
    claimed = claim_one(judge, settings)
    assert claimed.attempt.number == 2
    calls.record_failure(claimed, failure())
    assert counts(judge) == {"waiting": 10}


def test_queue_missing_leaves_answered_calls_alone(judge: Judge, settings: Settings) -> None:
    claimed = claim_one(judge, settings)
    calls.record_score(claimed, FOUR, 2)
    assert calls.queue_missing(judge) == 9
    assert counts(judge) == {"answered": 1, "waiting": 9}


# Leases


def test_claim_commits_an_attempt_for_every_call_it_leases(judge: Judge) -> None:
    claimed = claim(judge.pk)
    assert len(claimed) == 6
    assert outcomes(judge) == {"in_flight": 6}
    assert {c.call.lease_token for c in claimed} == {c.attempt.request_id for c in claimed}


def test_lease_outlasts_the_request(judge: Judge, settings: Settings) -> None:
    settings.JUDGE_TIMEOUT_SECONDS, settings.JUDGE_LEASE_SECONDS = 1000, 30
    call = claim_one(judge, settings).call
    assert call.lease_until is not None
    assert 1000 < (call.lease_until - timezone.now()).total_seconds() <= 1030


def test_claim_brings_what_is_to_be_sent(queued: Queue, settings: Settings) -> None:
    judge = queued(replicates=1, seed=5, temperature=None, max_tokens=20, rubric="Be kind.")
    claimed = claim_one(judge, settings)
    request = claimed.request
    assert (request.id, request.model) == (claimed.attempt.request_id, settings.JUDGE_MODEL)
    assert (request.seed, request.temperature, request.max_tokens) == (6, None, 20)
    assert "Be kind." in request.messages[0]["content"]
    assert claimed.call.response.text in request.messages[1]["content"]
    assert [point.value for point in claimed.task.scale] == [1, 2, 3]


def test_request_that_cannot_be_built_leaves_nothing_half_claimed(judge: Judge) -> None:
    Call.objects.filter(pk=judge.calls.values("pk")[3:4]).update(dimension="not asked")
    with pytest.raises(KeyError):
        claim(judge.pk)
    assert counts(judge) == {"waiting": 10}
    assert outcomes(judge) == {}


def test_claims_of_all_workers_share_one_limit(judge: Judge, settings: Settings) -> None:
    settings.JUDGE_CONCURRENCY = 4
    first = claim(judge.pk)
    assert (len(first), len(claim(judge.pk))) == (4, 0)
    calls.record_score(first[0], FOUR, 2)
    assert len(claim(judge.pk)) == 1


def test_claim_of_a_stopped_judge_is_empty(judge: Judge) -> None:
    calls.stop(judge.pk, "no credit")
    assert claim(judge.pk) == []


def test_answer_counts_only_while_the_lease_is_its_own(judge: Judge, settings: Settings) -> None:
    late = claim_one(judge, settings)
    expire_leases(judge)
    calls.recover(judge.pk)
    second = claim_one(judge, settings)
    assert second.call.pk == late.call.pk
    calls.record_score(late, FOUR, 1)
    assert outcomes(judge) == {"unknown": 1, "in_flight": 1}
    calls.record_score(second, FOUR, 3)
    assert Call.objects.get(pk=late.call.pk).score == 3
    calls.record_failure(late, failure())
    assert outcomes(judge) == {"unknown": 1, "answered": 1}


def test_recover_records_unknown_attempts_and_has_them_asked_once_more(judge: Judge) -> None:
    lost = claim(judge.pk)
    assert calls.recover(judge.pk) == 0, "a live lease is left alone"
    expire_leases(judge)
    assert calls.judges_with_lost_calls() == [judge.pk]
    assert calls.recover(judge.pk) == 6
    assert outcomes(judge) == {"unknown": 6}
    assert progress(judge).unknown == 6
    assert calls.judges_with_lost_calls() == []
    again = claim(judge.pk)
    assert [c.call.pk for c in again] == [c.call.pk for c in lost]
    assert [c.attempt.number for c in again] == [2] * 6


# Outcomes


def test_passing_failure_waits_before_the_call_is_asked_again(
    judge: Judge, settings: Settings
) -> None:
    settings.JUDGE_BACKOFF_SECONDS = 100
    claimed = claim_one(judge, settings)
    settings.JUDGE_CONCURRENCY = 6
    calls.record_failure(claimed, failure())
    call = Call.objects.get(pk=claimed.call.pk)
    assert call.state == Call.State.WAITING
    assert call.not_before is not None
    wait = (call.not_before - timezone.now()).total_seconds()
    assert 25 < wait <= calls.LONGEST_BACKOFF_SECONDS
    assert call.pk not in {c.call.pk for c in claim(judge.pk)}


def test_retry_after_of_an_endpoint_is_honoured_up_to_an_hour(
    judge: Judge, settings: Settings
) -> None:
    claimed = claim_one(judge, settings)
    calls.record_failure(claimed, failure(retry_after=10.0**12))
    not_before = progress(judge).not_before
    assert not_before is not None
    assert timedelta(minutes=59) < not_before - timezone.now() <= timedelta(hours=1)
    assert claim(judge.pk) == []
    assert calls.judges_to_wake() == []


def test_failures_of_everything_in_flight_slow_the_judge_down(
    judge: Judge, settings: Settings
) -> None:
    settings.JUDGE_CONCURRENCY = 3
    first, second, third = claim(judge.pk)
    calls.record_failure(first, failure())
    calls.record_failure(second, failure())
    assert progress(judge).not_before is None
    calls.record_failure(third, failure())
    assert progress(judge).not_before is not None


def test_answer_ends_the_count_of_failures_in_a_row(judge: Judge, settings: Settings) -> None:
    settings.JUDGE_CONCURRENCY = 3
    first, second, third = claim(judge.pk)
    calls.record_failure(first, failure())
    calls.record_score(second, FOUR, 2)
    calls.record_failure(third, failure())
    judge.refresh_from_db()
    assert judge.failures_in_a_row == 1


def test_failure_of_the_whole_judge_stops_it_and_keeps_its_calls(
    judge: Judge, settings: Settings
) -> None:
    claimed = claim_one(judge, settings)
    calls.record_failure(claimed, failure(Scope.JUDGE))
    assert progress(judge).stopped == "it failed"
    assert counts(judge) == {"waiting": 10}
    assert calls.judges_to_wake() == []


def test_texts_that_no_database_takes_are_stored_all_the_same(
    judge: Judge, settings: Settings
) -> None:
    claimed = claim_one(judge, settings)
    strange = Reply(text="a\x00b\ud800c" + "x" * 20_000, cut_off=False, model="m\x00" * 200)
    calls.record_unusable(claimed, strange, "no number\x00")
    attempt = Attempt.objects.get()
    assert attempt.raw_text == "a\ufffdb?c" + "x" * (calls.STORED_CHARACTERS - 5)
    assert attempt.returned_model == "m\ufffd" * 100
    assert attempt.error == "no number\ufffd"


# Waking


def test_judge_with_due_calls_and_nobody_at_work_is_woken(judge: Judge) -> None:
    assert calls.judges_to_wake() == [judge.pk]
    claim(judge.pk)
    assert calls.judges_to_wake() == [], "whoever holds a lease takes the others, too"
    expire_leases(judge)
    assert calls.judges_to_wake() == [judge.pk]


def test_replaced_judge_is_never_woken(judge: Judge) -> None:
    describe(judge.study, name=judge.name, replicates=2)
    assert calls.judges_to_wake() == []


def test_seconds_until_due_follow_the_first_call_and_the_judge(judge: Judge) -> None:
    assert calls.seconds_until_due(judge.pk) == 0
    soon, later = (timezone.now() + timedelta(seconds=s) for s in (20, 40))
    judge.calls.update(not_before=later)
    Call.objects.filter(pk=judge.calls.values("pk")[3:4]).update(not_before=soon)
    assert calls.seconds_until_due(judge.pk) == pytest.approx(20, abs=2)
    Judge.objects.filter(pk=judge.pk).update(not_before=timezone.now() + timedelta(seconds=30))
    assert calls.seconds_until_due(judge.pk) == pytest.approx(30, abs=2)
    calls.stop(judge.pk, "no credit")
    assert calls.seconds_until_due(judge.pk) is None


def test_a_call_that_is_lost_every_time_fails_in_the_end(judge: Judge, settings: Settings) -> None:
    settings.JUDGE_MAX_ATTEMPTS, settings.JUDGE_CONCURRENCY = 3, 1
    for _ in range(3):
        (lost,) = claim(judge.pk)
        Call.objects.filter(pk=lost.call.pk).update(lease_until=timezone.now())
        assert calls.recover(judge.pk) == 1
    call = Call.objects.get(pk=lost.call.pk)
    assert (call.state, call.score) == (Call.State.FAILED, None)
    assert "3 attempts without a score" in call.error
    assert set(call.attempts.values_list("outcome", flat=True)) == {Attempt.Outcome.UNKNOWN}
