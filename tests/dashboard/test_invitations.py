"""People with access: roles given and taken, and invitations by link."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from dashboard.overview.invitations import InviteOptions, invite
from dashboard.overview.models import MemberInvitation
from dashboard.shared.models import Membership
from dashboard.shared.roles import Role
from survey.models import Study, StudyEvent
from tests.dashboard.reading import text_of

PAGE = "/studies/small/people/"
#: Long enough, and not like the name.
PASSWORD = "correct horse battery"
NEW = {"username": "cleo", "password1": PASSWORD, "password2": PASSWORD}


def account(name: str, role: Role | None = None, **fields: Any) -> User:
    user = User.objects.create_user(name, is_staff=True, **fields)
    if role:
        Membership.objects.create(slug="small", user=user, role=role)
    return user


def browser(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def roles() -> dict[str, str]:
    return dict(Membership.objects.values_list("user__username", "role"))


@pytest.fixture
def owner(study: Study) -> Client:
    """A browser of the only owner, who is no superuser."""
    return browser(account("olga", Role.OWNER))


def link_made(client: Client, **asked: str) -> str:
    """The address of a new invitation, as its page shows it."""
    html = client.post(PAGE, {"role": "analyst", **asked}).content.decode()
    found = re.search(r'value="http://localhost:8000(/invitations/[A-Za-z0-9_-]{43}/)"', html)
    assert found
    return found[1]


def test_colleague_with_an_account_joins_once(owner: Client) -> None:
    link = link_made(owner, note="for Bob")
    assert link not in owner.get(PAGE).content.decode()  # shown once
    assert "for Bob" in text_of(owner.get(PAGE))
    bob = browser(account("bob"))
    told = text_of(bob.get(link))
    assert "olga invites you to the study The small study" in told
    assert "Your role will be analyst: you may read pages" in told
    assert roles() == {"olga": "owner"}  # looking changes nothing
    answer = bob.post(link, follow=True)
    assert answer.redirect_chain[-1][0] == "/studies/small@1/"
    assert roles() == {"olga": "owner", "bob": "analyst"}
    answer = browser(account("eve")).post(link)
    assert answer.status_code == 404
    assert "This invitation was used already." in text_of(answer)
    assert "eve" not in roles()
    assert "for Bob" not in text_of(owner.get(PAGE))


def test_colleague_without_an_account_makes_one_with_this_role_only(owner: Client) -> None:
    link, cleo = link_made(owner, role="editor"), Client()
    assert f'href="/login/?next={link}"' in cleo.get(link).content.decode()
    answer = cleo.post(link, NEW, follow=True)
    assert answer.redirect_chain[-1][0] == "/studies/small@1/"
    user = User.objects.get(username="cleo")
    assert user.is_staff and not user.is_superuser and user.check_password(PASSWORD)
    assert roles()["cleo"] == "editor"
    assert cleo.get("/studies/small/people/").status_code == 403


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"password1": "short", "password2": "short"}, "at least 12 characters"),
        ({"password1": "cleopatra123", "password2": "cleopatra123", "username": "cleopatra123"},
         "too similar to the username"),
        ({"password2": "another one, longer"}, "didn’t match"),
        ({"username": "olga"}, "already exists"),
        ({"username": "Olga"}, "already exists"),
        ({"username": "no spaces"}, "Enter a valid username"),
    ],
)  # fmt: skip
def test_account_that_cannot_be_is_not_made_and_the_link_stays_good(
    owner: Client, wrong: dict[str, str], said: str
) -> None:
    link = link_made(owner)
    assert said in text_of(Client().post(link, NEW | wrong))
    assert User.objects.count() == 1
    assert Client().post(link, NEW).status_code == 302


def expire(invitation: MemberInvitation) -> None:
    invitation.expires_at = timezone.now() - timedelta(seconds=1)
    invitation.save()


def revoke(invitation: MemberInvitation) -> None:
    invitation.revoked_at = timezone.now()
    invitation.save()


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (expire, "This invitation has expired. Ask for another one."),
        (revoke, "This invitation was revoked. Ask for another one."),
        (
            MemberInvitation.delete,
            "This invitation is unknown. Check that you used the whole",
        ),
    ],
)
def test_link_that_is_not_valid_says_why_and_changes_nothing(
    study: Study, spoil: Any, said: str
) -> None:
    olga = account("olga", Role.OWNER)
    invitation, link = invite(study, InviteOptions(role=Role.EDITOR), olga)
    spoil(invitation)
    for client, sent in ((Client(), NEW), (browser(account("bob")), {})):
        answer = client.post(link, sent)
        assert (answer.status_code, said in text_of(answer)) == (404, True)
    assert roles() == {"olga": "owner"}
    assert not User.objects.filter(username="cleo").exists()


def test_link_lasts_a_week_and_its_secret_is_not_stored(study: Study) -> None:
    invitation, link = invite(study, InviteOptions(role=Role.VIEWER), account("olga"))
    secret = link.split("/")[-2]
    assert invitation.expires_at - invitation.created_at >= timedelta(days=7) - timedelta(minutes=1)
    assert secret not in str(MemberInvitation.objects.values().get())


def test_higher_role_is_kept_and_the_link_stays_unused(owner: Client) -> None:
    ed = browser(account("ed", Role.EDITOR))
    answer = ed.post(link_made(owner, role="viewer"))
    assert "Your role in small is editor already. Nothing was changed." in text_of(answer)
    assert MemberInvitation.objects.get().used_at is None
    ed.post(link_made(owner, role="owner"))
    assert roles()["ed"] == "owner"


def test_owner_revokes_an_invitation(owner: Client) -> None:
    link, invitation = link_made(owner), MemberInvitation.objects.get()
    address = f"{PAGE}invitations/{invitation.pk}/revoke/"
    assert "The invitation is revoked." in text_of(owner.post(address, follow=True))
    assert "was revoked" in text_of(Client().get(link))
    answer = owner.post(address, follow=True)
    assert f"small has no open invitation {invitation.pk}. Nothing was changed." in text_of(answer)


def test_account_without_staff_status_does_not_become_a_researcher_by_a_link(owner: Client) -> None:
    guest = User.objects.create_user("guest")
    assert browser(guest).post(link_made(owner)).status_code == 403
    assert "guest" not in roles()


def test_owner_changes_and_removes_roles(owner: Client) -> None:
    account("vi", Role.VIEWER)
    answer = owner.post(PAGE, {"person": "vi", "role": "editor"}, follow=True)
    assert "vi is now editor of small." in text_of(answer)
    answer = owner.post(PAGE, {"person": "vi", "role": "none"}, follow=True)
    assert "vi has no access to small any more." in text_of(answer)
    assert roles() == {"olga": "owner"}
    lines = StudyEvent.objects.filter(author__username="olga", study__slug="small")
    assert list(lines.values_list("action", "via")) == [
        ("role given", "web"),
        ("access removed", "web"),
    ]


@pytest.mark.parametrize("role", ["none", "viewer"])
def test_last_owner_stays_unless_a_superuser_removes_them(owner: Client, role: str) -> None:
    account("gone", Role.OWNER, is_active=False)  # cannot log in, so is no owner who is left
    answer = owner.post(PAGE, {"person": "olga", "role": role}, follow=True)
    assert "olga is the last owner of small." in text_of(answer)
    assert roles()["olga"] == "owner"
    root = browser(User.objects.create_superuser("root"))
    root.post(PAGE, {"person": "olga", "role": role})
    assert roles().get("olga", "none") == role


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"person": "olga", "role": "king"}, "king is no role. Nothing was changed."),
        ({"role": "king"}, "king is no role. Nothing was changed."),
        ({"role": ""}, "Choose a role. Nothing was changed."),
        ({"person": "nobody", "role": "owner"}, "This account has no role here."),
        ({"person": "stranger", "role": "owner"}, "This account has no role here."),
    ],
)
def test_wrong_form_changes_nothing(owner: Client, sent: dict[str, str], said: str) -> None:
    account("stranger")  # who is told of the study only by an invitation
    assert said in text_of(owner.post(PAGE, sent, follow=True))
    assert roles() == {"olga": "owner"} and not MemberInvitation.objects.exists()


def test_api_lists_invites_changes_and_revokes(owner: Client) -> None:
    account("vi", Role.VIEWER)
    base = "/api/studies/small"
    assert owner.get(f"{base}/members/").json() == [
        {"person": "olga", "role": "owner"},
        {"person": "vi", "role": "viewer"},
    ]
    change = {"person": "vi", "role": "analyst"}
    answer = owner.put(f"{base}/members/", change, content_type="application/json")
    assert {"person": "vi", "role": "analyst"} in answer.json()
    answer = owner.put(f"{base}/members/", {"person": "olga", "role": None}, "application/json")
    assert answer.status_code == 400 and "last owner" in answer.json()["role"][0]
    made = owner.post(f"{base}/invitations/", {"role": "viewer", "note": "for Di"})
    assert made.status_code == 201
    [listed] = owner.get(f"{base}/invitations/").json()
    assert made.json() == listed | {"link": made.json()["link"]}
    assert (
        Client().get(made.json()["link"].removeprefix("http://localhost:8000")).status_code == 200
    )
    assert owner.delete(f"{base}/invitations/{listed['id']}/").status_code == 204
    assert owner.delete(f"{base}/invitations/{listed['id']}/").status_code == 404
    assert owner.post(f"{base}/invitations/", {"role": "king"}).status_code == 400


def test_command_gives_and_takes_roles(study: Study, capsys: pytest.CaptureFixture[str]) -> None:
    account("olga")
    call_command("role", "small", "olga", "owner")
    call_command("role", "small@1", "olga", "owner")
    assert roles() == {"olga": "owner"}
    call_command("role", "small", "olga", "none")  # also the last owner: it is the operator's
    assert roles() == {}
    assert capsys.readouterr().out.splitlines() == [
        "olga is owner of small",
        "olga is owner of small already",
        "olga has no access to small",
    ]
    given = StudyEvent.objects.filter(action="role given").get()
    assert (given.via, given.author) == ("command", None)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere", "olga", "owner"], "Nothing was changed: there is no study 'nowhere'"),
        (["small", "olg", "owner"], "there is no account 'olg'; did you mean 'olga'"),
        (["small", "olga", "king"], "invalid choice: 'king'"),
        (["small", "guest", "owner"], "guest is no active researcher's account"),
    ],
)
def test_wrong_command_changes_nothing(study: Study, arguments: list[str], said: str) -> None:
    account("olga")
    User.objects.create_user("guest")
    with pytest.raises(CommandError, match=said):
        call_command("role", *arguments)
    assert roles() == {}
