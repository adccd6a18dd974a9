"""Submissions and payments by the API and by the command."""

from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client

from dashboard.payments.models import PaymentOrder, SubmissionDecision
from dashboard.prolific.pay_terms import change_terms, terms_of
from dashboard.prolific.terms import Terms
from dashboard.shared.models import Membership
from dashboard.shared.roles import Role
from survey.models import Study, StudyEvent
from tests.dashboard.paying import came, listed, read
from tests.dashboard.payments.conftest import There
from tests.prolific import prolific_id

API = "/api/studies/small/"


@pytest.fixture
def two(study: Study) -> Study:
    change_terms(study=study, terms=Terms(reward=300, completed_bonus=50), author=None)
    came(study, "ann")
    came(study, "ben")
    read(study, listed("ann"), listed("ben", code="CCCCC"), listed("nobody"))
    return study


def test_submissions_are_listed_by_mismatch_and_status(page: Client, two: Study) -> None:
    answer = page.get(f"{API}submissions/?mismatch=unknown_code").json()
    [ben] = answer["results"]
    assert (ben["participant"], ben["code"], ben["here"]) == ("ben", "CCCCC", "completed")
    assert ben["mismatches"] == ["unknown_code"] and ben["minutes_there"] == 12
    assert page.get(f"{API}submissions/?status=APPROVED").json()["results"] == []
    assert len(page.get(f"{API}submissions/?limit=2").json()["results"]) == 2
    assert page.get(f"{API}submissions/?mismatch=silly").status_code == 400
    text = page.get(f"{API}submissions/").content.decode()
    assert not any(prolific_id(name) in text for name in ("ann", "session of ann", "nobody"))


def keys(page: Client, **query: str) -> list[str]:
    """The proposals that the rules choose."""
    rows = page.get(f"{API}payments/proposals/", query).json()["results"]
    return [one["key"] for one in rows if one["is_chosen"]]


def ask(page: Client, method: str, path: str, body: object = None) -> tuple[int, Any]:
    answer = getattr(page, method)(f"{API}{path}", body, content_type="application/json")
    return answer.status_code, answer.json()


def test_proposals_are_listed_by_rule_page_by_page(page: Client, two: Study) -> None:
    address, rules = f"{API}payments/proposals/?limit=2", []
    while address:
        listed = page.get(address).json()
        rules += [one["rule"] for one in listed["results"]]
        address = listed["next"]
    assert rules == [
        *("completed", "other_code", "never_came", "completed_bonus", "completed_bonus"),
    ]
    assert len(keys(page, rule="completed_bonus")) == 2
    assert page.get(f"{API}payments/proposals/?rule=steal").status_code == 400
    assert page.get(f"{API}payments/proposals/?after=x").status_code == 400


