"""Which questions a judge is to answer."""

from collections import Counter
from collections.abc import Callable
from itertools import product

import pytest
from pytest_django.fixtures import Settings

from judge import plans
from judge.asking import ended_incomplete
from judge.calls import record_failure, record_scores
from judge.configure import move_judges_here
from judge.models import Call, Judge
from judge.parsing import Scored
from judge.queries import gold_scores, wanted_calls
from survey.models import Block, Response, Study
from tests.judge.judging import TWO, claim_one, counts, describe, failure, queue
from tests.survey import small_study

pytestmark = pytest.mark.django_db

Queue = Callable[..., Judge]


def answer_next(judge: Judge) -> Call:
    claimed = claim_one(judge)
    record_scores(claimed, TWO, [Scored(2)] * len(claimed.responses))
    return claimed.call


def fail_next(judge: Judge) -> Call:
    """With one attempt for each call, the next fails."""
    claimed = claim_one(judge)
    record_failure(claimed, failure())
    return claimed.call


# Responses


def test_plan_holds_every_response_dimension_and_replicate_once(db: None) -> None:
    study = small_study.load(yaml=small_study.SLIDER_YAML)
    judge = describe(study, replicates=3)
    assert plans.plan_calls(judge) == 60
    responses = Response.objects.filter(scenario__study=study).values_list("pk", flat=True)
    assert len(responses) == 10, "the reference stands in two sets and is one response"
    planned = judge.calls.values_list("response", "dimension", "replicate")
    assert sorted(planned) == sorted(product(responses, ["sense", "warmth"], [1, 2, 3]))
    assert not judge.calls.exclude(block=None, order=None).exists()


def test_replicates_of_a_response_are_asked_side_by_side(queued: Queue) -> None:
    judge = queued(replicates=3)
    asked = [answer_next(judge) for _ in range(6)]
    assert [call.replicate for call in asked] == [1, 2, 3, 1, 2, 3]
    assert [call.response for call in asked] == [asked[0].response] * 3 + [asked[3].response] * 3


def test_plan_twice_adds_nothing(study: Study) -> None:
    judge = describe(study)
    plans.plan_calls(judge)
    assert plans.plan_calls(judge) == 0
    assert judge.calls.count() == 30


def test_more_replicates_later_ask_for_the_new_ones_alone(queued: Queue) -> None:
    judge = queued(replicates=1)
    while counts(judge) != {"answered": 10}:
        answer_next(judge)
    again = queued(replicates=3)
    assert again == judge
    assert counts(judge) == {"answered": 10, "waiting": 20}
    assert set(judge.calls.filter(state="waiting").values_list("replicate", flat=True)) == {2, 3}


def test_fewer_replicates_later_leave_the_others_out_of_the_gold(queued: Queue) -> None:
    judge = queued(replicates=2)
    answer_next(judge)
    answer_next(judge)
    assert [gold.calls for gold in gold_scores(judge.study).scores] == [[2, 2]]
    fewer = queued(replicates=1)
    assert wanted_calls(fewer).count() == 10
    assert [gold.calls for gold in gold_scores(judge.study).scores] == [[2]]


# Blocks


def test_block_is_asked_as_a_whole(study: Study) -> None:
    judge = describe(study, presentation="block", replicates=2)
    assert plans.plan_calls(judge) == 8
    planned = judge.calls.values_list("block", "dimension", "replicate")
    blocks = Block.objects.filter(study=study).values_list("pk", flat=True)
    assert sorted(planned) == sorted(product(blocks, ["warmth"], [1, 2]))
    for call in judge.calls.all():
        assert call.order is not None and call.block is not None
        shown = call.block.responses.values_list("pk", flat=True)
        assert sorted(call.order) == sorted(shown)


def test_orders_of_a_block_put_every_response_at_every_place_equally_often(study: Study) -> None:
    judge = describe(study, presentation="block", replicates=6)
    plans.plan_calls(judge)
    places: Counter[tuple[int, int, int]] = Counter()
    for call in judge.calls.all():
        assert call.order is not None and call.block_id is not None
        places.update((call.block_id, response, at) for at, response in enumerate(call.order))
    assert set(places.values()) == {2}
    assert len(places) == 4 * 3 * 3


def test_both_orders_are_each_order_and_its_reverse(study: Study) -> None:
    shown = names_in_order(describe(study, presentation="block", orders="both", replicates=6))
    assert len(shown) == 4 * 6
    for scenario, part in {(scenario, part) for scenario, part, _ in shown}:
        orders = [shown[scenario, part, replicate] for replicate in range(1, 7)]
        assert orders[1::2] == [order[::-1] for order in orders[::2]]
        first, second, third = orders[::2]
        assert second == [*first[1:], first[0]]
        assert third == [*second[1:], second[0]]


