"""Gold scores and progress."""

from collections.abc import Callable

import pytest
from pytest_django import DjangoAssertNumQueries
from pytest_django.fixtures import Settings

from judge.calls import claim, record_failure, record_probe, record_scores, stop
from judge.digest import scores_digest
from judge.exchange import ExchangeFailed
from judge.gold import add_gold_set, choose_gold
from judge.models import Call, Judge, Score, StructuredOutput
from judge.parsing import Scored
from judge.plans import plan_calls
from judge.queries import (
    Gold,
    GoldScores,
    current_judges,
    gold_scores,
    gold_sources,
    judge_values,
    progress,
)
from survey.models import Response, Study
from tests.judge.judging import claim_one, describe, describe_judging, reply_of

pytestmark = pytest.mark.django_db

Queue = Callable[..., Judge]
REPLY = reply_of('{"score": 2}')


def answer_some(judge: Judge, scores: dict[int, list[int]]) -> None:
    """Commit `scores`, by response."""
    for response, values in scores.items():
        for replicate, value in enumerate(values, start=1):
            call = judge.calls.get(response=response, replicate=replicate)
            Score.objects.create(call=call, response_id=response, value=value)
            call.state = Call.State.ANSWERED
            call.save()


def test_study_without_judge_has_no_gold(study: Study) -> None:
    assert gold_scores(study) == GoldScores("", False, [])


def test_gold_is_the_mean_of_the_answered_replicates(queued: Queue) -> None:
    judge = queued(name="j", replicates=3)
    first, second, *_ = judge.calls.order_by("response").values_list("response", flat=True)[::3]
    answer_some(judge, {first: [1, 2, 2], second: [3]})
    gold = gold_scores(judge.study)
    assert gold == GoldScores(
        "j@1",
        False,
        [Gold(first, "warmth", 5 / 3, [1, 2, 2]), Gold(second, "warmth", 3.0, [3])],
        "judge",
    )
    assert (gold.source, gold.is_stand_in) == ("j@1", False)


def test_stand_in_is_named(queued: Queue, settings: Settings) -> None:
    settings.JUDGE_STAND_IN = True
    judge = queued(name="puppet")
    assert not gold_scores(judge.study).is_stand_in, "it has not made anything up yet"
    answer_some(judge, {judge.calls.values_list("response", flat=True)[0]: [2]})
    gold = gold_scores(judge.study)
    assert gold.is_stand_in
    assert gold.source == "puppet@1 (stand-in, no language model)"


def test_scores_of_a_replaced_judge_stay_gold_until_somebody_decides(queued: Queue) -> None:
    judge = queued()
    answer_some(judge, {judge.calls.values_list("response", flat=True)[0]: [2]})
    changed = describe(judge.study, rubric="Be strict.")
    assert [gold.value for gold in gold_scores(judge.study).scores] == [2]
    choose_gold(judge.study, judge=changed)
    assert gold_scores(judge.study).scores == []


def test_digest_of_all_scores_changes_with_what_is_missing(queued: Queue) -> None:
    judge = queued()
    before = scores_digest(judge.study)
    assert scores_digest(judge.study) == before
    judge.calls.filter(pk=judge.calls.earliest("pk").pk).update(state="failed")
    assert scores_digest(judge.study) != before


def test_gold_is_of_the_one_source_decided_on_and_never_mixed(queued: Queue) -> None:
    judge = queued()
    study = judge.study
    first, second = Response.objects.order_by("id")[:2]
    answer_some(judge, {first.pk: [1, 1, 1], second.pk: [1, 1, 1]})
    imported = [Gold(second.pk, "warmth", 2.5, [2, 3])]
    choose_gold(
        study, gold_set=add_gold_set(study, name="file", made_by="experts", scores=imported)
    )
    gold = gold_scores(study)
    assert gold == GoldScores("experts", True, imported, "file")
    assert gold.source == "experts"


