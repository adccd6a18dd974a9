"""`manage.py judge`."""

from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from kombu.exceptions import OperationalError
from pytest_django.fixtures import Settings

from judge import runs
from judge.models import Call, Judge
from judge.queries import gold_judge
from survey.models import Study
from tests.judge.judging import counts, describe
from tests.servers.faulty_judge import FaultyJudge

Server = Callable[..., FaultyJudge]


@pytest.fixture
def woken(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """What workers were woken for."""
    calls: list[tuple[str, int]] = []
    monkeypatch.setattr(
        "judge.management.commands.judge.wake", lambda task, judge: calls.append((task, judge))
    )
    return calls


def judge_command(*arguments: str, **options: Any) -> str:
    out = StringIO()
    call_command("judge", *arguments, stdout=out, stderr=StringIO(), **options)
    return out.getvalue()


@pytest.fixture
def described(study: Study, server_with: Server) -> Study:
    """A study whose judge was never asked; its endpoint answers everything."""
    server_with()
    describe(study, name="j", replicates=3)
    return study


def the_judge(study: Study) -> Judge:
    judge = gold_judge(study)
    assert judge is not None
    return judge


def test_missing_calls_are_queued_and_a_worker_woken(
    described: Study, woken: list[tuple[str, int]], settings: Settings
) -> None:
    said = judge_command("small")
    judge = the_judge(described)
    assert said == (
        f"j@1 (test-model at {settings.JUDGE_BASE_URL}): 30 calls to make, 0 of 30 answered\n"
    )
    assert counts(judge) == {"waiting": 30}
    assert woken == [("judge.run", judge.pk)]


def test_command_twice_queues_each_call_once(
    described: Study, woken: list[tuple[str, int]]
) -> None:
    judge_command("small@1")
    judge_command("small@1")
    assert counts(the_judge(described)) == {"waiting": 30}


def test_dry_run_says_what_it_would_ask_and_changes_nothing(
    described: Study, woken: list[tuple[str, int]], settings: Settings
) -> None:
    settings.JUDGE_MODEL = "another-model"
    said = judge_command("small", dry_run=True)
    assert "30 calls to make, 0 of 30 answered\n  about " in said
    assert "tokens in all" in said
    assert (Call.objects.count(), woken) == (0, [])
    assert the_judge(described).read_configuration().model == "test-model"


def test_wait_ends_when_all_is_answered(described: Study, woken: list[tuple[str, int]]) -> None:
    judge_command("small")
    runs.run(the_judge(described).pk)
    assert judge_command("small", wait=True).endswith("30 of 30 calls answered, 30 requests\n")


def test_wait_fails_with_the_reasons_of_failed_calls(
    described: Study, monkeypatch: pytest.MonkeyPatch, server_with: Server
) -> None:
    server_with(sequence=["answer"], shares={"words": 1.0})
    monkeypatch.setattr("judge.management.commands.judge.wake", lambda _, judge: runs.run(judge))
    with pytest.raises(CommandError) as error:
        judge_command("small", wait=True)
    assert str(error.value) == (
        "29 calls failed and have no score:\n"
        "  29 × given up after unusable answer 3: there is no number in the answer\n"
        "`manage.py judge small@1` asks for them once more."
    )


def test_wait_fails_with_the_reason_of_a_stop(
    described: Study, monkeypatch: pytest.MonkeyPatch, server_with: Server
) -> None:
    server_with(shares={"unauthorized": 1.0})
    monkeypatch.setattr("judge.management.commands.judge.wake", lambda _, judge: runs.run(judge))
    with pytest.raises(CommandError) as error:
        judge_command("small", wait=True)
    assert str(error.value) == (
        "j@1 was stopped: the endpoint answered HTTP 401: this is a unauthorized\n"
        "`manage.py judge small@1` goes on from here."
    )


class WhoeverReads(StringIO):
    """Somebody at the terminal, who starts a worker when told to."""

    def __init__(self, judge: Judge) -> None:
        super().__init__()
        self.judge = judge

    def write(self, text: str) -> int:
        if "celery --app config worker --beat" in text:
            runs.run(self.judge.pk)
        return super().write(text)


def test_wait_says_when_no_worker_begins(
    described: Study, woken: list[tuple[str, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("judge.management.commands.judge.PATIENCE_SECONDS", 0)
    out, err = StringIO(), WhoeverReads(the_judge(described))
    call_command("judge", "small", wait=True, stdout=out, stderr=err)
    assert err.getvalue().count("No worker has begun within 0 s") == 1
    assert out.getvalue().endswith("30 of 30 calls answered, 30 requests\n")


def test_broker_that_does_not_answer_loses_no_call(
    described: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wake(task: str, judge: int) -> None:
        raise OperationalError("Connection refused")

    monkeypatch.setattr("judge.management.commands.judge.wake", wake)
    err = StringIO()
    call_command("judge", "small", stdout=StringIO(), stderr=err)
    assert err.getvalue().startswith("The broker does not answer (Connection refused).")
    assert counts(the_judge(described)) == {"waiting": 30}


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["nobody"], "Nothing was queued: there is no study 'nobody'; studies here: small@1"),
        (["small@7"], "Nothing was queued: there is no study 'small@7'; studies here: small@1"),
    ],
)
def test_study_that_is_not_there_is_said(
    arguments: list[str], problem: str, described: Study
) -> None:
    with pytest.raises(CommandError) as error:
        judge_command(*arguments)
    assert str(error.value) == problem


def test_missing_key_is_said_and_nothing_queued(
    described: Study, woken: list[tuple[str, int]], settings: Settings
) -> None:
    settings.JUDGE_BASE_URL = "https://judge.example.org/v1"
    before = the_judge(described)
    with pytest.raises(CommandError, match="Nothing was queued: JUDGE_API_KEY is missing"):
        judge_command("small")
    assert (Call.objects.count(), woken) == (0, [])
    assert the_judge(described) == before
