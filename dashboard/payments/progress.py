"""What has become of an order: counts by kind and state, and sums."""

from collections import Counter
from dataclasses import dataclass

from django.db.models import QuerySet

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
    orders = PaymentOrder.objects.filter(study=study)
    return orders.select_related("author").prefetch_related("decisions")


def order_or_404(study: Study, order: int) -> PaymentOrder:
    """An order of the study. Raises Http404."""
    return first_or_404(orders_of(study).filter(pk=order), f"{study} has no payment order {order}.")


def progress(order: PaymentOrder) -> OrderProgress:
    """What has become of an order."""
    counts: dict[str, Counter[str]] = {}
    bonus = paid = 0
    for one in order.decisions.all():
        counts.setdefault(one.kind, Counter())[one.state] += 1
        if one.cents and one.state != State.REFUSED:
            bonus += one.cents
            paid += one.cents if one.state == State.DONE else 0
    return OrderProgress(
        order, {kind: dict(states) for kind, states in counts.items()}, bonus, paid
    )
