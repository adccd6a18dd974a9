"""The client of Prolific's API, with a local Prolific over real HTTP."""

import socket
from collections.abc import Callable
from itertools import cycle
from typing import Any

import pytest

from examples.local_prolific import api, faults
from examples.local_prolific.people import send
from examples.local_prolific.server import LocalProlific
from survey.prolific import client as module
from survey.prolific.client import ProlificClient
from survey.prolific.errors import ProlificError, sentence_of
from tests.survey.prolific.conftest import DRAFT, Connect

# A client of HTTP: the database changes nothing of it.
pytestmark = [pytest.mark.e2e, pytest.mark.embedded]


def asked(prolific: LocalProlific, what: str) -> int:
    """How often the API was asked for `what`."""
    return prolific.log.count(what)


# ── The account ──────────────────────────────────────────────────────────────────────────────


def test_account_says_who_it_is_and_what_money_it_has(client: ProlificClient) -> None:
    assert client.who_am_i().email == "researcher@local-prolific.test"
    [workspace] = client.workspaces()
    assert client.balance(workspace.id).available == 1_000_000
    study = client.create_study(DRAFT)
    assert study.project is not None
    assert client.project(study.project).workspace == workspace.id
    client.move_study(study.id, "PUBLISH")
    cost = client.cost(reward=150, places=3)
    assert client.balance(workspace.id).available == 1_000_000 - cost


def test_wrong_token_is_one_sentence_and_not_repeated(connect: Connect) -> None:
    with pytest.raises(ProlificError, match="Prolific does not accept this token") as refused:
        connect(token="secret-of-ada").who_am_i()
    assert "secret-of-ada" not in str(refused.value)
    assert not refused.value.may_have_happened


# ── Studies ──────────────────────────────────────────────────────────────────────────────────


def test_study_goes_from_draft_to_stopped(client: ProlificClient) -> None:
    study = client.create_study(DRAFT)
    assert (study.status, study.total_available_places, study.reward) == ("UNPUBLISHED", 3, 150)
    for action, status in (
        ("PUBLISH", "ACTIVE"),
        ("PAUSE", "PAUSED"),
        ("START", "ACTIVE"),
        ("STOP", "COMPLETED"),
    ):
        assert client.move_study(study.id, action).status == status
    assert [one.internal_name for one in client.studies()] == ["fivefold small@1"]


def test_places_grow_and_never_shrink(client: ProlificClient, published: str) -> None:
    assert client.change_study(published, total_available_places=5).total_available_places == 5
    with pytest.raises(ProlificError, match="total_available_places: places can only be increased"):
        client.change_study(published, total_available_places=4)
    assert client.study(published).total_available_places == 5


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"reward": -1}, "reward: must be a number of at least 1"),
        ({"total_available_places": 0}, "total_available_places: must be a number"),
        ({"name": ""}, "name: This field is required."),
        ({"external_study_url": "no address"}, "external_study_url: Enter a valid URL."),
    ],
)
def test_draft_with_a_mistake_is_refused_by_field(
    client: ProlificClient, change: dict[str, Any], said: str
) -> None:
    with pytest.raises(ProlificError) as refused:
        client.create_study(DRAFT | change)
    assert f"Prolific refused (new study): Validation error: {said}" in str(refused.value)
    assert client.studies() == []


def test_study_that_is_too_dear_is_not_published(client: ProlificClient) -> None:
    study = client.create_study(DRAFT | {"total_available_places": 100_000})
    with pytest.raises(ProlificError, match="Not enough funds"):
        client.move_study(study.id, "PUBLISH")
    assert client.study(study.id).status == "UNPUBLISHED"


def test_unknown_study_and_submission_are_named(client: ProlificClient) -> None:
    with pytest.raises(ProlificError, match="Prolific has no study 5f, or") as refused:
        client.study("5f")
    assert refused.value.is_missing
    with pytest.raises(ProlificError, match="Prolific has no submission \\.\\./users/me"):
        client.submission("../users/me")


# ── Submissions and money ────────────────────────────────────────────────────────────────────


