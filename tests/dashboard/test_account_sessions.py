"""Sessions of an account: seen on a page, ended there, by the operator, and with the account."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from dashboard import tasks
from dashboard.accounts.browsers import browser_called
from survey.models import StudyEvent
from tests.dashboard.reading import text_of
from tests.dashboard.second_factors import set_up_app

pytestmark = pytest.mark.django_db

PAGE = "/account/security/sessions/"
AGAIN = "/account/security/password-again/"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
CHROME = (
    "Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 "
    "Mobile Safari/537.36"
)
EDGE = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/138.0.0.0 Safari/537.36 Edg/138.0.0.0"
)


def logged_in(name: str = "ada", agent: str = FIREFOX) -> Client:
    client = Client(headers={"user-agent": agent})
    client.post("/login/", {"username": name, "password": "pw"})
    assert is_in(client)
    return client


def is_in(client: Client) -> bool:
    return client.get("/").status_code == 200


@pytest.fixture
def laptop(researcher: User) -> Client:
    return logged_in()


@pytest.fixture
def phone(laptop: Client) -> Client:
    return logged_in(agent=CHROME)


@pytest.fixture
def bob(db: None) -> Client:
    """Of another account."""
    User.objects.create_user("bob", password="pw", is_staff=True)
    return logged_in("bob")


def test_worker_deletes_sessions_that_are_over(laptop: Client, phone: Client) -> None:
    ended = Session.objects.order_by("expire_date").first()
    assert ended is not None
    Session.objects.filter(pk=ended.pk).update(expire_date=timezone.now() - timedelta(seconds=1))
    tasks.sweep()
    assert Session.objects.count() == 1
    assert not Session.objects.filter(pk=ended.pk).exists()


def test_page_lists_the_own_sessions_and_ends_one(
    laptop: Client, phone: Client, bob: Client
) -> None:
    page = laptop.get(PAGE).content.decode()
    said = text_of(laptop.get(PAGE))
    assert "Firefox on Linux" in said and "Chrome on Android" in said
    assert said.count("this one") == 1
    assert not any(row.session_key in page for row in Session.objects.all())
    [other] = re.findall(r'name="session" value="(\w+)"', page)
    assert "1 session logged out." in text_of(laptop.post(PAGE, {"session": other}, follow=True))
    assert not is_in(phone)
    assert is_in(laptop) and is_in(bob)
    line = StudyEvent.objects.get(action="sessions ended")
    assert line.author and line.author.username == "ada"
    assert line.detail == {"person": "ada", "sessions": 1}


def test_all_others_are_ended_at_once(laptop: Client, phone: Client, bob: Client) -> None:
    third = logged_in(agent=EDGE)
    said = text_of(laptop.post(PAGE, follow=True))
    assert "2 sessions logged out." in said and "Edge on Windows" not in said
    assert [is_in(each) for each in (laptop, phone, third, bob)] == [True, False, False, True]


def test_sessions_of_others_and_the_own_one_are_not_ended_by_name(
    laptop: Client, bob: Client
) -> None:
    bobs = logged_in("bob").get(PAGE).content.decode()
    [name] = re.findall(r'name="session" value="(\w+)"', bobs)
    for wrong in (name, "x", "\0"):
        answer = laptop.post(PAGE, {"session": wrong}, follow=True)
        assert "There is no such session. Nothing was changed." in text_of(answer)
    assert is_in(laptop) and is_in(bob)


def test_password_is_asked_for_again_before_sessions_are_ended(
    researcher: User, client: Client, phone: Client
) -> None:
    client.force_login(researcher)  # a session whose password was given long ago
    assert client.get(PAGE).status_code == 200
    answer = client.post(PAGE)
    assert answer["Location"].startswith(AGAIN)
    assert is_in(phone)
    client.post(answer["Location"], {"password": "pw"})
    assert is_in(client) and not is_in(phone)


def test_session_has_a_new_key_after_the_password_was_given_again(laptop: Client) -> None:
    before = laptop.cookies["sessionid"].value
    laptop.post(AGAIN, {"password": "pw"})
    assert laptop.cookies["sessionid"].value != before
    assert is_in(laptop)
    laptop.cookies["sessionid"] = before
    assert not is_in(laptop)


def test_logged_out_session_can_not_be_used_again(laptop: Client) -> None:
    cookie = laptop.cookies["sessionid"].value
    assert laptop.post("/logout/").status_code == 302
    laptop.cookies["sessionid"] = cookie
    assert not is_in(laptop)
    assert laptop.get("/api/studies/").status_code == 401


def test_session_keys_are_random_and_of_128_bits_or_more(laptop: Client, phone: Client) -> None:
    keys = list(Session.objects.values_list("session_key", flat=True))
    assert len(set(keys)) == 2
    assert all(re.fullmatch("[a-z0-9]{32}", key) for key in keys)  # 165 bits


def test_sessions_that_a_new_password_ended_are_not_listed(
    laptop: Client, phone: Client, researcher: User
) -> None:
    changed = {"old_password": "pw", "new_password1": "correct horse battery"}
    changed["new_password2"] = changed["new_password1"]
    laptop.post("/account/security/password/", changed)
    assert "Chrome on Android" not in text_of(laptop.get(PAGE))
    assert not is_in(phone)


def test_deactivated_account_does_not_get_its_sessions_back(laptop: Client) -> None:
    ada = User.objects.get(username="ada")
    for is_active in (False, True):
        ada.is_active = is_active
        ada.save()
        assert not is_in(laptop)


def test_session_of_a_deleted_account_opens_nothing(bob: Client) -> None:
    User.objects.get(username="bob").delete()
    assert not is_in(bob)


def test_operator_ends_the_sessions_of_an_account_or_of_all(
    laptop: Client, phone: Client, bob: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("end_sessions", "ada")
    assert "2 sessions ended." in capsys.readouterr().out
    assert [is_in(each) for each in (laptop, phone, bob)] == [False, False, True]
    call_command("end_sessions", "--all")
    assert not is_in(bob)
    with pytest.raises(CommandError, match="There is no account 'nobody'"):
        call_command("end_sessions", "nobody")
    with pytest.raises(CommandError):
        call_command("end_sessions")


def test_reset_of_the_second_factor_ends_sessions(laptop: Client, researcher: User) -> None:
    set_up_app(researcher)
    call_command("reset_second_factor", "ada")
    assert not is_in(laptop)


@pytest.mark.embedded
@pytest.mark.parametrize("address", ["/", "/account/tokens/", "/account/security/", "/admin/"])
def test_every_page_offers_to_log_out(laptop: Client, address: str) -> None:
    records = "/admin" if address == "/admin/" else ""
    assert f'action="{records}/logout/"' in laptop.get(address).content.decode()


@pytest.mark.parametrize(
    ("agent", "called"),
    [
        (FIREFOX, "Firefox on Linux"),
        (CHROME, "Chrome on Android"),
        (EDGE, "Edge on Windows"),
        ("curl/8.5.0", "Unknown browser"),
        ("", "Unknown browser"),
    ],
)
def test_browser_is_called_as_people_call_it(agent: str, called: str) -> None:
    assert browser_called(agent) == called
