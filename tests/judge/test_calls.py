"""The queue: claims and outcomes. No endpoint is asked here."""

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils import timezone
from pytest_django.fixtures import Settings

from judge import asking, calls, leases
from judge.attempts import Claimed
from judge.calls import claim
from judge.configure import move_judges_here
from judge.exchange import ExchangeFailed, Reply, Scope
from judge.models import Attempt, Call, EndpointTrait, Judge, Score
from judge.parsing import Scored
from judge.plans import queue_missing
from judge.prompts import prompt_hash
from judge.queries import progress
from judge.traits import Trait
from survey.models import Response, Study
from survey.storable import LEFT_OUT, STORED_CHARACTERS
from tests.judge.judging import (
    TWO,
    claim_all,
    claim_one,
    counts,
    describe,
    describe_judging,
    expire_leases,
    failure,
    note_support,
    outcomes,
    queue,
    reply_of,
)

pytestmark = pytest.mark.django_db

Queue = Callable[..., Judge]


@pytest.fixture
def judge(queued: Queue) -> Judge:
    """10 calls waiting."""
    return queued(replicates=1)


def record_scores(claimed: Claimed, reply: Reply = TWO, score: int = 2) -> None:
    calls.record_scores(claimed, reply, [Scored(score)] * len(claimed.responses))


# Claiming


def test_claim_commits_the_attempt_of_the_call_that_it_leases(judge: Judge) -> None:
    claimed = claim_one(judge)
    attempt = Attempt.objects.get()
    assert (attempt.outcome, attempt.number, attempt.is_repair) == ("in_flight", 1, False)
    call = Call.objects.get(pk=attempt.call_id)
    assert call.lease_token == attempt.request_id == claimed.request.id
    assert claimed.responses == [call.response_id]
    assert counts(judge) == {"running": 1, "waiting": 9}


def test_lease_lasts_as_long_as_its_worker_renews_it(judge: Judge, settings: Settings) -> None:
    settings.JUDGE_LEASE_SECONDS = 0
    claimed, lost = claim_one(judge), claim_one(judge)
    settings.JUDGE_LEASE_SECONDS = 30
    leases.renew([claimed.attempt.request_id])
    assert leases.recover(judge.pk) == 1
    assert Attempt.objects.get(pk=lost.attempt.pk).outcome == "unknown"
    record_scores(claimed)
    leases.renew([claimed.attempt.request_id])  # a call that is answered stays so
    assert counts(judge) == {"answered": 1, "waiting": 9}


def test_attempt_records_the_request_to_the_letter(queued: Queue, settings: Settings) -> None:
    options = {"provider": {"order": ["groq"], "allow_fallbacks": False}}
    judge = queued(
        replicates=1, seed=5, temperature=None, max_tokens=20, rubric="Be kind.", options=options
    )
    claimed = claim_one(judge)
    assert claimed.call.response is not None
    attempt = Attempt.objects.get()
    assert attempt.request == claimed.request.body()
    messages = attempt.request.pop("messages")
    assert attempt.request == {
        "model": settings.JUDGE_MODEL,
        "max_tokens": 20,
        "seed": claimed.request.seed,
        **options,
    }
    assert "Be kind." in messages[0]["content"]
    assert claimed.call.response.text in messages[1]["content"]
    assert attempt.prompt_hash == prompt_hash(messages)


def test_schema_is_sent_where_the_endpoint_holds_to_it_and_nowhere_else(judge: Judge) -> None:
    assert "response_format" not in claim_one(judge).request.body()
    note_support(judge, "enforced")
    stated = claim_one(judge).request.body()["response_format"]
    assert stated["type"] == "json_schema"
    assert stated["json_schema"]["strict"] is True
    score = stated["json_schema"]["schema"]["properties"]["score"]
    assert score == {"type": "integer", "enum": [1, 2, 3]}


def test_request_that_cannot_be_built_leaves_nothing_half_claimed(judge: Judge) -> None:
    first = judge.calls.order_by("id").values("pk")[:1]
    Call.objects.filter(pk__in=list(first.values_list("pk", flat=True))).update(dimension="other")
    with pytest.raises(KeyError):
        claim(judge.pk)
    assert counts(judge) == {"waiting": 10}
    assert outcomes(judge) == {}


