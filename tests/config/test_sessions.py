"""Sessions of accounts end after a time; a cookie that is none belongs to nobody in particular."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, Settings

from config.sessions import STARTED, SessionStore

pytestmark = pytest.mark.django_db

NUL = r'"\000{}"'  # as browsers' quoting carries it


@pytest.mark.parametrize(
    "cookie",
    [NUL.format("a" * 31), NUL.format("a" * 10_000), "é" * 32, ""],
    ids=["NUL", "long", "accents", "empty"],
)
def test_cookie_that_no_key_can_be_is_no_session(db: None, cookie: str) -> None:
    client = Client(headers={"cookie": f"sessionid={cookie}"})
    assert client.get("/login/").status_code == 200
    assert client.get("/").headers["Location"] == "/login/?next=/"
    assert client.get("/api/studies/").status_code == 401
    assert client.get("/s/nowhere/?preview").status_code == 404


def test_csrf_cookie_that_is_none_refuses_the_form_alone(db: None) -> None:
    cookie = f"csrftoken={NUL.format('a' * 31)}"
    client = Client(enforce_csrf_checks=True, headers={"cookie": cookie})
    assert client.get("/login/").status_code == 200
    assert client.post("/login/", {"username": "ada"}).status_code == 403


def test_researcher_stays_logged_in(db: None) -> None:
    client = Client()
    User.objects.create_user("ada", password="correct horse", is_staff=True)
    client.post("/login/", {"username": "ada", "password": "correct horse"})
    assert client.get("/").status_code == 200


@pytest.fixture
def ada(db: None) -> Client:
    """A browser in which a researcher has just logged in."""
    client = Client()
    client.force_login(User.objects.create_user("ada", is_staff=True))
    return client


def let_pass(**time: float) -> None:
    """Move everything that sessions know of time back."""
    for row in Session.objects.all():
        data = row.get_decoded()
        if STARTED in data:
            data[STARTED] -= timedelta(**time).total_seconds()
        row.session_data = SessionStore().encode(data)
        row.expire_date -= timedelta(**time)
        row.save()


def test_researcher_is_logged_out_after_twelve_hours_without_a_request(ada: Client) -> None:
    let_pass(hours=11, minutes=58)
    assert ada.get("/").status_code == 200
    let_pass(hours=11, minutes=58)
    assert ada.get("/").status_code == 200
    let_pass(hours=12, minutes=2)
    answer = ada.get("/account/tokens/")
    assert (answer.status_code, answer["Location"]) == (302, "/login/?next=/account/tokens/")
    assert ada.get("/api/studies/").status_code == 401


def test_researcher_is_logged_out_a_week_after_the_login(ada: Client) -> None:
    for _ in range(14):
        assert ada.get("/").status_code == 200
        let_pass(hours=11.99)
    assert ada.get("/").status_code == 200
    let_pass(hours=0.2)
    assert ada.get("/").status_code == 302


def test_limits_are_those_of_the_settings(ada: Client, settings: Settings) -> None:
    settings.SESSION_IDLE_HOURS = 1
    ada.get("/")
    let_pass(hours=1)
    assert ada.get("/").status_code == 302


def test_shorter_absolute_limit_ends_sessions_that_exist(ada: Client, settings: Settings) -> None:
    let_pass(hours=2)
    settings.SESSION_DAYS = 1 / 24
    assert ada.get("/").status_code == 302


def test_session_of_before_the_limits_goes_on_and_then_has_them(ada: Client) -> None:
    row = Session.objects.get()
    data = row.get_decoded()
    del data[STARTED]
    row.session_data = SessionStore().encode(data)
    row.expire_date = timezone.now() + timedelta(days=14)
    row.save()
    assert ada.get("/").status_code == 200
    let_pass(hours=12, minutes=2)
    assert ada.get("/").status_code == 302


def test_requests_within_a_minute_write_nothing(
    ada: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    ada.get("/account/prolific/")
    # session, account, roles in studies and in corpora, account at Prolific
    with django_assert_num_queries(5):
        ada.get("/account/prolific/")


def test_browser_keeps_the_cookie_for_the_longest_session(db: None) -> None:
    client = Client()
    User.objects.create_user("ada", password="correct horse", is_staff=True)
    answer = client.post("/login/", {"username": "ada", "password": "correct horse"})
    assert answer.cookies["sessionid"]["max-age"] == 7 * 24 * 60 * 60


def test_session_of_nobody_ends_when_it_always_did(db: None) -> None:
    session = SessionStore()
    session["pages"] = 3
    session.save()
    row = Session.objects.get()
    assert row.expire_date - timezone.now() > timedelta(days=13, hours=23)
    assert STARTED not in row.get_decoded()