def decisions(page: Client, order: dict[str, Any]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = page.get(f"{API}payments/{order['order']}/decisions/").json()[
        "results"
    ]
    return rows


def test_proposals_are_confirmed_by_key_and_sum(page: Client, two: Study, researcher: User) -> None:
    shown = page.get(f"{API}payments/").json()
    assert shown["bonus_cents"] == 100 and "minutes" in shown["hourly_pay"]
    bonus = next(one for one in shown["groups"] if one["rule"] == "completed_bonus")
    assert (bonus["proposals"], bonus["cents"], bonus["sum_cents"]) == (2, 50, 100)
    chosen = keys(page)

    def send(**changes: object) -> tuple[int, Any]:
        return ask(page, "post", "payments/", {"decisions": chosen, "bonus_cents": 100, **changes})

    status, said = send(bonus_cents=99)
    assert (status, said["bonus_cents"][0]) == (400, "The bonuses are 100 cents, not 99.")
    status, said = send(decisions=["9:steal"])
    assert (status, "on Prolific: 9:steal." in said["decisions"][0]) == (400, True)
    assert send(decisions=[])[0] == 400
    assert list(send(bonus_cents=-1)[1]) == list(send(bonus_cents=None)[1]) == ["bonus_cents"]
    assert list(send(texts={"never_came": "x" * 2001})[1]) == ["texts"]
    for amounts, why in (
        ({"completed_bonus": -1}, "A bonus of −£0.01 is not more than 0. Nothing was changed."),
        ({"completed_bonus": 30_001}, "is more than 100 rewards: confirm that it is meant."),
        ({"completed_bonus": 10**400}, "less than or equal to 1000000"),
        ({"completed": 5}, "There is no such rule: completed."),
    ):
        status, said = send(amounts=amounts)
        assert (status, why in str(said)) == (400, True), said
    assert "no such rule" in str(send(texts={"steal": "x"}))
    assert not SubmissionDecision.objects.exists()
    status, order = send(
        amounts={"completed_bonus": 75}, bonus_cents=150, texts={"never_came": "Where were you?"}
    )
    assert (status, order["author"], order["by_hand"]) == (201, "ada", True)
    assert order["counts"] == {
        "approve": {"waiting": 2}, "message": {"waiting": 1}, "bonus": {"waiting": 2}
    }  # fmt: skip
    made = decisions(page, order)
    assert {one["cents"] for one in made} == {None, 75}
    assert "Where were you?" in {one["text"] for one in made}
    assert [one["kind"] for one in made].count("approve") == 2
    first = page.get(f"{API}payments/{order['order']}/decisions/?limit=2").json()
    assert first["results"] == made[:2]
    assert page.get(first["next"]).json()["results"] == made[2:4]
    assert send()[0] == 400, "a second time there is nothing to confirm"
    assert page.get(f"{API}payments/{order['order']}/").json() == order
    assert page.get(f"{API}payments/999/").status_code == 404
    assert page.get(f"{API}payments/999/decisions/").status_code == 404
    assert page.get(f"{API}payments/orders/").json()["results"] == [order]
    assert keys(page) == []


def test_terms_are_read_and_replaced(page: Client, two: Study) -> None:
    status, terms = ask(page, "get", "payments/terms/")
    assert (status, terms["reward_cents"], terms["completed_bonus_cents"]) == (200, 300, 50)
    assert ask(page, "put", "payments/terms/", terms)[1] == terms
    changed = {"currency": "USD", "reward_cents": 250, "screened_out_cents": 14}
    assert ask(page, "put", "payments/terms/", changed)[1]["completed_bonus_cents"] is None
    assert terms_of(two) == Terms(currency="USD", reward=250, screened_out=14)
    for wrong, field in (
        ({"reward_cents": -1}, "reward_cents"),
        ({"reward_cents": 0}, "reward_cents"),
        ({"screened_out_cents": 1}, "screened_out_cents"),
        ({"currency": "BTC"}, "currency"),
    ):
        status, said = ask(page, "put", "payments/terms/", changed | wrong)
        assert (status, list(said)) == (400, [field])
    assert terms_of(two) == Terms(currency="USD", reward=250, screened_out=14)
    assert two.events.filter(action="pay terms").count() == 2


def test_decision_by_hand_is_stored_once_with_its_reason(page: Client, two: Study) -> None:
    [ann] = [one for one in listed_here(page) if one["participant"] == "ann"]
    path = f"submissions/{ann['submission']}/decide/"
    bonus = {"kind": "bonus", "reason": "for the interview", "amount_cents": 500}
    assert ask(page, "post", path, bonus)[0] == 201
    status, said = ask(page, "post", path, bonus)
    assert (status, "decided already" in said["detail"]) == (400, True)
    for wrong, why in (
        ({"amount_cents": -1}, "A bonus of −£0.01 is not more than 0."),
        ({"amount_cents": 40_000}, "confirm that it is meant."),
        ({"amount_cents": None}, "Enter the amount of the bonus."),
        ({"reason": ""}, "blank"),
        ({"kind": "steal"}, "not a valid choice"),
        ({"kind": "message"}, "Write what the participant is told."),
        ({"kind": "reject", "category": "OTHER", "text": "Too short."}, "Prolific wants 100 to"),
        ({"kind": "reject", "text": "x" * 100}, "Choose a category."),
    ):
        status, said = ask(page, "post", path, {**bonus, "reason": "another", **wrong})
        assert (status, why in str(said)) == (400, True), said
    assert ask(page, "post", "submissions/999/decide/", bonus)[0] == 404
    [one] = SubmissionDecision.objects.all()
    assert (one.kind, one.reason, one.cents, one.order.by_hand) == (
        *("bonus", "for the interview", 500, True),
    )
    shown = ask(page, "get", f"submissions/{ann['submission']}/")[1]
    assert [made["reason"] for made in shown["history"]] == ["for the interview"]


def listed_here(page: Client) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = page.get(f"{API}submissions/").json()["results"]
    return rows


def test_order_by_hand_is_downloaded_settled_and_cancelled(page: Client, two: Study) -> None:
    sent = {"decisions": keys(page), "bonus_cents": 100}
    order = ask(page, "post", "payments/", sent)[1]
    path = f"payments/{order['order']}/"
    answer = page.post(f"{API}{path}bonuses.csv")
    assert answer["Content-Type"].startswith("text/csv")
    content = answer.getvalue()
    assert content.decode() == "".join(f"{prolific_id(name)},0.50\n" for name in ("ann", "ben"))
    assert page.post(f"{API}{path}bonuses.csv").getvalue() == content
    assert two.events.filter(action="payment list downloaded").count() == 2
    assert page.post(f"{API}{path}ratings.csv").status_code == 404
    made = {one["kind"]: one["id"] for one in decisions(page, order)}
    for body, why in (
        ({"what": "done", "decisions": []}, "at least 1"),
        ({"what": "done", "decisions": [999_999]}, "Choose at least one line."),
        ({"what": "done", "decisions": [made["bonus"], 999_999]}, "Choose at least one line."),
        ({"what": "done", "decisions": [10**400]}, "less than or equal to"),
        ({"what": "undone", "decisions": [made["bonus"]]}, "not a valid choice"),
        ({"what": "cancel", "decisions": [made["bonus"]]}, "Of none of these lines"),
    ):
        status, said = ask(page, "post", f"{path}settle/", body)
        assert (status, why in str(said)) == (400, True), said
    done = {"what": "done", "decisions": [made["bonus"]]}
    assert ask(page, "post", f"{path}settle/", done)[1]["counts"]["bonus"] == {
        "asked": 1, "done": 1
    }  # fmt: skip
    assert ask(page, "post", f"{path}settle/", done)[0] == 400, "it is settled"
    cancelled = {"what": "cancel", "decisions": [made["message"]]}
    assert ask(page, "post", f"{path}settle/", cancelled)[1]["counts"]["message"] == {"refused": 1}


def test_identity_is_for_some_roles_and_each_look_is_recorded(page: Client, two: Study) -> None:
    [ann] = [one for one in listed_here(page) if one["participant"] == "ann"]
    path = f"submissions/{ann['submission']}/identity/"
    assert ask(page, "post", path)[1] == {
        "submission_id": prolific_id("session of ann"),
        "prolific_id": prolific_id("ann"),
    }
    assert ask(page, "post", "raters/ann/identity/")[1] == {
        "prolific_id": prolific_id("ann"),
        "submissions": [prolific_id("session of ann")],
        "note": "",
    }
    assert ask(page, "post", "raters/nobody/identity/")[0] == 404
    looks = two.events.filter(action=StudyEvent.IDENTITY_SHOWN)
    assert [event.detail for event in looks] == [{"rater": "ann"}] * 2


@pytest.mark.e2e
def test_with_a_token_the_api_has_a_worker_do_it(
    page: Client, there: There, monkeypatch: pytest.MonkeyPatch
) -> None:
    woken: list[tuple[str, int]] = []
    monkeypatch.setattr("dashboard.shared.pages.wake", lambda task, pk: woken.append((task, pk)))
    there.add("ann")
    sent = {"decisions": keys(page), "bonus_cents": 0}
    order = page.post(f"{API}payments/", sent, content_type="application/json").json()
    assert woken == [("dashboard.pay", order["order"])] and not order["by_hand"]
    there.work(PaymentOrder.objects.get())
    state = page.get(f"{API}payments/{order['order']}/").json()
    assert state["counts"] == {"approve": {"done": 1}} and state["finished_at"]


def pay(*arguments: str) -> str:
    out = StringIO()
    call_command("pay", "small", *arguments, stdout=out)
    return out.getvalue()


@pytest.mark.parametrize("role", [None, Role.EDITOR])
def test_command_confirms_for_nobody_who_may_not_pay_in_the_study(
    two: Study, role: Role | None
) -> None:
    bea = User.objects.create_user("bea", password="pw", is_staff=True)
    Membership.objects.create(slug="another", user=bea, role=Role.OWNER)
    if role:
        Membership.objects.create(slug="small", user=bea, role=role)
    with pytest.raises(CommandError, match="bea may not recruit and pay on Prolific in small@1"):
        pay("--confirm", "100", "--as", "bea")
    assert not PaymentOrder.objects.exists()
    Membership.objects.update_or_create(slug="small", user=bea, defaults={"role": Role.OWNER})
    pay("--confirm", "100", "--as", "bea")
    assert PaymentOrder.objects.get().author == bea


def test_command_shows_and_confirms(two: Study, researcher: User) -> None:
    said = pay()
    assert "Approve: completed here with the right code: 1 of 1 chosen" in said
    assert "Bonuses in all: 100 cents." in said
    assert not PaymentOrder.objects.exists()
    for arguments, why in (
        (["--confirm", "100"], "needs --as"),
        (["--confirm", "100", "--as", "zoe"], "--as zoe: no active researcher's account"),
        (["--confirm", "90", "--as", "ada"], "Nothing was confirmed: The bonuses are 100 cents, n"),
        (["--confirm", "-1", "--as", "ada"], "--confirm -1: "),
    ):
        with pytest.raises(CommandError, match=why):
            pay(*arguments)
    assert not PaymentOrder.objects.exists()
    assert "Its lists are on the page Payments" in pay("--confirm", "100", "--as", "ada")
    assert PaymentOrder.objects.get().author == researcher
    said = pay()
    assert "Nothing to decide by the rules." in said and "0 of 5 done, 5 waiting" in said
    with pytest.raises(CommandError, match="Nothing is chosen"):
        pay("--confirm", "0", "--as", "ada")


def test_command_confirms_an_unusual_bonus_only_if_it_is_meant(
    two: Study, researcher: User
) -> None:
    change_terms(study=two, terms=Terms(reward=300, completed_bonus=30_001), author=None)
    with pytest.raises(CommandError, match="more than 100 rewards: confirm that it is meant"):
        pay("--confirm", "60002", "--as", "ada")
    assert not PaymentOrder.objects.exists()
    pay("--confirm", "60002", "--as", "ada", "--sure")
    assert set(SubmissionDecision.objects.values_list("cents", flat=True)) == {None, 30_001}
