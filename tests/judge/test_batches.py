"""Calls that are asked in batches, at a server that misbehaves."""

from datetime import timedelta

import pytest
from django.utils import timezone
from pytest_django.fixtures import Settings

from judge import asking, batches, leases, runs
from judge.configure import configure_judging
from judge.definition import JudgingDefinition
from judge.management.commands.judge import postfix
from judge.models import Attempt, Batch, Call, Judge, StructuredOutput
from judge.queries import progress
from judge.spending import spent_on
from survey.models import Study
from tests.judge.batching import RESPONSES, InBatches, Server, check_books, finish, requests_in
from tests.judge.judging import (
    asked,
    counts,
    describe_judging,
    outcomes,
    scores_by_request,
)

pytestmark = pytest.mark.django_db

#: The server says what an answer costs.
FREE = {"input": 0, "output": 0}


# Answers


@pytest.mark.parametrize(
    "presentation",
    ["single", "block", "pair"],
)
def test_one_batch_answers_every_call(
    presentation: str, batch_server: Server, in_batches: InBatches
) -> None:
    server = batch_server()
    judge = in_batches(presentation=presentation, replicates=2, reasons=presentation == "block")
    finish(judge)
    total = judge.calls.count()
    if presentation == "pair":  # the server gives scores alone: each verdict is repaired in vain
        assert counts(judge) == {"failed": total}
        assert requests_in(server) == [total, total]
        return
    assert counts(judge) == {"answered": total}
    assert requests_in(server) == [total]
    assert asked(server) == server.log
    check_books(judge, server)


def test_answers_are_recorded_as_those_of_single_requests(
    batch_server: Server, in_batches: InBatches
) -> None:
    server = batch_server()
    judge = in_batches(seed=3)
    finish(judge)
    assert scores_by_request(judge) == {e.request_id: e.score for e in server.log}
    attempt = Attempt.objects.get(provenance__response_id="faulty-0")
    entry = server.log[0]
    assert (attempt.request_id, attempt.request) == (entry.request_id, entry.body)
    assert (float(attempt.cost or 0), attempt.cost_is_estimate) == (entry.cost, False)
    assert attempt.returned_model == "test-model-served"
    assert attempt.provenance["batch"] == Batch.objects.get().remote_id == "batch_0"
    assert attempt.provenance["usage"]["prompt_tokens"] > 0


def test_probe_is_asked_singly_before_the_batch(
    batch_server: Server, in_batches: InBatches
) -> None:
    server = batch_server()
    judge = in_batches(reasons=True)
    StructuredOutput.objects.all().delete()
    finish(judge)
    assert [entry.is_probe for entry in server.log] == [True] + [False] * RESPONSES
    schema = server.log[1].body["response_format"]["json_schema"]["schema"]
    assert list(schema["properties"]) == ["reason", "score"], "the reason comes first"
    assert counts(judge) == {"answered": RESPONSES}


def test_a_schema_that_lines_are_refused_for_is_left_out_of_the_next_batch(
    batch_server: Server, in_batches: InBatches
) -> None:
    server = batch_server(lines={"sequence": ["bad_request"] * RESPONSES})
    judge = in_batches()
    StructuredOutput.objects.update(support="enforced")
    finish(judge)
    assert ["response_format" in entry.body for entry in server.log] == (
        [True] * RESPONSES + [False] * RESPONSES
    )
    assert counts(judge) == {"answered": RESPONSES}


def test_unusable_answers_are_repaired_in_the_next_batch(
    batch_server: Server, in_batches: InBatches
) -> None:
    server = batch_server(lines={"sequence": ["words", "garbage", "empty"]})
    judge = in_batches()
    finish(judge)
    assert requests_in(server) == [RESPONSES, 3]
    assert outcomes(judge) == {"answered": RESPONSES, "unusable": 3}
    assert [len(entry.body["messages"]) for entry in server.log[-3:]] == [4] * 3
    check_books(judge, server)


def test_error_lines_are_asked_again_in_the_next_batch(
    batch_server: Server, in_batches: InBatches
) -> None:
    server = batch_server(lines={"sequence": ["rate_limit", "server_error", "overloaded"]})
    judge = in_batches()
    finish(judge)
    assert requests_in(server) == [RESPONSES, 3]
    assert outcomes(judge) == {"answered": RESPONSES, "http_error": 3}
    check_books(judge, server)


