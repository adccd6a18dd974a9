"""What an endpoint makes of a JSON schema is found out once. No endpoint is asked here."""

from collections.abc import Callable

import pytest
from pytest_django.fixtures import Settings

from judge import calls
from judge.calls import claim
from judge.configure import move_judges_here
from judge.exchange import Scope
from judge.models import Judge, StructuredOutput
from judge.parsing import Scored
from judge.plans import queue_missing
from judge.probing import structured_output
from judge.prompts import probe, probe_schema
from judge.queries import progress
from survey.models import Study
from tests.judge.judging import TWO, claim_one, counts, describe_judging, failure

# What is made of answers; calls are stored in test_calls.py and test_runs.py on every database.
pytestmark = [pytest.mark.django_db, pytest.mark.embedded]

Queue = Callable[..., Judge]


@pytest.fixture
def unprobed(queued: Queue) -> Judge:
    """10 calls waiting, and nobody knows what its endpoint makes of a schema."""
    judge = queued(replicates=1)
    StructuredOutput.objects.all().delete()
    return judge


def support(judge: Judge) -> str | None:
    return structured_output(judge)


def test_probe_is_asked_first_and_alone(unprobed: Judge) -> None:
    probing = claim_one(unprobed)
    assert probing.call.is_probe
    assert probing.request.messages == probe()
    stated = probing.request.body()["response_format"]["json_schema"]["schema"]
    assert stated == probe_schema()
    assert claim(unprobed.pk) is None
    assert counts(unprobed) == {"waiting": 10}, "it is none of the calls"


@pytest.mark.parametrize(("keeps", "found"), [(True, "enforced"), (False, "ignored")])
def test_answer_of_the_probe_is_recorded_once_for_endpoint_and_model(
    keeps: bool, found: str, unprobed: Judge
) -> None:
    calls.record_probe(claim_one(unprobed), TWO, keeps=keeps)
    stored = StructuredOutput.objects.get()
    assert (stored.endpoint, stored.model) == (unprobed.endpoint, unprobed.model)
    assert (stored.support, stored.detail) == (found, TWO.text)
    assert ("response_format" in claim_one(unprobed).request.body()) is keeps


@pytest.mark.parametrize("status", sorted(calls.REFUSALS_OF_A_SCHEMA))
def test_refusal_of_the_probe_means_that_schemas_are_refused(status: int, unprobed: Judge) -> None:
    scope = Scope.JUDGE if status == 404 else Scope.REQUEST
    calls.record_failure(claim_one(unprobed), failure(scope, status=status))
    assert support(unprobed) == "refused"
    assert progress(unprobed).stopped == ""
    assert "response_format" not in claim_one(unprobed).request.body()


def test_model_that_refuses_everything_has_not_refused_schemas(unprobed: Judge) -> None:
    calls.record_failure(claim_one(unprobed), failure(Scope.JUDGE, status=404))
    calls.record_failure(claim_one(unprobed), failure(Scope.JUDGE, status=404))
    assert progress(unprobed).stopped == "it failed"
    assert support(unprobed) is None
    queue_missing(unprobed)
    assert claim_one(unprobed).call.is_probe, "it is asked again when somebody has seen to it"


def test_probe_without_an_answer_is_asked_again_and_then_left(
    unprobed: Judge, settings: Settings
) -> None:
    settings.JUDGE_MAX_ATTEMPTS, settings.JUDGE_BACKOFF_SECONDS = 2, 0
    for _ in range(2):
        probing = claim_one(unprobed)
        assert probing.call.is_probe
        calls.record_failure(probing, failure())
    assert support(unprobed) == "unknown"
    assert not claim_one(unprobed).call.is_probe


def test_wrong_key_at_the_probe_stops_the_judge_and_says_nothing_of_schemas(
    unprobed: Judge,
) -> None:
    calls.record_failure(claim_one(unprobed), failure(Scope.JUDGE, status=401))
    assert progress(unprobed).stopped == "it failed"
    assert support(unprobed) is None


def test_judges_of_one_model_at_one_endpoint_probe_it_once(study: Study) -> None:
    judges = [{"name": "one"}, {"name": "other"}, {"name": "third", "model": "another"}]
    describe_judging(study, judges=judges)
    one, other, third = move_judges_here(study)
    for judge in (one, other, third):
        queue_missing(judge)
    probing = claim_one(one)
    assert claim(other.pk) is None, "it waits for what the first finds out"
    assert claim_one(third).call.is_probe, "another model is another question"
    calls.record_probe(probing, TWO, keeps=True)
    assert not claim_one(other).call.is_probe


def test_schema_that_is_refused_though_the_probes_was_kept_to_is_not_sent_again(
    unprobed: Judge,
) -> None:
    calls.record_probe(claim_one(unprobed), TWO, keeps=True)
    calls.record_failure(claim_one(unprobed), failure(Scope.REQUEST, status=400))
    assert support(unprobed) == "refused"
    assert progress(unprobed).stopped == ""
    assert "response_format" not in claim_one(unprobed).request.body()


def test_what_others_answers_rest_on_is_not_forgotten_when_a_judge_stops(study: Study) -> None:
    describe_judging(study, judges=[{"name": "one"}, {"name": "other"}])
    one, other = move_judges_here(study)
    for judge in (one, other):
        queue_missing(judge)
    calls.record_probe(claim_one(one), TWO, keeps=False)
    calls.record_scores(claim_one(one), TWO, [Scored(2)])
    calls.record_failure(claim_one(other), failure(Scope.JUDGE, status=401))
    assert progress(other).stopped == "it failed"
    assert support(other) == "ignored"
