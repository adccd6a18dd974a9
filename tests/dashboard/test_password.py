"""Changing one's own password: what is accepted, and what becomes of other sessions."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.dashboard.reading import text_of

pytestmark = pytest.mark.embedded  # Django's own form and validators

ADDRESS = "/account/security/password/"
GOOD = "correct horse battery"


def change(client: Client, old: str, new: str) -> tuple[int, str]:
    given = {"old_password": old, "new_password1": new, "new_password2": new}
    answer = client.post(ADDRESS, given)
    return answer.status_code, text_of(answer)


def test_new_password_logs_in_and_the_old_one_does_not(page: Client, researcher: User) -> None:
    assert change(page, "pw", GOOD)[0] == 302
    assert page.get("/").status_code == 200
    assert Client().post("/login/", {"username": "ada", "password": "pw"}).status_code == 200
    assert Client().post("/login/", {"username": "ada", "password": GOOD}).status_code == 302


def test_new_password_ends_other_sessions(page: Client, researcher: User) -> None:
    elsewhere = Client()
    elsewhere.force_login(researcher)
    change(page, "pw", GOOD)
    assert elsewhere.get("/").status_code == 302


@pytest.mark.parametrize(
    ("new", "why"),
    [
        ("elevenchars", "at least 12 characters"),
        ("telechargement", "too common"),
        ("lovelace-lovelace", "too similar to the last name"),
    ],
)
def test_weak_password_is_refused_with_the_reason(
    page: Client, researcher: User, new: str, why: str
) -> None:
    User.objects.update(last_name="lovelace-lovelace")
    status, said = change(page, "pw", new)
    assert status == 200 and why in said
    researcher.refresh_from_db()
    assert researcher.check_password("pw")


def test_guesses_of_the_old_password_count_as_failed_logins(page: Client) -> None:
    assert [change(page, f"guess {i}", GOOD)[0] for i in range(5)] == [200] * 4 + [429]
    assert change(page, "pw", GOOD)[0] == 429


def test_records_lead_to_the_same_page(client: Client, db: None) -> None:
    client.force_login(User.objects.create_superuser("root"))
    assert client.get("/admin/password_change/")["Location"] == ADDRESS
