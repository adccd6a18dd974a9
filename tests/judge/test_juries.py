"""Several judges as one source: what a jury's score is, whose it is, and what a file may say."""

from typing import Any

import pytest

from judge import leases
from judge.definition import JudgingDefinition
from judge.models import Call, Judge, Score
from judge.plans import plan_calls
from judge.queries import GoldSource, gold_scores, gold_source, gold_sources, scores_of
from judge.tidy import JUDGE_COLUMNS, judge_rows, judge_score_rows
from survey.models import Study
from tests.judge.judging import describe_judging, note_support

JURY = GoldSource(jury="jury")


def three(study: Study, combine: str = "mean", **section: Any) -> list[Judge]:
    """The judges a, b and c, each asked once about each response, and their jury."""
    named = [{"name": name, "replicates": 1, "family": name.upper()} for name in "abc"]
    jury = {"name": "jury", "judges": ["a", "b", "c"], "combine": combine}
    judges = describe_judging(study, judges=named, juries=[jury], gold="jury", **section)
    for judge in judges:
        note_support(judge)
        plan_calls(judge)
    return judges


def give(judge: Judge, value: int, calls: int = 10) -> None:
    asked = judge.calls.exclude(response=None).order_by("id").values_list("id", "response_id")
    for call, response in asked[:calls]:
        Call.objects.filter(pk=call).update(state="answered")
        Score.objects.create(call_id=call, response_id=response, value=value)


@pytest.mark.parametrize(("combine", "score"), [("mean", 2), ("median", 3)])
def test_score_of_a_jury_is_the_mean_or_median_of_its_judges(
    study: Study, combine: str, score: float
) -> None:
    for judge, value in zip(three(study, combine), (3, 0, 3), strict=True):
        give(judge, value)
    scores = scores_of(study, JURY).scores
    assert {(each.value, tuple(each.calls)) for each in scores} == {(score, (3, 0, 3))}
    assert len(scores) == 10


def test_jury_that_the_file_names_is_gold(study: Study) -> None:
    for judge in three(study):
        give(judge, 2)
    assert gold_source(study) == JURY
    assert (gold_scores(study).kind, gold_scores(study).source) == ("jury", "jury jury")
    assert JURY in gold_sources(study)


def test_response_that_a_judge_lacks_has_no_score_of_the_jury(study: Study) -> None:
    a, b, c = three(study)
    give(a, 1)
    give(b, 2)
    assert scores_of(study, JURY).scores == []
    give(c, 3, calls=4)
    assert len(scores_of(study, JURY).scores) == 4


def test_analysis_reads_a_jury_with_its_judges_as_replicates(study: Study) -> None:
    for judge, value in zip(three(study), (1, 2, 3), strict=True):
        give(judge, value)
    rows = [row for row in judge_score_rows(study) if row[0] == "jury jury"]
    assert {(row[7], row[9]) for row in rows} == {(1, 1), (2, 2), (3, 3)}
    about = {row[0]: dict(zip(JUDGE_COLUMNS, row, strict=True)) for row in judge_rows(study)}
    jury = about["jury jury"]
    assert (jury["kind"], jury["replicates"], jury["is_gold"]) == ("jury", 3, True)
    assert jury["family"] == "A; B; C"


def test_judges_of_the_gold_jury_come_first_where_a_budget_is_short(study: Study) -> None:
    named = [{"name": name, "replicates": 1} for name in "abc"]
    jury = {"name": "jury", "judges": ["b", "c"]}
    budget = {"requests": 30}
    judges = describe_judging(study, judges=named, juries=[jury], gold="jury", budget=budget)
    for judge in judges:
        note_support(judge)
        plan_calls(judge)
    assert [leases.gold_comes_first(judge) for judge in judges] == [True, False, False]


def test_unknown_jury_has_no_scores(study: Study) -> None:
    three(study)
    assert scores_of(study, GoldSource(jury="other")).scores == []


@pytest.mark.parametrize(
    ("juries", "problem"),
    [
        ([{"name": "j", "judges": ["a", "x"]}], "'x' is not among the judges"),
        ([{"name": "j", "judges": ["a", "a"]}], "'a' is repeated"),
        ([{"name": "a", "judges": ["a", "b"]}], "'a' is repeated"),
        ([{"name": "j", "judges": ["a"]}], "at least 2 items"),
        ([{"name": "j", "judges": ["a", "b"], "combine": "mode"}], "'mean' or 'median'"),
        ([{"name": "j", "judges": ["a", "b"]}] * 2, "'j' is repeated"),
    ],
)
def test_jury_that_cannot_be_is_refused(juries: list[dict[str, Any]], problem: str) -> None:
    judges = [{"name": "a"}, {"name": "b"}]
    with pytest.raises(ValueError, match=problem):
        JudgingDefinition.model_validate({"judges": judges, "juries": juries})
