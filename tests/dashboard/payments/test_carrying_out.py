"""A worker carries decisions out at a local Prolific with faults: each once, none lost."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone
from pytest_django import Settings

from dashboard.payments import asking
from dashboard.payments.carrying_out import carry_out, orders_to_carry_out
from dashboard.payments.models import BonusRequest, PaymentOrder, SubmissionDecision
from dashboard.payments.orders import Chosen, OrderRefused, confirm
from dashboard.raters.models import SubmissionOnProlific
from tests.dashboard.payments.conftest import REWARD, There, answers, states
from tests.dashboard.payments.faults import APPROVE, LONG, hasten, later

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


def test_worker_that_slept_over_its_lease_leaves_the_order_to_the_one_that_has_it(
    there: There, monkeypatch: pytest.MonkeyPatch
) -> None:
    there.add("ann")
    order = there.decide("bonus", "ann", cents=20)
    theirs = timezone.now() + timedelta(hours=3)

    def taken_over(order: PaymentOrder, client: object) -> None:
        PaymentOrder.objects.update(lease_until=theirs)

    monkeypatch.setattr("dashboard.payments.carrying_out.STEPS", [taken_over])
    there.work(order)
    order.refresh_from_db()
    assert (states(order), there.paid()) == (["waiting"], [])
    assert (order.lease_until, order.problem, order.finished_at) == (theirs, "", None)


def test_order_says_what_nobody_expected(
    there: There, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    there.add("ann")
    order = there.decide("approve", "ann")

    def broken(order: PaymentOrder, client: object) -> None:
        raise KeyError("5f0000000000000000000abc")

    with monkeypatch.context() as patched:
        patched.setattr("dashboard.payments.carrying_out.STEPS", [broken])
        said = there.work(order)
        assert said.startswith("KeyError: ") and "5f0000" not in said
    assert [one for one in caplog.records if one.exc_info]
    assert states(order) == ["waiting"]
    assert (there.work(order), states(order)) == ("", ["done"])


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
