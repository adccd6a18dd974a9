"""Which calls may be made now: locks, leases, and finding waiting or lost work."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone

from jobs.leases import is_free
from judge import asking
from judge.asking import due, in_flight_at, is_forgotten, live, seconds_until, take_back, to_wake
from judge.endpoints import JudgeNotReady, check_endpoint
from judge.models import Attempt, Batch, Call, Endpoint, Judge, Judging, StructuredOutput
from judge.money import Budget
from judge.queries import asked_calls, gold_judges, wanted_calls

LOST = "the worker that asked was lost, every time"


@contextmanager
def locked(judge_id: int) -> Iterator[Judge]:
    """A judge, with its endpoint and its study's budget locked."""
    with transaction.atomic():
        study, endpoint = Judge.objects.values_list("study", "endpoint").get(pk=judge_id)
        Judging.objects.select_for_update().get(study=study)
        Endpoint.objects.select_for_update().get(pk=endpoint)
        yield Judge.objects.select_related("study__judging", "endpoint").get(pk=judge_id)


def probes(calls: QuerySet[Call]) -> QuerySet[Call]:
    """Those of `calls` that all other calls of their judge wait for."""
    return calls.filter(response=None, block=None)


def has_room(judge: Judge, now: datetime) -> bool:
    """Whether a judge's endpoint accepts one more request."""
    try:
        here = check_endpoint(judge.read_configuration())
    except JudgeNotReady:
        return True  # the worker that takes it up resets this
    return in_flight_at(judge.endpoint, now) < here.concurrency


def due_batches(now: datetime) -> QuerySet[Batch]:
    """The batches that can be taken up: not ended, not waiting, and without a worker.

    Of a stopped judge too: what is already sent will be paid.
    """
    is_due = Q(not_before=None) | Q(not_before__lte=now)
    return Batch.objects.filter(is_due, is_free(now)).exclude(state=Batch.State.ENDED)


def open_batches(judge: Judge) -> QuerySet[Batch]:
    """A judge's batches that have not ended."""
    return Batch.objects.filter(judge=judge).exclude(state=Batch.State.ENDED)


def gold_comes_first(judge: Judge) -> bool:
    """Whether a judge must wait: its study has a budget, and a gold judge has calls left."""
    if judge.study.judging.read_definition().budget == Budget():
        return False
    gold = gold_judges(judge.study)
    if judge in gold:
        return False
    unanswered = Q(state=Call.State.WAITING) | Q(state=Call.State.RUNNING)
    return any(wanted_calls(one).filter(unanswered).exists() for one in gold if not one.stopped)


def renew(tokens: Iterable[str]) -> None:
    """The heartbeat of a worker that waits for the answers to the calls with these lease tokens."""
    asking.renew(Call.objects.all(), tokens)


def recover(judge_id: int) -> int:
    """Take back calls whose lease expired; returns their number. Sent requests are unknown and
    possibly billed.
    """
    with locked(judge_id) as judge:
        taken_back = take_back(judge.calls.all(), Attempt.objects.all(), missing="score")
        if probes(taken_back).filter(state=Call.State.FAILED).exists():
            # Continue without the schema: a question that kills its worker is not repeated for
            # ever.
            StructuredOutput.objects.get_or_create(
                endpoint=judge.endpoint,
                model=judge.model,
                defaults={"support": StructuredOutput.Support.UNKNOWN, "detail": LOST},
            )
        return taken_back.count()


def judges_with_lost_calls() -> list[int]:
    """Judges with calls whose lease expired."""
    lost = Call.objects.filter(
        judge=OuterRef("pk"), state=Call.State.RUNNING, lease_until__lte=timezone.now()
    )
    return list(Judge.objects.filter(Exists(lost)).values_list("id", flat=True))


def judges_to_wake(*, besides: int | None = None) -> list[int]:
    """Judges with calls due, a free slot at their endpoint, and no worker; without the judge
    `besides`.

    A judge with batches is woken for one that can be taken up, or if it has none.
    """
    now = timezone.now()
    with_batches = Judge.objects.filter(is_forgotten(now), batches__in=due_batches(now))
    calls = Call.objects.filter(judge=OuterRef("pk"))
    waiting = to_wake(Judge.objects.all(), calls, now).exclude(
        Exists(probes(calls).filter(state=Call.State.WAITING, not_before__gt=now))
    )
    woken = [
        judge.pk
        for judge in waiting.select_related("endpoint", "study__judging")
        if judge.pk != besides
        and due(asked_calls(judge), now).exists()
        and has_room(judge, now)
        and not gold_comes_first(judge)
        and not open_batches(judge).exists()
    ]
    woken += sorted(set(with_batches.values_list("id", flat=True)) - {*woken, besides})
    for pk in woken:  # one at a time: loading a study locks its judges in another order
        Judge.objects.filter(pk=pk).update(woken_at=now)
    return woken


def take_up(judge_id: int) -> None:
    """A worker has started: calls due from now on may wake another one."""
    Judge.objects.filter(pk=judge_id).update(woken_at=None)


def is_worked_on(judge_id: int) -> bool:
    """Whether any call of a judge has a live lease. If only its probe has, other workers wait for
    the probe's result.
    """
    calls = Call.objects.filter(judge=judge_id).exclude(response=None, block=None)
    return live(calls, timezone.now()).exists()


def seconds_until_due(judge_id: int) -> float | None:
    """The time until a call may be made; None if none is waiting, the judge is stopped, other calls
    use its whole endpoint, or the gold judge comes first.
    """
    judge = Judge.objects.select_related("study__judging", "endpoint").get(pk=judge_id)
    now = timezone.now()
    if gold_comes_first(judge):
        return None
    waiting = asked_calls(judge).filter(state=Call.State.WAITING)
    if judge.read_configuration().asks_in_batches:
        waiting = probes(waiting)
    first = probes(waiting).first()
    first = first or waiting.order_by(F("not_before").asc(nulls_first=True)).first()
    if judge.stopped or first is None or not has_room(judge, now):
        return None
    return seconds_until(now, first.not_before, judge.not_before, judge.endpoint.not_before)
