"""The cost of judging a study so far, the expected cost of the next request, and when to stop.

Every attempt has a cost from its commit on: first the expected cost, then the cost reported by the
endpoint. So the sum over attempts includes requests in flight and requests with unknown outcome.
Parallel workers can exceed a budget only by the difference between actual and expected cost of
requests in flight. If attempts are deleted with a draft's content, their sum stays in the study's
`Judging`.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.db.models import Avg, Count, Q, QuerySet, Sum

from judge.configuration import JudgeConfiguration
from judge.exchange import Reply, Tokens
from judge.models import Attempt, Judge, Judging
from judge.money import Budget, Price
from survey.models import Study

PLACES = Decimal("1e-10")
MILLION = 1_000_000
Outcome = Attempt.Outcome
ANSWERED = Q(outcome__in=Attempt.CAME_BACK, http_status=200)
#: The cost of attempts, with the fields of `Spent`.
USED = {
    "requests": Count("id"),
    "money": Sum("cost"),
    "estimated": Sum("cost", filter=Q(cost_is_estimate=True)),
    "unpriced": Count("id", filter=Q(cost=None)),
}
#: A call about no response: the probe.
OF_PROBE = Q(call__response=None, call__block=None)


@dataclass(frozen=True)
class Spent:
    """Requests made, and their known cost in US dollars.

    `estimated` is the part of `money` that no endpoint has confirmed; `unpriced` counts requests of
    unknown cost.
    """

    requests: int
    money: Decimal
    estimated: Decimal
    unpriced: int


def spent_on(study: Study, judge: Judge | None = None) -> Spent:
    """The cost of all judges of a study, or of one of them.

    Attempts that were deleted when a draft was loaded again only count for the study.
    """
    attempts = Attempt.objects.filter(call__judge__study=study)
    if judge is not None:
        attempts = attempts.filter(call__judge=judge)
    past = Judging.objects.filter(study=study).first() if judge is None else None
    past = past or Judging()
    used = cost_of_attempts(attempts)
    return Spent(
        past.past_requests + used.requests,
        rounded(past.past_money + used.money),
        rounded(past.past_estimated + used.estimated),
        past.past_unpriced + used.unpriced,
    )


def cost_of_attempts(attempts: QuerySet[Any]) -> Spent:
    """The cost of these requests, of whatever table."""
    used = attempts.aggregate(**USED)
    return Spent(
        used["requests"],
        rounded(used["money"] or Decimal(0)),
        rounded(used["estimated"] or Decimal(0)),
        used["unpriced"],
    )


def spent_by_judges(judges: Iterable[int]) -> dict[int, Spent]:
    """The cost of each of these judges; judges without requests are omitted."""
    attempts = Attempt.objects.filter(call__judge__in=judges).order_by()
    rows = attempts.values_list("call__judge").annotate(**USED)
    return {
        judge: Spent(n, rounded(money or Decimal(0)), rounded(estimated or Decimal(0)), unpriced)
        for judge, n, money, estimated, unpriced in rows
    }


@contextmanager
def still_counted(study: Study | None) -> Iterator[None]:
    """Keep the cost of attempts that the block deletes with their study.

    The study's `Judging` is locked, so no worker makes its calls. To lock the study too, lock it
    first.
    """
    with transaction.atomic():
        judging = Judging.objects.select_for_update().filter(study=study).first()
        if study is None or judging is None:
            yield
            return
        before = spent_on(study)
        yield
        after = spent_on(study)
        judging.past_requests += before.requests - after.requests
        judging.past_money += before.money - after.money
        judging.past_estimated += before.estimated - after.estimated
        judging.past_unpriced += before.unpriced - after.unpriced
        names = ["past_requests", "past_money", "past_estimated", "past_unpriced"]
        judging.save(update_fields=names)


def cost_of(reply: Reply, price: Price | None) -> tuple[Decimal | None, bool]:
    """The cost of an answer in US dollars, None if unknown, and whether we estimated it."""
    if reply.cost is not None:
        return rounded(reply.cost), False
    if price is None or reply.tokens is None:
        return None, True
    return priced(price, reply.tokens), True


def priced(price: Price, tokens: Tokens) -> Decimal:
    """US dollars for these tokens."""
    cached = price.input if price.cached_input is None else price.cached_input
    dollars = Decimal(str(price.input)) * (tokens.prompt - tokens.cached)
    dollars += Decimal(str(cached)) * tokens.cached
    dollars += Decimal(str(price.output)) * tokens.completion
    return rounded(dollars / MILLION)


def expected_cost(
    judge: Judge, configuration: JudgeConfiguration, tokens: tuple[int, int]
) -> Decimal | None:
    """The expected cost of one more request: the mean of its answered ones, else from its price and
    length; None if neither is known. The probe is too short to count.
    """
    return expected_from(_answered(judge).exclude(OF_PROBE), configuration.price, tokens)


def expected_from(
    answered: QuerySet[Any], price: Price | None, tokens: tuple[int, int]
) -> Decimal | None:
    """The mean cost of `answered` requests, else that of so many tokens; None if unknown."""
    mean = answered.aggregate(mean=Avg("cost"))["mean"]
    if mean is not None:
        return rounded(Decimal(mean))
    return None if price is None else priced(price, Tokens(*tokens))


def _answered(judge: Judge) -> QuerySet[Attempt]:
    return Attempt.objects.filter(ANSWERED, call__judge=judge)


@dataclass(frozen=True)
class Purse:
    """Whose budget it is, and what to do when it is used up or the cost is unknown: words."""

    whose: str
    raise_key: str
    again: str
    give_price: str


OF_STUDY = Purse(
    "the study",
    "judging.budget.{} in its study.yaml",
    "load it, and try again",
    "give the judge a price (0 for a server of your own) in its study.yaml",
)


def reserved(
    attempts: QuerySet[Any], asker: str, unpriced: int, *, expected: Decimal, counted: Q = ANSWERED
) -> Decimal:
    """The possible cost of `unpriced` requests in US dollars: the mean of the `counted` requests of
    their `asker`, else the `expected` cost of the next one.
    """
    rows = (
        attempts.order_by()
        .values_list(asker)
        .annotate(n=Count("id", filter=Q(cost=None)), mean=Avg("cost", filter=counted))
    )
    of_askers = [(n, expected if mean is None else Decimal(mean)) for _, n, mean in rows]
    past = unpriced - sum(n for n, _ in of_askers)
    return rounded(past * expected + sum(n * each for n, each in of_askers))


def why_no_more(judge: Judge, budget: Budget, *, expected: Decimal | None) -> str:
    """Why its study's budget allows a judge no further request; empty if it does.

    Call it with the study's `Judging` row locked.
    """
    if budget == Budget():
        return ""
    attempts = Attempt.objects.filter(call__judge__study=judge.study)
    return why_over_budget(
        budget,
        OF_STUDY,
        spent_on(judge.study),
        expected=expected,
        is_unknown=_answered(judge).filter(cost=None).exists,
        reserve=lambda unpriced, one: reserved(
            attempts, "call__judge", unpriced, expected=one, counted=ANSWERED & ~OF_PROBE
        ),
    )


def why_no_other(
    study: Study,
    budget: Budget,
    purse: Purse,
    *,
    expected: Decimal | None,
    is_unknown: Callable[[], bool],
) -> str:
    """`why_no_more` for a request that is no judge's, which `purse` has the words for."""
    attempts = Attempt.objects.filter(call__judge__study=study)
    return why_over_budget(
        budget,
        purse,
        spent_on(study),
        expected=expected,
        is_unknown=is_unknown,
        reserve=lambda unpriced, one: reserved(attempts, "call__judge", unpriced, expected=one),
    )


