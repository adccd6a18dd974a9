"""One call about all dimensions: what is asked, what is stored, and what a failed call lacks."""

from collections.abc import Iterator
from pathlib import Path
from subprocess import PIPE, Popen
from sys import executable

import pytest
from pytest_django.fixtures import Settings

from judge import runs
from judge.attempts import Claimed
from judge.calls import record_scores, record_unusable
from judge.configure import move_judges_here
from judge.models import Judge, Score
from judge.parsing import Scored
from judge.plans import plan_calls
from judge.prompts import answer_schema, messages
from judge.queries import judge_values
from judge.tidy import judge_score_rows
from survey.models import Study
from tests.judge.judging import TWO, claim_one, counts, describe, queue, reply_of
from tests.survey import small_study

pytestmark = pytest.mark.django_db

ROOT = Path(__file__).parents[2]
SECOND = "    dimensions:\n      - {name: clarity, question: How clear is this response?}\n"
YAML = small_study.YAML.replace("    dimensions:\n", SECOND)
BOTH = {"clarity": {"score"}, "warmth": {"score"}}


@pytest.fixture
def rated_twice(db: None) -> Study:
    """The small study with a second dimension, before its first one."""
    return small_study.load(yaml=YAML)


@pytest.fixture
def judge(rated_twice: Study) -> Judge:
    describe(rated_twice, together=True, replicates=1)
    (judge,) = move_judges_here(rated_twice)
    return queue(judge)


def test_call_asks_about_every_dimension_by_its_question_and_rubric(rated_twice: Study) -> None:
    rubric = {"warmth": "Consider its warmth.", "clarity": "Consider its words."}
    configured = describe(rated_twice, together=True, rubric=rubric).read_configuration()
    system, _ = messages(
        configured, dimensions=configured.asked_in(""), prompt="I.", context="", responses=["Oh."]
    )
    told = system["content"]
    first, second = told.index("Dimension clarity"), told.index("Dimension warmth")
    assert first < told.index("How clear is this") < told.index("Consider its words.") < second
    assert second < told.index("How warm is this") < told.index("Consider its warmth.")
    assert told.count("Scale:") == 1
    assert told.endswith(
        '{"clarity": {"score": <a point\'s number>}, "warmth": {"score": <a point\'s number>}}'
    )
    schema = answer_schema(configured, 1, configured.asked_in(""))
    assert {name: set(part["required"]) for name, part in schema["properties"].items()} == BOTH


def test_one_call_gives_a_score_of_each_dimension(judge: Judge) -> None:
    assert counts(judge) == {"waiting": 10}
    claimed: Claimed = claim_one(judge)
    record_scores(claimed, TWO, [Scored(3, "Clear."), Scored(1, "Cold.")])
    values = [(v.dimension, v.value, v.reason) for v in judge_values(judge)]
    assert values == [("clarity", 3, "Clear."), ("warmth", 1, "Cold.")]


def test_call_without_an_answer_lacks_every_dimension(judge: Judge) -> None:
    for _ in range(2):
        record_unusable(claim_one(judge), reply_of("Well."), "no JSON")
    rows = [row for row in judge_score_rows(judge.study) if row[-2] is None]
    assert {row[5] for row in rows} == {"clarity", "warmth"}


@pytest.fixture(scope="module")
def standin() -> Iterator[str]:
    command = [executable, "-m", "judge.standin", "--port", "0"]
    with Popen(command, cwd=ROOT, stdout=PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.terminate()


@pytest.mark.parametrize("presentation", ["single", "block"])
def test_study_is_scored_by_as_many_calls_as_of_one_dimension(
    presentation: str, standin: str, rated_twice: Study, settings: Settings
) -> None:
    settings.JUDGE_STAND_IN, settings.JUDGE_BASE_URL = True, standin
    describe(rated_twice, together=True, presentation=presentation, reasons=True, replicates=2)
    (judge,) = move_judges_here(rated_twice)
    calls = 2 * (10 if presentation == "single" else 4)
    assert plan_calls(judge) == calls
    runs.run(judge.pk)
    assert counts(judge) == {"answered": calls}
    scores = Score.objects.filter(call__judge=judge)
    per_dimension = 20 if presentation == "single" else 24
    for dimension in ("clarity", "warmth"):
        assert scores.filter(dimension=dimension).count() == per_dimension
