"""A call that gave no usable score is missing: it is said so, and nothing stands in its place."""

import pytest

from analysis.execution import finished_run
from analysis.queries import results_of
from judge.models import Call
from judge.queries import gold_scores
from judge.tidy import judge_score_rows
from survey.models import Response, Study
from survey.tidy import counted_sources
from tests.factories import add_judge, add_participant, make_study

# What is made of answers; calls are stored in test_calls.py and test_runs.py on every database.
pytestmark = [pytest.mark.django_db, pytest.mark.embedded]


@pytest.fixture
def study() -> Study:
    """Of each response two calls gave a score, and the first one's third call failed."""
    study = make_study()
    add_participant(study, pseudonym="anna")
    responses = list(Response.objects.order_by("id").values_list("id", flat=True))
    scores = {(response, "warmth"): [3, 4] for response in responses}
    judge = add_judge(study, scores, name="j", replicates=3, dimensions=["warmth"])
    Call.objects.create(
        judge=judge,
        response_id=responses[0],
        dimension="warmth",
        replicate=3,
        state=Call.State.FAILED,
        error="no usable score",
    )
    return study


def test_a_gold_score_is_the_mean_of_the_calls_that_gave_one(study: Study) -> None:
    assert {gold.value for gold in gold_scores(study).scores} == {3.5}
    assert {len(gold.calls) for gold in gold_scores(study).scores} == {2}


def test_a_missing_score_is_an_empty_cell_in_every_place_of_its_response(study: Study) -> None:
    first = Response.objects.order_by("id")[0]
    places = first.blocks.count()
    missing = [row for row in judge_score_rows(study) if row[-2] is None]
    assert len(missing) == places
    assert {row[7] for row in missing} == {3}


def test_analysis_counts_the_calls_asked_for_and_those_that_gave_a_score(study: Study) -> None:
    run = finished_run(study=study, sources=counted_sources())
    table = results_of(run, "table")["judge_consistency"]
    (row,) = (dict(zip(table["columns"], row, strict=True)) for row in table["rows"])
    responses = Response.objects.count()
    assert (row["asked"], row["valid"]) == (3 * responses, 2 * responses)
