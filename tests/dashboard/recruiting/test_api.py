"""Recruiting on Prolific by the API: every step of the page, once each."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from dashboard.accounts.models import ApiToken, ProlificAccount
from dashboard.accounts.prolific import connect
from dashboard.accounts.tokens import create_token
from dashboard.prolific.models import EventSubscription, Recruitment
from dashboard.prolific.pay_terms import change_terms, terms_of
from dashboard.prolific.terms import Terms
from dashboard.shared.models import Membership
from dashboard.shared.roles import Role
from examples.local_prolific import TOKEN
from examples.local_prolific.people import send
from examples.local_prolific.server import LocalProlific
from survey.models import Participant, Study, StudyEvent
from survey.participants import Arrival
from tests.dashboard.recruiting.conftest import requests, steps
from tests.factories import make_study, newcomer
from tests.prolific import prolific_id

pytestmark = [pytest.mark.e2e, pytest.mark.embedded]

API = "/api/studies/small/prolific/"
ACCOUNT = "/api/account/prolific/"
DRAFT: dict[str, Any] = {
    "name": "How warm are these replies?",
    "description": "Rate replies.",
    "places": 4,
    "reward_cents": 150,
    "minutes": 10,
    "devices": ["desktop", "mobile"],
    "review": "automatic",
}
Answer = tuple[int, Any]
Ask = Callable[..., Answer]


def asking(client: Client) -> Ask:
    def ask(method: str, path: str, body: Any = None, /, **headers: str) -> Answer:
        """A request with JSON: the status, and what is answered."""
        address = path if path.startswith("/") else API + path
        json = {"data": "" if body is None else body, "content_type": "application/json"}
        sent = {} if method == "get" else json
        answer = getattr(client, method)(address, **sent, headers=headers)
        return answer.status_code, answer.json() if answer.content else None

    return ask


@pytest.fixture
def ask(page: Client, prolific: LocalProlific, study: Study) -> Ask:
    """The API, for an account that is not connected to Prolific."""
    return asking(page)


@pytest.fixture
def connected(ask: Ask, researcher: User) -> Ask:
    connect(user=researcher, token=TOKEN)
    return ask


@pytest.fixture
def drafted(connected: Ask) -> str:
    """The id of a draft on Prolific."""
    status, step = connected("post", "draft/", DRAFT)
    assert status == 201
    return str(step["study"]["id"])


def came(study: Study, name: str) -> Participant:
    """A person from Prolific who completed a study."""
    at = timezone.now()
    arrived = Arrival(study=study, source="prolific", at=at, kind="prolific", key=prolific_id(name))
    person = newcomer(arrived)
    Participant.objects.filter(pk=person.pk).update(status="completed", finished_at=at)
    return person


# ── The account ──────────────────────────────────────────────────────────────────────────────


def test_token_is_stored_verified_and_never_sent_back(ask: Ask, researcher: User) -> None:
    assert ask("get", ACCOUNT)[1]["is_connected"] is False
    status, account = ask("put", ACCOUNT, {"token": TOKEN})
    assert (status, account["is_connected"]) == (200, True)
    assert TOKEN not in str(account) + str(ask("get", ACCOUNT))
    assert ask("delete", ACCOUNT)[0] == ask("delete", ACCOUNT)[0] == 204
    assert not ProlificAccount.objects.exists()
    logged = StudyEvent.objects.filter(action__startswith="prolific account").order_by("pk")
    assert list(logged.values_list("action", "via")) == [
        ("prolific account connected", "api"),
        ("prolific account disconnected", "api"),
    ]


@pytest.mark.parametrize(
    ("sent", "why"),
    [
        ({}, "This field is required."),
        ({"token": "x y"}, "This is no Prolific token"),
        ({"token": "wrong-token-0"}, "Prolific does not accept this token."),
    ],
)
def test_wrong_token_leaves_the_earlier_one(connected: Ask, sent: Any, why: str) -> None:
    before = ProlificAccount.objects.get().encrypted_token
    status, said = connected("put", ACCOUNT, sent)
    assert (status, why in str(said)) == (400, True)
    assert ProlificAccount.objects.get().encrypted_token == before


def test_token_for_one_study_changes_nothing_of_the_account(ask: Ask, researcher: User) -> None:
    token = create_token(
        user=researcher,
        name="one",
        scope=ApiToken.Scope.CHANGE,
        studies=["small"],
        expires_at=None,
    )
    with_token = asking(Client())
    key = {"authorization": f"Token {token}"}
    status, said = with_token("put", ACCOUNT, {"token": TOKEN}, **key)
    assert (status, said["detail"]) == (403, "The token one is for some studies only.")
    assert with_token("get", API, **key)[0] == 200


# ── Steps ────────────────────────────────────────────────────────────────────────────────────


def test_study_is_drafted_published_paused_resumed_and_given_places_once_each(
    connected: Ask, prolific: LocalProlific
) -> None:
    status, begin = connected("get", "draft/")
    assert (status, begin["is_on_prolific"], begin["reward_cents"]) == (200, False, None)
    assert connected("post", "draft/", DRAFT)[0] == 201
    status, step = connected("post", "draft/", DRAFT)
    assert (status, step["changed"]) == (200, False)
    assert connected("put", "draft/", DRAFT)[1]["changed"] is False
    assert connected("put", "draft/", DRAFT | {"name": "How warm?"})[1]["changed"] is True
    shown = connected("get", "draft/")[1]
    assert (shown["name"], shown["reward_cents"], shown["is_on_prolific"]) == (
        "How warm?",
        150,
        True,
    )
    there = connected("get", "")[1]
    assert (there["study"]["status"], there["against_publishing"]) == ("UNPUBLISHED", [])
    assert there["money"]["cost_cents"] == prolific.world.cost(150, 4)
    paid = {"cost_cents": there["money"]["cost_cents"]}
    for path, body in (
        ("publish/", paid),
        ("pause/", None),
        ("resume/", None),
        ("places/", {"places": 6}),
    ):
        assert connected("post", path, body)[1]["changed"] is True, path
        status, step = connected("post", path, body)
        assert (status, step["changed"]) == (200, False), path
    assert step["study"]["places"] == 6
    there = connected("get", "")[1]
    assert (there["study"]["status"], there["gets_events"]) == ("ACTIVE", True)
    assert [name for name, _ in steps()] == [
        *("create", "change", "publish", "pause", "start", "places"),
    ]
    assert requests(prolific, "POST studies/") == 1 + 3  # a draft, and three transitions
    assert set(StudyEvent.objects.values_list("via", flat=True)) <= {"api"} | {"command"}


@pytest.mark.parametrize(
    ("change", "field", "why"),
    [
        ({"places": 0}, "places", "greater than or equal to 1"),
        ({"reward_cents": -1}, "reward_cents", "greater than or equal to 0"),
        ({"reward_cents": 50}, "reward_cents", "less than Prolific's minimum"),
        ({"devices": []}, "devices", "at least one"),
        ({"devices": ["fridge"]}, "devices", "not a valid choice"),
        ({"sensitive": True}, "warning", "Describe the sensitive content."),
        ({"name": ""}, "name", "blank"),
        ({"review": "none"}, "review", "not a valid choice"),
        ({"earlier": "gone@1"}, "earlier", "No such study with people from Prolific: gone@1."),
    ],
)
def test_draft_with_a_mistake_is_not_sent(
    connected: Ask, prolific: LocalProlific, change: dict[str, Any], field: str, why: str
) -> None:
    status, said = connected("post", "draft/", DRAFT | change)
    assert (status, list(said), why in str(said[field])) == (400, [field], True)
    assert prolific.world.studies == {}
    assert steps() == []


@pytest.mark.parametrize(
    ("method", "path", "body", "why"),
    [
        ("post", "publish/", {"cost_cents": 1}, "The cost has changed"),
        ("post", "publish/", {"cost_cents": -1}, "greater than or equal to 0"),
        ("post", "publish/", {}, "This field is required."),
        ("post", "places/", {"places": 3}, "there can only be more. Nothing was changed."),
        ("post", "places/", {"places": 0}, "greater than or equal to 1"),
        ("post", "places/", {"places": "many"}, "A valid integer is required."),
        ("post", "invite/", None, "invites nobody of an earlier study"),
        ("delete", "", None, "The study is still on Prolific"),
        ("get", "wave/", None, "This field is required."),
        ("get", "wave/?earlier=small@1", None, "No such study with people from Prolific"),
    ],
)
def test_step_that_can_not_be_taken_changes_nothing(
    connected: Ask,
    prolific: LocalProlific,
    drafted: str,
    method: str,
    path: str,
    body: Any,
    why: str,
) -> None:
    status, said = connected(method, path, body)
    assert (status, why in str(said)) == (400, True), said
    assert prolific.world.study(drafted)["status"] == "UNPUBLISHED"
    assert steps() == [("create", 4)]


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("post", "draft/", DRAFT),
        ("put", "draft/", DRAFT),
        ("post", "publish/", {"cost_cents": 1}),
        ("post", "pause/", None),
        ("post", "resume/", None),
        ("post", "places/", {"places": 6}),
        ("post", "invite/", None),
        ("put", "events/", None),
        ("delete", "events/", None),
        ("post", "submissions/", None),
        ("delete", "", None),
    ],
)
def test_every_step_needs_an_account_and_all_but_the_first_a_study_on_prolific(
    ask: Ask, researcher: User, method: str, path: str, body: Any
) -> None:
    not_connected = "Your account is not connected to Prolific. Nothing was changed."
    assert ask(method, path, body) == (400, {"detail": not_connected})
    connect(user=researcher, token=TOKEN)
    status, said = ask(method, path, body)
    if (method, path) != ("post", "draft/"):
        assert (status, "There is no study on Prolific yet." in said["detail"]) == (400, True)


@pytest.mark.parametrize("fault", ["500_after", "reset_after", "429", "503"])
def test_publishing_whose_answer_was_lost_is_recorded_once(
    connected: Ask, prolific: LocalProlific, drafted: str, fault: str
) -> None:
    cost = {"cost_cents": prolific.world.cost(150, 4)}
    prolific.faults.add(fault, on="POST studies/*/transition/")
    connected("post", "publish/", cost)
    assert connected("post", "publish/", cost)[0] == 200
    assert prolific.world.study(drafted)["status"] == "ACTIVE"
    assert steps() == [("create", 4), ("publish", None)]


def test_draft_that_may_have_been_created_is_found_again(
    connected: Ask, prolific: LocalProlific
) -> None:
    prolific.faults.add("reset_after", on="POST studies/")
    status, said = connected("post", "draft/", DRAFT)
    assert (status, "Whether it was done is not known" in said["detail"]) == (400, True)
    assert connected("post", "draft/", DRAFT)[0] in (200, 201)
    assert len(prolific.world.studies) == 1
    assert steps() == [("create", 4)]


def test_study_that_was_deleted_on_prolific_can_be_forgotten(
    connected: Ask, prolific: LocalProlific, drafted: str
) -> None:
    del prolific.world.studies[drafted]
    assert connected("get", "")[1]["is_gone"] is True
    assert connected("delete", "")[0] == 204
    assert not Recruitment.objects.exists()
    assert connected("post", "draft/", DRAFT)[0] == 201


def test_events_are_turned_on_and_off_and_each_twice_is_the_same(
    connected: Ask, prolific: LocalProlific, drafted: str
) -> None:
    for _ in range(2):
        assert connected("put", "events/")[0] == 204
        assert connected("get", "")[1]["gets_events"] is True
    assert EventSubscription.objects.count() == 1
    for _ in range(2):
        assert connected("delete", "events/")[0] == 204
    assert connected("get", "")[1]["gets_events"] is False


def test_codes_come_with_their_actions(ask: Ask) -> None:
    rows = {one["ending"]: one for one in ask("get", "codes/")[1]}
    assert (rows["completed"]["code"], rows["completed"]["action"]) == (
        "DONE1",
        "AUTOMATICALLY_APPROVE",
    )
    assert rows["withdrawn"]["people"] == 0 and "full" not in rows, "the study has no limit"


# ── Pay terms ────────────────────────────────────────────────────────────────────────────────


def test_warning_of_a_draft_is_the_studys_in_plain_words(ask: Ask, study: Study) -> None:
    warning = "About **loss &\nillness**.\n\nYou may stop."
    study.definition["texts"]["warning"] = warning
    study.save()
    assert ask("get", "draft/")[1]["warning"] == "About loss & illness. You may stop."


def test_reward_of_the_draft_is_promised(connected: Ask, drafted: str, study: Study) -> None:
    assert terms_of(study) == Terms(currency="GBP", reward=150)
    connected("put", "draft/", DRAFT | {"reward_cents": 200})
    assert terms_of(study).reward == 200
    assert StudyEvent.objects.filter(action="pay terms").count() == 2


def test_reward_leaves_other_promises_and_never_changes_their_currency(
    connected: Ask, study: Study
) -> None:
    promised = Terms(currency="USD", completed_bonus=50)
    change_terms(study=study, terms=promised, author=None)
    step = connected("post", "draft/", DRAFT)[1]
    assert "The workspace pays in GBP, and the study promises amounts in USD" in step["warning"]
    assert terms_of(study) == promised
    change_terms(study=study, terms=Terms(completed_bonus=50), author=None)
    assert connected("put", "draft/", DRAFT)[1]["warning"] == ""
    assert terms_of(study) == Terms(reward=150, completed_bonus=50)


# ── A second wave ────────────────────────────────────────────────────────────────────────────


def test_wave_is_counted_first_and_its_draft_lets_in_these_people_alone(
    connected: Ask, prolific: LocalProlific
) -> None:
    first = make_study(slug="first")
    for name in ("ann", "ben", "cat"):
        came(first, name)
    Participant.objects.filter(identity__key=prolific_id("cat")).update(status="in_progress")
    assert [one["name"] for one in connected("get", "earlier/")[1]] == ["first@1"]
    wave = connected("get", "wave/?earlier=first@1")[1]
    assert (wave["invited"], wave["who"]) == (2, "completed")
    assert wave["left_out"] == [{"reason": "did not complete the study", "people": 1}]
    assert prolific_id("ann") not in str(wave)
    asked = DRAFT | {"earlier": "first@1"}
    assert connected("post", "draft/", asked)[1] == {
        "places": ["At most 2: so many people are invited."]
    }
    assert connected("post", "draft/", asked | {"places": 2})[0] == 201
    [group] = prolific.world.groups
    assert set(prolific.world.members(group)) == {prolific_id("ann"), prolific_id("ben")}
    there = connected("get", "")[1]
    assert (there["earlier"], there["let_in"]) == ("first@1", 2)
    assert connected("post", "invite/")[1]["changed"] is False
    came(first, "dan")
    assert connected("post", "invite/")[1]["changed"] is True


def test_people_of_a_study_without_the_role_for_it_are_not_invited(
    prolific: LocalProlific, study: Study
) -> None:
    first = make_study(slug="first")
    came(first, "ann")
    owner = User.objects.create_user("olga", is_staff=True)
    Membership.objects.create(user=owner, slug="small", role=Role.OWNER)
    client = Client()
    client.force_login(owner)
    connect(user=owner, token=TOKEN)
    ask = asking(client)
    for role, seen in ((None, []), (Role.ANALYST, []), (Role.EDITOR, ["first@1"])):
        Membership.objects.filter(slug="first").delete()
        if role:
            Membership.objects.create(user=owner, slug="first", role=role)
        assert [one["name"] for one in ask("get", "earlier/")[1]] == seen
        assert ask("get", "wave/?earlier=first@1")[0] == (200 if seen else 400)
    assert ask("post", "draft/", DRAFT | {"earlier": "first@1", "places": 1})[0] == 201
    came(first, "ben")
    key = create_token(
        user=owner, name="x", scope=ApiToken.Scope.CHANGE, studies=["small"], expires_at=None
    )
    by_token = asking(Client(headers={"authorization": f"Token {key}"}))
    assert by_token("get", "earlier/") == (200, [])
    assert by_token("get", "wave/?earlier=first@1")[0] == 400
    assert by_token("post", "invite/") == (403, {"detail": "The token x is not for first@1."})
    Membership.objects.filter(slug="first").update(role=Role.ANALYST)
    status, said = ask("post", "invite/")
    assert (status, "Your role in first@1 does not let you" in str(said)) == (400, True)
    [group] = prolific.world.groups
    assert set(prolific.world.members(group)) == {prolific_id("ann")}


# ── Submissions ──────────────────────────────────────────────────────────────────────────────


def test_submissions_are_read_and_free_slots_once(
    connected: Ask, prolific: LocalProlific, drafted: str, study: Study
) -> None:
    connected("post", "publish/", {"cost_cents": prolific.world.cost(150, 4)})

    def take(link: str) -> str | None:
        Client().get(link.removeprefix("https://ratings.lakeside.edu"))
        return None

    send(prolific.world, drafted, 1, take)
    status, read = connected("post", "submissions/")
    person = Participant.objects.get()
    assert (status, read["submissions"]) == (200, 1)
    assert read["applied"]["returned"] == [person.pseudonym]
    assert connected("post", "submissions/")[1]["applied"]["returned"] == []
    assert connected("get", "/api/studies/small/submissions/")[1]["results"][0]["status"]


LIST = "Submission id,Participant id,Status,Completion code\n"


def upload(page: Client, *texts: str) -> Answer:
    files = [SimpleUploadedFile(f"list{n}.csv", text.encode()) for n, text in enumerate(texts)]
    answer = page.post("/api/studies/small/submissions/", {"file": files} if files else {})
    return answer.status_code, answer.json()


def test_lists_are_uploaded_all_or_none(page: Client, study: Study) -> None:
    came(study, "ann")
    row = f"{prolific_id('s')},{prolific_id('ann')},APPROVED,DONE1\n"
    status, read = upload(page, LIST + row)
    assert (status, read["read"], read["submissions"]) == (200, ["list0.csv"], 1)
    assert upload(page, LIST + row)[0] == 200
    assert page.get("/api/studies/small/submissions/").json()["results"][0]["status"] == "APPROVED"
    other = f"{prolific_id('t')},{prolific_id('ben')},APPROVED,\n"
    status, said = upload(page, LIST + other, LIST + "a,b,LOST,\n")
    assert (status, said["file"][-1]) == (400, "Nothing was changed.")
    assert "list1.csv, line 2" in said["file"][0]
    assert upload(page)[0] == 400
    assert len(page.get("/api/studies/small/submissions/").json()["results"]) == 1
