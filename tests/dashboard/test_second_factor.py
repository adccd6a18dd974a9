"""The second step of a login: codes of an app, recovery codes, passkeys; and losing them all."""

import time
from base64 import b32decode

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.utils import decrypt
from django.contrib.auth.models import User
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from survey.models import StudyEvent
from tests.dashboard.reading import text_of
from tests.dashboard.second_factors import (
    Clock,
    code_for,
    code_of,
    recovery_codes_of,
    set_up_app,
    wrong_code_of,
)

# What django-allauth does: the database changes nothing of it.
pytestmark = [pytest.mark.django_db, pytest.mark.embedded]

PASSWORD = {"username": "ada", "password": "pw"}
STEP = "/account/security/second-step/"
APP = "/account/security/app/"
CODES = "/account/security/recovery-codes/"
PASSKEYS = "/account/security/passkeys/"
AGAIN = "/account/security/password-again/"
HERE, THERE = "192.0.2.1", "192.0.2.2"


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    stopped = Clock(time.time())
    monkeypatch.setattr("time.time", stopped)
    cache.clear()
    return stopped


@pytest.fixture
def ada(researcher: User) -> User:
    """A researcher with an app and recovery codes."""
    set_up_app(researcher)
    return researcher


@pytest.fixture
def logged_in(client: Client, researcher: User) -> Client:
    """A browser in which a researcher without a second factor has just logged in."""
    client.post("/login/", PASSWORD)
    return client


def second_step(client: Client, code: str, address: str = HERE) -> int:
    return client.post(STEP, {"code": code}, REMOTE_ADDR=address).status_code


def give_password(client: Client, address: str = HERE) -> None:
    answer = client.post("/login/", PASSWORD, REMOTE_ADDR=address)
    assert (answer.status_code, answer["Location"]) == (302, STEP)


def logged(action: str) -> list[str]:
    """Which second factors the audit log names."""
    lines = StudyEvent.objects.filter(author__username="ada", action=action)
    return sorted(lines.values_list("detail__name", flat=True))


def is_logged_in(client: Client) -> bool:
    return client.get("/").status_code == 200


def test_password_alone_logs_nobody_in_who_has_a_second_factor(client: Client, ada: User) -> None:
    give_password(client)
    assert not is_logged_in(client)
    assert "Code of your authenticator app" in text_of(client.get(STEP))


def test_second_step_without_a_password_leads_to_the_login(client: Client, ada: User) -> None:
    for answer in (client.get(STEP), client.post(STEP, {"code": code_of(ada)})):
        assert (answer.status_code, answer["Location"]) == (302, "/login/")
    assert not is_logged_in(client)


def test_code_of_the_app_leads_to_the_page_that_was_asked_for(client: Client, ada: User) -> None:
    client.post("/login/?next=/account/tokens/", PASSWORD)
    answer = client.post(STEP, {"code": code_of(ada)})
    assert (answer.status_code, answer["Location"]) == (302, "/account/tokens/")
    assert is_logged_in(client)


def test_account_that_was_deactivated_after_its_password_stays_out(
    client: Client, ada: User
) -> None:
    give_password(client)
    User.objects.update(is_active=False)
    second_step(client, code_of(ada))
    assert not is_logged_in(client)


def test_fifth_wrong_code_has_to_wait_at_every_address(client: Client, ada: User) -> None:
    give_password(client)
    wrong = wrong_code_of(ada)
    assert [second_step(client, wrong) for _ in range(5)] == [200] * 4 + [429]
    answer = client.post(STEP, {"code": code_of(ada)}, REMOTE_ADDR=THERE)
    assert (answer.status_code, answer["Retry-After"]) == (429, "300")
    assert "The second step of logging in as ada failed too often." in text_of(answer)
    assert "Try again in 5 minutes" in text_of(answer)
    assert not is_logged_in(client)


def test_wrong_codes_hold_up_no_other_account(client: Client, ada: User) -> None:
    bob = User.objects.create_user("bob", password="pw", is_staff=True)
    set_up_app(bob)
    give_password(client)
    for _ in range(5):
        second_step(client, wrong_code_of(ada))
    other = Client()
    other.post("/login/", {"username": "bob", "password": "pw"}, REMOTE_ADDR=HERE)
    assert second_step(other, code_of(bob)) == 302


def test_right_code_forgets_the_wrong_ones(client: Client, ada: User, clock: Clock) -> None:
    for _ in range(2):
        give_password(client)
        assert [second_step(client, wrong_code_of(ada)) for _ in range(4)] == [200] * 4
        assert second_step(client, code_of(ada)) == 302
        clock.now += 30
        client.post("/logout/")