def test_many_error_lines_do_not_stop_a_judge_that_also_has_answers(
    batch_server: Server, in_batches: InBatches, settings: Settings
) -> None:
    settings.JUDGE_CONCURRENCY, settings.JUDGE_MAX_ATTEMPTS = 1, 3
    server = batch_server(lines={"sequence": ["answer"] + ["server_error"] * (RESPONSES - 1)})
    judge = in_batches()
    finish(judge)
    assert requests_in(server) == [RESPONSES, RESPONSES - 1]
    assert counts(judge) == {"answered": RESPONSES}


def test_line_that_is_refused_for_a_wrong_key_stops_the_judge(
    batch_server: Server, in_batches: InBatches
) -> None:
    batch_server(lines={"shares": {"unauthorized": 1.0}})
    judge = in_batches()
    finish(judge)
    assert counts(judge) == {"waiting": RESPONSES}
    assert "HTTP 401" in progress(judge).stopped


def test_lines_that_are_missing_count_as_possibly_paid(
    batch_server: Server, in_batches: InBatches
) -> None:
    server = batch_server(lost=2)
    judge = in_batches(price={"input": 1, "output": 1})
    finish(judge)
    assert outcomes(judge) == {"answered": RESPONSES, "garbled": 2}
    lost = Attempt.objects.filter(outcome="garbled")
    assert all(attempt.cost and attempt.cost_is_estimate for attempt in lost)
    assert requests_in(server) == [RESPONSES, 2]


# Batches that end otherwise


