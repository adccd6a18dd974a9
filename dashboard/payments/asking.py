"""The life of a decision while Prolific is asked: stored as asked first, then what it answered."""

from collections.abc import Iterable
from datetime import timedelta

from django.db.models import Q, QuerySet
from django.utils import timezone

from dashboard.payments.models import PaymentOrder, SubmissionDecision
from survey.prolific.errors import ProlificError, without_ids

State = SubmissionDecision.State
#: A worker that says nothing for so long is dead. One request takes less.
LEASE = timedelta(minutes=2)
#: All requests of one client; it is shorter than the lease.
CLIENT_SECONDS = 90.0
#: Answers that are about the account or the moment, and not about what was asked for.
NOT_NOW = (401, 403, 429)


class Later(Exception):
    """The order goes no further now; the text says why."""


def keep(order: PaymentOrder) -> None:
    """Keep an order for another lease. Raises Later if the lease has changed: another worker has
    the order, or a researcher has settled a part of it.
    """
    until = timezone.now() + LEASE
    own = PaymentOrder.objects.filter(pk=order.pk, lease_until=order.lease_until)
    if not own.update(lease_until=until):
        raise Later("Another worker has it, or a researcher has settled some of it.")
    order.lease_until = until


def waiting(order: PaymentOrder, kind: str) -> list[SubmissionDecision]:
    """The decisions of a kind that Prolific was not asked for yet."""
    rows = order.decisions.filter(kind=kind, state=State.WAITING)
    return list(rows.select_related("submission").order_by("id"))


def claim(decisions: Iterable[SubmissionDecision]) -> list[SubmissionDecision]:
    """Store that Prolific is about to be asked; those that nobody else has asked for meanwhile."""
    ours = []
    for one in decisions:
        free = SubmissionDecision.objects.filter(as_read([one]), state=State.WAITING)
        now, attempts = timezone.now(), one.attempts + 1
        if free.update(state=State.ASKED, asked_at=now, accepted_at=None, attempts=attempts):
            one.attempts = attempts
            ours.append(one)
    return ours


def as_read(decisions: Iterable[SubmissionDecision]) -> Q:
    """Those of the decisions that nobody has asked for again since they were read here: what is
    known of one attempt says nothing about the next.
    """
    by_attempts: dict[int, list[int]] = {}
    for one in decisions:
        by_attempts.setdefault(one.attempts, []).append(one.pk)
    which = Q(pk__in=[])
    for attempts, ids in by_attempts.items():
        which |= Q(pk__in=ids, attempts=attempts)
    return which


def _asked(decisions: Iterable[SubmissionDecision]) -> QuerySet[SubmissionDecision]:
    states = (State.ASKED, State.WAITING)
    return SubmissionDecision.objects.filter(as_read(decisions), state__in=states)


def accepted(decisions: Iterable[SubmissionDecision]) -> None:
    """Prolific will do it; its record says when it has."""
    _asked(decisions).update(accepted_at=timezone.now())


def done(decisions: Iterable[SubmissionDecision], answer: str = "") -> None:
    """It was done."""
    _asked(decisions).update(state=State.DONE, done_at=timezone.now(), answer=answer)


def refused(decisions: Iterable[SubmissionDecision], answer: str) -> None:
    """It was not done, and will not be."""
    _asked(decisions).update(state=State.REFUSED, answer=without_ids(answer))


def released(decisions: Iterable[SubmissionDecision]) -> None:
    """It was not done, and is asked for again."""
    _asked(decisions).update(
        state=State.WAITING, asked_at=None, accepted_at=None, paid_outside=None
    )


def failed(decisions: list[SubmissionDecision], error: ProlificError) -> None:
    """What a failed request means for the decisions that it was about.

    Raises Later, unless Prolific has refused them. If it may have carried them out all the same,
    they stay asked.
    """
    if error.may_have_happened:
        raise Later(without_ids(str(error))) from None
    if error.status is None or error.status in NOT_NOW:
        released(decisions)
        raise Later(without_ids(str(error))) from None
    refused(decisions, str(error))
