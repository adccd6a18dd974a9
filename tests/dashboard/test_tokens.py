"""Tokens of the API: what each may do, until when, and how an account makes and revokes them."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from dashboard.accounts.models import ApiToken
from dashboard.accounts.tokens import create_token
from dashboard.shared.models import Membership
from dashboard.shared.roles import Role
from survey.models import Study, StudyEvent
from tests.dashboard.conftest import Woken
from tests.dashboard.reading import text_of
from tests.factories import make_study

# What pages show and the API answers; other tests open them on every database.
pytestmark = pytest.mark.embedded

PAGE = "/account/tokens/"
ASKED = {"name": "notebook", "scope": "read", "days": "90"}


@pytest.fixture
def page(client: Client, researcher: User) -> Client:
    """A browser in which a researcher has just given the password."""
    client.post("/login/", {"username": "ada", "password": "pw"})
    return client


def api(token: str) -> Client:
    return Client(headers={"authorization": f"Token {token}"})


def made(page: Client, **asked: object) -> str:
    """A token that the page makes."""
    html = page.post(PAGE, ASKED | asked).content.decode()
    found = re.search(r'value="(fivefold_[A-Za-z0-9_-]{43})"', html)
    assert found, text_of(page.get(PAGE))
    return found[1]


def test_token_is_shown_once_and_only_its_hash_is_stored(page: Client, study: Study) -> None:
    key = made(page)
    assert key not in page.get(PAGE).content.decode()
    row = ApiToken.objects.get()
    assert key not in str(ApiToken.objects.values().get())
    assert row.expires_at and abs(row.expires_at - timezone.now() - timedelta(days=90)).seconds < 60
    assert api(key).get("/api/studies/small/").status_code == 200
    row.refresh_from_db()
    assert row.last_used_on == timezone.now().date()


def test_token_is_made_after_the_password_is_given_again(client: Client, researcher: User) -> None:
    client.force_login(researcher)  # a session whose password was given long ago
    answer = client.post(PAGE, ASKED)
    assert answer["Location"].startswith("/account/security/password-again/")
    assert not ApiToken.objects.exists()
    goes_on = client.post(answer["Location"], {"password": "pw"})
    assert "Your new token" in text_of(goes_on)
    assert ApiToken.objects.get().name == "notebook"


def test_token_for_reading_changes_nothing(page: Client, study: Study, woken: Woken) -> None:
    path = "/api/studies/small/metrics/"
    answer = api(made(page)).post(path)
    assert (answer.status_code, answer.json()["detail"]) == (
        403,
        "The token notebook may only read.",
    )
    assert woken == []
    assert api(made(page, scope="change")).post(path).status_code == 202


def test_token_goes_no_further_than_the_role(study: Study) -> None:
    viewer = User.objects.create_user("vi", is_staff=True)
    Membership.objects.create(slug="small", user=viewer, role=Role.VIEWER)
    change = ApiToken.Scope.CHANGE
    caller = api(create_token(user=viewer, name="x", scope=change, expires_at=None))
    assert caller.get("/api/studies/small/counts/").status_code == 200
    assert caller.get("/api/studies/small/ratings/").status_code == 403
    assert caller.post("/api/studies/small/metrics/").status_code == 403
    Membership.objects.all().delete()
    assert caller.get("/api/studies/small/counts/").status_code == 404


def test_token_for_one_study_opens_no_other(page: Client, study: Study) -> None:
    make_study(slug="other")
    caller = api(made(page, studies=["small"]))
    assert [row["slug"] for row in caller.get("/api/studies/").json()["results"]] == ["small"]
    assert caller.get("/api/studies/small@1/").status_code == 200
    for path in ("/api/studies/other/", "/api/studies/nowhere/"):  # neither tells what there is
        answer = caller.get(path)
        assert answer.status_code == 403
        assert answer.json() == {"detail": "The token notebook is not for this study."}


def test_expired_token_is_refused_and_says_so(researcher: User, study: Study) -> None:
    past = timezone.now() - timedelta(seconds=1)
    answer = api(create_token(user=researcher, name="old", expires_at=past)).get("/api/studies/")
    assert answer.status_code == 401
    assert answer.json()["detail"] == "The token old has expired. Create another one."


def test_token_that_never_expires_is_only_made_if_chosen(page: Client) -> None:
    made(page, days="never")
    assert ApiToken.objects.get().expires_at is None
    for days in ("", "0", "9999", "-1"):
        assert "fivefold_" not in page.post(PAGE, ASKED | {"days": days}).content.decode()
    assert ApiToken.objects.count() == 1


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"name": ""}, "This field is required."),
        ({"name": "x" * 101}, "at most 100 characters"),
        ({"scope": "everything"}, "everything is not one of the available choices"),
        ({"studies": ["nowhere"]}, "You have no study nowhere."),
    ],
)
def test_wrong_form_says_what_is_wrong_and_makes_nothing(
    page: Client, study: Study, wrong: dict[str, object], said: str
) -> None:
    assert said in text_of(page.post(PAGE, ASKED | wrong))
    assert not ApiToken.objects.exists()


def test_revoked_token_stops_at_once_and_others_are_left_alone(page: Client, study: Study) -> None:
    bob = User.objects.create_user("bob", is_staff=True)
    create_token(user=bob, name="bob's", expires_at=None)
    key = made(page)
    mine, other = ApiToken.objects.get(name="notebook"), ApiToken.objects.get(user=bob)
    page.post(f"{PAGE}{mine.pk}/revoke/")
    assert api(key).get("/api/studies/").status_code == 401
    answer = page.post(f"{PAGE}{other.pk}/revoke/", follow=True)
    assert "You have no such token. Nothing was changed." in text_of(answer)
    assert list(ApiToken.objects.all()) == [other]
    assert "bob's" not in text_of(page.get(PAGE))
    done = StudyEvent.objects.filter(author__username="ada", action__startswith="token")
    assert list(done.values_list("action", flat=True)) == ["token created", "token revoked"]
    assert not done.exclude(study=None).exists()
