"""Logging in: for researchers, and slowed down for whoever guesses."""

from datetime import timedelta

import pytest
from axes.models import AccessAttempt
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.db.models import F
from django.test import Client

from tests.dashboard.reading import text_of

# What Django and django-axes do: the database changes nothing of it.
pytestmark = [pytest.mark.django_db, pytest.mark.embedded]

HERE, THERE = "192.0.2.1", "192.0.2.2"


@pytest.fixture(autouse=True)
def ada(researcher: User) -> User:
    return researcher


def log_in(client: Client, password: str, name: str = "ada", address: str = HERE) -> int:
    given = {"username": name, "password": password}
    return client.post("/login/", given, REMOTE_ADDR=address).status_code


def fail(client: Client, times: int, name: str = "ada") -> list[int]:
    return [log_in(client, f"guess {number}", name) for number in range(times)]


def test_login_lets_researchers_in(client: Client) -> None:
    answer = client.post("/login/?next=/account/tokens/", {"username": "ada", "password": "pw"})
    assert (answer.status_code, answer["Location"]) == (302, "/account/tokens/")


def test_login_leads_nowhere_else(client: Client) -> None:
    answer = client.post(
        "/login/?next=https://elsewhere.example/", {"username": "ada", "password": "pw"}
    )
    assert answer["Location"] == "/"


def test_login_tells_people_who_are_no_staff(client: Client) -> None:
    User.objects.create_user("guest", password="pw")
    answer = client.post("/login/", {"username": "guest", "password": "pw"})
    assert "This account has no access" in answer.content.decode()
    assert "_auth_user_id" not in client.session


def test_login_to_the_records_is_the_same(client: Client) -> None:
    answer = client.get("/admin/login/?next=/admin/survey/study/")
    assert (answer.status_code, answer["Location"]) == (302, "/login/?next=/admin/survey/study/")


def test_fifth_failure_has_to_wait_even_with_the_right_password(client: Client) -> None:
    assert fail(client, 4) == [200] * 4
    assert fail(client, 1) == [429]
    answer = client.post("/login/", {"username": "ada", "password": "pw"}, REMOTE_ADDR=HERE)
    assert (answer.status_code, answer["Retry-After"]) == (429, "300")
    assert "Logging in as ada failed too often from your address." in text_of(answer)
    assert "Try again in 5 minutes" in text_of(answer)
    assert "_auth_user_id" not in client.session


def test_who_waits_may_log_in_though_they_went_on_trying(client: Client) -> None:
    fail(client, 5)
    AccessAttempt.objects.update(attempt_time=F("attempt_time") - timedelta(minutes=4))
    assert fail(client, 3) == [429] * 3
    AccessAttempt.objects.update(attempt_time=F("attempt_time") - timedelta(minutes=1))
    assert log_in(client, "pw") == 302


def test_others_are_not_held_up(client: Client) -> None:
    User.objects.create_user("bob", password="pw", is_staff=True)
    fail(client, 5)
    assert log_in(client, "pw", name="bob") == 302
    assert log_in(client, "pw", address=THERE) == 302


def test_other_browser_at_the_same_address_waits_too(client: Client) -> None:
    fail(client, 4)
    elsewhere = Client(headers={"user-agent": "another browser"})
    assert fail(elsewhere, 1) == [429]


def test_success_forgets_what_failed_before(client: Client) -> None:
    fail(client, 4)
    assert log_in(client, "pw") == 302
    assert fail(client, 4) == [200] * 4


def test_fiftieth_failure_of_an_address_has_to_wait_whatever_the_name(client: Client) -> None:
    names = [f"guess{number}" for number in range(50)]
    assert [log_in(client, "x", name) for name in names] == [200] * 49 + [429]
    answer = client.post("/login/", {"username": "ada", "password": "pw"}, REMOTE_ADDR=HERE)
    assert answer.status_code == 429
    assert 0 < int(answer["Retry-After"]) <= 300  # five minutes after the first of them
    assert "Logins from your address failed too often." in text_of(answer)
    assert log_in(client, "pw", address=THERE) == 302


def test_login_that_succeeds_does_not_forget_what_its_address_failed_with(client: Client) -> None:
    for number in range(49):
        log_in(client, "x", f"guess{number}")
    assert log_in(client, "pw") == 302
    assert log_in(client, "x", "guess49") == 429


def test_locked_page_says_how_long_it_still_takes(client: Client) -> None:
    fail(client, 5)
    AccessAttempt.objects.update(attempt_time=F("attempt_time") - timedelta(minutes=3))
    answer = client.post("/login/", {"username": "ada", "password": "pw"}, REMOTE_ADDR=HERE)
    assert answer["Retry-After"] == "120"
    assert "Try again in 2 minutes" in text_of(answer)


def test_login_starts_a_session_of_its_own(client: Client) -> None:
    log_in(client, "pw")
    first = Session.objects.get()
    log_in(client, "pw")
    assert Session.objects.get() != first


def test_name_that_nobody_has_is_treated_alike(client: Client) -> None:
    assert fail(client, 5, name="nobody") == [200] * 4 + [429]


def test_what_was_typed_is_not_kept(client: Client) -> None:
    fail(client, 2)
    attempt = AccessAttempt.objects.get()
    assert "guess" not in attempt.post_data


def test_a_name_longer_than_any_account_is_refused_by_the_form(client: Client) -> None:
    answer = client.post("/login/", {"username": "x" * 256, "password": "y"})
    assert answer.status_code == 200
    assert "at most 150 characters" in answer.content.decode()