def test_claims_of_all_workers_share_one_limit(judge: Judge, settings: Settings) -> None:
    settings.JUDGE_CONCURRENCY = 4
    first = claim_all(judge)
    assert len(first) == 4
    record_scores(first[0])
    assert len(claim_all(judge)) == 1


def test_judges_of_one_endpoint_share_its_limit_also_over_studies(
    judge: Judge, settings: Settings
) -> None:
    settings.JUDGE_CONCURRENCY = 3
    definition = judge.study.definition
    other_study = Study.objects.create(slug="other", title="Other", definition=definition)
    scenario = judge.study.scenarios.earliest("pk")
    scenario.pk, scenario.study = None, other_study
    scenario.save()
    response = Response.objects.earliest("pk")
    response.pk, response.scenario, response.public_id = None, scenario, "another"
    response.save()
    describe(other_study, replicates=3)
    other = queue(move_judges_here(other_study)[0])
    assert len(claim_all(judge)) == 3
    assert claim_all(other) == []
    assert other.endpoint == judge.endpoint


def test_judges_of_two_endpoints_have_a_limit_each(study: Study, settings: Settings) -> None:
    settings.JUDGE_CONCURRENCY = 2
    named = {"base_url": "http://127.0.0.1:9/other", "api_key": "", "model": "m", "concurrency": 5}
    settings.JUDGE_ENDPOINTS = {"other": named}
    describe_judging(study, judges=[{"name": "here"}, {"name": "there", "endpoint": "other"}])
    here, there = (queue(each) for each in move_judges_here(study))
    assert (len(claim_all(here)), len(claim_all(there))) == (2, 5)


def test_claim_of_a_stopped_judge_is_none(judge: Judge) -> None:
    calls.stop(judge.pk, "no credit")
    assert claim(judge.pk) is None


def test_answer_counts_only_while_the_lease_is_its_own(judge: Judge) -> None:
    late = claim_one(judge)
    expire_leases(judge)
    leases.recover(judge.pk)
    second = claim_one(judge)
    assert second.call.pk == late.call.pk
    record_scores(late, score=1)
    assert outcomes(judge) == {"unknown": 1, "in_flight": 1}
    record_scores(second, score=3)
    assert list(second.call.scores.values_list("value", flat=True)) == [3]
    calls.record_failure(late, failure())
    assert outcomes(judge) == {"unknown": 1, "answered": 1}


# Answers


def test_answer_is_kept_with_its_scores_and_reasons(study: Study) -> None:
    describe(study, presentation="block", reasons=True, replicates=1)
    judge = queue(move_judges_here(study)[0])
    claimed = claim_one(judge)
    scored = [Scored(1, "Cold."), Scored(2, "Warmer.\x00"), Scored(3)]
    calls.record_scores(claimed, TWO, scored)
    call = Call.objects.get(pk=claimed.call.pk)
    assert call.state == Call.State.ANSWERED
    assert call.answered_at is not None
    stored = Score.objects.filter(call=call).order_by("value")
    assert [(s.response_id, s.value, s.reason) for s in stored] == [
        (response, value, reason)
        for response, value, reason in zip(
            call.order or [], (1, 2, 3), ("Cold.", "Warmer.\ufffd", ""), strict=True
        )
    ]


def test_attempt_keeps_what_the_endpoint_said(judge: Judge) -> None:
    said = reply_of(
        '{"score": 2}',
        model="m-served",
        cost=Decimal("0.00012"),
        provenance={"response_id": "x\x00", "usage": {"cost": 0.00012}},
    )
    record_scores(claim_one(judge), said)
    attempt = Attempt.objects.get()
    assert (attempt.outcome, attempt.http_status, attempt.raw_text) == ("answered", 200, said.text)
    assert (attempt.returned_model, attempt.cost, attempt.cost_is_estimate) == (
        "m-served",
        Decimal("0.00012"),
        False,
    )
    assert attempt.provenance == {"response_id": "x\ufffd", "usage": {"cost": 0.00012}}
    assert attempt.ended_at is not None and attempt.ended_at >= attempt.started_at


def test_texts_that_no_database_takes_are_stored_all_the_same(judge: Judge) -> None:
    strange = reply_of("a\x00b\ud800c" + "x" * 20_000, model="m\x00" * 200)
    calls.record_unusable(claim_one(judge), strange, "no number\x00")
    attempt = Attempt.objects.get()
    half = STORED_CHARACTERS // 2
    assert attempt.raw_text == "a\ufffdb?c" + "x" * (half - 5) + LEFT_OUT + "x" * half
    assert attempt.returned_model == "m\ufffd" * 100
    assert attempt.error == "no number\ufffd"


