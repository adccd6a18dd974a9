"""Two orders for the same person and the same amount, in every order of their workers' steps and
with every fault: nothing is done without its payment, nothing is paid twice, the ledger is equal.
"""

import math
import random
from collections.abc import Sequence
from datetime import timedelta
from functools import partial
from itertools import combinations_with_replacement

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from dashboard.accounts.prolific import connect
from dashboard.payments.carrying_out import carry_out
from dashboard.payments.models import PaymentOrder, SubmissionDecision
from dashboard.payments.orders import Chosen, confirm
from dashboard.payments.settling import check_not_done, settle
from dashboard.raters.models import SubmissionOnProlific
from examples.local_prolific import TOKEN
from examples.local_prolific.world import Submission
from survey.prolific.client import ProlificClient
from tests.dashboard.payments.conftest import There
from tests.dashboard.payments.crossing import Choose, Crossing, Steps, crossing, every_order
from tests.prolific import prolific_id

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True)]

CENTS = 75
OTHER_TOKEN = "another-local-prolific-token"
SET_UP, PAY = "POST submissions/bonus-payments/", "POST bulk-bonus-payments/"
NONE, BEFORE, AFTER = ("", ""), (PAY, "500"), (PAY, "500_after")
#: A maintenance page with status 200, before and after the payment is carried out.
PAGE_BEFORE, PAGE_AFTER = (PAY, "html_before"), (PAY, "html")
FAULTS = [
    *(BEFORE, AFTER, PAGE_BEFORE, PAGE_AFTER),
    *((PAY, what) for what in ("429", "reset", "reset_after", "empty_before", "empty")),
    *((PAY, what) for what in ("other_json_before", "other_json", "gateway_404", "gateway_302")),
    *((SET_UP, what) for what in ("429", "500", "500_after", "html", "html_before", "gateway_400")),
]
PAIRS = [
    *((NONE, fault) for fault in (NONE, *FAULTS)),
    *combinations_with_replacement((BEFORE, AFTER), 2),
    (PAGE_BEFORE, PAGE_AFTER),
]
Pair = Sequence[tuple[str, str]]


def named(pair: Pair) -> str:
    return " and ".join(f"{what} {'set up' * (on == SET_UP)}".strip() or "ok" for on, what in pair)


@pytest.fixture
def authors(there: There) -> tuple[User, User]:
    """Two researchers, each with an account at Prolific."""
    there.world.tokens[OTHER_TOKEN] = {"id": "b" * 24, "email": "b@local-prolific.test"}
    other = User.objects.create_user("other", is_staff=True)
    connect(user=other, token=OTHER_TOKEN)
    return there.author, other


class TwoOrders:
    """Two orders that pay one new person after the other."""

    def __init__(self, there: There, authors: tuple[User, User]) -> None:
        self.there, self.authors = there, authors
        self.runs = 0

    def run(self, workers: Crossing, faults: Pair, choose: Choose, *, late: bool = False) -> Steps:
        """Pay a new person in an order of steps, and check after each turn. With `late` Prolific
        lists what it has paid only after that.
        """
        self.runs += 1
        self._new_person()
        self.there.world.listing_seconds = math.inf if late else 0.0
        steps = workers.run([partial(self._turn, order) for order in self.orders], choose, faults)
        self._check(steps)
        if late:
            self._turns(steps)
            self.there.world.listing_seconds = 0.0
        for _ in range(3):
            self._turns(steps)
            self._researcher_looks()
        assert [one.state for one in self.decisions] == ["done", "done"], steps
        assert len(self.paid) == 2, steps
        return steps

    @property
    def decisions(self) -> list[SubmissionDecision]:
        rows = SubmissionDecision.objects.filter(order__in=self.orders)
        return list(rows.select_related("submission", "order").order_by("id"))

    @property
    def paid(self) -> list[int]:
        ledger = self.there.world.ledger
        return [one.cents for one in ledger if one.submission == self.submission.id]

    def _new_person(self) -> None:
        name, study = f"person {self.runs}", self.there.study
        self.submission = Submission(
            self.there.id, prolific_id(name), id=prolific_id(f"session of {name}")
        )
        self.there.world.submissions[self.submission.id] = self.submission
        row = SubmissionOnProlific.objects.create(
            study=study,
            slug=study.slug,
            submission_id=self.submission.id,
            prolific_id=self.submission.participant,
            prolific_study_id=self.there.id,
            status="APPROVED",
        )
        self.orders = [
            confirm(
                study=study,
                decisions=[Chosen(row.pk, "bonus", f"purpose {n}", "a test", cents=CENTS)],
                author=author,
                by_hand=False,
                at=timezone.now(),
            )
            for n, author in enumerate(self.authors)
        ]

    def _turn(self, order: PaymentOrder) -> None:
        carry_out(order.pk, at=timezone.now() + timedelta(hours=1))

    def _turns(self, steps: Steps) -> None:
        for one in self.decisions:
            if one.state != "done":
                self._turn(one.order)
                self._check(steps)

    def _check(self, steps: Steps) -> None:
        states = [one.state for one in self.decisions]
        assert states.count("done") <= len(self.paid), f"done and not paid: {steps}"
        assert len(self.paid) <= len(states) - states.count("waiting"), f"paid too much: {steps}"
        assert self.there.world.double_payments == [], steps

    def _researcher_looks(self) -> None:
        """Prolific lists everything by now; what it does not list was not done."""
        asked = [one for one in self.decisions if one.state == "asked"]
        for one in asked:
            with ProlificClient(TOKEN, base_url=self.there.server.api_url) as client:
                check_not_done([one], client, at=timezone.now() + timedelta(hours=1))
            settle(
                order=one.order,
                decisions=[one],
                what="not_done",
                author=self.there.author,
                at=timezone.now(),
            )


def run_in_every_order(two: TwoOrders, faults: Pair, *, late: bool) -> int:
    """How many orders of steps there are."""
    with crossing(two.there.server, (TOKEN, OTHER_TOKEN), ["asked"]) as workers:
        for _ in every_order(lambda choose: two.run(workers, faults, choose, late=late)):
            pass
    return two.runs


@pytest.mark.parametrize("faults", PAIRS, ids=named)
def test_each_is_paid_once_in_every_order_of_steps(
    there: There, authors: tuple[User, User], faults: Pair
) -> None:
    # A worker has up to four steps: to counting, to setting up, to paying, and to its end.
    assert run_in_every_order(TwoOrders(there, authors), faults, late=False) > 5


@pytest.mark.parametrize("faults", [(NONE, BEFORE), (BEFORE, AFTER)], ids=named)
def test_each_is_paid_once_where_prolific_lists_bonuses_late(
    there: There, authors: tuple[User, User], faults: Pair
) -> None:
    assert run_in_every_order(TwoOrders(there, authors), faults, late=True) > 20


def test_each_is_paid_once_in_any_order_of_finer_steps_with_any_faults(
    there: There, authors: tuple[User, User], long_run: bool
) -> None:
    """Workers also stand still when Prolific has carried out a request and not answered yet."""
    by_chance = random.Random(46)
    two = TwoOrders(there, authors)
    with crossing(there.server, (TOKEN, OTHER_TOKEN), ["asked", "done"]) as workers:
        for _ in range(1500 if long_run else 60):
            faults = by_chance.choices([NONE, *FAULTS], k=2)
            late = by_chance.random() < 0.5
            two.run(workers, faults, by_chance.choice, late=late)