@pytest.mark.parametrize("end", ["expired", "cancelled"])
def test_what_a_batch_answered_before_its_end_counts_and_the_rest_is_asked_again(
    end: str, batch_server: Server, in_batches: InBatches
) -> None:
    server = batch_server(ends=[end])
    judge = in_batches()
    finish(judge)
    assert requests_in(server) == [RESPONSES, RESPONSES // 2]
    assert outcomes(judge) == {"answered": RESPONSES, "not_processed": RESPONSES // 2}
    check_books(judge, server)


def test_failed_batch_is_asked_again(batch_server: Server, in_batches: InBatches) -> None:
    server = batch_server(ends=["failed", "failed"])
    judge = in_batches()
    finish(judge)
    assert requests_in(server) == [RESPONSES] * 3
    assert counts(judge) == {"answered": RESPONSES}
    failed = Attempt.objects.filter(outcome="not_processed")
    assert "the file could not be used" in failed[0].error
    check_books(judge, server)


def test_batches_that_all_fail_stop_the_judge_with_the_endpoints_reason(
    batch_server: Server, in_batches: InBatches, settings: Settings
) -> None:
    settings.JUDGE_MAX_ATTEMPTS = 3
    server = batch_server(ends=["failed"] * 9)
    judge = in_batches()
    finish(judge)
    assert len(server.batches) == 3
    assert "the file could not be used" in progress(judge).stopped
    assert spent_on(judge.study).money == 0


def test_batch_that_the_endpoint_forgot_counts_as_possibly_paid(
    batch_server: Server, in_batches: InBatches
) -> None:
    server = batch_server(statuses={"retrieve": [404]})
    judge = in_batches(price={"input": 1, "output": 1})
    finish(judge)
    assert outcomes(judge) == {"unknown": RESPONSES, "answered": RESPONSES}
    lost = Attempt.objects.filter(outcome="unknown")
    assert all(attempt.cost and attempt.cost_is_estimate for attempt in lost)
    assert len(server.batches) == 2


# Limits


def test_batch_has_as_many_calls_as_the_budget_has_requests(
    batch_server: Server, in_batches: InBatches
) -> None:
    server = batch_server()
    judge = in_batches(budget={"requests": 4})
    finish(judge)
    assert requests_in(server) == [4]
    assert counts(judge) == {"answered": 4, "waiting": 6}
    assert "budget of 4 requests is used up" in progress(judge).stopped


def test_batch_has_as_many_calls_as_the_budget_pays_for(
    batch_server: Server, in_batches: InBatches
) -> None:
    server = batch_server(lines={"states_cost": False})
    judge = in_batches(budget={"money": 0.001}, price={"input": 1, "output": 10})
    finish(judge)
    assert 0 < sum(requests_in(server)) < RESPONSES
    assert 0 < spent_on(judge.study).money <= 0.001
    assert "budget of 0.001 US dollars allows no more calls" in progress(judge).stopped


def test_first_batch_under_a_budget_in_money_is_small_and_shows_what_others_cost(
    batch_server: Server, in_batches: InBatches, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "FIRST", 3)
    server = batch_server()
    judge = in_batches(budget={"money": 5}, price=FREE)
    finish(judge)
    assert requests_in(server) == [3, RESPONSES - 3]


def test_more_calls_than_one_batch_has_are_in_several_at_once(
    batch_server: Server, in_batches: InBatches, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "LARGEST", 4)
    server = batch_server(polls=3)
    judge = in_batches()
    finish(judge)
    assert requests_in(server) == [4, 4, 2]
    check_books(judge, server)


def test_calls_in_a_batch_take_no_slot_and_are_nobodys_lost_calls(
    batch_server: Server, in_batches: InBatches
) -> None:
    server = batch_server()
    server.working.clear()
    judge = in_batches()
    Batch.objects.update(not_before=None)
    run_until_sent(judge)
    assert counts(judge) == {"running": RESPONSES}
    assert asking.in_flight_at(judge.endpoint) == 0
    assert leases.recover(judge.pk) == 0
    assert counts(judge) == {"running": RESPONSES}
    assert progress(judge).in_batch == RESPONSES
    sent_at = Batch.objects.get().sent_at
    assert sent_at is not None
    assert progress(judge).batch_since == sent_at
    said = postfix([progress(judge)], spent_on(judge.study))
    assert f"10 in a batch since {sent_at:%Y-%m-%d %H:%M} UTC (validating, 0 of 10 done)" in said
    server.working.set()
    Batch.objects.update(not_before=timezone.now())
    finish(judge)
    assert counts(judge) == {"answered": RESPONSES}
    assert progress(judge).in_batch == 0


def run_until_sent(judge: Judge) -> None:
    """Send a batch, and come back before it is over."""
    runs.run(judge.pk, is_ending=lambda: Batch.objects.filter(state="running").exists())


@pytest.mark.parametrize("change", ["replaced", "no more batches"])
def test_batch_that_is_paid_is_collected_even_if_its_judge_asks_no_more(
    change: str, batch_server: Server, in_batches: InBatches, study: Study
) -> None:
    server = batch_server()
    judge = in_batches()
    run_until_sent(judge)
    described = {"name": "j", "replicates": 1, "batch": change == "replaced"}
    described |= {"rubric": "Be strict."} if change == "replaced" else {}
    configure_judging(study, JudgingDefinition.model_validate({"judges": [described]}))
    Batch.objects.update(not_before=timezone.now())
    assert leases.judges_to_wake() == [judge.pk]
    finish(judge)
    assert counts(judge) == {"answered": RESPONSES}
    assert requests_in(server) == [RESPONSES]


def test_sweep_wakes_nobody_for_a_batch_that_waits(
    batch_server: Server, in_batches: InBatches
) -> None:
    server = batch_server()
    judge = in_batches()
    run_until_sent(judge)
    Batch.objects.update(not_before=timezone.now() + timedelta(hours=1))
    assert leases.judges_to_wake() == []
    assert Call.objects.filter(state="running").count() == RESPONSES
    assert server.asked["upload"] == 1


def test_stand_in_is_asked_singly(study: Study) -> None:
    (judge,) = describe_judging(study, judges=[{"name": "j", "batch": True}])
    configuration = judge.read_configuration()
    assert configuration.model_copy(update={"stand_in": True}).asks_in_batches is False
    assert configuration.model_copy(update={"stand_in": False}).asks_in_batches is True


def test_study_with_a_live_batch_can_be_deleted(
    batch_server: Server, in_batches: InBatches, study: Study
) -> None:
    batch_server()
    judge = in_batches()
    run_until_sent(judge)
    study.delete()
    assert not Batch.objects.exists()