def test_code_works_once(client: Client, ada: User, clock: Clock) -> None:
    give_password(client)
    assert second_step(client, code_of(ada)) == 302
    other = Client()
    give_password(other)
    cache.clear()  # another web process does not have it either
    assert second_step(other, code_of(ada)) == 200
    assert not is_logged_in(other)
    clock.now += 30
    assert second_step(other, code_of(ada)) == 302


def test_code_that_sets_up_the_app_is_used(
    logged_in: Client, researcher: User, clock: Clock
) -> None:
    code = code_for(logged_in.get(APP).context["form"].secret)
    assert logged_in.post(APP, {"code": code}).status_code == 302
    fresh = Client()
    give_password(fresh)
    assert second_step(fresh, code) == 200
    assert not is_logged_in(fresh)
    clock.now += 30
    assert second_step(fresh, code_of(researcher)) == 302


def test_code_is_over_after_its_half_minute(client: Client, ada: User, clock: Clock) -> None:
    give_password(client)
    code = code_of(ada)
    clock.now += 30
    assert second_step(client, code) == 200


def test_recovery_code_works_once(client: Client, ada: User) -> None:
    code = recovery_codes_of(ada)[3]
    give_password(client)
    assert second_step(client, code) == 302
    other = Client()
    give_password(other)
    assert second_step(other, code) == 200
    assert code not in recovery_codes_of(ada) and len(recovery_codes_of(ada)) == 9


