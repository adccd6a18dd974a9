"""Bonuses at a local Prolific with faults: nobody is paid twice, whatever is not known."""

import math
from datetime import datetime, timedelta

import pytest
from django.test import Client
from django.utils import timezone

from dashboard.payments.bonuses import BONUS_TAKES
from dashboard.payments.models import PaymentOrder, SubmissionDecision
from dashboard.payments.orders import Chosen, confirm
from dashboard.payments.settling import SettleRefused, check_not_done, download, settle
from dashboard.raters.models import SubmissionOnProlific
from examples.local_prolific import TOKEN
from survey.prolific.client import ProlificClient
from tests.dashboard.payments.conftest import There, answers, states
from tests.dashboard.payments.faults import PAY, SET_UP, hasten
from tests.dashboard.reading import text_of
from tests.prolific import prolific_id

pytestmark = pytest.mark.e2e  # a server answers


@pytest.fixture(autouse=True)
def impatient(there: There, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for an answer for long."""
    hasten(monkeypatch)
    there.server.faults.hang_seconds = 0.5


def check(there: There, order: PaymentOrder, *, at: datetime, **of: str) -> None:
    """Look whether Prolific may have paid the decisions of an order."""
    decisions = list(order.decisions.filter(**of).select_related("submission", "order"))
    with ProlificClient(TOKEN, base_url=there.server.api_url) as client:
        check_not_done(decisions, client, at=at)


def not_done(there: There, order: PaymentOrder) -> None:
    """A researcher says of what is not known that it was not done, after Prolific's time."""
    now = timezone.now()
    check(there, order, at=now + BONUS_TAKES * 2, state="asked")
    asked = list(order.decisions.filter(state="asked").select_related("submission", "order"))
    settle(order=order, decisions=asked, what="not_done", author=there.author, at=now)


@pytest.mark.parametrize("fault", ["429", "500", "reset", "hang", "empty_json", "html"])
def test_set_up_that_fails_is_repeated_and_pays_nothing(there: There, fault: str) -> None:
    there.add("ann")
    order = there.decide("bonus", "ann", cents=75)
    there.server.faults.add(fault, on=SET_UP)
    there.work(order, turns=2)
    assert (states(order), there.paid()) == (["done"], there.due(75, "ann"))


@pytest.mark.parametrize(
    "fault",
    ["500_after", "hang_after", "reset_after", "html", "empty_json", "empty", "other_json"],
)
def test_payment_whose_answer_is_lost_is_found_at_prolific(there: There, fault: str) -> None:
    there.add("ann", "ben")
    order = there.decide("bonus", "ann", "ben", cents=75)
    there.server.faults.add(fault, on=PAY)
    assert there.work(order) != ""
    assert states(order) == ["asked", "asked"]
    assert there.work(order) == ""
    assert states(order) == ["done", "done"]
    assert answers(order) == ["Prolific lists the bonus."] * 2
    assert sorted(there.paid()) == sorted(there.due(75, "ann", "ben"))


@pytest.mark.parametrize(
    "fault",
    [
        *("500", "hang", "reset", "html_before", "empty_json_before", "empty_before"),
        *("other_json_before", "gateway_302", "gateway_400", "gateway_403", "gateway_404"),
    ],
)
def test_payment_that_may_not_have_happened_is_never_repeated_by_itself(
    there: There, fault: str
) -> None:
    """Only a researcher repeats it, and not while Prolific may be about to pay."""
    there.add("ann")
    order = there.decide("bonus", "ann", cents=75)
    there.server.faults.add(fault, on=PAY)
    there.work(order, turns=4)
    assert (states(order), there.paid()) == (["asked"], [])
    assert sum(line.startswith(PAY[:-1]) for line in there.server.log) == 1
    with pytest.raises(SettleRefused, match="Look again at"):
        check(there, order, at=timezone.now())
    not_done(there, order)
    there.work(order)
    assert (states(order), there.paid()) == (["done"], there.due(75, "ann"))


def test_bonus_that_prolific_lists_is_not_paid_again_on_request(there: There) -> None:
    there.add("ann")
    order = there.decide("bonus", "ann", cents=75)
    there.work(order)
    SubmissionDecision.objects.update(state="asked", asked_at=timezone.now() - timedelta(hours=2))
    with pytest.raises(SettleRefused, match="lists this bonus as paid"):
        check(there, order, at=timezone.now())


def test_429_of_a_payment_was_not_carried_out_and_is_repeated(there: There) -> None:
    there.add("ann")
    order = there.decide("bonus", "ann", cents=75)
    there.server.faults.add("429", on=PAY)
    assert "too busy" in there.work(order)
    assert states(order) == ["waiting"]
    there.work(order)
    assert (states(order), there.paid()) == (["done"], there.due(75, "ann"))


def test_bonus_of_the_same_amount_from_before_is_not_taken_for_ours(there: There) -> None:
    there.add("ann")
    there.world.pay(there.submission("ann"), 75, "paid on Prolific by hand")
    order = there.decide("bonus", "ann", cents=75)
    there.server.faults.add("500", on=PAY)
    there.work(order, turns=2)
    assert states(order) == ["asked"]


def test_second_bonus_waits_while_the_first_is_not_known(there: There) -> None:
    there.add("ann")
    first = there.decide("bonus", "ann", cents=75, purpose="one")
    there.server.faults.add("500", on=PAY)
    there.work(first)
    second = there.decide("bonus", "ann", cents=75, purpose="two")
    there.work(second, turns=2)
    assert (states(first), states(second), there.paid()) == (["asked"], ["waiting"], [])


def test_same_person_twice_in_one_order_is_paid_twice_one_after_the_other(there: There) -> None:
    there.add("ann")
    row = SubmissionOnProlific.objects.get()
    order = confirm(
        study=there.study,
        decisions=[Chosen(row.pk, "bonus", purpose, "a test", cents=75) for purpose in "ab"],
        author=there.author,
        by_hand=False,
        at=timezone.now(),
    )
    there.server.faults.add("500", on=PAY)
    there.work(order)
    assert states(order) == ["asked", "waiting"], "the second waits until the first is known"
    assert there.paid() == []
    not_done(there, order)
    there.work(order, turns=2)
    assert (states(order), there.paid()) == (["done", "done"], there.due(75, "ann", "ann"))


def test_next_bonus_of_the_amount_waits_until_prolific_lists_the_one_before(there: There) -> None:
    there.add("ann")
    there.world.listing_seconds = math.inf
    there.work(there.decide("bonus", "ann", cents=75, purpose="one"))
    same, other = (
        there.decide("bonus", "ann", cents=75, purpose="two"),
        there.decide("bonus", "ann", cents=30, purpose="three"),
    )
    assert "1 bonus waits for an earlier one of the same person" in there.work(same)
    assert there.work(other) == ""
    assert (states(same), there.paid()) == (
        ["waiting"],
        there.due(75, "ann") + there.due(30, "ann"),
    )
    there.world.listing_seconds = 0
    assert there.work(same) == ""
    assert states(same) == ["done"]


def test_bonus_that_prolific_never_lists_does_not_hold_up_others_for_ever(there: There) -> None:
    there.add("ann")
    there.world.listing_seconds = math.inf
    there.work(there.decide("bonus", "ann", cents=75, purpose="one"))
    SubmissionDecision.objects.update(done_at=timezone.now() - timedelta(days=2))
    second = there.decide("bonus", "ann", cents=75, purpose="two")
    there.server.faults.add("500", on=PAY)
    there.work(second, turns=2)
    assert states(second) == ["asked"]
    del there.world.ledger[0]  # what was never listed
    there.world.listing_seconds = 0
    not_done(there, second)
    there.work(second)
    assert (states(second), there.paid()) == (["done"], there.due(75, "ann"))


def test_bonus_that_is_listed_after_it_was_said_to_be_not_done_is_not_paid_again(
    there: There,
) -> None:
    there.add("ann")
    there.world.listing_seconds = math.inf
    order = there.decide("bonus", "ann", cents=75)
    there.server.faults.add("500_after", on=PAY)
    there.work(order)
    not_done(there, order)
    assert states(order) == ["waiting"]
    there.world.listing_seconds = 0
    with pytest.raises(SettleRefused, match="lists this bonus as paid"):
        check(there, order, at=timezone.now())  # nor is it cancelled, and paid under another name
    there.work(order)
    assert (states(order), there.paid()) == (["done"], there.due(75, "ann"))


def test_one_listed_bonus_vouches_for_one_of_two_decisions(there: There) -> None:
    """As an earlier version may have left them: two in the air at once, and one was paid."""
    there.add("ann")
    orders = [there.decide("bonus", "ann", cents=75, purpose=each) for each in ("one", "two")]
    there.world.pay(there.submission("ann"), 75, "a bulk of bonuses")
    for minutes, order in zip((40, 30), orders, strict=True):
        order.decisions.update(
            state="asked",
            asked_at=timezone.now() - timedelta(minutes=minutes),
            attempts=1,
            paid_outside=0,
        )
    there.work(orders[1])
    assert states(orders[1]) == ["asked"], "the payment is the older one's"
    there.work(orders[0])
    there.work(orders[1])
    assert [states(order) for order in orders] == [["done"], ["asked"]]
    not_done(there, orders[1])
    there.work(orders[1])
    assert (states(orders[1]), there.paid()) == (["done"], there.due(75, "ann", "ann"))


def test_what_was_said_of_an_earlier_attempt_is_not_said_of_the_next(there: There) -> None:
    """Two researchers say “not done”; a worker has paid before the second word arrives."""
    there.add("ann")
    order = there.decide("bonus", "ann", cents=75)
    there.server.faults.add("500", "500_after", on=PAY)
    there.work(order)
    seen = list(order.decisions.select_related("submission", "order"))
    not_done(there, order)
    there.world.listing_seconds = math.inf
    there.work(order)
    assert (states(order), there.paid()) == (["asked"], there.due(75, "ann"))
    n = settle(order=order, decisions=seen, what="not_done", author=there.author, at=timezone.now())
    assert (n, states(order)) == (0, ["asked"])


def test_list_by_hand_leaves_out_who_may_have_been_paid_by_a_worker(
    there: There, page: Client
) -> None:
    there.add("ann", "ben")
    by_worker = there.decide("bonus", "ann", cents=75, purpose="one")
    there.server.faults.add("500", on=PAY)
    there.work(by_worker)
    by_hand = there.decide("bonus", "ann", "ben", cents=75, purpose="two")
    PaymentOrder.objects.filter(pk=by_hand.pk).update(by_hand=True)
    by_hand.refresh_from_db()
    ann = by_hand.decisions.select_related("submission", "order").earliest("id")
    text = download(order=by_hand, name="bonuses.csv", author=there.author, at=timezone.now())
    assert text == f"{prolific_id('ben')},0.75\n"
    said = text_of(page.get(f"/studies/small/payments/{by_hand.pk}/"))
    assert "1 bonus is left out of the list for now: another order has a bonus" in said
    with pytest.raises(SettleRefused, match="another order has a bonus of the same person"):
        settle(
            order=by_hand,
            decisions=[ann],
            what="done",
            author=there.author,
            at=timezone.now(),
        )
    assert states(by_hand) == ["waiting", "asked"]
    not_done(there, by_worker)
    text = download(order=by_hand, name="bonuses.csv", author=there.author, at=timezone.now())
    assert text == f"{prolific_id('ann')},0.75\n{prolific_id('ben')},0.75\n"
    assert "1 bonus waits" in there.work(by_worker), "until a researcher says it of the list"
