"""A worker carries decisions out at a local Prolific with faults: each once, none lost."""

import math
from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from dashboard.payments import asking
from dashboard.payments.bonuses import BONUS_TAKES
from dashboard.payments.carrying_out import carry_out, orders_to_carry_out
from dashboard.payments.models import BonusRequest, PaymentOrder, SubmissionDecision
from dashboard.payments.orders import Chosen, OrderRefused, confirm
from dashboard.payments.settling import SettleRefused, check_not_done, download, settle
from dashboard.raters.models import SubmissionOnProlific
from examples.local_prolific import TOKEN
from survey.prolific.client import ProlificClient
from tests.dashboard.payments.conftest import REWARD, There, answers, states
from tests.dashboard.reading import text_of
from tests.prolific import prolific_id

PAY, SET_UP = "POST bulk-bonus-payments/*", "POST submissions/bonus-payments/"
APPROVE = "POST submissions/bulk-approve/"
LONG = "You failed both attention checks, each of which stated the answer to choose. " * 2


def hasten(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker gives up after a second, as it does after minutes."""
    monkeypatch.setattr("survey.prolific.exchange.ANSWER_SECONDS", 0.3)
    monkeypatch.setattr("dashboard.payments.carrying_out.CLIENT_SECONDS", 1.0)


def later(order: PaymentOrder, **ago: float) -> None:
    """Let time pass since the order's decisions were asked for."""
    past = timezone.now() - timedelta(**ago)
    asked = order.decisions.exclude(asked_at=None)
    asked.update(asked_at=past)
    asked.exclude(accepted_at=None).update(accepted_at=past)


pytestmark = pytest.mark.e2e  # a server answers


# ── Without a fault ──────────────────────────────────────────────────────────────────────────


def test_everything_that_was_confirmed_is_carried_out(there: There) -> None:
    there.add("ann", "ben", "cat", "dan", "eve")
    orders = [
        there.decide("approve", "ann", "ben"),
        there.decide("bonus", "ann", "ben", cents=75),
        there.decide("return", "cat", text="You did not finish the survey."),
        there.decide("message", "dan", text="What happened?"),
        there.decide("reject", "eve", text=LONG, category="FAILED_CHECK"),
    ]
    for order in orders:
        assert there.work(order) == ""
        assert set(states(order)) == {"done"} and order.finished_at
    assert sorted(there.paid()) == sorted(
        [*there.due(REWARD, "ann", "ben"), *there.due(75, "ann", "ben")]
    )
    assert there.submission("cat").return_requested
    assert [message["body"] for message in there.world.messages] == ["What happened?"]
    assert there.submission("eve").status == "REJECTED"
    assert orders_to_carry_out(at=timezone.now() + timedelta(days=1)) == []


def test_what_prolific_has_already_is_not_asked_for(there: There) -> None:
    there.add("ann", "ben")
    order = there.decide("approve", "ann", "ben")
    there.world.approve(there.submission("ann"))
    there.world.leave(there.submission("ben"), "RETURNED")
    there.work(order)
    assert states(order) == ["done", "refused"]
    assert answers(order) == [
        "It was so on Prolific already. Nothing was asked for here, and nobody was told anything.",
        "The submission is returned on Prolific.",
    ]
    assert there.paid() == there.due(REWARD, "ann")
    assert not any(line.startswith(APPROVE) for line in there.server.log)


def test_one_that_is_refused_does_not_hold_up_the_others(there: There) -> None:
    names = [f"person{n}" for n in range(6)]
    there.add(*names)
    order = there.decide("bonus", *names, cents=20)
    del there.world.submissions[there.submission("person3").id]
    there.work(order)
    assert states(order) == ["done"] * 3 + ["refused"] + ["done"] * 2
    assert len(there.paid()) == 5
    assert there.server.world.double_payments == []


def test_bonuses_of_several_purposes_are_paid_each(there: There) -> None:
    there.add("ann")
    for purpose in ("completed_bonus", "checks_bonus"):
        order = there.decide("bonus", "ann", cents=30, purpose=purpose)
        there.work(order)
    assert there.paid() == there.due(30, "ann", "ann")


def test_order_of_another_prolific_is_sent_nowhere(there: There, settings: Settings) -> None:
    there.add("ann")
    order = there.decide("approve", "ann")
    PaymentOrder.objects.update(address="https://api.prolific.com/api/v1")
    assert "is sent nowhere else" in there.work(order)
    assert (states(order), there.paid()) == (["waiting"], [])


def test_token_of_who_confirmed_it_is_needed(there: There) -> None:
    there.add("ann")
    order = there.decide("approve", "ann")
    there.author.is_active = False
    there.author.save()
    assert "not active any more" in there.work(order)
    there.author.is_active = True
    there.author.save()
    there.world.tokens.clear()
    assert "does not accept this token" in there.work(order)
    assert states(order) == ["waiting"], "a lost token refuses nobody"


def test_worker_that_is_stopped_leaves_the_rest_to_the_next(there: There) -> None:
    there.add("ann")
    order = there.decide("approve", "ann")
    carry_out(order.pk, at=timezone.now(), is_ending=lambda: True)
    assert (states(order), there.paid()) == (["waiting"], [])
    there.work(order)
    assert states(order) == ["done"]


# ── Nobody is paid twice ─────────────────────────────────────────────────────────────────────


def test_same_purpose_is_confirmed_once(there: There) -> None:
    there.add("ann")
    there.decide("approve", "ann")
    with pytest.raises(OrderRefused, match="decided already"):
        there.decide("reject", "ann", text=LONG, category="OTHER")
    assert SubmissionDecision.objects.count() == 1 and PaymentOrder.objects.count() == 1
    decision = SubmissionDecision.objects.get()
    with pytest.raises(IntegrityError), transaction.atomic():
        SubmissionDecision.objects.create(
            order=decision.order, submission=decision.submission, kind="approve", purpose="reward"
        )


def test_decision_of_erased_submissions_is_not_confirmed(there: There) -> None:
    there.add("ann")
    row = SubmissionOnProlific.objects.get()
    SubmissionOnProlific.objects.update(erased_at=timezone.now())
    with pytest.raises(OrderRefused, match="not there any more"):
        confirm(
            study=there.study,
            decisions=[Chosen(row.pk, "approve", "reward", "a test")],
            author=there.author,
            by_hand=False,
            at=timezone.now(),
        )


def test_order_that_a_worker_has_is_not_taken_by_another(there: There) -> None:
    there.add("ann")
    order = there.decide("bonus", "ann", cents=20)
    now = timezone.now()
    PaymentOrder.objects.update(lease_until=now + asking.LEASE)
    carry_out(order.pk, at=now)
    assert states(order) == ["waiting"] and orders_to_carry_out(at=now) == []
    carry_out(order.pk, at=now + asking.LEASE)
    assert states(order) == ["done"]


@pytest.mark.parametrize(
    "faults",
    [
        ["429"],
        ["429", "429"],
        ["500", "500_after"],
        ["502"],
        ["503", "429", "500"],
        ["html"],
    ],
)
def test_approvals_survive_faults_and_are_paid_once(
    there: There, faults: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    hasten(monkeypatch)
    there.add("ann", "ben", "cat")
    order = there.decide("approve", "ann", "ben", "cat")
    there.server.faults.add(*faults, on=APPROVE)
    there.work(order, turns=3)
    assert states(order) == ["done"] * 3 and order.finished_at
    assert sorted(there.paid()) == sorted(there.due(REWARD, "ann", "ben", "cat"))
    assert there.world.double_payments == []


@pytest.mark.parametrize("fault", ["429", "500", "reset", "hang", "empty_json", "html"])
def test_set_up_that_fails_is_repeated_and_pays_nothing(
    there: There, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    hasten(monkeypatch)
    there.server.faults.hang_seconds = 0.5
    there.add("ann")
    order = there.decide("bonus", "ann", cents=75)
    there.server.faults.add(fault, on=SET_UP)
    there.work(order, turns=2)
    assert (states(order), there.paid()) == (["done"], there.due(75, "ann"))


@pytest.mark.parametrize(
    "fault",
    ["500_after", "hang_after", "reset_after", "html", "empty_json", "empty", "other_json"],
)
def test_payment_whose_answer_is_lost_is_found_at_prolific(
    there: There, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    hasten(monkeypatch)
    there.server.faults.hang_seconds = 0.5
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
    there: There, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only a researcher repeats it, and not while Prolific may be about to pay."""
    hasten(monkeypatch)
    there.server.faults.hang_seconds = 0.5
    there.add("ann")
    order = there.decide("bonus", "ann", cents=75)
    there.server.faults.add(fault, on=PAY)
    there.work(order, turns=4)
    assert (states(order), there.paid()) == (["asked"], [])
    assert sum(line.startswith(PAY[:-1]) for line in there.server.log) == 1
    decisions = list(order.decisions.select_related("submission", "order"))
    with ProlificClient(TOKEN, base_url=there.server.api_url) as client:
        with pytest.raises(SettleRefused, match="Look again at"):
            check_not_done(decisions, client, at=timezone.now())
        check_not_done(decisions, client, at=timezone.now() + BONUS_TAKES * 2)
    settle(
        order=order, decisions=decisions, what="not_done", author=there.author, at=timezone.now()
    )
    there.work(order)
    assert (states(order), there.paid()) == (["done"], there.due(75, "ann"))


def test_bonus_that_prolific_lists_is_not_paid_again_on_request(there: There) -> None:
    there.add("ann")
    order = there.decide("bonus", "ann", cents=75)
    there.work(order)
    SubmissionDecision.objects.update(state="asked", asked_at=timezone.now() - timedelta(hours=2))
    with (
        ProlificClient(TOKEN, base_url=there.server.api_url) as client,
        pytest.raises(SettleRefused, match="lists this bonus as paid"),
    ):
        check_not_done(
            list(order.decisions.select_related("submission", "order")), client, at=timezone.now()
        )


def test_429_of_a_payment_was_not_carried_out_and_is_repeated(there: There) -> None:
    there.add("ann")
    order = there.decide("bonus", "ann", cents=75)
    there.server.faults.add("429", on=PAY)
    assert "too busy" in there.work(order)
    assert states(order) == ["waiting"]
    there.work(order)
    assert (states(order), there.paid()) == (["done"], there.due(75, "ann"))


def test_bonus_of_the_same_amount_from_before_is_not_taken_for_ours(
    there: There, monkeypatch: pytest.MonkeyPatch
) -> None:
    hasten(monkeypatch)
    there.add("ann")
    there.world.pay(there.submission("ann"), 75, "paid on Prolific by hand")
    order = there.decide("bonus", "ann", cents=75)
    there.server.faults.add("500", on=PAY)
    there.work(order, turns=2)
    assert states(order) == ["asked"]


def test_second_bonus_waits_while_the_first_is_not_known(
    there: There, monkeypatch: pytest.MonkeyPatch
) -> None:
    hasten(monkeypatch)
    there.add("ann")
    first = there.decide("bonus", "ann", cents=75, purpose="one")
    there.server.faults.add("500", on=PAY)
    there.work(first)
    second = there.decide("bonus", "ann", cents=75, purpose="two")
    there.work(second, turns=2)
    assert (states(first), states(second), there.paid()) == (["asked"], ["waiting"], [])


def test_same_person_twice_in_one_order_is_paid_twice_one_after_the_other(
    there: There, monkeypatch: pytest.MonkeyPatch
) -> None:
    hasten(monkeypatch)
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


def not_done(there: There, order: PaymentOrder) -> None:
    """A researcher says of what is not known that it was not done, after Prolific's time."""
    asked = list(order.decisions.filter(state="asked").select_related("submission", "order"))
    with ProlificClient(TOKEN, base_url=there.server.api_url) as client:
        check_not_done(asked, client, at=timezone.now() + BONUS_TAKES * 2)
    settle(order=order, decisions=asked, what="not_done", author=there.author, at=timezone.now())


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


def test_bonus_that_prolific_never_lists_does_not_hold_up_others_for_ever(
    there: There, monkeypatch: pytest.MonkeyPatch
) -> None:
    hasten(monkeypatch)
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
    there: There, monkeypatch: pytest.MonkeyPatch
) -> None:
    hasten(monkeypatch)
    there.add("ann")
    there.world.listing_seconds = math.inf
    order = there.decide("bonus", "ann", cents=75)
    there.server.faults.add("500_after", on=PAY)
    there.work(order)
    not_done(there, order)
    assert states(order) == ["waiting"]
    there.world.listing_seconds = 0
    with (
        ProlificClient(TOKEN, base_url=there.server.api_url) as client,
        pytest.raises(SettleRefused, match="lists this bonus as paid"),
    ):  # nor is it cancelled, and paid under another name
        check_not_done(
            list(order.decisions.select_related("submission", "order")), client, at=timezone.now()
        )
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


def test_what_was_said_of_an_earlier_attempt_is_not_said_of_the_next(
    there: There, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two researchers say “not done”; a worker has paid before the second word arrives."""
    hasten(monkeypatch)
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
    there: There, page: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    hasten(monkeypatch)
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


@pytest.mark.parametrize("fault", ["500_after", "html", "html_before", "empty_before"])
def test_message_that_may_be_sent_is_not_sent_again(
    there: There, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    hasten(monkeypatch)
    there.add("ann")
    order = there.decide("message", "ann", text="What happened?")
    there.server.faults.add(fault, on="POST messages/")
    there.work(order, turns=3)
    assert states(order) == ["asked"] and order.finished_at, "a researcher says what is true"
    assert len(there.world.messages) == (not fault.endswith("_before"))


@pytest.mark.parametrize("fault", ["html", "html_before", "empty_json_before", "500_after"])
def test_rejection_and_return_are_done_when_prolifics_record_says_so(
    there: There, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    hasten(monkeypatch)
    there.add("ann", "ben")
    rejection = there.decide("reject", "ann", text=LONG, category="FAILED_CHECK")
    request = there.decide("return", "ben", text="You did not finish the survey.")
    for order, path in ((rejection, "transition"), (request, "request-return")):
        there.server.faults.add(fault, on=f"POST submissions/*/{path}/")
        there.work(order)
        was_done = there.submission("ann").status == "REJECTED"
        if order is request:
            was_done = there.submission("ben").return_requested is not None
        assert (states(order) == ["done"]) <= was_done
        there.work(order, turns=2)
        assert states(order) == ["done"]
    assert there.submission("ann").status == "REJECTED"
    assert there.submission("ben").return_requested


def test_partial_approval_by_somebody_else_is_not_the_reward(there: There) -> None:
    there.add("ann")
    order = there.decide("approve", "ann")
    there.submission("ann").status = "PARTIALLY APPROVED"
    there.work(order)
    assert (states(order), there.paid()) == (["refused"], [])
    assert answers(order) == ["The submission is partially approved on Prolific."]


def test_submission_that_a_list_lacks_is_asked_for_alone(
    there: There, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"person{n}" for n in range(6)]
    there.add(*names)
    order = there.decide("approve", *names)
    listed = there.world.of_study
    late = there.submission("person3").id
    monkeypatch.setattr(
        there.world, "of_study", lambda study: [one for one in listed(study) if one.id != late]
    )
    there.work(order)
    assert states(order) == ["done"] * 6
    assert len(there.paid()) == 6


def test_approval_that_prolific_takes_and_does_not_do_is_told_in_the_end(
    there: There, monkeypatch: pytest.MonkeyPatch
) -> None:
    there.add("ann")
    monkeypatch.setattr(there.world, "approve", lambda one: None)
    order = there.decide("approve", "ann")
    there.work(order)
    assert states(order) == ["asked"]
    for _ in range(5):
        later(order, minutes=11)
        there.work(order)
    assert states(order) == ["refused"]
    assert answers(order) == ["Asked 5 times; it is awaiting review still."]


def test_worker_that_is_killed_at_any_moment_leaves_nothing_to_guess(
    there: There, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process ends at each place where a row is stored; the next worker goes on."""

    class Killed(BaseException):
        pass

    names = [f"person{n}" for n in range(12)]
    there.add(*names)
    monkeypatch.setattr("dashboard.payments.bonuses.TOGETHER", 5)
    keep, left = asking.keep, [0]

    def keep_or_die(order: PaymentOrder) -> None:
        left[0] -= 1
        if not left[0]:
            raise Killed
        keep(order)

    for module in ("asking", "bonuses", "carrying_out"):
        monkeypatch.setattr(f"dashboard.payments.{module}.keep", keep_or_die)
    orders = [there.decide("approve", *names), there.decide("bonus", *names, cents=20)]
    for moment in range(2, 40, 3):
        for order in orders:
            left[0] = moment
            try:
                there.work(order)
            except Killed:
                continue
    left[0] = 0
    for order in orders:
        there.work(order, turns=2)
        assert set(states(order)) == {"done"}
    assert sorted(there.paid()) == sorted([*there.due(REWARD, *names), *there.due(20, *names)])
    assert there.world.double_payments == []
    assert BonusRequest.objects.exclude(asked_at=None).count() >= 3
