"""A judge of pairs: two responses of a block in both orders, and which of them is better."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from subprocess import PIPE, Popen
from sys import executable
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from judge import runs
from judge.configure import move_judges_here
from judge.doubts import Unusable
from judge.models import Judge, Score
from judge.parsing import Scored, parse_verdicts
from judge.plans import plan_calls
from judge.prompts import TIE, answer_schema, messages
from judge.queries import GoldSource
from judge.tidy import (
    JUDGE_COMPARISON_COLUMNS,
    judge_comparison_rows,
    judge_rows,
    judge_score_rows,
)
from survey.models import Study
from tests.judge.judging import counts, describe

# Reading this file loads openai, which takes longer than its tests without a database.
pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


def pairs(study: Study, **definition: Any) -> Judge:
    return describe(study, **{"name": "j", "presentation": "pair", "replicates": 2} | definition)


def test_every_two_responses_of_a_block_are_asked_about_in_both_orders(study: Study) -> None:
    judge = pairs(study)
    assert plan_calls(judge) == 4 * 3 * 2
    orders: dict[tuple[int | None, str], list[list[int]]] = {}
    for call in judge.calls.order_by("replicate"):
        orders.setdefault((call.block_id, call.pair), []).append(call.order or [])
    assert len(orders) == 12
    assert all(first == second[::-1] for first, second in orders.values())
    assert plan_calls(judge) == 0


def test_which_response_comes_first_is_drawn(study: Study) -> None:
    judge = pairs(study)
    plan_calls(judge)
    orders = judge.calls.filter(replicate=1).values_list("order", flat=True)
    assert {order == sorted(order) for order in orders if order} == {True, False}


def test_question_asks_which_is_better_and_states_no_scale(study: Study) -> None:
    configured = pairs(study, rubric="Consider its warmth.", reasons=True).read_configuration()
    system, user = messages(
        configured, dimensions=["warmth"], prompt="I failed.", context="", responses=["X.", "Y."]
    )
    assert "two responses" in system["content"] and "Scale" not in system["content"]
    assert "How warm is this response?" in system["content"]
    assert system["content"].endswith('{"reason": "<one sentence>", "better": <"A", "B" or "tie">}')
    assert '<response name="B">' in user["content"]
    schema = answer_schema(configured, 2, ["warmth"])
    assert schema["properties"]["better"]["enum"] == ["A", "B", "tie"]


@pytest.mark.parametrize(
    ("text", "scores"),
    [
        ('{"better": "A"}', [2, 0]),
        ('{"better": "b", "reason": "Warm."}', [0, 2]),
        ('Well: {"better": "Tie"}', [1, 1]),
    ],
)
def test_better_response_gets_two_points_and_a_tie_gives_one_each(
    text: str, scores: list[int]
) -> None:
    found = parse_verdicts(text, ["A", "B"], tie=TIE)
    assert [each.score for each in found] == scores


def test_verdicts_of_several_dimensions_go_by_response() -> None:
    text = '{"warm": {"better": "A"}, "clear": {"better": "tie"}}'
    found = parse_verdicts(text, ["A", "B"], tie=TIE, dimensions=["warm", "clear"])
    assert found == [Scored(2), Scored(1), Scored(0), Scored(1)]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("A", "there is no JSON object"),
        ("", "the answer is empty"),
        ('{"better": "C"}', '"better" is not one of A, B, tie'),
        ('{"score": 3}', '"better" is not one of A, B, tie'),
        ('{"better": 1}', '"better" is not one of A, B, tie'),
    ],
)
def test_answer_that_names_neither_is_refused(text: str, reason: str) -> None:
    with pytest.raises(Unusable, match=reason):
        parse_verdicts(text, ["A", "B"], tie=TIE)


@pytest.fixture(scope="module")
def standin() -> Iterator[str]:
    command = [executable, "-m", "judge.standin", "--port", "0"]
    with Popen(command, cwd=ROOT, stdout=PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.terminate()


@pytest.fixture
def scored(standin: str, study: Study, settings: Settings) -> Judge:
    settings.JUDGE_STAND_IN, settings.JUDGE_BASE_URL = True, standin
    pairs(study, seed=1)
    (judge,) = move_judges_here(study)
    plan_calls(judge)
    runs.run(judge.pk)
    assert counts(judge) == {"answered": 24}
    return judge


def test_answers_are_rows_that_name_both_responses(scored: Judge) -> None:
    rows = [
        dict(zip(JUDGE_COMPARISON_COLUMNS, row, strict=True))
        for row in judge_comparison_rows(scored.study)
    ]
    assert len(rows) == 24
    assert Counter(row["first"] for row in rows) == {"a": 12, "b": 12}
    assert {row["better"] for row in rows} <= {"a", "b", "tie"}
    assert all(row["response_a"] != row["response_b"] for row in rows)
    points = Score.objects.filter(call__judge=scored).values_list("value", flat=True)
    assert sum(points) == 2 * 24


def test_scores_are_win_rates_and_never_gold(scored: Judge) -> None:
    scores = [row[-2] for row in judge_score_rows(scored.study)]
    assert len(scores) == 4 * 3 * 2
    assert set(scores) <= {0, 0.25, 0.5, 0.75, 1}
    assert sum(scores) == pytest.approx(4 * 2 * 1.5)
    (about,) = judge_rows(scored.study)
    assert (about[0], about[6]) == (GoldSource(judge=scored).name, False)  # on another scale