def why_over_budget(
    budget: Budget,
    purse: Purse,
    spent: Spent,
    *,
    expected: Decimal | None,
    is_unknown: Callable[[], bool],
    reserve: Callable[[int, Decimal], Decimal],
) -> str:
    """Why a budget allows no further request of this `expected` cost; empty if it does.

    `is_unknown` tells whether answers did not say what they cost; `reserve` gives the possible cost
    of so many requests of unknown cost.
    """
    if budget.requests is not None and spent.requests >= budget.requests:
        return (
            f"{purse.whose}'s budget of {budget.requests} requests is used up; raise "
            f"{purse.raise_key.format('requests')}, {purse.again}"
        )
    if budget.money is None:
        return ""
    limit = Decimal(str(budget.money))
    if expected is None and is_unknown():
        return (
            f"{purse.whose} has a budget in money, but the endpoint does not say what a call "
            f"costs; {purse.give_price}, {purse.again}"
        )
    one = expected or Decimal(0)
    held = reserve(spent.unpriced, one) if spent.unpriced else Decimal(0)
    if spent.money + held + one > limit:
        lost = f", requests of unknown cost ({spent.unpriced}) count as {held:.6f}"
        return (
            f"{purse.whose}'s budget of {limit.normalize():f} US dollars allows no more calls: "
            f"{spent.money:.4f} are spent{lost if held else ''} and the next may cost "
            f"{one:.6f}; raise {purse.raise_key.format('money')}, {purse.again}"
        )
    return ""


def rounded(dollars: Decimal) -> Decimal:
    """As it is stored."""
    return dollars.quantize(PLACES)
