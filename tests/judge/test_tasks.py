"""What workers are woken for."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone

from judge import runs, tasks
from judge.calls import claim
from judge.models import Judge
from tests.judge.judging import counts
from tests.servers.faulty_judge import FaultyJudge


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
    assert (counts(judge), woken) == ({"running": 6, "waiting": 4}, [])
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
    monkeypatch.setattr(runs, "TURN_SECONDS", 0.01)
    tasks.run(judge.pk)
    assert woken == [("judge.run", judge.pk)]
    monkeypatch.setattr(runs, "TURN_SECONDS", 30)
    tasks.run(judge.pk)
    assert (counts(judge), len(woken)) == ({"answered": 10}, 1)


def test_run_of_a_judge_that_is_gone_does_nothing(db: None, woken: list[tuple[str, int]]) -> None:
    tasks.run(12345)
    assert woken == []
