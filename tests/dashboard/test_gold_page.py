"""The page of gold scores: what was scored, what failed, and asking for the rest."""

import pytest
from django.test import Client
from kombu.exceptions import OperationalError
from pytest_django import Settings

from judge.configure import configure_judge
from judge.definition import JudgeDefinition
from judge.models import Attempt, Call, Judge
from survey.models import Study
from tests.dashboard.conftest import Woken
from tests.dashboard.reading import tables_of, text_of


def test_gold_without_judge_says_what_to_do(page: Client, study: Study) -> None:
    shown = text_of(page.get("/studies/small/gold/"))
    assert "The study names no judge." in shown
    assert "The gold scores used are imported ones" in shown


def test_gold_shows_single_scores_and_their_mean(page: Client, study: Study) -> None:
    row = tables_of(page.get("/studies/small/gold/"))[0][1]
    assert row == [
        "S1", "Ant", "plain", "warmth", "Ant plain answers S1 Ant plain answers S1", "3, 4", "3.50",
    ]  # fmt: skip


def test_gold_shows_progress_failures_and_the_stand_in(page: Client, judge: Judge) -> None:
    first, second, third = judge.calls.all()[:3]
    Call.objects.filter(pk=first.pk).update(state="answered", score=4)
    Call.objects.filter(pk=second.pk).update(state="failed", error="no number in it")
    for number, (call, outcome, text) in enumerate(
        [(first, "answered", "4"), (second, "unusable", "well"), (second, "unusable", "<i>ill</i>")]
    ):
        Attempt.objects.create(
            call=call, number=number, request_id=str(number), outcome=outcome, raw_text=text
        )
    Attempt.objects.create(call=third, number=1, request_id="lost", outcome="unknown")
    answer = page.get("/studies/small/gold/")
    shown = text_of(answer)
    assert "This judge is a stand-in, not a language model." in shown
    assert "1 of 20 calls answered, 0 running, 18 waiting, 1 failed." in shown
    assert "4 requests sent, of which 1 unknown" in shown
    assert "1 × no number in it" in shown
    failures = tables_of(answer)[0]
    assert failures[1][-1] == "no number in it <i>ill</i>"
    assert b"<i>ill" not in answer.content


def test_gold_of_an_unscored_response_is_empty(page: Client, judge: Judge) -> None:
    assert {row[-1] for row in tables_of(page.get("/studies/small/gold/"))[0][1:]} == {"–"}


def test_gold_progress_alone_says_when_it_is_over(page: Client, judge: Judge) -> None:
    assert "X-Finished" not in page.get("/studies/small/gold/progress/")
    judge.calls.update(state="answered", score=3)
    assert page.get("/studies/small/gold/progress/")["X-Finished"] == "1"


def test_score_queues_what_is_missing_and_wakes_a_worker(
    page: Client, judge: Judge, woken: Woken
) -> None:
    judge.calls.filter(replicate=1).update(state="answered", score=3)
    judge.calls.filter(replicate=2).update(state="failed", error="too bad")
    answer = page.post("/studies/small/gold/score/", follow=True)
    assert woken == [("judge.run", judge.pk)]
    assert judge.calls.filter(state="waiting").count() == 10
    assert "10 calls are queued." in text_of(answer)


def test_score_with_nothing_missing_wakes_nobody(page: Client, judge: Judge, woken: Woken) -> None:
    judge.calls.update(state="answered", score=3)
    answer = page.post("/studies/small/gold/score/", follow=True)
    assert woken == []
    assert "there is nothing to ask" in text_of(answer)


def test_score_without_a_key_says_so_and_queues_nothing(
    page: Client, study: Study, settings: Settings, woken: Woken
) -> None:
    settings.JUDGE_STAND_IN = False
    settings.JUDGE_BASE_URL = "https://judge.example/v1"
    configure_judge(study, JudgeDefinition(name="real"))
    answer = page.post("/studies/small/gold/score/", follow=True)
    assert "JUDGE_API_KEY is missing" in text_of(answer)
    assert (woken, Call.objects.count()) == ([], 0)


def test_score_with_a_silent_broker_says_that_the_work_is_kept(
    page: Client, judge: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(task: str, row: int) -> None:
        raise OperationalError("connection refused")

    monkeypatch.setattr("dashboard.views.wake", refuse)
    answer = page.post("/studies/small/gold/score/", follow=True)
    assert "The broker does not answer (connection refused)." in text_of(answer)
