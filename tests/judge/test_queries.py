"""Gold scores and progress."""

from collections.abc import Callable

from pytest_django import DjangoAssertNumQueries
from pytest_django.fixtures import Settings

from judge.calls import claim, record_failure, record_score, stop
from judge.exchange import ExchangeFailed, Reply
from judge.models import Call, GoldScore, Judge
from judge.queries import Gold, GoldScores, gold_scores, progress
from judge.questions import missing_tokens
from survey.models import Response, Study
from tests.judge.judging import describe

Queue = Callable[..., Judge]
REPLY = Reply(text="2", cut_off=False, model="m")


def answer_some(judge: Judge, scores: dict[int, list[int]]) -> None:
    """Commit `scores`, by response."""
    for response, values in scores.items():
        for replicate, score in enumerate(values, start=1):
            judge.calls.filter(response=response, replicate=replicate).update(
                state=Call.State.ANSWERED, score=score
            )


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


def test_scores_of_a_replaced_judge_are_no_gold(queued: Queue) -> None:
    judge = queued()
    answer_some(judge, {judge.calls.values_list("response", flat=True)[0]: [2]})
    describe(judge.study, rubric="Be strict.")
    assert gold_scores(judge.study).scores == []


def test_imported_gold_is_the_gold_and_never_mixed(queued: Queue) -> None:
    judge = queued()
    first, second = Response.objects.order_by("id")[:2]
    answer_some(judge, {first.pk: [1, 1, 1], second.pk: [1, 1, 1]})
    GoldScore.objects.create(
        study=judge.study, response=second, dimension="warmth", value=2.5, calls=[2, 3]
    )
    gold = gold_scores(judge.study)
    assert gold == GoldScores("", True, [Gold(second.pk, "warmth", 2.5, [2, 3])])
    assert gold.source == "imported"


def test_imported_gold_is_by_whom_its_file_says(study: Study) -> None:
    for response, maker in zip(Response.objects.all()[:2], ("b", "a"), strict=True):
        GoldScore.objects.create(
            study=study, response=response, dimension="warmth", value=2, gold_by=maker
        )
    assert gold_scores(study).source == "a, b"


def test_imported_gold_of_a_stand_in_is_still_a_stand_ins(study: Study) -> None:
    response = Response.objects.earliest("pk")
    GoldScore.objects.create(
        study=study,
        response=response,
        dimension="warmth",
        value=2,
        gold_by="puppet@1 (stand-in, no language model)",
    )
    assert gold_scores(study).is_stand_in


def test_study_without_scores_names_no_source(queued: Queue) -> None:
    assert gold_scores(queued().study).source == "none"


def test_progress_counts_calls_and_attempts(queued: Queue, settings: Settings) -> None:
    judge = queued(replicates=1)
    settings.JUDGE_CONCURRENCY = 3
    first, second, _ = claim(judge.pk)
    record_score(first, REPLY, 2)
    settings.JUDGE_MAX_ATTEMPTS = 1
    record_failure(second, ExchangeFailed("it broke", outcome="connection_error"))
    now = progress(judge)
    assert (now.total, now.answered, now.failed, now.waiting, now.running) == (10, 1, 1, 7, 1)
    assert (now.attempts, now.unknown, now.last_error) == (3, 0, "it broke")
    assert not now.is_over
    stop(judge.pk, "no credit")
    assert progress(judge).stopped == "no credit"


def test_progress_costs_the_same_for_any_number_of_calls(
    queued: Queue, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    judge = queued(replicates=1)
    with django_assert_num_queries(4):
        progress(judge)
    judge = queued(replicates=3)
    with django_assert_num_queries(4):
        progress(judge)


def test_missing_tokens_shrink_with_every_answer(queued: Queue) -> None:
    judge = queued(replicates=2)
    before = missing_tokens(judge)
    answer_some(judge, {r: [2] for r in judge.calls.values_list("response", flat=True)})
    assert missing_tokens(judge) == before / 2
