"""The caller's account by the API: tokens, log, invitations; e-mail, and the checks of a study."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from dashboard.accounts.models import ApiToken
from dashboard.accounts.tokens import create_token
from dashboard.notices.models import Follower
from dashboard.overview.invitations import InviteOptions, invite, revoke
from dashboard.overview.models import MemberInvitation
from dashboard.shared.models import Membership
from dashboard.shared.roles import Role
from survey.models import Study, StudyEvent

pytestmark = pytest.mark.embedded

ACCOUNT = "/api/account/"
STUDY = "/api/studies/small/"


def ask(client: Client, method: str, path: str, body: Any = None) -> tuple[int, Any]:
    json = {"data": "" if body is None else body, "content_type": "application/json"}
    sent = {} if method == "get" else json
    answer = getattr(client, method)(path, **sent)
    return answer.status_code, answer.json() if answer.content else None


# ── Tokens ───────────────────────────────────────────────────────────────────────────────────


def test_tokens_are_listed_without_themselves_and_revoked_at_once(researcher: User) -> None:
    key = create_token(
        user=researcher, name="old", scope=ApiToken.Scope.CHANGE, expires_at=timezone.now()
    )
    key = create_token(user=researcher, name="new", scope=ApiToken.Scope.CHANGE, expires_at=None)
    other = User.objects.create_user("eve", is_staff=True)
    create_token(user=other, name="another's", expires_at=None)
    client = Client(headers={"authorization": f"Token {key}"})
    status, rows = ask(client, "get", f"{ACCOUNT}tokens/")
    assert (status, [(row["name"], row["is_expired"], row["is_this"]) for row in rows]) == (
        200,
        [("new", False, True), ("old", True, False)],
    )
    assert key not in str(rows)
    anothers = ApiToken.objects.get(user=other).pk
    assert ask(client, "delete", f"{ACCOUNT}tokens/{anothers}/")[0] == 404
    assert ask(client, "delete", f"{ACCOUNT}tokens/{rows[1]['id']}/")[0] == 204
    assert ask(client, "delete", f"{ACCOUNT}tokens/{rows[1]['id']}/")[0] == 404
    assert ask(client, "delete", f"{ACCOUNT}tokens/{rows[0]['id']}/")[0] == 204
    assert ask(client, "get", f"{ACCOUNT}tokens/")[0] == 401
    assert ApiToken.objects.get().pk == anothers
    assert StudyEvent.objects.filter(action="token revoked", via="api").count() == 2


# ── The log ──────────────────────────────────────────────────────────────────────────────────


def test_log_is_filtered_paged_and_downloaded(page: Client, researcher: User, study: Study) -> None:
    for name in ("one", "two", "three"):
        create_token(user=researcher, name=name, expires_at=None)
    address, said = f"{ACCOUNT}activity/?kind=token created&limit=2", []
    while address:
        listed = ask(page, "get", address)[1]
        said += [one["what"] for one in listed["results"]]
        address = listed["next"]
    assert said == [f"API token created: {name}" for name in ("three", "two", "one")]
    for wrong in ("kind=steal", "person=nobody", "limit=0", "after=x"):
        assert ask(page, "get", f"{ACCOUNT}activity/?{wrong}")[0] == 400
    file = page.get(f"{ACCOUNT}activity.csv?kind=token created").getvalue().decode()
    assert file.splitlines()[0] == "at,study,person,from,kind,what"
    assert len(file.splitlines()) == 4
    of_study = page.get(f"{STUDY}events.csv?kind=downloaded")
    assert of_study.status_code == 400, "nothing was downloaded yet"
    page.get(f"{STUDY}events.csv")
    assert "events.csv" in page.get(f"{STUDY}events.csv?kind=downloaded").getvalue().decode()


# ── Joining a study ──────────────────────────────────────────────────────────────────────────


@pytest.fixture
def bob(study: Study) -> Client:
    client = Client()
    client.force_login(User.objects.create_user("bob", is_staff=True))
    return client


def test_invitation_is_accepted_once_by_its_link(page: Client, bob: Client, study: Study) -> None:
    status, made = ask(page, "post", f"{STUDY}invitations/", {"role": "editor", "note": "for Bob"})
    assert status == 201
    sent = {"link": made["link"]}
    assert ask(bob, "post", f"{ACCOUNT}invitations/", sent) == (
        200,
        {"study": "small@1", "role": "editor"},
    )
    again = ask(bob, "post", f"{ACCOUNT}invitations/", sent)
    assert again == (400, {"detail": "This invitation was used already. Each link works once."})
    assert Membership.objects.get().role == Role.EDITOR


def test_invitation_that_nobody_can_accept_says_why(
    bob: Client, study: Study, researcher: User
) -> None:
    def made() -> tuple[MemberInvitation, str]:
        return invite(study, InviteOptions(role=Role.VIEWER), researcher)

    expired, expired_link = made()
    MemberInvitation.objects.filter(pk=expired.pk).update(
        expires_at=timezone.now() - timedelta(seconds=1)
    )
    revoked, revoked_link = made()
    revoke(study, revoked.pk, researcher)
    for link, why in (
        (expired_link, "This invitation has expired. Ask for another one."),
        (revoked_link, "This invitation was revoked. Ask for another one."),
        ("https://elsewhere.example/", "This invitation is unknown."),
    ):
        status, said = ask(bob, "post", f"{ACCOUNT}invitations/", {"link": link})
        assert (status, why in said["detail"]) == (400, True), said
    assert not Membership.objects.exists()


@pytest.mark.parametrize(
    ("sent", "field", "why"),
    [
        ({"person": "bob", "role": "king"}, "role", "not a valid choice"),
        ({"person": "bob", "role": "owner"}, "role", "This account has no role here. Invite it."),
        ({"person": "olga", "role": None}, "role", "olga is the last owner of small."),
        ({"role": "owner"}, "person", "required"),
        ({"person": "olga"}, "role", "required"),
        ({"person": "o" * 151, "role": "owner"}, "person", "no more than 150"),
    ],
)
def test_role_that_can_not_be_given_changes_nothing(
    bob: Client, study: Study, sent: dict[str, Any], field: str, why: str
) -> None:
    olga = User.objects.create_user("olga", is_staff=True)
    Membership.objects.create(slug="small", user=olga, role=Role.OWNER)
    client = Client()
    client.force_login(olga)
    status, said = ask(client, "put", f"{STUDY}members/", sent)
    assert (status, why in str(said[field])) == (400, True), said
    assert list(Membership.objects.values_list("user__username", "role")) == [("olga", "owner")]


# ── E-mail, and the checks of a study ────────────────────────────────────────────────────────


def test_occasions_are_chosen_and_ended(page: Client, study: Study, researcher: User) -> None:
    path = f"{STUDY}notices/"
    assert ask(page, "get", path)[1] == {"email": "", "occasions": [], "is_possible": False}
    chosen = {"email": "ada@example.org", "occasions": ["full", "judge"]}
    for _ in range(2):
        assert ask(page, "put", path, chosen) == (200, chosen | {"is_possible": False})
    assert Follower.objects.get().occasions == ["full", "judge"]
    for wrong, field in (
        ({"occasions": ["party"]}, "occasions"),
        ({"email": "ada"}, "email"),
        ({"email": ""}, "email"),
    ):
        status, said = ask(page, "put", path, chosen | wrong)
        assert (status, list(said)) == (400, [field])
    assert ask(page, "get", path)[1]["occasions"] == ["full", "judge"]
    ask(page, "put", path, chosen | {"occasions": []})
    assert not Follower.objects.exists()


def test_policy_and_checklist_say_what_the_pages_say(page: Client, study: Study) -> None:
    policy = ask(page, "get", f"{STUDY}policy/")[1]
    assert policy["to_change"] == sum(one["state"] == "change" for one in policy["findings"])
    assert {"rule", "state", "text", "key", "quote", "line"} == set(policy["findings"][0])
    checklist = ask(page, "get", f"{STUDY}checklist/")[1]
    harm = [one for one in checklist["findings"] if one["state"] == "refuse"]
    assert (checklist["state"], checklist["may_open"]) == (study.state, not harm)
