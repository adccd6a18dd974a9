"""Requests about files and batches that fail, and what is then lost."""

import pytest
from pytest_django.fixtures import Settings

from judge.plans import queue_missing
from judge.queries import progress
from judge.spending import spent_on
from survey.models import Study
from tests.judge.batching import RESPONSES, InBatches, Server, check_books, finish, requests_in
from tests.judge.judging import counts, describe_judging, outcomes

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "statuses",
    [
        {"upload": [429, 500, -1]},
        {"create": [429, 503]},
        {"create": [-1]},
        {"create": [-1], "list": [500, 429]},
        {"retrieve": [500, 429, 500]},
        {"download": [500, 429]},
    ],
    ids=str,
)
def test_requests_that_fail_are_made_again_and_no_batch_is_created_twice(
    statuses: dict[str, list[int]], batch_server: Server, in_batches: InBatches
) -> None:
    server = batch_server(statuses=statuses, keeps_metadata="list" not in statuses)
    judge = in_batches()
    finish(judge)
    assert counts(judge) == {"answered": RESPONSES}
    assert requests_in(server) == [RESPONSES]
    check_books(judge, server)


def test_batch_that_cannot_be_searched_for_counts_as_possibly_paid(
    batch_server: Server, in_batches: InBatches
) -> None:
    server = batch_server(statuses={"create": [-1], "list": [501]})
    judge = in_batches()
    finish(judge)
    assert outcomes(judge) == {"unknown": RESPONSES, "answered": RESPONSES}
    assert len(server.batches) == 2


@pytest.mark.parametrize("status", [404, 405, 501])
@pytest.mark.parametrize("kind", ["upload", "create"])
def test_endpoint_without_batches_stops_the_judge_and_says_what_to_do(
    kind: str, status: int, batch_server: Server, in_batches: InBatches, study: Study
) -> None:
    server = batch_server(statuses={kind: [status]})
    judge = in_batches()
    finish(judge)
    stopped = progress(judge).stopped
    assert stopped.startswith(f"{server.base_url} has no batches (the endpoint answered HTTP")
    assert "remove batch: true from the judge in study.yaml" in stopped
    assert "\n" not in stopped
    assert counts(judge) == {"waiting": RESPONSES}
    assert spent_on(study).money == 0
    (single,) = describe_judging(study, judges=[{"name": "j", "replicates": 1}])
    assert single == judge, "the same version"
    queue_missing(single)
    finish(judge)
    assert counts(judge) == {"answered": RESPONSES}
    assert not server.batches


@pytest.mark.parametrize("status", [401, 402, 403, 400])
def test_batch_that_is_refused_stops_the_judge_and_costs_nothing(
    status: int, batch_server: Server, in_batches: InBatches
) -> None:
    batch_server(statuses={"create": [status]})
    judge = in_batches(price={"input": 1, "output": 1})
    finish(judge)
    assert f"its batch was refused: the endpoint answered HTTP {status}" in progress(judge).stopped
    assert counts(judge) == {"waiting": RESPONSES}
    assert spent_on(judge.study).money == 0


def test_upload_that_always_fails_stops_the_judge_and_a_restart_goes_on(
    batch_server: Server, in_batches: InBatches, settings: Settings
) -> None:
    settings.JUDGE_MAX_ATTEMPTS = 3
    server = batch_server(statuses={"upload": [500] * 3})
    judge = in_batches()
    finish(judge)
    assert "its batch could not be sent" in progress(judge).stopped
    finish(judge)
    assert counts(judge) == {"waiting": RESPONSES}, "what was not sent is not held back"
    queue_missing(judge)
    finish(judge)
    assert counts(judge) == {"answered": RESPONSES}
    assert requests_in(server) == [RESPONSES]
