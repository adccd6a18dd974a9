"""Whatever keeps a judge from being asked is said where the researcher looks, with what to do about
it; and the button there goes on from where it stopped. Over real HTTP, with the worker's own turns.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from config.processes import free_port
from judge.configure import move_judges_here
from judge.models import Attempt, Judge
from judge.plans import queue_missing
from judge.runs import run as take_a_turn
from survey.models import Study
from tests.dashboard.conftest import Woken
from tests.dashboard.judging import describe
from tests.dashboard.reading import text_of
from tests.servers.faulty_judge import FaultyJudge, faulty_judge
from tests.servers.judge_faults import Plan

pytestmark = pytest.mark.embedded  # what a judge is told it lacks; calls run on every database

GOLD = "/studies/small/gold/"
Serve = Callable[..., FaultyJudge]


@pytest.fixture
def serve(settings: Settings) -> Iterator[Serve]:
    """Makes a server with a plan the endpoint of this installation."""
    settings.JUDGE_STAND_IN = False
    settings.JUDGE_MODEL, settings.JUDGE_API_KEY = "owl", "right"
    settings.JUDGE_BACKOFF_SECONDS, settings.JUDGE_MAX_ATTEMPTS = 0.01, 2
    with ExitStack() as stack:

        def start(**plan: Any) -> FaultyJudge:
            server = stack.enter_context(faulty_judge(Plan(**plan)))
            settings.JUDGE_BASE_URL = server.base_url
            return server

        yield start


def work(study: Study) -> Judge:
    """What a worker does when it is woken, until it has nothing left to do."""
    judge = Judge.objects.get(study=study, is_current=True)
    while take_a_turn(judge.pk):
        pass
    judge.refresh_from_db()
    return judge


def said(page: Client, judge: Judge) -> str:
    """What both pages say of a judge's trouble, each beside a button that goes on."""
    why = judge.stopped[:1].upper() + judge.stopped[1:]
    for address in (f"{GOLD}judges/judge@{judge.version}/", GOLD):
        shown = text_of(page.get(address))
        assert f"{judge} was stopped. {why}." in shown
        assert "Resume" in shown
    return shown


def resume(page: Client, study: Study, woken: Woken) -> Judge:
    """Press the button, and let the worker that is woken work."""
    woken.clear()
    page.post(f"{GOLD}score/", {"judge": "judge"})
    judge = work(study)
    assert woken == [("judge.run", judge.pk)]
    return judge


def is_complete(page: Client, judge: Judge) -> bool:
    shown = text_of(page.get(f"{GOLD}judges/judge@{judge.version}/"))
    return "10 of 10 calls valid" in shown and "was stopped" not in shown


def asked(study: Study, **definition: Any) -> Judge:
    """The study's judge, with all its calls queued and worked on."""
    section = {"budget": definition.pop("budget", {})}
    describe(study, {"replicates": 1} | definition, **section)
    (judge,) = move_judges_here(study)
    queue_missing(judge)
    return work(study)


def test_key_that_is_missing_when_the_worker_looks(
    page: Client, study: Study, serve: Serve, settings: Settings, woken: Woken
) -> None:
    server = serve()
    describe(study, {"replicates": 1})
    (judge,) = move_judges_here(study)
    queue_missing(judge)
    settings.JUDGE_API_KEY = "a key with spaces"
    judge = work(study)
    assert "JUDGE_API_KEY has characters that no key has; was it copied whole?" in said(page, judge)
    assert server.log == []
    settings.JUDGE_API_KEY = "right"
    assert is_complete(page, resume(page, study, woken))


def test_wrong_key(
    page: Client, study: Study, serve: Serve, settings: Settings, woken: Woken
) -> None:
    server = serve(api_key="right")
    settings.JUDGE_API_KEY = "wrong"
    judge = asked(study)
    assert len(server.log) < 10
    shown = said(page, judge)
    assert "The endpoint answered HTTP 401" in shown
    assert "The key was not accepted: correct JUDGE_API_KEY in .env" in shown
    settings.JUDGE_API_KEY = "right"
    assert is_complete(page, resume(page, study, woken))


def test_unknown_model(page: Client, study: Study, serve: Serve, woken: Woken) -> None:
    serve(sequence=["not_found"] * 10, probes=["not_found"] * 10)
    shown = said(page, asked(study, model="nobody/knows"))
    assert "The endpoint answered HTTP 404" in shown
    assert "The endpoint knows no such model or address: correct the judge's model" in shown
    serve()
    describe(study, {"replicates": 1, "model": "owl"})
    assert is_complete(page, resume(page, study, woken))


def test_unreachable_host(
    page: Client, study: Study, serve: Serve, settings: Settings, woken: Woken
) -> None:
    serve()
    settings.JUDGE_BASE_URL = f"http://127.0.0.1:{free_port()}/v1"
    shown = said(page, asked(study))
    assert "failures in a row; the last: could not exchange data with http://127.0.0.1:" in shown
    assert "Nothing answers at that address: check the network, or correct JUDGE_BASE_URL" in shown
    serve()
    assert is_complete(page, resume(page, study, woken))


def test_endpoint_that_answers_with_a_web_page(
    page: Client, study: Study, serve: Serve, woken: Woken
) -> None:
    serve(shares={"html": 1.0}, probes=["html"] * 50)
    shown = said(page, asked(study))
    assert (
        "answered with a web page instead of a completion; is JUDGE_BASE_URL the address" in shown
    )
    serve()
    assert is_complete(page, resume(page, study, woken))


def test_budget_that_is_used_up(page: Client, study: Study, serve: Serve, woken: Woken) -> None:
    serve()
    judge = asked(study, budget={"requests": 4})
    assert Attempt.objects.count() == 4
    shown = said(page, judge)
    assert "The study's budget of 4 requests is used up; raise judging.budget.requests" in shown
    assert "Requests 4 of 4" in text_of(page.get(GOLD))
    assert "3 of 10 valid calls" in text_of(page.get(GOLD))
    describe(study, {"replicates": 1}, budget={"requests": 40})
    assert is_complete(page, resume(page, study, woken))
    assert Attempt.objects.count() == 11


def test_single_failures_stand_with_their_raw_text_and_one_button_asks_them_again(
    page: Client, study: Study, serve: Serve, settings: Settings, woken: Woken
) -> None:
    settings.JUDGE_CONCURRENCY = 1
    serve(sequence=["chatter", "chatter"], schema="ignore")
    judge = asked(study)
    address = f"{GOLD}judges/judge@{judge.version}/"
    shown = text_of(page.get(address))
    assert "What a moving exchange. There were" in shown
    assert "9 of 10 calls valid" in shown
    failed = judge.calls.get(state="failed")
    page.post(f"{address}retry/", {"call": failed.pk})
    work(study)
    assert is_complete(page, judge)
