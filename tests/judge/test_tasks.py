"""What workers are woken for."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone

from judge import tasks, turns
from judge.calls import claim
from judge.configure import move_judges_here
from judge.models import Judge
from survey.models import Study
from tests.judge.judging import counts, describe_judging, queue
from tests.servers.faulty_judge import FaultyJudge

pytestmark = pytest.mark.django_db


@pytest.fixture
def woken(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """What workers were woken for."""
    calls: list[tuple[str, int]] = []
    monkeypatch.setattr(tasks, "wake", lambda task, judge: calls.append((task, judge)))
    return calls


def test_sweep_takes_back_lost_calls_and_wakes_a_worker(
    queued: Callable[..., Judge], woken: list[tuple[str, int]]
) -> None:
    judge = queued(replicates=1)
    claim(judge.pk)
    tasks.sweep()
    assert (counts(judge), woken) == ({"running": 1, "waiting": 9}, [])
    judge.calls.filter(state="running").update(lease_until=timezone.now() - timedelta(seconds=1))
    tasks.sweep()
    assert (counts(judge), woken) == ({"waiting": 10}, [("judge.run", judge.pk)])


def test_run_comes_back_while_its_turns_are_cut_short(
    queued: Callable[..., Judge],
    server_with: Callable[..., FaultyJudge],
    woken: list[tuple[str, int]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server_with(latency_seconds=0.05)
    judge = queued(replicates=1)
    monkeypatch.setattr(turns, "TURN_SECONDS", 0.01)
    monkeypatch.setattr(turns, "REQUESTS_IN_A_TURN", 0)
    tasks.run(judge.pk)
    assert woken == [("judge.run", judge.pk)]
    monkeypatch.setattr(turns, "TURN_SECONDS", 600.0)
    tasks.run(judge.pk)
    assert (counts(judge), len(woken)) == ({"answered": 10}, 1)


def test_end_of_a_turn_wakes_another_judge_that_waited_for_a_slot(
    study: Study,
    server_with: Callable[..., FaultyJudge],
    woken: list[tuple[str, int]],
) -> None:
    server_with()
    describe_judging(study, judges=[{"name": "one"}, {"name": "other"}])
    one, other = (queue(judge) for judge in move_judges_here(study))
    tasks.run(one.pk)
    assert (counts(one), counts(other)) == ({"answered": 30}, {"waiting": 30})
    assert woken == [("judge.run", other.pk)]


def test_run_of_a_judge_that_is_gone_does_nothing(db: None, woken: list[tuple[str, int]]) -> None:
    tasks.run(12345)
    assert woken == []