def test_answer_after_long_thoughts_is_in_what_is_stored(judge: Judge) -> None:
    thoughts = f"<think>{'Hm. ' * 10_000}</think>"
    record_scores(claim_one(judge), reply_of(thoughts + '{"score": 2}'))
    stored = Attempt.objects.get().raw_text
    assert stored.startswith("<think>Hm. ")
    assert stored.endswith('Hm. </think>{"score": 2}')


# Repair


def test_unusable_answer_is_repaired_at_once_and_the_request_shows_it(judge: Judge) -> None:
    first = claim_one(judge)
    calls.record_unusable(first, reply_of("four"), "there is no number")
    second = claim_one(judge)
    assert second.call.pk == first.call.pk
    assert (second.attempt.number, second.attempt.is_repair) == (2, True)
    asked, said, again = second.request.messages[:2], *second.request.messages[2:]
    assert asked == first.request.messages
    assert said == {"role": "assistant", "content": "four"}
    assert again["content"].startswith("That can't be used: there is no number. Answer with")
    record_scores(second)
    assert counts(judge) == {"answered": 1, "waiting": 9}


def test_second_unusable_answer_leaves_the_score_missing(judge: Judge) -> None:
    for _ in range(2):
        calls.record_unusable(claim_one(judge), TWO, "there is no number")
    call = judge.calls.get(state=Call.State.FAILED)
    assert call.error == "no usable score, also after one repair: there is no number"
    assert not call.scores.exists()
    assert outcomes(judge) == {"unusable": 2}


def test_repair_whose_request_fails_is_asked_again_as_a_repair(
    judge: Judge, settings: Settings
) -> None:
    settings.JUDGE_BACKOFF_SECONDS = 0
    calls.record_unusable(claim_one(judge), TWO, "there is no number")
    calls.record_failure(claim_one(judge), failure())
    again = claim_one(judge)
    assert (again.attempt.number, again.attempt.is_repair) == (3, True)
    calls.record_unusable(again, TWO, "there is no number")
    assert counts(judge) == {"failed": 1, "waiting": 9}


def test_call_that_is_queued_anew_is_asked_from_the_start(judge: Judge) -> None:
    for _ in range(2):
        calls.record_unusable(claim_one(judge), TWO, "there is no number")
    queue_missing(judge)
    again = claim_one(judge)
    assert (again.attempt.number, again.attempt.is_repair) == (3, False)
    assert len(again.request.messages) == 2


# Failures


def test_passing_failure_waits_before_the_call_is_asked_again(
    judge: Judge, settings: Settings
) -> None:
    settings.JUDGE_BACKOFF_SECONDS = 100
    claimed = claim_one(judge)
    calls.record_failure(claimed, failure())
    call = Call.objects.get(pk=claimed.call.pk)
    assert call.state == Call.State.WAITING
    assert call.not_before is not None
    wait = (call.not_before - timezone.now()).total_seconds()
    assert 0 < wait <= asking.LONGEST_BACKOFF_SECONDS
    assert call.pk not in {c.call.pk for c in claim_all(judge)}


def test_call_is_given_up_after_its_attempts(judge: Judge, settings: Settings) -> None:
    settings.JUDGE_MAX_ATTEMPTS, settings.JUDGE_BACKOFF_SECONDS = 2, 0
    for _ in range(2):
        calls.record_failure(claim_one(judge), failure())
    call = judge.calls.get(state=Call.State.FAILED)
    assert call.error == "given up after attempt 2: it failed"


@pytest.mark.parametrize("shows", [None, Trait.NO_SEED])
def test_failure_is_recorded_though_its_endpoint_is_no_longer_set_up(
    shows: Trait | None, queued: Queue, settings: Settings
) -> None:
    settings.JUDGE_STAND_IN, settings.JUDGE_STAND_IN_URL = False, ""
    there = {"base_url": "http://127.0.0.1:9/v1", "api_key": "", "model": "m", "concurrency": 1}
    settings.JUDGE_ENDPOINTS = {"away": there}
    judge = queued(endpoint="away", replicates=1, seed=3)
    claimed = claim_one(judge)
    settings.JUDGE_ENDPOINTS = {}
    calls.record_failure(claimed, ExchangeFailed("it failed", outcome="http_error", trait=shows))
    attempt = Attempt.objects.get()
    assert (attempt.outcome, attempt.error) == ("http_error", "it failed")
    assert counts(judge) == {"waiting": 10}
    assert EndpointTrait.objects.exists() is (shows is not None)
    calls.record_failed_batch(judge.pk, failure())
    judge.refresh_from_db()
    assert judge.not_before is not None


