"""A small study, and judges that are asked at servers of the test."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from judge.configure import move_judges_here
from judge.models import Judge
from survey.models import Study
from tests.judge.judging import describe, describe_judging, queue
from tests.servers.batch_judge import BatchJudge, BatchPlan, batch_judge
from tests.servers.faulty_judge import FaultyJudge, faulty_judge
from tests.servers.judge_faults import Plan
from tests.survey import small_study


@pytest.fixture(autouse=True)
def one_turn_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run ends with its calls, on a busy machine too."""
    monkeypatch.setattr("judge.turns.TURN_SECONDS", 600.0)


@pytest.fixture
def study(db: None) -> Study:
    """2 scenarios, 4 blocks of 3, 10 distinct responses, one dimension, scale 1–3."""
    return small_study.load()


@pytest.fixture
def server_with(settings: Settings) -> Iterator[Callable[..., FaultyJudge]]:
    """Starts a server with a plan and makes it an endpoint: the default one, or `endpoint`."""
    settings.JUDGE_STAND_IN = False
    settings.JUDGE_MODEL = "test-model"
    settings.JUDGE_API_KEY = ""
    settings.JUDGE_BACKOFF_SECONDS = 0.01
    settings.JUDGE_TIMEOUT_SECONDS = 60
    settings.JUDGE_ENDPOINTS = {}
    with ExitStack() as stack:

        def start(endpoint: str = "default", *, key: str = "", **plan: Any) -> FaultyJudge:
            server = stack.enter_context(faulty_judge(Plan(**plan)))
            if endpoint == "default":
                settings.JUDGE_BASE_URL, settings.JUDGE_API_KEY = server.base_url, key
            else:
                named = {"base_url": server.base_url, "api_key": key}
                named |= {"model": "test-model", "concurrency": settings.JUDGE_CONCURRENCY}
                settings.JUDGE_ENDPOINTS = settings.JUDGE_ENDPOINTS | {endpoint: named}
            return server

        yield start


@pytest.fixture
def queued(study: Study) -> Callable[..., Judge]:
    """Gives the small study a judge, by its definition, and queues its calls."""

    def give(**definition: Any) -> Judge:
        describe(study, **definition)
        (judge,) = move_judges_here(study)
        return queue(judge)

    return give


@pytest.fixture
def batch_server(server_with: object, settings: Settings) -> Iterator[Callable[..., BatchJudge]]:
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
