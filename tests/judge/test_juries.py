"""Several judges as one source: what a jury's score is, whose it is, and what a file may say."""

from typing import Any

import pytest

from judge import leases
from judge.definition import JudgingDefinition
from judge.models import Call, GoldDecision, Judge, Jury, Score
from judge.plans import plan_calls
from judge.queries import (
    GoldSource,
    gold_scores,
    gold_source,
    gold_sources,
    n_verdicts,
    newer_than_gold,
    scores_of,
)
from judge.tidy import JUDGE_COLUMNS, judge_rows, judge_score_rows
from survey.models import Study
from tests.judge.judging import describe_judging, note_support


def three(study: Study, combine: str = "mean", rubric: str = "", **section: Any) -> list[Judge]:
    """The judges a, b and c (by its own `rubric`), asked once about each response; their jury."""
    named: list[dict[str, Any]] = [
        {"name": name, "replicates": 1, "family": name.upper()} for name in "abc"
    ]
    if rubric:
        named[2]["rubric"] = rubric
    jury = {"name": "jury", "judges": ["c", "a", "b"], "combine": combine}
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


def current(study: Study) -> GoldSource:
    return GoldSource(jury=Jury.objects.get(study=study, is_current=True))


@pytest.mark.parametrize(("combine", "score"), [("mean", 2), ("median", 3)])
def test_score_of_a_jury_is_the_mean_or_median_of_its_judges(
    study: Study, combine: str, score: float
) -> None:
    for judge, value in zip(three(study, combine), (3, 0, 3), strict=True):
        give(judge, value)
    scores = scores_of(study, current(study)).scores
    assert {(each.value, tuple(each.calls)) for each in scores} == {(score, (3, 0, 3))}
    assert len(scores) == 10


def test_jury_that_the_file_names_is_gold(study: Study) -> None:
    for judge in three(study):
        give(judge, 2)
    assert gold_source(study) == current(study)
    assert (gold_scores(study).kind, gold_scores(study).source) == ("jury", "jury jury@1")
    assert current(study) in gold_sources(study)


def test_response_that_a_judge_lacks_has_no_score_of_the_jury(study: Study) -> None:
    a, b, c = three(study)
    jury = Jury.objects.get()
    give(a, 1)
    give(b, 2)
    assert (scores_of(study, current(study)).scores, n_verdicts(jury)) == ([], 0)
    give(c, 3, calls=4)
    assert (len(scores_of(study, current(study)).scores), n_verdicts(jury)) == (4, 4)


def test_analysis_reads_a_jury_with_its_judges_as_replicates(study: Study) -> None:
    for judge, value in zip(three(study), (1, 2, 3), strict=True):
        give(judge, value)
    rows = [row for row in judge_score_rows(study) if row[0] == "jury jury@1"]
    assert {(row[7], row[9]) for row in rows} == {(1, 1), (2, 2), (3, 3)}
    about = {row[0]: dict(zip(JUDGE_COLUMNS, row, strict=True)) for row in judge_rows(study)}
    jury = about["jury jury@1"]
    assert (jury["kind"], jury["replicates"], jury["is_gold"]) == ("jury", 3, True)
    assert jury["family"] == "A; B; C"


def test_scores_of_a_jury_stay_gold_when_one_of_its_judges_changes(study: Study) -> None:
    for judge in three(study):
        give(judge, 2)
    before = current(study)
    three(study, rubric="Be strict.")
    after = current(study)
    assert str(after) == "jury jury@2"
    assert (gold_source(study), newer_than_gold(study)) == (before, after)
    assert {each.value for each in gold_scores(study).scores} == {2}
    assert {str(source) for source in gold_sources(study)} >= {"jury jury@1", "jury jury@2"}


def test_jury_without_scores_is_replaced_as_gold_and_that_is_recorded(study: Study) -> None:
    give(three(study)[2], 2)  # so that its version is one that was asked
    three(study, rubric="Be strict.")
    assert gold_source(study) == current(study)
    newest = GoldDecision.objects.order_by("-id")[0]
    assert newest.why == "replaces jury jury@1, which has no scores"


def test_jury_as_it_was_is_its_earlier_version_again(study: Study) -> None:
    give(three(study)[2], 2)
    three(study, rubric="Be strict.")
    three(study)
    assert str(current(study)) == "jury jury@1"
    three(study)
    assert Jury.objects.count() == 2


def test_other_way_to_combine_is_another_version(study: Study) -> None:
    three(study)
    three(study, combine="median")
    assert str(current(study)) == "jury jury@2"


def test_jury_with_a_stand_in_is_named_as_one_everywhere(study: Study, settings: Any) -> None:
    settings.JUDGE_STAND_IN = True
    for judge in three(study):
        give(judge, 2)
    assert "stand-in" in current(study).name
    assert gold_scores(study).is_stand_in
    stand_ins = {row[0]: row[7] for row in judge_rows(study)}
    assert stand_ins[current(study).name] is True


def test_jury_that_left_the_file_keeps_its_scores(study: Study) -> None:
    for judge in three(study):
        give(judge, 2)
    describe_judging(study, judges=[{"name": name, "replicates": 1} for name in "abc"])
    assert not Jury.objects.get().is_current
    assert GoldSource(jury=Jury.objects.get()) in gold_sources(study)


def test_judges_of_the_gold_jury_come_first_where_a_budget_is_short(study: Study) -> None:
    named = [{"name": name, "replicates": 1} for name in "abc"]
    jury = {"name": "jury", "judges": ["b", "c"]}
    budget = {"requests": 30}
    judges = describe_judging(study, judges=named, juries=[jury], gold="jury", budget=budget)
    for judge in judges:
        note_support(judge)
        plan_calls(judge)
    assert [leases.gold_comes_first(judge) for judge in judges] == [True, False, False]


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