@pytest.mark.parametrize(
    ("outcome", "is_free"),
    [
        ("http_error", True),
        ("not_connected", True),
        ("timeout", False),
        ("broken_off", False),
        ("garbled", False),
    ],
)
def test_failure_is_free_unless_it_may_have_been_answered(
    outcome: str, is_free: bool, queued: Queue
) -> None:
    judge = queued(price={"input": 1.0, "output": 1.0})
    claimed = claim_one(judge)
    expected = claimed.attempt.cost
    assert expected
    calls.record_failure(claimed, failure(outcome=outcome))
    attempt = Attempt.objects.get()
    assert (attempt.cost, attempt.cost_is_estimate) == (
        (Decimal(0), False) if is_free else (expected, True)
    )


def test_retry_after_of_an_endpoint_holds_back_all_its_judges_up_to_an_hour(
    study: Study,
) -> None:
    describe_judging(study, judges=[{"name": "one"}, {"name": "other"}])
    one, other = (queue(each) for each in move_judges_here(study))
    calls.record_failure(claim_one(one), failure(retry_after=10.0**12))
    for judge in (one, other):
        not_before = progress(judge).not_before
        assert not_before is not None
        assert timedelta(minutes=59) < not_before - timezone.now() <= timedelta(hours=1)
        assert claim(judge.pk) is None
    assert leases.judges_to_wake() == []


def test_failures_of_everything_in_flight_slow_the_judge_down(
    judge: Judge, settings: Settings
) -> None:
    settings.JUDGE_CONCURRENCY = 3
    first, second, third = claim_all(judge)
    calls.record_failure(first, failure())
    calls.record_failure(second, failure())
    assert progress(judge).not_before is None
    calls.record_failure(third, failure())
    assert progress(judge).not_before is not None


def test_answer_ends_the_count_of_failures_in_a_row(judge: Judge, settings: Settings) -> None:
    settings.JUDGE_CONCURRENCY = 3
    first, second, third = claim_all(judge)
    calls.record_failure(first, failure())
    record_scores(second)
    calls.record_failure(third, failure())
    judge.refresh_from_db()
    assert judge.failures_in_a_row == 1


def test_reason_for_a_stop_is_one_that_every_database_takes(judge: Judge) -> None:
    said = ExchangeFailed("bad\x00 \ud800 key", outcome="http_error", scope=Scope.JUDGE, status=401)
    calls.record_failure(claim_one(judge), said)
    assert progress(judge).stopped == "bad\ufffd ? key"


def test_failure_of_the_whole_judge_stops_it_and_keeps_its_calls(judge: Judge) -> None:
    calls.record_failure(claim_one(judge), failure(Scope.JUDGE, status=401))
    assert progress(judge).stopped == "it failed"
    assert counts(judge) == {"waiting": 10}
    assert leases.judges_to_wake() == []


def test_refused_request_stops_a_judge_that_never_answered_and_else_fails_alone(
    judge: Judge,
) -> None:
    calls.record_failure(claim_one(judge), failure(Scope.REQUEST, status=400))
    assert progress(judge).stopped == "it failed"
    queue(judge)
    record_scores(claim_one(judge))
    calls.record_failure(claim_one(judge), failure(Scope.REQUEST, status=400))
    assert progress(judge).stopped == ""
    assert counts(judge) == {"answered": 1, "failed": 1, "waiting": 8}


def test_first_request_that_is_refused_again_and_again_does_not_hold_up_the_others(
    judge: Judge, settings: Settings
) -> None:
    """A response that an endpoint will not read, for instance, is the study's first one."""
    settings.JUDGE_CONCURRENCY = 1
    refused = claim_one(judge)
    calls.record_failure(refused, failure(Scope.REQUEST, status=400))
    assert progress(judge).stopped == "it failed"
    queue(judge)
    again = claim_one(judge)
    assert again.call.pk == refused.call.pk
    calls.record_failure(again, failure(Scope.REQUEST, status=400))
    assert (progress(judge).stopped, counts(judge)) == ("", {"failed": 1, "waiting": 9})
