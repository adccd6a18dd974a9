"""Several workers and judges at a time: one limit, one budget, one probe, keys apart."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from django.db import connection
from pytest_django.fixtures import Settings

from judge import runs
from judge.configure import move_judges_here
from judge.models import Judge
from judge.plans import queue_missing
from judge.queries import progress
from survey.models import Study
from tests.judge.judging import asked, counts, describe_judging, queue
from tests.servers.faulty_judge import FaultyJudge

pytestmark = pytest.mark.django_db

Server = Callable[..., FaultyJudge]
Queue = Callable[..., Judge]


def in_threads(judges: list[Judge]) -> None:
    """A turn at each of the judges, all at a time."""

    def turn(judge: Judge) -> None:
        try:
            runs.run(judge.pk)
        finally:
            connection.close()

    threads = [threading.Thread(target=turn, args=[judge]) for judge in judges]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@contextmanager
def held_until(server: FaultyJudge, requests: int) -> Iterator[None]:
    """Have it answer nothing but probes before so many requests have come."""

    def release() -> None:
        try:
            server.wait_for(requests)
        finally:
            server.answering.set()

    server.answering.clear()
    thread = threading.Thread(target=release)
    thread.start()
    yield
    thread.join()


@pytest.mark.django_db(transaction=True)
def test_workers_side_by_side_probe_once_share_the_limit_and_ask_each_call_once(
    server_with: Server, study: Study, settings: Settings
) -> None:
    settings.JUDGE_CONCURRENCY = 3
    server = server_with(latency_seconds=0.05)
    judges = [{"name": "one", "replicates": 1}, {"name": "other", "replicates": 1, "seed": 1}]
    describe_judging(study, judges=judges)
    one, other = move_judges_here(study)
    for judge in (one, other):
        queue_missing(judge)
    with held_until(server, 4):
        in_threads([one, one, other, other])
    for judge in (one, other):  # whoever found no free slot has left
        runs.run(judge.pk)
    assert sum(entry.is_probe for entry in server.log) == 1
    assert [counts(judge) for judge in (one, other)] == [{"answered": 10}] * 2
    assert len(asked(server)) == 20
    assert max(entry.in_flight for entry in server.log) == 3


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("budget", [{"requests": 20}, {"money": 0.001}])
def test_judges_side_by_side_stay_within_the_budget(
    budget: dict[str, float], server_with: Server, study: Study
) -> None:
    server = server_with(latency_seconds=0.01)
    judges = [{"name": "one"}, {"name": "other", "seed": 1}]
    describe_judging(study, judges=judges, budget=budget)
    in_threads([queue(judge) for judge in move_judges_here(study)])
    for judge in move_judges_here(study):  # whoever found no free slot has left
        runs.run(judge.pk)
    charged = sum(entry.cost for entry in server.log)
    dearest = max(entry.cost for entry in server.log)
    if "requests" in budget:
        assert len(server.log) == 20
    else:
        assert budget["money"] - 2 * dearest < charged <= budget["money"] * 1.02
    for judge in move_judges_here(study):
        assert counts(judge) == {"answered": 30} or "budget" in progress(judge).stopped
    describe_judging(study, judges=judges, budget={"requests": 1000})
    for judge in move_judges_here(study):
        queue_missing(judge)
        runs.run(judge.pk)
        assert counts(judge) == {"answered": 30}
    assert len(server.log) == 60, "what was answered is not asked again"


def test_key_is_sent_to_its_own_endpoint_alone(server_with: Server, study: Study) -> None:
    here = server_with(key="key-of-here", api_key="key-of-here")
    there = server_with("there", key="key-of-there", api_key="key-of-there")
    describe_judging(
        study, judges=[{"name": "here"}, {"name": "there", "endpoint": "there", "model": "other"}]
    )
    for judge in move_judges_here(study):
        queue_missing(judge)
        runs.run(judge.pk)
        assert counts(judge) == {"answered": 30}
    for server, key, model in (
        (here, "key-of-here", "test-model"),
        (there, "key-of-there", "other"),
    ):
        assert {entry.authorization for entry in server.log} == {f"Bearer {key}"}
        assert {entry.body["model"] for entry in server.log} == {model}


def test_requests_in_flight_never_exceed_the_limit(
    server_with: Server, queued: Queue, settings: Settings
) -> None:
    settings.JUDGE_CONCURRENCY = 4
    server = server_with(latency_seconds=0.05)
    with held_until(server, 4):
        runs.run(queued(replicates=1).pk)
    assert max(entry.in_flight for entry in server.log) == 4
