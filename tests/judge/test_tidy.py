"""Scores of judges and their requests as rows of tables."""

import json
from collections.abc import Callable
from decimal import Decimal

import pytest

from judge.calls import record_failure, record_scores
from judge.configure import move_judges_here
from judge.exchange import ExchangeFailed
from judge.gold import add_gold_set, choose_gold
from judge.models import Judge
from judge.parsing import Scored
from judge.queries import Gold, gold_scores
from judge.tidy import (
    ATTEMPT_COLUMNS,
    JUDGE_SCORE_COLUMNS,
    attempt_rows,
    gold_rows,
    judge_score_rows,
)
from survey.models import Response, Study
from tests.judge.judging import claim_one, describe, queue, reply_of

pytestmark = pytest.mark.django_db

Queue = Callable[..., Judge]
REFERENCE = "Failing hurts. Do you want to tell me more?"


def answer(judge: Judge, text: str, *scores: int) -> None:
    """Answer the calls about a response, replicate by replicate; the rest stays unasked."""
    calls = judge.calls.filter(response__text=text).order_by("replicate")
    judge.calls.exclude(response__text=text).update(not_before="2100-01-01T00:00Z")
    for call, score in zip(calls, scores, strict=True):
        claimed = claim_one(judge)
        assert claimed.call == call
        said = reply_of("{}", model="m-served", cost=Decimal("0.001"))
        record_scores(claimed, said, [Scored(score, "Warm.")])


def score_rows(study: Study) -> list[dict[str, object]]:
    return [dict(zip(JUDGE_SCORE_COLUMNS, row, strict=True)) for row in judge_score_rows(study)]


def test_score_of_a_response_stands_in_each_place_where_it_is_shown(queued: Queue) -> None:
    judge = queued(name="j", replicates=2, reasons=True)
    answer(judge, REFERENCE, 3, 2)
    rows = score_rows(judge.study)
    assert [
        (r["judge"], r["scenario"], r["set"], r["model"], r["condition"], r["response"])
        for r in rows
    ] == [
        ("j@1", "S1", place, "Oracle", "reference", "S1/1/Oracle/reference")
        for place in ("1", "2", "1", "2")
    ]
    assert [(r["dimension"], r["replicate"], r["score"], r["reason"]) for r in rows] == [
        ("warmth", replicate, score, "Warm.")
        for replicate, score in ((1, 3), (1, 3), (2, 2), (2, 2))
    ]


def test_score_of_a_block_stands_where_it_was_seen_alone(study: Study) -> None:
    describe(study, name="j", presentation="block", replicates=1)
    judge = queue(move_judges_here(study)[0])
    claimed = claim_one(judge)
    record_scores(claimed, reply_of("{}"), [Scored(2)] * 3)
    block = claimed.call.block
    assert block is not None
    rows = score_rows(study)
    assert len(rows) == 3
    assert {(r["scenario"], r["set"]) for r in rows} == {(block.scenario.name, block.set_name)}
    assert sorted(str(r["position"]) for r in rows) == ["1", "2", "3"]


def test_scores_from_a_file_have_a_row_each_or_their_mean(study: Study) -> None:
    first, second = Response.objects.exclude(text=REFERENCE).order_by("pk")[:2]
    scores = [Gold(first.pk, "warmth", 2.5, [2, 3]), Gold(second.pk, "warmth", 1.5, [])]
    add_gold_set(study, name="experts", made_by="", scores=scores)
    found = [(r["judge"], r["response"], r["replicate"], r["score"]) for r in score_rows(study)]
    assert found == [
        ("file experts", "S1/1/Ant/plain", 1, 2),
        ("file experts", "S1/1/Ant/plain", 2, 3),
        ("file experts", "S1/1/Ant/tuned", 1, 1.5),
    ]


def test_gold_rows_are_in_the_order_of_the_study_with_what_they_rest_on(queued: Queue) -> None:
    judge = queued(replicates=2)
    answer(judge, REFERENCE, 3, 2)
    assert list(gold_rows(judge.study, gold_scores(judge.study))) == [
        (("S1", place, "Oracle", "reference", "warmth", 2.5), [3, 2]) for place in ("1", "2")
    ]
    choose_gold(judge.study, panel="nobody")
    assert list(gold_rows(judge.study, gold_scores(judge.study))) == []


def test_every_request_has_a_row_with_all_that_is_known_of_it(queued: Queue) -> None:
    judge = queued(name="j", replicates=1, price={"input": 1, "output": 1})
    claimed = claim_one(judge)
    record_failure(claimed, ExchangeFailed("broke", outcome="broken_off", body="half"))
    answer(judge, Response.objects.order_by("-pk")[0].text, 2)
    rows = [dict(zip(ATTEMPT_COLUMNS, row, strict=True)) for row in attempt_rows(judge.study)]
    failed, answered = sorted(rows, key=lambda row: str(row["outcome"]), reverse=True)
    assert (failed["outcome"], failed["error"], failed["raw_text"]) == (
        "broken_off",
        "broke",
        "half",
    )
    assert (failed["cost_usd"], failed["cost_is_estimate"]) == (claimed.attempt.cost, True)
    assert (answered["judge"], answered["outcome"], answered["http_status"]) == (
        "j@1",
        "answered",
        200,
    )
    assert (answered["requested_model"], answered["returned_model"]) == (judge.model, "m-served")
    assert (answered["cost_usd"], answered["cost_is_estimate"]) == (Decimal("0.001"), False)
    assert json.loads(str(failed["request"])) == claimed.request.body()
    assert answered["prompt_hash"] != failed["prompt_hash"]
    response = Response.objects.order_by("-pk")[0]
    assert (answered["scenario"], answered["model"], answered["condition"]) == (
        response.scenario.name,
        response.system.model,
        response.system.condition,
    )
