"""Passwords: which are accepted, how they are changed, and what becomes of other sessions."""

import re
from datetime import timedelta
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from dashboard.design.first_start import researcher_password
from tests.dashboard.reading import text_of
from tests.dashboard.second_factors import set_up_app

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
        ("Fivefold-2026!!", "little more than “fivefold”"),
        ("prolific.owner.1", "little more than “prolific” and “owner”"),
        ("example-example-1", "little more than “example”"),
    ],
)
def test_weak_password_is_refused_with_the_reason(
    page: Client, researcher: User, settings: Settings, new: str, why: str
) -> None:
    User.objects.update(last_name="lovelace-lovelace")
    settings.SITE_URL = "https://survey.example.org"
    status, said = change(page, "pw", new)
    assert status == 200 and why in said
    researcher.refresh_from_db()
    assert researcher.check_password("pw")


@pytest.mark.parametrize(
    "password",
    [
        GOOD,
        "a fivefold horse battery",  # a word of the site among others
        "onlysmallletters",
        "190237461029",  # digits alone
        " spaces at both ends ",
        "Größe 猫 und Straße 🐈",
        "long " * 40,
    ],
)
def test_password_of_any_composition_is_taken_exactly_as_it_is_typed(
    page: Client, password: str
) -> None:
    assert change(page, "pw", password)[0] == 302
    for other in (password.swapcase(), password.strip(), password[:64], password):
        answer = Client().post("/login/", {"username": "ada", "password": other})
        assert (answer.status_code == 302) is (other == password)


def test_password_is_changed_only_with_the_old_one(page: Client, researcher: User) -> None:
    assert change(page, "", GOOD)[0] == change(page, "wrong", GOOD)[0] == 200
    researcher.refresh_from_db()
    assert researcher.check_password("pw")


def test_password_does_not_expire(client: Client, researcher: User) -> None:
    years_ago = timezone.now() - timedelta(days=5 * 365)
    User.objects.update(date_joined=years_ago, last_login=years_ago)
    client.post("/login/", {"username": "ada", "password": "pw"})
    assert client.get("/").status_code == 200


def test_passwords_of_the_operators_file_are_refused(
    page: Client, tmp_path: Path, settings: Settings
) -> None:
    file = tmp_path / "breached.txt"
    file.write_bytes(b"Trustno1Trustno1\r\nshort\ncaf\xe9 of latin one\n")
    name = "dashboard.accounts.passwords.BreachedPasswordValidator"
    options = {"path": str(file), "shortest": 12}
    settings.AUTH_PASSWORD_VALIDATORS = [{"NAME": name, "OPTIONS": options}]
    status, said = change(page, "pw", "trustno1TRUSTNO1")
    assert status == 200 and "known from a breach" in said
    assert change(page, "pw", "trustno1TRUSTNO2")[0] == 302


@pytest.mark.parametrize("address", ["/login/", ADDRESS, "/account/security/password-again/"])
def test_password_fields_are_masked_and_open_to_password_managers(
    page: Client, address: str
) -> None:
    html = (Client() if address == "/login/" else page).get(address).content.decode()
    fields = re.findall(r"<input[^>]*password[^>]*>", html)
    assert fields
    for field in fields:
        assert 'type="password"' in field
        assert re.search(r'autocomplete="(current|new)-password"', field)
        assert not re.search(r"\son\w+=|maxlength|readonly", field)


def test_first_account_has_a_password_of_its_own_in_a_private_file(
    db: None, tmp_path: Path
) -> None:
    files = [tmp_path / "first.txt", tmp_path / "second.txt"]
    passwords = []
    for file in files:
        User.objects.all().delete()
        password = researcher_password(kept_in=file)
        assert password
        passwords.append(password)
        validate_password(password, User.objects.get())
        assert file.stat().st_mode & 0o777 == 0o600
    assert passwords[0] != passwords[1]
    User.objects.all().delete()
    User.objects.create_superuser("ada")
    assert researcher_password(kept_in=tmp_path / "third.txt") is None
    assert User.objects.count() == 1  # no account beside those that people made


def test_forgotten_password_that_is_set_anew_does_not_pass_the_second_factor(
    client: Client, researcher: User
) -> None:
    set_up_app(researcher)
    researcher.set_password(GOOD)  # as `manage changepassword` does
    researcher.save()
    client.post("/login/", {"username": "ada", "password": GOOD})
    assert client.get("/").status_code == 302


def test_guesses_of_the_old_password_count_as_failed_logins(page: Client) -> None:
    assert [change(page, f"guess {i}", GOOD)[0] for i in range(5)] == [200] * 4 + [429]
    assert change(page, "pw", GOOD)[0] == 429


def test_records_lead_to_the_same_page(client: Client, db: None) -> None:
    client.force_login(User.objects.create_superuser("root"))
    assert client.get("/admin/password_change/")["Location"] == ADDRESS