def names_in_order(judge: Judge) -> dict[tuple[str, str, int], list[str]]:
    """By scenario, set and replicate, the systems as they were shown."""
    plans.plan_calls(judge)
    systems = {r.pk: str(r.system) for r in Response.objects.select_related("system")}
    calls = judge.calls.select_related("block__scenario")
    return {
        (call.block.scenario.name, call.block.set_name, call.replicate): [
            systems[response] for response in call.order or []
        ]
        for call in calls
        if call.block is not None
    }


def test_orders_are_the_same_in_every_database_whatever_the_ids(study: Study) -> None:
    other = small_study.load(yaml=small_study.YAML.replace("slug: small", "slug: other"))
    here, there = (describe(each, presentation="block") for each in (study, other))
    orders = names_in_order(here)
    assert orders == names_in_order(there)
    assert len({tuple(order) for order in orders.values()}) > 3


def test_orders_of_another_judge_are_others(study: Study) -> None:
    first = names_in_order(describe(study, presentation="block", seed=1))
    second = names_in_order(describe(study, presentation="block", seed=2))
    assert first != second


# Once more


def test_queue_missing_gives_failed_calls_their_attempts_anew(
    queued: Queue, settings: Settings
) -> None:
    settings.JUDGE_MAX_ATTEMPTS = 1
    settings.JUDGE_BACKOFF_SECONDS = 0
    judge = queued(replicates=1)
    failed = fail_next(judge)
    assert counts(judge) == {"failed": 1, "waiting": 9}
    assert plans.queue_missing(judge) == 10
    assert counts(judge) == {"waiting": 10}
    settings.JUDGE_MAX_ATTEMPTS = 2
    assert fail_next(judge) == failed
    assert counts(judge) == {"waiting": 10}, "the second of its attempts is left"
    assert list(failed.attempts.values_list("number", flat=True)) == [1, 2]


def test_queue_missing_leaves_answered_calls_alone_and_lifts_a_stop(queued: Queue) -> None:
    judge = queued(replicates=1)
    answer_next(judge)
    Judge.objects.filter(pk=judge.pk).update(stopped="no credit")
    assert plans.queue_missing(judge) == 9
    judge.refresh_from_db()
    assert (counts(judge), judge.stopped) == ({"answered": 1, "waiting": 9}, "")


def test_one_failed_call_can_be_queued_alone(queued: Queue, settings: Settings) -> None:
    settings.JUDGE_MAX_ATTEMPTS, settings.JUDGE_BACKOFF_SECONDS = 1, 0
    judge = queued(replicates=1)
    first, _ = fail_next(judge), fail_next(judge)
    assert plans.queue_call(first)
    assert counts(judge) == {"failed": 1, "waiting": 9}
    answered = Call.objects.get(pk=answer_next(judge).pk)
    Judge.objects.filter(pk=judge.pk).update(stopped="no credit")
    assert not plans.queue_call(answered), "it has not failed"
    assert counts(judge) == {"failed": 1, "waiting": 8, "answered": 1}
    assert Judge.objects.get(pk=judge.pk).stopped == "no credit"


def test_refused_filtered_and_cut_off_calls_are_queued_again_on_request_alone(
    queued: Queue, settings: Settings
) -> None:
    settings.JUDGE_MAX_ATTEMPTS, settings.JUDGE_BACKOFF_SECONDS = 1, 0
    judge = queued(replicates=1)
    for outcome in ("refused", "filtered", "cut_off", "timeout", "cut_off"):
        fail_next(judge).attempts.update(outcome=outcome)
    before = plans.missing_tokens(judge, retry=True)[1]
    assert plans.queue_missing(judge) == 6
    assert counts(judge) == {"failed": 4, "waiting": 6}
    assert ended_incomplete(wanted_calls(judge)) == {"refused": 1, "filtered": 1, "cut_off": 2}
    assert plans.missing_tokens(judge)[1] == before * 6 // 10
    assert plans.queue_missing(judge, retry=True) == 10
    assert counts(judge) == {"waiting": 10}


@pytest.mark.parametrize("presentation", ["single", "block"])
def test_missing_tokens_shrink_with_every_answer(presentation: str, study: Study) -> None:
    describe(study, presentation=presentation, replicates=2)
    judge = queue(move_judges_here(study)[0])
    before = plans.missing_tokens(judge)
    for _ in range(4):
        answer_next(judge)
    after = plans.missing_tokens(judge)
    assert all(0 < left < all_ for left, all_ in zip(after, before, strict=True))
    scores = 10 if presentation == "single" else 12
    assert before[1] == scores * 2 * 8
