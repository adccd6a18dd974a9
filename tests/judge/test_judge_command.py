"""`manage.py judge`."""

from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from kombu.exceptions import OperationalError
from pytest_django.fixtures import Settings

from judge import runs
from judge.models import Attempt, Call, Judge, Score
from judge.queries import current_judges
from survey.models import Study
from tests.judge.judging import asked, counts, describe, describe_judging, note_support
from tests.servers.faulty_judge import FaultyJudge

# What the command says; calls and leases run on every database.
pytestmark = [pytest.mark.django_db, pytest.mark.embedded]

Server = Callable[..., FaultyJudge]
WAKE = "judge.management.commands.judge.wake"


@pytest.fixture
def woken(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """What workers were woken for."""
    calls: list[tuple[str, int]] = []
    monkeypatch.setattr(WAKE, lambda task, judge: calls.append((task, judge)))
    return calls


@pytest.fixture
def worker_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that has done its work before the command goes on."""
    monkeypatch.setattr(WAKE, lambda task, judge: runs.run(judge))


def judge_command(*arguments: str, **options: Any) -> str:
    out = StringIO()
    call_command("judge", *arguments, stdout=out, stderr=StringIO(), **options)
    return out.getvalue()


@pytest.fixture
def described(study: Study, server_with: Server) -> Study:
    """A study whose judge was never asked; its endpoint answers everything."""
    server_with()
    note_support(describe(study, name="j", replicates=3))
    return study


def the_judge(study: Study) -> Judge:
    return current_judges(study).get()


def refused(*arguments: str, **options: Any) -> str:
    """What a command says that fails."""
    with pytest.raises(CommandError) as error:
        judge_command(*arguments, **options)
    return str(error.value)


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


def test_wait_ends_when_all_is_answered(described: Study, woken: list[tuple[str, int]]) -> None:
    judge_command("small")
    runs.run(the_judge(described).pk)
    said = judge_command("small", wait=True)
    assert "j@1: 30 of 30 calls answered, 30 requests, 0.0006 US dollars" in said


def test_model_that_answered_in_place_of_another_is_named(
    described: Study, worker_at_once: None
) -> None:
    assert "test-model-served" in judge_command("small", wait=True)


# Several judges


@pytest.fixture
def three_judges(study: Study, server_with: Server) -> Study:
    server_with()
    describe_judging(study, judges=[{"name": name, "replicates": 1} for name in ("a", "b", "c")])
    return study


def test_all_judges_of_a_study_are_queued(
    three_judges: Study, woken: list[tuple[str, int]]
) -> None:
    said = judge_command("small")
    assert [line.partition(" ")[0] for line in said.splitlines()] == ["a@1", "b@1", "c@1"]
    judges = current_judges(three_judges).order_by("name")
    assert [counts(judge) for judge in judges] == [{"waiting": 10}] * 3
    assert woken == [("judge.run", judge.pk) for judge in judges]


def test_judges_can_be_named(three_judges: Study, woken: list[tuple[str, int]]) -> None:
    judge_command("small", "--judge", "c", "--judge", "a")
    judges = current_judges(three_judges).order_by("name")
    assert [counts(judge) for judge in judges] == [{"waiting": 10}, {}, {"waiting": 10}]


def test_judge_that_the_study_does_not_have_is_said(three_judges: Study) -> None:
    assert refused("small", "--judge", "d") == (
        "Nothing was queued: small@1 has no judge 'd'; there are a, b, c"
    )


def test_wait_says_of_each_judge_how_it_ended(three_judges: Study, worker_at_once: None) -> None:
    said = judge_command("small", wait=True)
    for name in "abc":
        assert f"{name}@1: 10 of 10 calls answered" in said


# What it would cost


def test_dry_run_says_what_it_would_ask_and_changes_nothing(
    described: Study, woken: list[tuple[str, int]], settings: Settings
) -> None:
    settings.JUDGE_MODEL = "another-model"
    said = judge_command("small", dry_run=True)
    assert "j@1 (another-model at" in said
    assert "30 calls to make, 0 of 30 answered\n  about " in said
    assert "one request to test whether it enforces a JSON schema" in said
    assert "cost unknown: give the judge a price in study.yaml" in said
    assert said.endswith(
        "Total: cost unknown; 0.0000 US dollars spent on 0 requests; there is no budget.\n"
        "Nothing was queued.\n"
    )
    assert (Call.objects.count(), woken) == (0, [])
    assert the_judge(described).model == "test-model"


def test_dry_run_prices_the_tokens(study: Study, server_with: Server) -> None:
    server_with()
    price = {"input": 10_000.0, "output": 0.0}  # a cent for each token asked
    judges = [{"name": "j", "replicates": 1, "price": price}]
    (judge,) = describe_judging(study, judges=judges, budget={"money": 5, "requests": 50})
    note_support(judge)
    said = judge_command("small", dry_run=True)
    (tokens,) = [line.split()[1] for line in said.splitlines() if line.startswith("  about")][:1]
    dollars = [line.split()[1] for line in said.splitlines() if line.endswith("US dollars")]
    assert float(dollars[0]) * 100 == pytest.approx(int(tokens.replace(",", "")), abs=10)
    assert "the budget is 5 US dollars and 50 requests." in said
    assert "JSON schema" not in said


def test_dry_run_goes_by_what_calls_cost_and_by_what_is_missing(
    described: Study, woken: list[tuple[str, int]]
) -> None:
    judge_command("small")
    judge = the_judge(described)
    runs.run(judge.pk, is_ending=lambda: counts(judge).get("answered", 0) >= 15)
    missing = counts(judge)["waiting"]
    said = judge_command("small", dry_run=True)
    assert f"{missing} calls to make" in said
    assert f"  about {missing * 0.000027:.4f}"[:13] in said


# Ways to fail, each said where the researcher looks, and each can be mended


def test_wait_fails_with_the_reasons_of_failed_calls(
    described: Study, worker_at_once: None, server_with: Server
) -> None:
    server_with(sequence=["answer"], shares={"words": 1.0})
    said = refused("small", wait=True)
    assert said.startswith(
        "j@1: 29 calls failed and have no score:\n"
        "  29 × no usable score, also after one repair: "
        "the score 'four' is not an integer\n"
    )
    assert said.endswith("To continue: manage.py judge small@1")


def test_refused_and_cut_off_calls_are_asked_again_on_request_alone(
    described: Study, worker_at_once: None
) -> None:
    judge_command("small", wait=True)
    judge = the_judge(described)
    refused_calls, cut_off = judge.calls.all()[:6], judge.calls.all()[6:22]
    for calls, outcome in ((refused_calls, "refused"), (cut_off, "cut_off")):
        ids = [call.pk for call in calls]
        Attempt.objects.filter(call__in=ids).update(outcome=outcome)
        Score.objects.filter(call__in=ids).delete()
        Call.objects.filter(pk__in=ids).update(state="failed", error=outcome)
    left = "22 to ask again with --retry (6 refused, 16 cut off)"
    assert f"j@1 (test-model at {judge.endpoint}): 0 calls to make, 8 of 30 answered; {left}" in (
        judge_command("small")
    )
    assert counts(judge) == {"answered": 8, "failed": 22}
    assert f"0 calls to make, 8 of 30 answered; {left}" in judge_command("small", dry_run=True)
    assert "22 calls to make, 8 of 30 answered\n" in judge_command(
        "small", dry_run=True, retry=True
    )
    assert refused("small", wait=True) == (
        "j@1: 22 calls failed and have no score:\n  16 × cut_off\n  6 × refused\n"
        "To ask 22 of them again (6 refused, 16 cut off): manage.py judge small@1 --retry"
    )
    assert "manage.py judge small@1 --judge j --retry" in refused("small", wait=True, judge=["j"])
    assert "30 of 30 calls answered" in judge_command("small", wait=True, retry=True)


#: What is wrong with an endpoint, and what the researcher is told.
TROUBLE = {
    "unauthorized": "HTTP 401: this is a unauthorized",
    "no_credit": "HTTP 402: this is a no_credit",
    "not_found": "HTTP 404: this is a not_found",
    "html": "answered with a web page instead of a completion; is JUDGE_BASE_URL the address",
    "overloaded": "HTTP 503: this is a overloaded",
}


@pytest.mark.parametrize("trouble", TROUBLE)
def test_trouble_with_an_endpoint_is_said_and_the_run_goes_on_when_it_is_mended(
    trouble: str,
    study: Study,
    server_with: Server,
    worker_at_once: None,
    settings: Settings,
) -> None:
    # one after the other: an answer that comes late would end the failures in a row
    settings.JUDGE_MAX_ATTEMPTS, settings.JUDGE_CONCURRENCY = 2, 1
    server = server_with(sequence=["answer"] * 3, shares={trouble: 1.0})
    describe(study, name="j", replicates=1)
    said = refused("small", wait=True)
    assert said.startswith("j@1 was stopped: ")
    assert TROUBLE[trouble] in said
    assert said.endswith("To continue: manage.py judge small@1")
    assert counts(the_judge(study))["answered"] == 3
    object.__setattr__(server.plan, "shares", {})
    assert "10 of 10 calls answered" in judge_command("small", wait=True)
    answered = [entry for entry in asked(server) if entry.scores]
    assert len(answered) == 10, "what was answered is not asked again"


def test_wrong_key_is_said_before_anything_is_answered(
    study: Study, server_with: Server, worker_at_once: None, settings: Settings
) -> None:
    server = server_with(api_key="right", key="wrong")
    describe(study, name="j", replicates=1)
    said = refused("small", wait=True)
    assert said.startswith("j@1 was stopped: the endpoint answered HTTP 401")
    assert "JUDGE_API_KEY" in said, "which variable it is"
    settings.JUDGE_API_KEY = "right"
    assert "10 of 10 calls answered" in judge_command("small", wait=True)
    assert sum(entry.what == "answer" for entry in asked(server)) == 10


def test_unreachable_host_is_said(
    study: Study, server_with: Server, worker_at_once: None, settings: Settings
) -> None:
    settings.JUDGE_MAX_ATTEMPTS, settings.JUDGE_CONCURRENCY = 2, 1
    server_with()
    settings.JUDGE_BASE_URL = "http://127.0.0.1:9/v1"
    describe(study, name="j", replicates=1)
    said = refused("small", wait=True)
    assert "could not exchange data with http://127.0.0.1:9/v1: [Errno 111]" in said
    assert "JUDGE_BASE_URL" in said
    server_with()
    assert "10 of 10 calls answered" in judge_command("small", wait=True)


def test_exhausted_budget_is_said_and_raised(
    study: Study, server_with: Server, worker_at_once: None
) -> None:
    server = server_with()
    describe_judging(study, judges=[{"name": "j", "replicates": 1}], budget={"requests": 5})
    said = refused("small", wait=True)
    assert said.startswith(
        "j@1 was stopped: the study's budget of 5 requests is used up; raise "
        "judging.budget.requests in its study.yaml, load it, and try again"
    )
    describe_judging(study, judges=[{"name": "j", "replicates": 1}], budget={"requests": 50})
    assert "10 of 10 calls answered" in judge_command("small", wait=True)
    assert len(asked(server)) == 10


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
    monkeypatch.setattr("judge.management.waiting.PATIENCE_SECONDS", 0)
    out, err = StringIO(), WhoeverReads(the_judge(described))
    call_command("judge", "small", wait=True, stdout=out, stderr=err)
    assert err.getvalue().count("No worker has begun within 0 s") == 1
    assert "30 of 30 calls answered, 30 requests" in out.getvalue()


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
        (
            ["small@7"],
            "Nothing was queued: there is no study 'small@7'; studies here: small@1; did you mean "
            "'small@1'?",
        ),
    ],
)
def test_study_that_is_not_there_is_said(
    arguments: list[str], problem: str, described: Study
) -> None:
    assert refused(*arguments) == problem


@pytest.mark.parametrize(
    ("settings_here", "problem"),
    [
        (
            {"JUDGE_BASE_URL": "https://judge.example.org/v1"},
            "Nothing was queued: JUDGE_API_KEY is missing: judge.example.org needs a key",
        ),
        ({"JUDGE_BASE_URL": "here"}, "Nothing was queued: JUDGE_BASE_URL 'here' is not an http(s)"),
    ],
)
def test_missing_key_and_address_are_said_and_nothing_queued(
    settings_here: dict[str, str],
    problem: str,
    described: Study,
    woken: list[tuple[str, int]],
    settings: Settings,
) -> None:
    for name, value in settings_here.items():
        setattr(settings, name, value)
    before = the_judge(described)
    assert refused("small").startswith(problem)
    assert (Call.objects.count(), woken) == (0, [])
    assert the_judge(described) == before


def test_endpoint_that_is_not_set_up_is_said_and_nothing_queued(
    study: Study, server_with: Server, woken: list[tuple[str, int]]
) -> None:
    server_with()
    describe_judging(study, judges=[{"name": "a"}, {"name": "b", "endpoint": "openai"}])
    assert refused("small").startswith(
        "Nothing was queued: the endpoint 'openai' is not set up here: add it to JUDGE_ENDPOINTS"
    )
    assert (Call.objects.count(), woken) == (0, [])
    judge_command("small", "--judge", "a")
    assert len(woken) == 1, "the others can be asked all the same"
