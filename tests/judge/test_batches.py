"""Calls that are asked in batches, at a server that misbehaves."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from pytest_django.fixtures import Settings

from judge import batches, leases, runs
from judge.configure import configure_judging
from judge.definition import JudgingDefinition
from judge.management.commands.judge import postfix
from judge.models import Attempt, Batch, Call, Judge, StructuredOutput
from judge.plans import queue_missing
from judge.queries import progress
from judge.spending import spent_on
from survey.models import Study
from tests.judge.judging import (
    asked,
    counts,
    describe_judging,
    outcomes,
    queue,
    scores_by_request,
)
from tests.servers.batch_judge import BatchJudge, BatchPlan, batch_judge
from tests.servers.judge_faults import Plan

Server = Callable[..., BatchJudge]
#: What a price costs nothing for; the server says what an answer costs.
FREE = {"input": 0, "output": 0}
RESPONSES = 10


@pytest.fixture
def server_with(server_with: object, settings: Settings) -> Iterator[Server]:
    """Starts a server with a plan and makes it the default endpoint."""
    with ExitStack() as stack:

        def start(*, lines: dict[str, Any] | None = None, **plan: Any) -> BatchJudge:
            whole = BatchPlan(lines=Plan(**(lines or {})), **plan)
            server = stack.enter_context(batch_judge(whole))
            settings.JUDGE_BASE_URL = server.base_url
            return server

        yield start


@pytest.fixture
def in_batches(study: Study) -> Callable[..., Judge]:
    """Gives the small study a judge that is asked in batches, and queues its calls."""

    def give(*, budget: dict[str, float] | None = None, **definition: Any) -> Judge:
        judge = {"name": "j", "replicates": 1, "batch": True} | definition
        (made,) = describe_judging(study, judges=[judge], budget=budget or {})
        return queue(made)

    return give


InBatches = Callable[..., Judge]


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


# Answers


@pytest.mark.parametrize("presentation", ["single", "block", "pair"])
def test_one_batch_answers_every_call(
    presentation: str, server_with: Server, in_batches: InBatches
) -> None:
    server = server_with()
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
    server_with: Server, in_batches: InBatches
) -> None:
    server = server_with()
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


def test_probe_is_asked_singly_before_the_batch(server_with: Server, in_batches: InBatches) -> None:
    server = server_with()
    judge = in_batches(reasons=True)
    StructuredOutput.objects.all().delete()
    finish(judge)
    assert [entry.is_probe for entry in server.log] == [True] + [False] * RESPONSES
    schema = server.log[1].body["response_format"]["json_schema"]["schema"]
    assert list(schema["properties"]) == ["reason", "score"], "the reason comes first"
    assert counts(judge) == {"answered": RESPONSES}


def test_a_schema_that_lines_are_refused_for_is_left_out_of_the_next_batch(
    server_with: Server, in_batches: InBatches
) -> None:
    server = server_with(lines={"sequence": ["bad_request"] * RESPONSES})
    judge = in_batches()
    StructuredOutput.objects.update(support="enforced")
    finish(judge)
    assert ["response_format" in entry.body for entry in server.log] == (
        [True] * RESPONSES + [False] * RESPONSES
    )
    assert counts(judge) == {"answered": RESPONSES}


def test_unusable_answers_are_repaired_in_the_next_batch(
    server_with: Server, in_batches: InBatches
) -> None:
    server = server_with(lines={"sequence": ["words", "garbage", "refusal"]})
    judge = in_batches()
    finish(judge)
    assert requests_in(server) == [RESPONSES, 3]
    assert outcomes(judge) == {"answered": RESPONSES, "unusable": 3}
    assert [len(entry.body["messages"]) for entry in server.log[-3:]] == [4] * 3
    check_books(judge, server)


def test_error_lines_are_asked_again_in_the_next_batch(
    server_with: Server, in_batches: InBatches
) -> None:
    server = server_with(lines={"sequence": ["rate_limit", "server_error", "overloaded"]})
    judge = in_batches()
    finish(judge)
    assert requests_in(server) == [RESPONSES, 3]
    assert outcomes(judge) == {"answered": RESPONSES, "http_error": 3}
    check_books(judge, server)


def test_many_error_lines_do_not_stop_a_judge_that_also_has_answers(
    server_with: Server, in_batches: InBatches, settings: Settings
) -> None:
    settings.JUDGE_CONCURRENCY, settings.JUDGE_MAX_ATTEMPTS = 1, 3
    server = server_with(lines={"sequence": ["answer"] + ["server_error"] * (RESPONSES - 1)})
    judge = in_batches()
    finish(judge)
    assert requests_in(server) == [RESPONSES, RESPONSES - 1]
    assert counts(judge) == {"answered": RESPONSES}


def test_line_that_is_refused_for_a_wrong_key_stops_the_judge(
    server_with: Server, in_batches: InBatches
) -> None:
    server_with(lines={"shares": {"unauthorized": 1.0}})
    judge = in_batches()
    finish(judge)
    assert counts(judge) == {"waiting": RESPONSES}
    assert "HTTP 401" in progress(judge).stopped


def test_lines_that_are_missing_count_as_possibly_paid(
    server_with: Server, in_batches: InBatches
) -> None:
    server = server_with(lost=2)
    judge = in_batches(price={"input": 1, "output": 1})
    finish(judge)
    assert outcomes(judge) == {"answered": RESPONSES, "garbled": 2}
    lost = Attempt.objects.filter(outcome="garbled")
    assert all(attempt.cost and attempt.cost_is_estimate for attempt in lost)
    assert requests_in(server) == [RESPONSES, 2]


# Batches that end otherwise


@pytest.mark.parametrize("end", ["expired", "cancelled"])
def test_what_a_batch_answered_before_its_end_counts_and_the_rest_is_asked_again(
    end: str, server_with: Server, in_batches: InBatches
) -> None:
    server = server_with(ends=[end])
    judge = in_batches()
    finish(judge)
    assert requests_in(server) == [RESPONSES, RESPONSES // 2]
    assert outcomes(judge) == {"answered": RESPONSES, "not_processed": RESPONSES // 2}
    check_books(judge, server)


def test_failed_batch_is_asked_again(server_with: Server, in_batches: InBatches) -> None:
    server = server_with(ends=["failed", "failed"])
    judge = in_batches()
    finish(judge)
    assert requests_in(server) == [RESPONSES] * 3
    assert counts(judge) == {"answered": RESPONSES}
    failed = Attempt.objects.filter(outcome="not_processed")
    assert "the file could not be used" in failed[0].error
    check_books(judge, server)


def test_batches_that_all_fail_stop_the_judge_with_the_endpoints_reason(
    server_with: Server, in_batches: InBatches, settings: Settings
) -> None:
    settings.JUDGE_MAX_ATTEMPTS = 3
    server = server_with(ends=["failed"] * 9)
    judge = in_batches()
    finish(judge)
    assert len(server.batches) == 3
    assert "the file could not be used" in progress(judge).stopped
    assert spent_on(judge.study).money == 0


def test_batch_that_the_endpoint_forgot_counts_as_possibly_paid(
    server_with: Server, in_batches: InBatches
) -> None:
    server = server_with(statuses={"retrieve": [404]})
    judge = in_batches(price={"input": 1, "output": 1})
    finish(judge)
    assert outcomes(judge) == {"unknown": RESPONSES, "answered": RESPONSES}
    lost = Attempt.objects.filter(outcome="unknown")
    assert all(attempt.cost and attempt.cost_is_estimate for attempt in lost)
    assert len(server.batches) == 2


# Requests about files and batches that fail


@pytest.mark.parametrize(
    "statuses",
    [
        {"upload": [429, 500, -1]},
        {"create": [429, 503]},
        {"create": [-1]},
        {"create": [-1], "list": [500, 429]},
        {"retrieve": [500, 429, 500]},
        {"download": [500, 429]},
    ],
    ids=str,
)
def test_requests_that_fail_are_made_again_and_no_batch_is_created_twice(
    statuses: dict[str, list[int]], server_with: Server, in_batches: InBatches
) -> None:
    server = server_with(statuses=statuses, keeps_metadata="list" not in statuses)
    judge = in_batches()
    finish(judge)
    assert counts(judge) == {"answered": RESPONSES}
    assert requests_in(server) == [RESPONSES]
    check_books(judge, server)


def test_batch_that_cannot_be_searched_for_counts_as_possibly_paid(
    server_with: Server, in_batches: InBatches
) -> None:
    server = server_with(statuses={"create": [-1], "list": [501]})
    judge = in_batches()
    finish(judge)
    assert outcomes(judge) == {"unknown": RESPONSES, "answered": RESPONSES}
    assert len(server.batches) == 2


@pytest.mark.parametrize("status", [404, 405, 501])
@pytest.mark.parametrize("kind", ["upload", "create"])
def test_endpoint_without_batches_stops_the_judge_and_says_what_to_do(
    kind: str, status: int, server_with: Server, in_batches: InBatches, study: Study
) -> None:
    server = server_with(statuses={kind: [status]})
    judge = in_batches()
    finish(judge)
    stopped = progress(judge).stopped
    assert stopped.startswith(f"{server.base_url} has no batches (the endpoint answered HTTP")
    assert "remove batch: true from the judge in study.yaml" in stopped
    assert "\n" not in stopped
    assert counts(judge) == {"waiting": RESPONSES}
    assert spent_on(study).money == 0
    (single,) = describe_judging(study, judges=[{"name": "j", "replicates": 1}])
    assert single == judge, "the same version"
    queue_missing(single)
    finish(judge)
    assert counts(judge) == {"answered": RESPONSES}
    assert not server.batches


@pytest.mark.parametrize("status", [401, 402, 403, 400])
def test_batch_that_is_refused_stops_the_judge_and_costs_nothing(
    status: int, server_with: Server, in_batches: InBatches
) -> None:
    server_with(statuses={"create": [status]})
    judge = in_batches(price={"input": 1, "output": 1})
    finish(judge)
    assert f"its batch was refused: the endpoint answered HTTP {status}" in progress(judge).stopped
    assert counts(judge) == {"waiting": RESPONSES}
    assert spent_on(judge.study).money == 0


def test_upload_that_always_fails_stops_the_judge_and_a_restart_goes_on(
    server_with: Server, in_batches: InBatches, settings: Settings
) -> None:
    settings.JUDGE_MAX_ATTEMPTS = 3
    server = server_with(statuses={"upload": [500] * 3})
    judge = in_batches()
    finish(judge)
    assert "its batch could not be sent" in progress(judge).stopped
    finish(judge)
    assert counts(judge) == {"waiting": RESPONSES}, "what was not sent is not held back"
    queue_missing(judge)
    finish(judge)
    assert counts(judge) == {"answered": RESPONSES}
    assert requests_in(server) == [RESPONSES]


# Limits


def test_batch_has_as_many_calls_as_the_budget_has_requests(
    server_with: Server, in_batches: InBatches
) -> None:
    server = server_with()
    judge = in_batches(budget={"requests": 4})
    finish(judge)
    assert requests_in(server) == [4]
    assert counts(judge) == {"answered": 4, "waiting": 6}
    assert "budget of 4 requests is used up" in progress(judge).stopped


def test_batch_has_as_many_calls_as_the_budget_pays_for(
    server_with: Server, in_batches: InBatches
) -> None:
    server = server_with(lines={"states_cost": False})
    judge = in_batches(budget={"money": 0.001}, price={"input": 1, "output": 10})
    finish(judge)
    assert 0 < sum(requests_in(server)) < RESPONSES
    assert 0 < spent_on(judge.study).money <= 0.001
    assert "budget of 0.001 US dollars allows no more calls" in progress(judge).stopped


def test_first_batch_under_a_budget_in_money_is_small_and_shows_what_others_cost(
    server_with: Server, in_batches: InBatches, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "FIRST", 3)
    server = server_with()
    judge = in_batches(budget={"money": 5}, price=FREE)
    finish(judge)
    assert requests_in(server) == [3, RESPONSES - 3]


def test_more_calls_than_one_batch_has_are_in_several_at_once(
    server_with: Server, in_batches: InBatches, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "LARGEST", 4)
    server = server_with(polls=3)
    judge = in_batches()
    finish(judge)
    assert requests_in(server) == [4, 4, 2]
    check_books(judge, server)


def test_calls_in_a_batch_take_no_slot_and_are_nobodys_lost_calls(
    server_with: Server, in_batches: InBatches
) -> None:
    server = server_with()
    server.working.clear()
    judge = in_batches()
    Batch.objects.update(not_before=None)
    run_until_sent(judge)
    assert counts(judge) == {"running": RESPONSES}
    assert leases.live_at(judge.endpoint).count() == 0
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
    change: str, server_with: Server, in_batches: InBatches, study: Study
) -> None:
    server = server_with()
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
    server_with: Server, in_batches: InBatches
) -> None:
    server = server_with()
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
