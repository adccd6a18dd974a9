"""The pages on which payments are confirmed, carried out by hand and settled."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from dashboard.payments.models import PaymentOrder, SubmissionDecision
from dashboard.prolific.models import PayTerms
from dashboard.prolific.pay_terms import change_terms, terms_of
from dashboard.prolific.terms import Terms
from dashboard.raters.models import SubmissionOnProlific
from survey.models import AttentionCheck, Study, StudyEvent
from survey.withdrawal import erase_old_keys, withdraw
from tests.dashboard.conftest import Woken
from tests.dashboard.paying import AT, came, listed, read, stored
from tests.dashboard.payments.conftest import There, states
from tests.dashboard.reading import text_of
from tests.prolific import prolific_id

ADDRESS = "/studies/small/payments/"
LONG = "You failed both attention checks, each of which stated the answer to choose. " * 2


def fields_of(page: Client) -> dict[str, object]:
    """What a browser sends that changes nothing."""
    text = page.get(ADDRESS).content.decode()
    sent: dict[str, object] = {"chosen": []}
    for tag in re.findall(r"<input [^>]*>", text):
        attributes = dict(re.findall(r'(\w+)="([^"]*)"', tag))
        name = attributes.get("name", "")
        if name == "chosen" and " checked" in tag:
            sent["chosen"] = [*sent["chosen"], attributes["value"]]  # type: ignore[misc]  # a list
        elif name == "stamp" or name.startswith("amount-"):
            sent[name] = attributes["value"]
    return sent


def confirm(page: Client, **changes: object) -> str:
    return text_of(page.post(ADDRESS, {**fields_of(page), **changes}, follow=True))


@pytest.fixture
def two(study: Study) -> Study:
    """Two people who completed; one lost the code and took longer. A bonus for completing."""
    change_terms(study=study, terms=Terms(reward=300, completed_bonus=50), author=None)
    came(study, "ann")
    came(study, "ben")
    read(study, listed("ann"), listed("ben", code="", minutes=30))
    return study


def test_page_shows_groups_with_sums_and_confirms_them_at_once(
    page: Client, two: Study, woken: Woken, researcher: User
) -> None:
    shown = text_of(page.get(ADDRESS))
    for said in (
        "The median time of 2 people is 21.00 minutes.",
        "Approve: completed here with the right code",
        "Approve: completed here, with another code or none",
        "Pay a bonus: bonus for completing 2 of 2, £1.00",
        "Rewards £6.00",
        "Bonuses £1.00",
        "Confirm 4 decisions",
        "nobody is ever proposed for a rejection",
    ):
        assert said in shown
    said = confirm(page)
    assert "Confirmed and stored." in said and "0 of 4 done" in said
    [order] = PaymentOrder.objects.all()
    assert (order.author, order.by_hand) == (researcher, True), "there is no token"
    made = sorted((d.kind, d.purpose, d.cents or 0) for d in order.decisions.all())
    assert made == [("approve", "reward", 0)] * 2 + [("bonus", "completed_bonus", 50)] * 2
    assert woken == []
    again = text_of(page.get(ADDRESS))
    assert "There is nothing to decide by the rules." in again
    [event] = StudyEvent.objects.filter(action="payments confirmed")
    assert (event.author, event.detail) == (researcher, {"approve": 2, "bonus": 2})


def test_changed_selection_is_confirmed_once_its_sums_were_seen(page: Client, two: Study) -> None:
    first = fields_of(page)
    fewer = {**first, "chosen": [first["chosen"][0]], "amount-completed_bonus": "０．７０"}  # type: ignore[index]  # a list
    answer = page.post(ADDRESS, fewer)
    shown = text_of(answer)
    assert "You changed the selection." in shown and "Confirm 1 decision " in shown
    assert not SubmissionDecision.objects.exists()
    stamp = re.search(r'name="stamp" value="([^"]+)"', answer.content.decode())
    assert stamp
    page.post(ADDRESS, {**fewer, "stamp": stamp[1]})
    assert SubmissionDecision.objects.count() == 1


def test_second_click_confirms_nothing(page: Client, two: Study) -> None:
    sent = fields_of(page)
    page.post(ADDRESS, sent)
    said = text_of(page.post(ADDRESS, sent, follow=True))
    assert "decided already" in said
    assert SubmissionDecision.objects.count() == 4 and PaymentOrder.objects.count() == 1


@pytest.mark.parametrize(
    ("amount", "why"),
    [
        ("-1", "is not more than 0"),
        ("0", "is not more than 0"),
        ("400", "more than 100 rewards"),
        ("abc", "is not an amount"),
        ("1.005", "is not an amount"),
        ("NaN", "is not an amount"),
        ("2,50", "“2,50” is not an amount such as 1.50."),
        ("1_0", "is not an amount"),
        ("1e999999", "is not an amount"),
        ("", "Enter an amount"),
        ("10000.01", "is more than £10,000.00"),
    ],
)
def test_amount_that_is_not_paid_changes_nothing(
    page: Client, two: Study, amount: str, why: str
) -> None:
    said = confirm(page, **{"amount-completed_bonus": amount})
    assert why in said and "Nothing was changed." in said
    assert not SubmissionDecision.objects.exists()


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"text-never_came": "x" * 2001}, "What participants are told: It may have at most 2000"),
        ({"text-steal": "x"}, "There is no such rule: steal."),
        ({"amount-completed": "1.00"}, "There is no such rule: completed."),
    ],
)
def test_change_that_no_rule_takes_is_refused(
    page: Client, two: Study, changes: dict[str, str], why: str
) -> None:
    said = confirm(page, **changes)
    assert why in said and "Nothing was changed." in said
    assert not SubmissionDecision.objects.exists()


def test_nothing_chosen_confirms_nothing(page: Client, two: Study) -> None:
    assert "Nothing is chosen" in confirm(page, chosen=[])
    assert not PaymentOrder.objects.exists()


def test_page_on_which_nothing_is_chosen_offers_no_confirmation(page: Client, study: Study) -> None:
    """The rules do not choose people who failed two checks."""
    first = AttentionCheck.objects.get(participant=came(study, "ann"))
    AttentionCheck.objects.create(
        participant=first.participant, name="second", page=9, after_block=2
    )
    first.participant.attention_checks.update(answer=1, passed=False, answered_at=AT)
    read(study, listed("ann"))
    shown = text_of(page.get(ADDRESS))
    assert "Nothing is chosen yet." in shown and "Confirm 0" not in shown
    case = SubmissionOnProlific.objects.get()
    assert "Confirm 1 decision " in confirm(page, chosen=[f"{case.pk}:failed_checks"])


# ── What the study promises ──────────────────────────────────────────────────────────────────


def test_terms_are_stored_with_their_author(page: Client, study: Study, researcher: User) -> None:
    sent = {"currency": "USD", "reward": "2.50", "screened_out": "0.14"}
    page.post(f"{ADDRESS}terms/", sent)
    assert terms_of(study) == Terms(currency="USD", reward=250, screened_out=14)
    [event] = StudyEvent.objects.filter(action="pay terms")
    assert event.author == researcher and event.detail["from"]["reward"] is None
    assert "Pay terms changed (in cents)" in text_of(page.get("/studies/small/"))


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"reward": "-1"}, "greater than or equal to 0.01"),
        ({"screened_out": "0.09"}, "at least £0.10"),
        ({"currency": "EUR"}, "Select a valid choice"),
    ],
)
def test_terms_that_can_not_be_are_not_stored(
    page: Client, study: Study, changes: dict[str, str], why: str
) -> None:
    sent = {"currency": "GBP", "reward": "2", **changes}
    assert why in text_of(page.post(f"{ADDRESS}terms/", sent))
    assert not PayTerms.objects.exists()


# ── By hand ──────────────────────────────────────────────────────────────────────────────────


def test_lists_are_downloaded_recorded_and_marked_as_done(
    page: Client, two: Study, researcher: User
) -> None:
    confirm(page)
    [order] = PaymentOrder.objects.all()
    there = f"{ADDRESS}{order.pk}/"
    approve = page.post(f"{there}approve.csv").getvalue().decode()
    assert approve == f"{prolific_id('ann')}\n{prolific_id('ben')}\n"
    bonuses = page.post(f"{there}bonuses.csv").getvalue().decode()
    assert bonuses == f"{prolific_id('ann')},0.50\n{prolific_id('ben')},0.50\n"
    looks = StudyEvent.objects.filter(action="payment list downloaded")
    assert [(look.author, look.detail["people"]) for look in looks] == [(researcher, 2)] * 2
    answer = page.get(there)
    assert "This list was downloaded before." in text_of(answer)
    assert prolific_id("ann") not in answer.content.decode()
    assert set(states(order)) == {"asked"}
    done = [str(pk) for pk in order.decisions.values_list("pk", flat=True)]
    said = text_of(page.post(f"{there}settle/", {"what": "done", "decision": done}, follow=True))
    assert "4 of 4 done" in said and "Lists for Prolific" not in said
    order.refresh_from_db()
    assert order.finished_at
    assert page.post(f"{there}nonsense.csv").status_code == 404
    assert page.get(f"{there}approve.csv").status_code == 405, "a look is recorded, so it is asked"


def test_line_that_was_not_done_is_in_the_next_list(page: Client, two: Study) -> None:
    confirm(page)
    [order] = PaymentOrder.objects.all()
    there = f"{ADDRESS}{order.pk}/"
    page.post(f"{there}bonuses.csv")
    one, other = order.decisions.filter(kind="bonus")
    page.post(f"{there}settle/", {"what": "done", "decision": [one.pk]})
    page.post(f"{there}settle/", {"what": "not_done", "decision": [other.pk]})
    assert page.post(f"{there}bonuses.csv").getvalue().decode() == f"{prolific_id('ben')},0.50\n"
    said = text_of(page.post(f"{there}settle/", {"what": "done"}, follow=True))
    assert "Choose at least one line." in said


def test_what_waits_is_cancelled_and_may_be_decided_again(page: Client, two: Study) -> None:
    confirm(page)
    [order] = PaymentOrder.objects.all()
    there = f"{ADDRESS}{order.pk}/"
    page.post(f"{there}bonuses.csv")
    chosen = list(order.decisions.values_list("pk", flat=True))
    said = text_of(
        page.post(f"{there}settle/", {"what": "cancel", "decision": chosen}, follow=True)
    )
    assert "Stored: 2 cancelled." in said and "2 not known, 2 refused" in said
    assert "Confirm 2 decisions" in text_of(page.get(ADDRESS)), "the approvals"
    again = page.post(f"{there}settle/", {"what": "cancel", "decision": chosen[-1:]}, follow=True)
    assert "Of none of these lines that can be said." in text_of(again)


# ── One submission ───────────────────────────────────────────────────────────────────────────


def decide(page: Client, name: str, **sent: str) -> str:
    address = f"/studies/small/submissions/{stored(name).pk}/decide/"
    return text_of(page.post(address, {"reason": "they wrote to us", **sent}, follow=True))


def test_decision_by_hand_is_stored_with_reason_and_author(
    page: Client, two: Study, researcher: User
) -> None:
    assert "The decision is stored." in decide(page, "ann", kind="bonus", amount="1.20")
    [one] = SubmissionDecision.objects.all()
    assert (one.kind, one.cents, one.reason) == ("bonus", 120, "they wrote to us")
    assert one.order.author == researcher
    assert "decided already" in decide(page, "ann", kind="bonus", amount="1.20")
    decide(page, "ann", kind="bonus", amount="1.20", reason="a second visit")
    assert SubmissionDecision.objects.count() == 2
    shown = text_of(page.get(f"/studies/small/submissions/{stored('ann').pk}/"))
    assert "they wrote to us ada" in shown


@pytest.mark.parametrize(
    ("sent", "why"),
    [
        ({"kind": "bonus", "amount": "-1"}, "is not more than 0"),
        ({"kind": "bonus", "amount": "0"}, "is not more than 0"),
        ({"kind": "bonus"}, "Enter the amount"),
        ({"kind": "bonus", "amount": "301"}, "confirm that it is meant"),
        ({"kind": "reject", "text": "bad", "category": "OTHER"}, "has 3 characters"),
        ({"kind": "reject", "text": LONG, "category": "SILLY"}, "no category “SILLY”"),
        ({"kind": "reject", "text": LONG, "category": "FAILED_CHECK"}, "0 checks failed"),
        ({"kind": "return"}, "Write what the participant is told"),
        ({"kind": "steal"}, "Choose what to do"),
        ({"kind": "approve", "reason": " "}, "Give a reason"),
    ],
)
def test_decision_that_can_not_be_made_changes_nothing(
    page: Client, two: Study, sent: dict[str, str], why: str
) -> None:
    said = decide(page, "ann", **sent)
    assert why in said and "Nothing was changed." in said
    assert not SubmissionDecision.objects.exists()


def test_high_bonus_is_stored_where_it_is_meant(page: Client, two: Study) -> None:
    decide(page, "ann", kind="bonus", amount="301", sure="on")
    assert SubmissionDecision.objects.get().cents == 30_100


def test_who_withdrew_is_paid_until_the_key_is_erased_and_the_amount_stays(
    page: Client, study: Study
) -> None:
    withdraw(participant=came(study, "ann"), at=AT)
    read(study, listed("ann"))
    assert "Approve: withdrew here" in text_of(page.get(ADDRESS))
    decide(page, "ann", kind="bonus", amount="1.20", reason="for Ann, as agreed")
    row = stored("ann")
    erase_old_keys(at=AT.replace(year=2036))
    one = SubmissionDecision.objects.get()
    assert (one.submission, one.cents, one.reason, one.text) == (row, 120, "erased", "")
    there = f"{ADDRESS}{one.order_id}/"
    assert "erased" in text_of(page.get(there))
    assert page.post(f"{there}bonuses.csv").getvalue() == b"", "there is no ID to pay any more"


def test_rejection_by_hand(page: Client, study: Study) -> None:
    ann = came(study, "ann")
    AttentionCheck.objects.filter(participant=ann).update(answer=1, passed=False, answered_at=AT)
    read(study, listed("ann"))
    # The study announces 5 minutes, so one failed check does not suffice.
    sent = {"kind": "reject", "text": LONG, "category": "FAILED_CHECK"}
    assert "needs 2" in decide(page, "ann", **sent)
    decide(page, "ann", **{**sent, "category": "LOW_EFFORT"})
    assert SubmissionDecision.objects.get().category == "LOW_EFFORT"


# ── With a token ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.e2e
def test_with_a_token_a_worker_is_woken_and_cost_and_balance_are_shown(
    page: Client, there: There, woken: Woken
) -> None:
    there.add("ann", "ben")
    change_terms(
        study=there.study, terms=Terms(reward=150, completed_bonus=100), author=there.author
    )
    shown = text_of(page.get(ADDRESS))
    assert "Bonuses with fees and taxes £2.72" in shown and "Available £" in shown
    confirm(page)
    [order] = PaymentOrder.objects.all()
    assert not order.by_hand and woken == [("dashboard.pay", order.pk)]
    there.work(order)
    assert "4 of 4 done" in text_of(page.get(f"{ADDRESS}{order.pk}/"))
    assert len(there.paid()) == 4


@pytest.mark.e2e
def test_what_is_not_known_is_settled_on_the_page(page: Client, there: There, woken: Woken) -> None:
    there.add("ann")
    order = there.decide("message", "ann", text="What happened?")
    there.server.faults.add("500", on="POST messages/")
    there.work(order)
    shown = text_of(page.get(f"{ADDRESS}{order.pk}/"))
    assert "1 not known" in shown and "say what is true" in shown
    [pk] = order.decisions.values_list("pk", flat=True)
    sent = {"what": "not_done", "decision": [pk]}
    said = text_of(page.post(f"{ADDRESS}{order.pk}/settle/", sent, follow=True))
    assert "Stored: 1 not done." in said and woken == [("dashboard.pay", order.pk)]
    there.work(order)
    assert states(order) == ["done"] and len(there.world.messages) == 1
    assert order.decisions.get().done_at <= timezone.now()  # type: ignore[operator]  # it is done


def test_misspelt_field_of_the_api_is_named_and_empties_nothing(page: Client, two: Study) -> None:
    before = terms_of(two)
    address = "/api/studies/small/payments/terms/"
    answer = page.put(address, {"currency": "GBP", "reward": 300}, "application/json")
    assert answer.status_code == 400
    [said] = answer.json()["reward"]
    assert said.startswith("There is no field 'reward' here; there are currency, reward_cents,")
    assert terms_of(two) == before
