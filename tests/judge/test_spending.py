"""What judging costs, and where a budget ends it. No endpoint is asked here."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from judge import calls, leases
from judge.attempts import Claimed
from judge.calls import claim
from judge.configure import move_judges_here
from judge.exchange import ExchangeFailed, Reply, Tokens
from judge.gold import choose_gold
from judge.models import Attempt, Judge
from judge.money import Price
from judge.parsing import Scored
from judge.plans import queue_missing
from judge.providers import TOO_MANY_TOKENS
from judge.queries import progress
from judge.spending import Spent, cost_of, priced, spent_on, still_counted
from survey.models import Study
from tests.judge.judging import (
    claim_all,
    claim_one,
    counts,
    describe_judging,
    failure,
    note_support,
    outcomes,
    queue,
    reply_of,
)

# Reading this file loads openai, which takes longer than its tests without a database.
pytestmark = pytest.mark.slow

#: US dollars per million tokens: a question of the small study costs about 0.0003.
PRICE = {"input": 1.0, "output": 10.0}


@pytest.fixture
def judged(study: Study) -> Callable[..., list[Judge]]:
    """Gives the small study judges and a budget, and queues their calls.

    Experts are gold, so that no judge comes first.
    """

    def give(*judges: dict[str, Any], **budget: float) -> list[Judge]:
        named = [{"name": f"j{n}", "replicates": 1} | judge for n, judge in enumerate(judges)]
        describe_judging(study, judges=named, budget=budget)
        choose_gold(study, panel="experts")
        return [queue(judge) for judge in move_judges_here(study)]

    return give


Judged = Callable[..., list[Judge]]


def reply(cost: str | None = None, *, tokens: tuple[int, int] | None = None) -> Reply:
    return reply_of(
        '{"score": 2}',
        cost=None if cost is None else Decimal(cost),
        tokens=Tokens(*tokens) if tokens else None,
    )


def answer(claimed: Claimed, said: Reply) -> Attempt:
    calls.record_scores(claimed, said, [Scored(2)])
    return Attempt.objects.get(pk=claimed.attempt.pk)


# What a request costs


def test_what_the_endpoint_says_counts_to_the_last_digit() -> None:
    assert cost_of(reply("0.0000123456"), None) == (Decimal("0.0000123456"), False)
    said = reply("0.5", tokens=(1000, 100))
    assert cost_of(said, Price(input=1, output=1)) == (Decimal("0.5"), False)


def test_price_and_tokens_stand_in_where_the_endpoint_says_nothing() -> None:
    price = Price(input=0.15, output=0.6)
    assert priced(price, Tokens(1_000_000, 1_000_000)) == Decimal("0.75")
    assert cost_of(reply(tokens=(1000, 100)), price) == (Decimal("0.00021"), True)
    assert cost_of(reply(), price) == (None, True)
    assert cost_of(reply(tokens=(1000, 100)), None) == (None, True)


def test_cached_input_has_a_price_of_its_own_if_one_is_given() -> None:
    tokens = Tokens(prompt=1_000_000, completion=0, cached=400_000)
    assert priced(Price(input=1, output=0), tokens) == Decimal("1")
    assert priced(Price(input=1, output=0, cached_input=0.25), tokens) == Decimal("0.7")


def test_dearest_answer_that_there_may_be_can_be_stored(judged: Judged) -> None:
    (judge,) = judged({"price": {"input": 10_000.0, "output": 10_000.0}})
    most = TOO_MANY_TOKENS - 1
    stored = answer(claim_one(judge), reply(tokens=(most, most)))
    assert stored.cost == Decimal("199999.98")


def test_request_is_expected_to_cost_what_its_length_says_then_what_others_did(
    judged: Judged,
) -> None:
    (judge,) = judged({"price": PRICE})
    first = claim_one(judge)
    asked = sum(len(message["content"]) // 4 for message in first.request.messages)
    assert first.attempt.cost == priced(Price(**PRICE), Tokens(asked, 8))
    assert first.attempt.cost_is_estimate
    answer(first, reply("0.001"))
    second = claim_one(judge)
    assert second.attempt.cost == Decimal("0.001")
    answer(second, reply("0.002"))
    assert claim_one(judge).attempt.cost == Decimal("0.0015")


def test_short_question_of_the_probe_says_nothing_of_what_calls_cost(judged: Judged) -> None:
    (judge,) = judged({"price": PRICE})
    note = judge.endpoint.structured_outputs
    note.all().delete()
    calls.record_probe(claim_one(judge), reply("0.0000001"), keeps=True)
    expected = claim_one(judge).attempt.cost
    assert expected is not None and expected > Decimal("0.0001")


def test_spent_is_the_sum_over_attempts_in_flight_and_unknown_ones_included(
    judged: Judged, study: Study
) -> None:
    one, other = judged({"price": PRICE}, {})
    answer(claim_one(one), reply("0.001"))
    calls.record_unusable(claim_one(one), reply("0.002"), "no number")
    expected = claim_one(one).attempt.cost
    lost = claim_one(other)
    calls.record_failure(lost, ExchangeFailed("no answer", outcome="timeout"))
    assert expected == Decimal("0.0015")
    assert spent_on(study) == Spent(4, Decimal("0.0045"), Decimal("0.0015"), unpriced=1)
    assert spent_on(study, one) == Spent(3, Decimal("0.0045"), Decimal("0.0015"), unpriced=0)
    assert spent_on(study, other) == Spent(1, Decimal(0), Decimal(0), unpriced=1)


# Budgets


def test_budget_of_requests_is_used_to_the_last_one_and_not_beyond(
    judged: Judged, study: Study
) -> None:
    one, other = judged({}, {}, requests=5)
    asked = []
    for _ in range(3):
        asked += [claim(one.pk), claim(other.pk)]
    assert sum(claimed is not None for claimed in asked) == 5
    assert spent_on(study).requests == 5
    stopped = progress(other).stopped or progress(one).stopped
    assert stopped == (
        "the study's budget of 5 requests is used up; raise judging.budget.requests in its "
        "study.yaml, load it, and try again"
    )


def test_requests_that_failed_and_probes_count_in_a_budget_of_requests(judged: Judged) -> None:
    (judge,) = judged({}, requests=3)
    judge.endpoint.structured_outputs.all().delete()
    calls.record_probe(claim_one(judge), reply(), keeps=True)
    for _ in range(2):
        calls.record_failure(claim_one(judge), failure())
    assert claim(judge.pk) is None
    assert "budget of 3 requests is used up" in progress(judge).stopped


def test_money_in_flight_is_reserved_so_that_judges_side_by_side_stay_within_the_budget(
    judged: Judged, study: Study, settings: Settings
) -> None:
    settings.JUDGE_CONCURRENCY = 50
    one, other = judged({}, {}, money=0.01)
    answer(claim_one(one), reply("0.001"))
    answer(claim_one(other), reply("0.001"))
    in_flight = []
    for _ in range(10):
        in_flight += [claim(one.pk), claim(other.pk)]
    claimed = [each for each in in_flight if each is not None]
    assert len(claimed) == 8
    for each in claimed:
        answer(each, reply("0.001"))
    assert spent_on(study).money == Decimal("0.01")
    assert (progress(one).stopped, progress(other).stopped) == (
        "the study's budget of 0.01 US dollars allows no more calls: 0.0100 are spent and the "
        "next may cost 0.001000; raise judging.budget.money in its study.yaml, load it, and try "
        "again",
    ) * 2


def test_first_call_is_asked_alone_where_nobody_knows_what_it_costs(
    judged: Judged, study: Study
) -> None:
    (judge,) = judged({}, money=0.01)
    first = claim_one(judge)
    assert claim(judge.pk) is None
    assert progress(judge).stopped == ""
    answer(first, reply("0.004"))
    assert len(claim_all(judge)) == 1
    assert spent_on(study).money == Decimal("0.008")


def test_two_judges_of_unknown_cost_each_ask_their_first_call(judged: Judged) -> None:
    one, other = judged({}, {}, money=1.0)
    first, second = claim_one(one), claim_one(other)
    assert (progress(one).stopped, progress(other).stopped) == ("", "")
    answer(first, reply("0.004"))
    answer(second, reply("0.004"))
    assert len(claim_all(one)) == 6


def test_budget_in_money_stops_where_nobody_says_what_a_call_costs(judged: Judged) -> None:
    (judge,) = judged({}, money=1.0)
    answer(claim_one(judge), reply())
    assert claim(judge.pk) is None
    assert progress(judge).stopped.startswith(
        "the study has a budget in money, but the endpoint does not say what a call costs; give "
        "the judge a price (0 for a server of your own)"
    )


def test_first_call_that_is_lost_does_not_end_a_budget_in_money(judged: Judged) -> None:
    """It may have cost something, but the next one will tell what."""
    (judge,) = judged({}, money=1.0)
    calls.record_failure(claim_one(judge), ExchangeFailed("no answer", outcome="timeout"))
    answer(claim_one(judge), reply("0.004"))
    assert progress(judge).stopped == ""
    assert claim_one(judge).attempt.cost == Decimal("0.004")


def test_lost_requests_of_unknown_cost_count_as_soon_as_one_is_known(
    judged: Judged, study: Study
) -> None:
    (judge,) = judged({}, money=0.01)
    for _ in range(6):
        lost = claim_one(judge)
        calls.record_failure(lost, ExchangeFailed("it broke", outcome="broken_off"))
        judge.calls.update(not_before=None)
        Judge.objects.update(not_before=None)
    answer(claim_one(judge), reply("0.001"))
    assert spent_on(study) == Spent(7, Decimal("0.001"), Decimal(0), unpriced=6)
    for claimed in claim_all(judge):
        answer(claimed, reply("0.001"))
    assert spent_on(study).money == Decimal("0.004")
    assert progress(judge).stopped == (
        "the study's budget of 0.01 US dollars allows no more calls: 0.0040 are spent, requests "
        "of unknown cost (6) count as 0.006000 and the next may cost 0.001000; raise "
        "judging.budget.money in its study.yaml, load it, and try again"
    )


def test_lost_request_of_a_dear_judge_counts_as_its_others_do_for_every_judge(
    judged: Judged, study: Study
) -> None:
    dear, cheap = judged({}, {}, money=0.1)
    calls.record_failure(claim_one(dear), ExchangeFailed("no answer", outcome="timeout"))
    Judge.objects.update(not_before=None)
    answer(claim_one(dear), reply("0.04"))
    answer(claim_one(cheap), reply("0.01"))
    answer(claim_one(cheap), reply("0.01"))
    assert claim(cheap.pk) is None
    assert "requests of unknown cost (1) count as 0.040000" in progress(cheap).stopped


def test_requests_of_calls_that_are_gone_count_among_all_others(
    judged: Judged, study: Study
) -> None:
    (judge,) = judged({}, money=0.01)
    lost = claim_one(judge)
    calls.record_failure(lost, ExchangeFailed("no answer", outcome="timeout"))
    Judge.objects.update(not_before=None)
    answered = claim_one(judge)
    answer(answered, reply("0.004"))
    for gone in (lost, answered):
        with still_counted(study):
            gone.call.delete()
    assert spent_on(study) == Spent(2, Decimal("0.004"), Decimal(0), unpriced=1)
    answer(claim_one(judge), reply("0.003"))
    assert claim(judge.pk) is None
    assert "0.0070 are spent, requests of unknown cost (1) count as 0.003000" in (
        progress(judge).stopped
    )


def test_price_of_nothing_keeps_a_budget_in_money_whole(judged: Judged, study: Study) -> None:
    (judge,) = judged({"price": {"input": 0, "output": 0}}, money=0.01)
    for claimed in claim_all(judge):
        answer(claimed, reply(tokens=(1000, 100)))
    assert outcomes(judge) == {"answered": 6}
    assert spent_on(study).money == 0


def test_budgets_of_two_studies_are_apart(judged: Judged, study: Study) -> None:
    (judge,) = judged({}, requests=1)
    other = Study.objects.create(slug="other", title="Other", definition=study.definition)
    describe_judging(other, judges=[{}], budget={"requests": 1})
    claim_one(judge)
    assert spent_on(other).requests == 0


def test_run_goes_on_when_the_budget_is_raised(judged: Judged, study: Study) -> None:
    (judge,) = judged({}, requests=2)
    for claimed in claim_all(judge):
        answer(claimed, reply())
    assert counts(judge) == {"answered": 2, "waiting": 8}
    queue_missing(judge)
    assert claim(judge.pk) is None
    assert "budget of 2 requests" in progress(judge).stopped, "queued again, it says so again"
    (same,) = judged({}, requests=20)
    assert same == judge
    assert progress(judge).stopped == ""
    assert len(claim_all(judge)) == 6


def test_lost_money_counts_until_the_end(judged: Judged, study: Study) -> None:
    (judge,) = judged({"price": {"input": 0, "output": 1000}}, money=0.02)
    claimed = claim_all(judge)
    assert len(claimed) == 2, "8 tokens for 0.008"
    judge.calls.filter(state="running").update(lease_until="2020-01-01T00:00Z")
    leases.recover(judge.pk)
    note_support(judge)
    assert claim(judge.pk) is None
    assert spent_on(study) == Spent(2, Decimal("0.016"), Decimal("0.016"), unpriced=0)
