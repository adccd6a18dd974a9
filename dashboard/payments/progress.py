"""What has become of an order: counts by kind and state, and sums."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Min, QuerySet, Sum

from dashboard.payments.models import PaymentOrder, SubmissionDecision
from dashboard.prolific.terms import in_money
from dashboard.shared.access import first_or_404
from survey.models import Study

State = SubmissionDecision.State


@dataclass(frozen=True)
class OrderProgress:
    """An order as pages, the API and the command tell of it. Amounts are in cents."""

    order: PaymentOrder
    counts: dict[str, dict[str, int]]
    bonus_cents: int
    paid_cents: int

    @property
    def n(self) -> int:
        return sum(sum(states.values()) for states in self.counts.values())

    def in_state(self, state: str) -> int:
        """How many decisions are in a state."""
        return sum(states.get(state, 0) for states in self.counts.values())

    @property
    def in_words(self) -> str:
        """`120 of 150 done, 2 not known, 1 refused`."""
        parts = [f"{self.in_state(State.DONE)} of {self.n} done"]
        parts += [
            f"{n} {state.label}"
            for state in (State.WAITING, State.ASKED, State.REFUSED)
            if (n := self.in_state(state))
        ]
        return ", ".join(parts)

    @property
    def bonuses(self) -> str:
        """What the bonuses are in all; empty without any."""
        return in_money(self.bonus_cents, self.order.currency) if self.bonus_cents else ""

    @property
    def by_kind(self) -> list[tuple[str, list[tuple[str, int]]]]:
        """Kinds in words, each with its states in words."""
        return [
            (
                str(SubmissionDecision.Kind(kind).label),
                [(str(State(state).label), n) for state, n in states.items()],
            )
            for kind, states in self.counts.items()
        ]


def orders_of(study: Study) -> QuerySet[PaymentOrder]:
    """The orders of a study, the newest first."""
    return PaymentOrder.objects.filter(study=study).select_related("author")


def order_or_404(study: Study, order: int) -> PaymentOrder:
    """An order of the study. Raises Http404."""
    return first_or_404(orders_of(study).filter(pk=order), f"{study} has no payment order {order}.")


def progress(order: PaymentOrder) -> OrderProgress:
    """What has become of an order."""
    return progress_of([order])[0]


def progress_of(orders: Sequence[PaymentOrder]) -> list[OrderProgress]:
    """What has become of each of some orders, in one query."""
    rows = SubmissionDecision.objects.filter(order__in=orders).values("order", "state", "kind")
    grouped = rows.annotate(n=Count("pk"), cents=Sum("cents"), first=Min("pk")).order_by("first")
    by_order: dict[int, list[Any]] = {order.pk: [] for order in orders}
    for row in grouped:
        by_order[row["order"]].append(row)
    return [_progress(order, by_order[order.pk]) for order in orders]


def _progress(order: PaymentOrder, groups: Sequence[Any]) -> OrderProgress:
    counts: dict[str, dict[str, int]] = {}
    cents: dict[str, int] = {}
    for group in groups:
        counts.setdefault(group["kind"], {})[group["state"]] = group["n"]
        cents[group["state"]] = cents.get(group["state"], 0) + (group["cents"] or 0)
    bonus = sum(amount for state, amount in cents.items() if state != State.REFUSED)
    return OrderProgress(order, counts, bonus, cents.get(State.DONE, 0))