def test_imported_gold_of_nobody_is_called_imported(study: Study) -> None:
    response = Response.objects.earliest("pk").pk
    scores = [Gold(response, "warmth", 2.0, [])]
    choose_gold(study, gold_set=add_gold_set(study, name="file", made_by="", scores=scores))
    assert gold_scores(study).source == "imported"


def test_imported_gold_of_a_stand_in_is_still_a_stand_ins(study: Study) -> None:
    response = Response.objects.earliest("pk").pk
    made_by = "puppet@1 (stand-in, no language model)"
    scores = [Gold(response, "warmth", 2.0, [])]
    choose_gold(study, gold_set=add_gold_set(study, name="file", made_by=made_by, scores=scores))
    assert gold_scores(study).is_stand_in


def test_gold_of_a_block_is_of_the_responses_wherever_they_stood(study: Study) -> None:
    judge = describe(study, presentation="block", replicates=2)
    plan_calls(judge)
    call = judge.calls.earliest("pk")
    for value, response in enumerate(call.order or [], start=1):
        Score.objects.create(call=call, response_id=response, value=value, reason=f"r{value}")
    values = {v.response_id: (v.value, v.reason, v.block_id) for v in judge_values(judge)}
    assert values == {
        response: (value, f"r{value}", call.block_id)
        for value, response in enumerate(call.order or [], start=1)
    }
    assert [gold.calls for gold in gold_scores(study).scores] == [
        [values[response][0]] for response in sorted(values)
    ]


def test_sources_of_gold_are_judges_earlier_versions_with_scores_and_files(study: Study) -> None:
    describe_judging(study, judges=[{"name": "one"}, {"name": "other"}])
    one, other = current_judges(study).order_by("name")
    for judge in (one, other):
        plan_calls(judge)
    answer_some(one, {one.calls.earliest("pk").response_id or 0: [2]})
    describe_judging(study, judges=[{"name": "one", "seed": 1}, {"name": "other", "seed": 1}])
    add_gold_set(study, name="experts", made_by="", scores=[])
    names = [source.name for source in gold_sources(study)]
    assert names == ["one@1", "one@2", "other@2", "file experts"]


def test_study_without_scores_names_no_source(queued: Queue) -> None:
    assert gold_scores(queued().study).source == "none"


def test_progress_counts_calls_and_attempts(queued: Queue, settings: Settings) -> None:
    judge = queued(replicates=1)
    settings.JUDGE_CONCURRENCY = 3
    first, second, third, _ = (claim(judge.pk) for _ in range(4))
    assert first and second and third
    record_scores(first, REPLY, [Scored(2)])
    settings.JUDGE_MAX_ATTEMPTS = 1
    record_failure(second, ExchangeFailed("it broke", outcome="broken_off"))
    now = progress(judge)
    assert (now.total, now.answered, now.failed, now.waiting, now.running) == (10, 1, 1, 7, 1)
    assert (now.attempts, now.unknown, now.last_error) == (3, 1, "it broke")
    assert now.attempts_by_outcome == {"answered": 1, "broken_off": 1, "in_flight": 1}
    assert not now.is_over
    stop(judge.pk, "no credit")
    assert progress(judge).stopped == "no credit"


def test_probe_is_no_call_of_the_progress_and_its_attempts_are_attempts(queued: Queue) -> None:
    judge = queued(replicates=1)
    StructuredOutput.objects.all().delete()
    probing = claim_one(judge)
    record_probe(probing, REPLY, keeps=True)
    now = progress(judge)
    assert (now.total, now.answered, now.waiting, now.attempts) == (10, 0, 10, 1)
    assert list(judge_values(judge)) == []


def test_progress_costs_the_same_for_any_number_of_calls(
    queued: Queue, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    judge = queued(replicates=1)
    with django_assert_num_queries(5):
        progress(judge)
    judge = queued(replicates=3)
    with django_assert_num_queries(5):
        progress(judge)