def test_app_is_set_up_with_its_first_code(
    logged_in: Client,
    researcher: User,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    page = logged_in.get(APP)
    secret = page.context["form"].secret
    assert secret in page.content.decode() and "data:image/svg+xml;base64," in page.content.decode()
    answer = logged_in.post(APP, {"code": "no code"})
    assert answer.status_code == 200 and secret in answer.content.decode()
    assert not Authenticator.objects.exists()
    with django_capture_on_commit_callbacks(execute=True):
        answer = logged_in.post(APP, {"code": code_for(secret)})
    assert (answer.status_code, answer["Location"]) == (302, CODES)
    assert Client().post("/login/", PASSWORD)["Location"] == STEP
    assert logged("second factor added") == ["authenticator app", "recovery codes"]


def test_recovery_codes_are_shown_once_with_a_download(logged_in: Client, researcher: User) -> None:
    set_up_app(researcher)
    codes = recovery_codes_of(researcher)
    first = logged_in.get(CODES).content.decode()
    assert all(first.count(code) == 2 for code in codes)  # to read, and in the download
    second = logged_in.get(CODES)
    assert "You have 10 of 10 codes left." in text_of(second)
    assert not any(code in second.content.decode() for code in codes)


def test_new_recovery_codes_replace_the_old_ones(
    logged_in: Client,
    researcher: User,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    set_up_app(researcher)
    old = recovery_codes_of(researcher)
    with django_capture_on_commit_callbacks(execute=True):
        logged_in.post(f"{CODES}new/")
    new = recovery_codes_of(researcher)
    assert len(new) == 10 and not set(old) & set(new)
    assert new[0] in logged_in.get(CODES).content.decode()
    assert logged("second factor renewed") == ["recovery codes"]


def test_secrets_cannot_be_read_in_the_database(ada: User) -> None:
    app, codes = Authenticator.objects.order_by("-type")
    assert (app.type, codes.type) == ("totp", "recovery_codes")
    assert app.data["secret"].startswith("gAAAA") and codes.data["seed"].startswith("gAAAA")


def test_secrets_are_random_and_too_long_to_be_guessed(ada: User) -> None:
    before = Authenticator.objects.get(type="totp"), set(recovery_codes_of(ada))
    secret = decrypt(before[0].data["secret"])
    assert len(b32decode(secret)) * 8 == 160
    assert len(before[1]) == 10
    assert all(len(code) == 8 and code.isdecimal() for code in before[1])  # 26 bits
    Authenticator.objects.all().delete()
    set_up_app(ada)
    assert decrypt(Authenticator.objects.get(type="totp").data["secret"]) != secret
    assert before[1].isdisjoint(recovery_codes_of(ada))


def test_other_secret_key_says_whom_to_ask(client: Client, ada: User, settings: Settings) -> None:
    code = code_of(ada)
    settings.SECRET_KEY = "another one"
    give_password(client)
    answer = client.post(STEP, {"code": code})
    assert "Ask its operator to reset it." in text_of(answer)
    client.force_login(ada)
    assert "10 codes left" in text_of(client.get("/account/security/"))


def test_password_is_asked_for_again_after_a_quarter_of_an_hour(
    logged_in: Client, clock: Clock
) -> None:
    assert logged_in.get(APP).status_code == 200
    clock.now += 15 * 60
    answer = logged_in.get(APP)
    assert (answer.status_code, answer["Location"]) == (
        302,
        f"{AGAIN}?next={APP.replace('/', '%2F')}",
    )
    wrong = logged_in.post(answer["Location"], {"password": "guess"})
    assert "This password is wrong." in text_of(wrong)
    assert logged_in.get(APP).status_code == 302
    right = logged_in.post(answer["Location"], {"password": "pw"})
    assert (right.status_code, right["Location"]) == (302, APP)
    assert logged_in.get(APP).status_code == 200


def test_guessing_the_password_again_counts_as_failed_logins(
    logged_in: Client, clock: Clock
) -> None:
    clock.now += 15 * 60
    guesses = [logged_in.post(AGAIN, {"password": f"guess {i}"}).status_code for i in range(5)]
    assert guesses == [200] * 4 + [429]


@pytest.mark.parametrize("address", [APP, f"{APP}remove/", CODES, f"{CODES}new/", PASSKEYS])
def test_every_change_asks_for_the_password_again(
    logged_in: Client, researcher: User, clock: Clock, address: str
) -> None:
    if address != APP:
        set_up_app(researcher)
    clock.now += 15 * 60
    assert logged_in.get(address)["Location"].startswith(AGAIN)
    if address != CODES:  # it is only read
        assert logged_in.post(address)["Location"].startswith(AGAIN)


def test_app_that_is_removed_leaves_the_password_and_no_codes(
    logged_in: Client, researcher: User
) -> None:
    set_up_app(researcher)
    assert logged_in.post(f"{APP}remove/").status_code == 302
    assert not Authenticator.objects.exists()
    assert Client().post("/login/", PASSWORD)["Location"] == "/"


@pytest.mark.parametrize(
    "sent", ["", "{", "{}", "[]", "null", '{"id": 1}', '{"response": {}}', "[" * 100_000]
)
def test_passkey_that_no_browser_sends_is_refused_in_one_line(
    client: Client, logged_in: Client, ada: User, sent: str
) -> None:
    fresh = Client()
    give_password(fresh)
    fresh.get(STEP)
    assert fresh.post(STEP, {"credential": sent}).status_code == 200
    assert not is_logged_in(fresh)
    logged_in.get(PASSKEYS)
    answer = logged_in.post(PASSKEYS, {"name": "x", "credential": sent})
    assert answer.status_code == 200
    assert not Authenticator.objects.filter(type="webauthn").exists()


@pytest.mark.parametrize(
    ("host", "is_secure", "work"),
    [
        ("localhost:8000", False, True),
        ("survey.example.org", True, True),
        ("survey.example.org", False, False),
        ("192.0.2.7", True, False),
        ("[::1]:8000", False, False),
    ],
)
def test_page_says_where_passkeys_cannot_work(
    page: Client, settings: Settings, host: str, is_secure: bool, work: bool
) -> None:
    settings.ALLOWED_HOSTS = ["*"]
    answer = page.get("/account/security/", headers={"host": host}, secure=is_secure)
    assert ("Passkeys can't be used at this address." not in text_of(answer)) is work


def test_passkeys_of_others_are_neither_renamed_nor_removed(logged_in: Client) -> None:
    bob = User.objects.create_user("bob")
    passkey = Authenticator.objects.create(user=bob, type="webauthn", data={"name": "Bob's"})
    for action in ("mfa_edit_webauthn", "mfa_remove_webauthn"):
        address = reverse(action, args=[passkey.pk])
        assert logged_in.post(address, {"name": "mine"}).status_code == 404
    passkey.refresh_from_db()
    assert passkey.data["name"] == "Bob's"


def test_operator_resets_the_second_factor(
    client: Client, ada: User, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("reset_second_factor", "ada")
    said = capsys.readouterr().out
    assert said.startswith("Removed from ada: codes (1), authenticator app (1).")
    line = StudyEvent.objects.get(action="second factor removed")
    assert (line.detail, line.author, line.via) == ({"person": "ada"}, None, "command")
    assert client.post("/login/", PASSWORD)["Location"] == "/"
    with pytest.raises(CommandError, match="ada has no second factor"):
        call_command("reset_second_factor", "ada")
    with pytest.raises(CommandError, match="There is no account"):
        call_command("reset_second_factor", "nobody")


def test_records_show_no_second_factors(client: Client, ada: User) -> None:
    client.force_login(User.objects.create_superuser("root"))
    assert client.get("/admin/mfa/authenticator/").status_code == 404
    assert "Authenticator" not in text_of(client.get("/admin/"))
