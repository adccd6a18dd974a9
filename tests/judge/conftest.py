"""A small study, and judges that are asked at a server of the test."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from judge.calls import queue_missing
from judge.configure import current_judge
from judge.models import Judge
from survey.models import Study
from tests.judge.judging import describe
from tests.servers.faulty_judge import FaultyJudge, Plan, faulty_judge
from tests.survey import small_study

#: Faults that last until the judge's patience ends; a busy machine may need some for the others.
SILENT = {"hang", "drip", "drip_body"}


@pytest.fixture
def study(db: None) -> Study:
    """2 scenarios, 10 distinct responses, one dimension, scale 1–3."""
    return small_study.load()


@pytest.fixture
def server_with(settings: Settings) -> Iterator[Callable[..., FaultyJudge]]:
    """Starts a server with a plan and makes it the judge's endpoint; waits are short."""
    settings.JUDGE_STAND_IN = False
    settings.JUDGE_MODEL = "test-model"
    settings.JUDGE_API_KEY = ""
    settings.JUDGE_BACKOFF_SECONDS = 0.01
    with ExitStack() as stack:

        def start(**plan: Any) -> FaultyJudge:
            faults = {*plan.get("sequence", ()), *plan.get("shares", ())}
            settings.JUDGE_TIMEOUT_SECONDS = 1 if SILENT.intersection(faults) else 20
            server = stack.enter_context(faulty_judge(Plan(**plan)))
            settings.JUDGE_BASE_URL = server.base_url
            return server

        yield start


@pytest.fixture
def queued(study: Study) -> Callable[..., Judge]:
    """Gives the small study a judge, by its definition, and queues its calls."""

    def queue(**definition: Any) -> Judge:
        describe(study, **definition)
        judge = current_judge(study)
        queue_missing(judge)
        judge.refresh_from_db()
        return judge

    return queue
