"""Submissions and payments by the API and by the command."""

from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client

from dashboard.payments.models import PaymentOrder, SubmissionDecision
from dashboard.prolific.pay_terms import change_terms
from dashboard.prolific.terms import Terms
from survey.models import Study
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
    assert answer["count"] == 1
    [ben] = answer["results"]
    assert (ben["participant"], ben["code"], ben["here"]) == ("ben", "CCCCC", "completed")
    assert ben["mismatches"] == ["unknown_code"] and ben["minutes_there"] == 12
    assert page.get(f"{API}submissions/?status=APPROVED").json()["count"] == 0
    assert len(page.get(f"{API}submissions/?limit=2").json()["results"]) == 2
    assert page.get(f"{API}submissions/?mismatch=silly").status_code == 400
    text = page.get(f"{API}submissions/").content.decode()
    assert not any(prolific_id(name) in text for name in ("ann", "session of ann", "nobody"))


def test_proposals_are_confirmed_by_key_and_sum(page: Client, two: Study, researcher: User) -> None:
    shown = page.get(f"{API}payments/").json()
    keys = [one["key"] for one in shown["proposals"] if one["is_chosen"]]
    assert [one["rule"] for one in shown["proposals"]] == [
        *("completed", "other_code", "never_came", "completed_bonus", "completed_bonus"),
    ]
    assert shown["bonus_cents"] == 100 and "minutes" in shown["hourly_pay"]

    def send(**changes: object) -> tuple[int, dict[str, object]]:
        sent = {"decisions": keys, "bonus_cents": 100, **changes}
        answer = page.post(f"{API}payments/", sent, content_type="application/json")
        return answer.status_code, answer.json()

    assert send(bonus_cents=99) == (400, {"bonus_cents": ["their bonuses are 100"]})
    assert send(decisions=["9:steal"]) == (400, {"decisions": ["not proposed: 9:steal"]})
    assert send(decisions=[])[0] == 400
    assert not SubmissionDecision.objects.exists()
    status, order = send()
    assert (status, order["author"], order["by_hand"]) == (201, "ada", True)
    assert order["counts"] == {
        "approve": {"waiting": 2}, "message": {"waiting": 1}, "bonus": {"waiting": 2}
    }  # fmt: skip
    assert send()[0] == 400, "a second time there is nothing to confirm"
    detail = page.get(f"{API}payments/{order['order']}/").json()
    assert [one["kind"] for one in detail["decisions"]].count("approve") == 2
    assert page.get(f"{API}payments/999/").status_code == 404
    assert page.get(f"{API}payments/").json()["orders"][0]["order"] == order["order"]


@pytest.mark.e2e
def test_with_a_token_the_api_has_a_worker_do_it(
    page: Client, there: There, monkeypatch: pytest.MonkeyPatch
) -> None:
    woken: list[tuple[str, int]] = []
    monkeypatch.setattr("dashboard.shared.pages.wake", lambda task, pk: woken.append((task, pk)))
    there.add("ann")
    [proposal] = page.get(f"{API}payments/").json()["proposals"]
    sent = {"decisions": [proposal["key"]], "bonus_cents": 0}
    order = page.post(f"{API}payments/", sent, content_type="application/json").json()
    assert woken == [("dashboard.pay", order["order"])] and not order["by_hand"]
    there.work(PaymentOrder.objects.get())
    state = page.get(f"{API}payments/{order['order']}/").json()
    assert state["counts"] == {"approve": {"done": 1}} and state["finished_at"]


def pay(*arguments: str) -> str:
    out = StringIO()
    call_command("pay", "small", *arguments, stdout=out)
    return out.getvalue()


def test_command_shows_and_confirms(two: Study, researcher: User) -> None:
    said = pay()
    assert "Approve: completed here with the right code: 1 of 1 chosen" in said
    assert "Bonuses in all: 100 cents." in said
    assert not PaymentOrder.objects.exists()
    for arguments, why in (
        (["--confirm", "100"], "needs --as"),
        (["--confirm", "100", "--as", "zoe"], "needs --as"),
        (["--confirm", "90", "--as", "ada"], "The bonuses are 100 cents, not 90"),
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
