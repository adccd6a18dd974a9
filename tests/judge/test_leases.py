"""What lost workers leave behind, and who is woken for what waits. No endpoint is asked here."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone
from pytest_django.fixtures import Settings

from judge import asking, calls, leases
from judge.calls import claim
from judge.configure import move_judges_here
from judge.models import Attempt, Call, Endpoint, Judge, StructuredOutput
from judge.plans import queue_missing
from judge.queries import progress
from survey.models import Study
from tests.judge.judging import (
    TWO,
    claim_all,
    claim_one,
    describe,
    describe_judging,
    expire_leases,
    failure,
    outcomes,
    queue,
)

pytestmark = pytest.mark.django_db

Queue = Callable[..., Judge]


@pytest.fixture
def judge(queued: Queue) -> Judge:
    """10 calls waiting."""
    return queued(replicates=1)


# Lost calls


def test_recover_records_unknown_attempts_and_has_them_asked_once_more(judge: Judge) -> None:
    lost = claim_all(judge)
    assert len(lost) == 6
    assert leases.recover(judge.pk) == 0, "a live lease is left alone"
    expire_leases(judge)
    assert leases.judges_with_lost_calls() == [judge.pk]
    assert leases.recover(judge.pk) == 6
    assert outcomes(judge) == {"unknown": 6}
    assert progress(judge).unknown == 6
    assert leases.judges_with_lost_calls() == []
    again = claim_all(judge)
    assert [c.call.pk for c in again] == [c.call.pk for c in lost]
    assert [c.attempt.number for c in again] == [2] * 6


def test_money_of_a_lost_attempt_stays_reserved(queued: Queue) -> None:
    judge = queued(replicates=1, price={"input": 1.0, "output": 1.0})
    expected = claim_one(judge).attempt.cost
    expire_leases(judge)
    leases.recover(judge.pk)
    attempt = Attempt.objects.get()
    assert (attempt.cost, attempt.cost_is_estimate) == (expected, True)
    assert expected


def test_slots_of_lost_calls_are_free_again(judge: Judge) -> None:
    claim_all(judge)
    assert asking.in_flight_at(judge.endpoint) == 6
    expire_leases(judge)
    assert asking.in_flight_at(judge.endpoint) == 0


def test_a_call_that_is_lost_every_time_fails_in_the_end(judge: Judge, settings: Settings) -> None:
    settings.JUDGE_MAX_ATTEMPTS, settings.JUDGE_CONCURRENCY = 3, 1
    for _ in range(3):
        (lost,) = claim_all(judge)
        expire_leases(judge)
        assert leases.recover(judge.pk) == 1
    call = Call.objects.get(pk=lost.call.pk)
    assert call.state == Call.State.FAILED
    assert call.error == "3 attempts without a score; the last was lost with its worker"
    assert not call.scores.exists()
    assert set(call.attempts.values_list("outcome", flat=True)) == {Attempt.Outcome.UNKNOWN}


# Waking


def test_judge_with_due_calls_and_nobody_at_work_is_woken(judge: Judge) -> None:
    assert leases.judges_to_wake(besides=judge.pk) == [], "its worker goes on without a message"
    assert leases.judges_to_wake() == [judge.pk]
    claim(judge.pk)
    leases.take_up(judge.pk)
    assert leases.judges_to_wake() == [], "whoever holds a lease takes the others, too"
    expire_leases(judge)
    assert leases.judges_to_wake() == [judge.pk]


def test_judge_that_was_woken_is_not_woken_again_before_some_sweeps_have_passed(
    judge: Judge, settings: Settings
) -> None:
    assert leases.judges_to_wake() == [judge.pk]
    assert leases.judges_to_wake() == [], "its message waits behind others"
    settings.SWEEP_SECONDS = 1000
    sweep = timedelta(seconds=settings.SWEEP_SECONDS)
    Judge.objects.update(woken_at=timezone.now() - (asking.WOKEN_SWEEPS - 1) * sweep)
    assert leases.judges_to_wake() == []
    Judge.objects.update(woken_at=timezone.now() - asking.WOKEN_SWEEPS * sweep)
    assert leases.judges_to_wake() == [judge.pk], "the broker may have lost it"


def test_replicates_that_are_no_longer_asked_for_are_not_asked(study: Study) -> None:
    judge = queue(describe(study, replicates=3))
    describe(study, replicates=1)
    claimed = claim_all(judge)
    assert {each.call.replicate for each in claimed} == {1}
    judge.calls.filter(replicate=1).update(state="answered")
    assert leases.seconds_until_due(judge.pk) is None
    assert leases.judges_to_wake() == []
    assert progress(judge).total == judge.calls.filter(replicate=1).count()


def test_probe_whose_worker_is_lost_every_time_is_given_up(
    study: Study, settings: Settings
) -> None:
    settings.JUDGE_MAX_ATTEMPTS = 2
    judge = describe(study, replicates=1)
    queue_missing(judge)
    for _ in range(2):
        assert claim_one(judge).call.is_probe
        expire_leases(judge)
        leases.recover(judge.pk)
    assert StructuredOutput.objects.get().support == "unknown"
    claimed = claim_one(judge)
    assert not claimed.call.is_probe
    assert "response_format" not in claimed.request.body()


def test_probe_that_failed_once_is_asked_anew_when_what_it_found_is_forgotten(
    judge: Judge,
) -> None:
    judge.calls.create(replicate=0, state="failed")
    StructuredOutput.objects.all().delete()
    leases.recover(judge.pk)
    assert claim_one(judge).call.is_probe, "no worker was lost with it"


def test_judge_is_not_woken_before_its_endpoint_or_its_calls_are_due(judge: Judge) -> None:
    later = timezone.now() + timedelta(seconds=1000)
    judge.calls.update(not_before=later)
    assert leases.judges_to_wake() == []
    judge.calls.update(not_before=None)
    Endpoint.objects.update(not_before=later)
    assert leases.judges_to_wake() == []
    Endpoint.objects.update(not_before=None)
    Judge.objects.update(not_before=later)
    assert leases.judges_to_wake() == []


def test_judge_that_waits_for_a_slot_is_woken_when_there_is_one(study: Study) -> None:
    describe_judging(study, judges=[{"name": "one"}, {"name": "other"}])
    one, other = (queue(each) for each in move_judges_here(study))
    claimed = claim_all(one)
    assert leases.judges_to_wake() == []
    assert leases.seconds_until_due(other.pk) is None
    calls.record_unusable(claimed[0], TWO, "no number")
    assert leases.judges_to_wake() == [other.pk]
    assert leases.seconds_until_due(other.pk) == 0


def test_replaced_judge_is_never_woken(judge: Judge) -> None:
    describe(judge.study, name=judge.name, seed=7)
    assert leases.judges_to_wake() == []


def test_judge_that_is_not_ready_is_woken_so_that_somebody_says_so(
    judge: Judge, settings: Settings
) -> None:
    settings.JUDGE_BASE_URL = "https://judge.example.org/v1"
    assert leases.judges_to_wake() == [judge.pk]


def test_seconds_until_due_follow_the_first_call_the_judge_and_the_endpoint(judge: Judge) -> None:
    assert leases.seconds_until_due(judge.pk) == 0
    soon, later, last = (timezone.now() + timedelta(seconds=s) for s in (1000, 2000, 3000))
    last_call = Call.objects.filter(pk=judge.calls.latest("pk").pk)
    judge.calls.update(not_before=later)
    last_call.update(not_before=None)
    assert leases.seconds_until_due(judge.pk) == 0
    last_call.update(not_before=soon)
    assert leases.seconds_until_due(judge.pk) == pytest.approx(1000, abs=60)
    Judge.objects.update(not_before=timezone.now() + timedelta(seconds=1500))
    assert leases.seconds_until_due(judge.pk) == pytest.approx(1500, abs=60)
    Endpoint.objects.update(not_before=last)
    assert leases.seconds_until_due(judge.pk) == pytest.approx(3000, abs=60)
    calls.stop(judge.pk, "no credit")
    assert leases.seconds_until_due(judge.pk) is None


def test_calls_wait_for_the_probe_that_waits(queued: Queue, settings: Settings) -> None:
    settings.JUDGE_BACKOFF_SECONDS = 100
    judge = queued(replicates=1)
    StructuredOutput.objects.all().delete()
    probing = claim_one(judge)
    assert not leases.is_worked_on(judge.pk), "whoever comes waits for what it finds out"
    calls.record_failure(probing, failure())
    assert leases.judges_to_wake() == []
    assert 0 < (leases.seconds_until_due(judge.pk) or 0) <= asking.LONGEST_BACKOFF_SECONDS


def test_nothing_is_due_when_all_is_asked(judge: Judge, settings: Settings) -> None:
    settings.JUDGE_CONCURRENCY = 10
    assert len(claim_all(judge)) == 10
    assert leases.seconds_until_due(judge.pk) is None
    assert leases.is_worked_on(judge.pk)