def test_submissions_are_read_from_all_pages(
    client: ProlificClient, prolific: LocalProlific, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = client.create_study(DRAFT | {"total_available_places": 12}).id
    client.move_study(study, "PUBLISH")
    codes = cycle([None, "DONE", "DONE"])  # who comes to no end returns
    sent = send(prolific.world, study, 12, lambda _: next(codes))
    for size, longest in ((5, 50), (6, 50), (100, 50), (100, 4)):
        monkeypatch.setattr(module, "PAGE_SIZE", size)
        monkeypatch.setattr(api, "LONGEST_PAGE", longest)
        read = {one.id: one for one in client.submissions(study)}
        assert set(read) == {one.id for some in sent.by_deed.values() for one in some}
    returned = {one.id for one in sent.by_deed["returns"]}
    assert len(returned) == 4
    assert {one.id for one in read.values() if one.status == "RETURNED"} == returned
    assert {one.code for one in read.values() if one.status == "APPROVED"} == {"DONE"}
    counts = client.counts(study)
    assert (counts["RETURNED"], counts["TOTAL"]) == (len(returned), 12)
    one = client.submission(next(iter(returned)))
    assert (one.study, one.participant) == (study, read[one.id].participant)
    assert "192.0.2.1" not in repr(one)


def test_approval_is_paid_once_however_often_it_is_asked_for(
    client: ProlificClient, prolific: LocalProlific, published: str
) -> None:
    ids = [
        one.id for one in send(prolific.world, published, 2, lambda _: "LOOK").by_deed["completes"]
    ]
    prolific.faults.add("500_after", "reset_after", on="POST submissions/bulk-approve/")
    client.approve(ids)
    client.move_submission(ids[0], "APPROVE")
    assert [(one.submission, one.cents) for one in prolific.world.ledger] == [(i, 150) for i in ids]
    assert prolific.world.double_payments == []


def test_rejection_needs_a_long_reason(
    client: ProlificClient, prolific: LocalProlific, published: str
) -> None:
    [one] = send(prolific.world, published, 1, lambda _: "LOOK").by_deed["completes"]
    with pytest.raises(ProlificError, match="at least 100 characters"):
        client.move_submission(one.id, "REJECT", message="No.", rejection_category="OTHER")
    assert client.request_return(one.id, "Encountered technical problems").return_requested
    assert client.submission(one.id).status == "AWAITING REVIEW"


@pytest.mark.parametrize("fault", ["500_after", "reset_after", "429", "500"])
def test_payment_of_bonuses_is_sent_once_whatever_prolific_answers(
    client: ProlificClient, prolific: LocalProlific, published: str, fault: str
) -> None:
    [one] = send(prolific.world, published, 1, lambda _: "LOOK").by_deed["completes"]
    bonus = client.set_up_bonuses(published, {one.participant: 25})
    prolific.faults.add(fault, on="POST bulk-bonus-payments/*")
    with pytest.raises(ProlificError) as failed:
        client.pay_bonuses(bonus.id)
    assert failed.value.may_have_happened == (fault != "429")
    assert asked(prolific, f"POST bulk-bonus-payments/{bonus.id}/pay/") == 1
    assert len(prolific.world.ledger) == ("after" in fault)
    assert prolific.world.double_payments == []


def test_ledger_shows_what_was_paid_twice(
    client: ProlificClient, prolific: LocalProlific, published: str
) -> None:
    [one] = send(prolific.world, published, 1, lambda _: "LOOK").by_deed["completes"]
    bonus = client.set_up_bonuses(published, {one.id: 25}).id
    client.pay_bonuses(bonus)
    client.pay_bonuses(bonus)
    assert prolific.world.double_payments == [f"{one.id}: {bonus} × 2"]


@pytest.mark.parametrize("bonuses", [{}, {"a": 0}, {"a": 5, "b": -1}])
def test_bonus_that_is_none_is_not_sent(
    client: ProlificClient, prolific: LocalProlific, bonuses: dict[str, int]
) -> None:
    with pytest.raises(ValueError, match=r"not more than 0|takes 1 to 200"):
        client.set_up_bonuses("s", bonuses)
    assert prolific.log == []


def test_messages_and_groups(
    client: ProlificClient, prolific: LocalProlific, published: str
) -> None:
    client.send_message(participant="5f01", study=published, text="Thank you.")
    assert prolific.world.messages[0]["body"] == "Thank you."
    made = client.create_group(name="wave 2", workspace=prolific.world.workspace)
    client.add_to_group(made.id, ["5f01", "5f02"])
    client.add_to_group(made.id, ["5f01"])
    [group] = client.participant_groups(prolific.world.workspace)
    assert (group.name, group.participant_count) == ("wave 2", 2)
    client.set_group(made.id, ["5f02", "5f03"])
    assert client.group_members(made.id) == {"5f02", "5f03"}


# ── Answers that are not Prolific's ──────────────────────────────────────────────────────────

STRANGE_ANSWERS = [*faults.STRANGE, *faults.STRANGE_BEFORE, *faults.GATEWAY]


@pytest.fixture
def changing(
    client: ProlificClient, prolific: LocalProlific, published: str
) -> dict[str, Callable[[], object]]:
    """Everything that changes something on Prolific, by its request."""
    [one] = send(prolific.world, published, 1, lambda _: "LOOK").by_deed["completes"]
    draft = client.create_study(DRAFT).id
    group = client.create_group(name="wave 2", workspace=prolific.world.workspace).id
    bonus = client.set_up_bonuses(published, {one.id: 25}).id
    workspace, about = prolific.world.workspace, "submission.status.change"
    client.hook_secret(workspace)
    known = client.subscribe(workspace, about, "https://ratings.lakeside.edu/events/")
    return {
        "POST studies/": lambda: client.create_study(DRAFT),
        f"PATCH studies/{draft}/": lambda: client.change_study(draft, name="B"),
        f"POST studies/{draft}/transition/": lambda: client.move_study(draft, "PUBLISH"),
        "POST submissions/bulk-approve/": lambda: client.approve([one.id]),
        f"POST submissions/{one.id}/transition/": lambda: client.move_submission(one.id, "APPROVE"),
        f"POST submissions/{one.id}/request-return/": lambda: client.request_return(one.id, "No."),
        "POST submissions/bonus-payments/": lambda: client.set_up_bonuses(published, {one.id: 9}),
        f"POST bulk-bonus-payments/{bonus}/pay/": lambda: client.pay_bonuses(bonus),
        "POST messages/": lambda: client.send_message(
            participant=one.participant, study=published, text="Thank you."
        ),
        "POST participant-groups/": lambda: client.create_group(name="3", workspace=workspace),
        f"PATCH participant-groups/{group}/": lambda: client.set_group(group, []),
        f"POST participant-groups/{group}/participants/": lambda: client.add_to_group(group, ["a"]),
        "POST hooks/secrets/": lambda: _new_secret(client, prolific),
        "POST hooks/subscriptions/": lambda: client.subscribe(workspace, about, "https://b.edu/"),
        f"POST hooks/subscriptions/{known.id}/": lambda: client.confirm_subscription(known),
        f"DELETE hooks/subscriptions/{known.id}/": lambda: client.unsubscribe(known.id),
    }


def _new_secret(client: ProlificClient, prolific: LocalProlific) -> str:
    prolific.hooks.secret = ""
    return client.hook_secret(prolific.world.workspace)


def test_each_change_of_the_api_is_in_the_test_below(
    changing: dict[str, Callable[[], object]],
) -> None:
    reads = ("study-cost-calculator/", "studies/{}/demographic-export/")
    deleted_by_hand = "studies/{}/"
    known = {
        (method, pattern)
        for method, pattern, _ in api.CALLS
        if method != "GET"
        and not any(pattern.fullmatch(read) for read in reads)
        and (method, bool(pattern.fullmatch(deleted_by_hand))) != ("DELETE", True)
    }
    tested = {
        (method, pattern)
        for method, path in (request.split() for request in changing)
        for of, pattern, _ in api.CALLS
        if of == method and pattern.fullmatch(path)
    }
    assert known <= tested


@pytest.mark.parametrize("fault", STRANGE_ANSWERS)
def test_answer_that_is_not_prolifics_says_nothing_of_a_change(
    changing: dict[str, Callable[[], object]], prolific: LocalProlific, fault: str
) -> None:
    """A maintenance page with status 200, another JSON, an empty body, a gateway's page."""
    for request, change in changing.items():
        prolific.faults.add(fault, on=request)
        before = asked(prolific, request)
        with pytest.raises(ProlificError) as failed:
            change()
        assert failed.value.may_have_happened, request
        assert not failed.value.is_missing, request
        assert asked(prolific, request) == before + 1, request


def test_changes_are_read_from_prolifics_answers(
    changing: dict[str, Callable[[], object]], prolific: LocalProlific
) -> None:
    for change in changing.values():
        change()
    assert prolific.world.double_payments == []


def test_bonuses_of_another_sum_are_not_taken_for_ours(
    client: ProlificClient,
    prolific: LocalProlific,
    published: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    [one] = send(prolific.world, published, 1, lambda _: "LOOK").by_deed["completes"]
    set_up = prolific.world.set_up_bonuses
    monkeypatch.setattr(
        prolific.world, "set_up_bonuses", lambda study, lines: set_up(study, lines.split("\n")[0])
    )
    with pytest.raises(ProlificError, match="not what its API describes") as failed:
        client.set_up_bonuses(published, {one.id: 25, one.participant: 25})
    assert failed.value.may_have_happened


@pytest.mark.parametrize("fault", ["gateway_404", "html", "other_json"])
def test_page_of_another_server_does_not_say_that_something_is_missing(
    client: ProlificClient, prolific: LocalProlific, published: str, fault: str
) -> None:
    prolific.faults.add(fault, on=f"GET studies/{published}/")
    with pytest.raises(ProlificError) as failed:
        client.study(published)
    assert not failed.value.is_missing


def test_nothing_is_sent_after_the_clients_time(
    connect: Connect, prolific: LocalProlific, published: str
) -> None:
    """A worker that was stopped for a while: another one may have its order by now."""
    [one] = send(prolific.world, published, 1, lambda _: "LOOK").by_deed["completes"]
    late = connect(seconds=0.0)
    with pytest.raises(ProlificError, match="was not asked") as failed:
        late.set_up_bonuses(published, {one.id: 25})
    assert not failed.value.may_have_happened
    assert asked(prolific, "POST submissions/bonus-payments/") == 0


# ── Faults ───────────────────────────────────────────────────────────────────────────────────


def test_busy_prolific_is_asked_again_after_the_time_it_says(
    client: ProlificClient, prolific: LocalProlific, waits: list[float]
) -> None:
    prolific.faults.retry_after = "7"
    prolific.faults.add("429", "429")
    assert client.create_study(DRAFT).status == "UNPUBLISHED"
    assert waits == [7.0, 7.0]
    assert len(prolific.world.studies) == 1


def test_waits_for_a_faulty_prolific_grow(
    client: ProlificClient, prolific: LocalProlific, waits: list[float]
) -> None:
    prolific.faults.add("500", "502", "503", "reset")
    client.who_am_i()
    assert [round(wait / 0.5 / 2**n) for n, wait in enumerate(waits)] == [1, 1, 1, 1]


def test_prolific_that_stays_busy_ends_in_one_sentence(
    connect: Connect, prolific: LocalProlific
) -> None:
    prolific.faults.retry_after = "60"
    prolific.faults.add("429")
    with pytest.raises(ProlificError, match=r"too busy at the moment \(HTTP 429\)\. Try again"):
        connect(seconds=10).who_am_i()


@pytest.mark.parametrize("fault", ["500_after", "reset_after", "html", "empty_json"])
def test_new_study_without_a_clear_answer_is_not_asked_for_again(
    client: ProlificClient, prolific: LocalProlific, fault: str
) -> None:
    prolific.faults.add(fault, on="POST studies/")
    with pytest.raises(ProlificError) as failed:
        client.create_study(DRAFT)
    assert failed.value.may_have_happened
    assert asked(prolific, "POST studies/") == 1
    assert len(client.studies()) == 1


def test_silent_prolific_is_left_after_the_clients_time(
    connect: Connect, prolific: LocalProlific
) -> None:
    prolific.faults.add("hang")
    with pytest.raises(ProlificError, match="did not answer within 0 s") as failed:
        connect(seconds=0.2).who_am_i()
    assert not failed.value.may_have_happened


def unreachable() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}/api/v1"


def test_prolific_that_is_not_there_is_named_with_its_address(waits: list[float]) -> None:
    address = unreachable()
    with (
        ProlificClient("token", base_url=address, seconds=30, wait=waits.append) as client,
        pytest.raises(ProlificError) as failed,
    ):
        client.who_am_i()
    assert len(waits) == 2
    assert str(failed.value) == f"No answer from Prolific at {address}: Connection refused."
    assert not failed.value.may_have_happened


def test_answer_that_was_lost_is_told_apart_from_a_refusal(
    client: ProlificClient, prolific: LocalProlific
) -> None:
    study = client.create_study(DRAFT).id
    prolific.faults.add("reset_after", on="POST studies/*/transition/")
    with pytest.raises(ProlificError, match="ACTIVE does not take PUBLISH") as refused:
        client.move_study(study, "PUBLISH")
    assert refused.value.may_have_happened
    with pytest.raises(ProlificError, match="ACTIVE does not take PUBLISH") as refused:
        client.move_study(study, "PUBLISH")
    assert not refused.value.may_have_happened


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"error": {"title": "A", "detail": {"any_field": ["b", "c"]}}}, "A: b; c"),
        ({"error": {"title": "A", "detail": [{"x": ["b"]}, "c"]}}, "A: x: b; c"),
        ({"error": {"detail": "b"}}, "b"),
        ({"error": "gone"}, "gone"),
        (["x"], ""),
        ({"error": {"title": 3, "detail": None}}, ""),
    ],
)
def test_every_form_of_an_error_becomes_a_sentence(body: Any, said: str) -> None:
    assert sentence_of(body) == said


def test_request_is_repeated_only_while_the_clients_time_lasts(
    prolific: LocalProlific, connect: Connect, waits: list[float]
) -> None:
    prolific.faults.add(*["503"] * 50)
    with pytest.raises(ProlificError, match="fault of its own"):
        connect(seconds=3).who_am_i()
    assert len(waits) < 5
