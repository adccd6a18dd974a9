"""A researcher's account at Prolific: its token is verified, encrypted and never shown."""

import logging
from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings

from dashboard.accounts.models import ProlificAccount
from dashboard.accounts.prolific import NotConnected, client_of, connect
from examples.local_prolific import TOKEN
from examples.local_prolific.server import LocalProlific, local_prolific
from survey.models import StudyEvent
from tests.dashboard.reading import text_of

pytestmark = [pytest.mark.e2e, pytest.mark.embedded]
ADDRESS = "/account/prolific/"


@pytest.fixture
def prolific(settings: Settings) -> Iterator[LocalProlific]:
    with local_prolific() as server:
        settings.PROLIFIC_URL = server.api_url
        yield server


def send(page: Client, token: str = TOKEN, action: str = "connect") -> str:
    return text_of(page.post(ADDRESS, {"token": token, "action": action}, follow=True))


def test_account_is_connected_replaced_and_disconnected(
    page: Client, prolific: LocalProlific, researcher: User
) -> None:
    assert "Connect your account" in text_of(page.get(ADDRESS))
    pasted = f" {TOKEN}\n"
    assert "Connected to researcher@local-prolific.test on Prolific." in send(page, pasted)
    first = ProlificAccount.objects.get(user=researcher)
    prolific.world.tokens["another-token"] = {"id": "5f02", "email": "lab@local-prolific.test"}
    assert "lab@local-prolific.test" in send(page, "another-token")
    replaced = ProlificAccount.objects.get(user=researcher)
    assert (replaced.pk, replaced.prolific_id) == (first.pk, "5f02")
    assert "Disconnected." in send(page, action="disconnect")
    assert not ProlificAccount.objects.exists()
    lines = StudyEvent.objects.filter(author=researcher, study=None).order_by("pk")
    assert [line.action.rpartition(" ")[2] for line in lines if "prolific" in line.action] == [
        "connected",
        "connected",
        "disconnected",
    ]


def test_token_is_stored_encrypted_and_neither_shown_nor_logged(
    page: Client, prolific: LocalProlific, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    send(page)
    assert TOKEN not in ProlificAccount.objects.get().encrypted_token
    assert TOKEN not in page.get(ADDRESS).content.decode()
    assert TOKEN not in caplog.text


@pytest.mark.parametrize(
    ("token", "said"),
    [
        ("wrong-token", "Prolific does not accept this token."),
        ("", "Paste the token that you created on Prolific."),
        ("two words", "This is no Prolific token"),
        ("x" * 400, "This is no Prolific token"),
        ("line\r\nX-Other: header", "This is no Prolific token"),
    ],
)
def test_bad_token_changes_nothing_and_says_so_in_a_line(
    page: Client, prolific: LocalProlific, token: str, said: str
) -> None:
    send(page)
    before = ProlificAccount.objects.get().encrypted_token
    shown = send(page, token)
    assert said in shown
    assert "Nothing was changed." in shown
    assert ProlificAccount.objects.get().encrypted_token == before


def test_token_is_not_stored_while_prolific_does_not_answer(
    page: Client, prolific: LocalProlific
) -> None:
    prolific.faults.retry_after = "60"
    prolific.faults.add("429")
    assert "Prolific is too busy at the moment (HTTP 429)." in send(page)
    assert not ProlificAccount.objects.exists()


def test_account_of_somebody_else_is_left_alone(page: Client, prolific: LocalProlific) -> None:
    bob = User.objects.create_user("bob", is_staff=True)
    connect(user=bob, token=TOKEN)
    assert "researcher@local-prolific.test" not in text_of(page.get(ADDRESS))
    send(page, action="disconnect")
    assert ProlificAccount.objects.get().user == bob


def test_token_is_used_with_its_key_and_at_its_address_alone(
    researcher: User, prolific: LocalProlific, settings: Settings
) -> None:
    with pytest.raises(NotConnected, match="not connected to Prolific"):
        client_of(researcher)
    connect(user=researcher, token=TOKEN)
    with client_of(researcher) as client:
        assert client.who_am_i().email == "researcher@local-prolific.test"
    settings.PROLIFIC_TOKEN_KEY = "another key"
    with pytest.raises(NotConnected, match="another PROLIFIC_TOKEN_KEY"):
        client_of(researcher)
    settings.PROLIFIC_URL = "https://api.prolific.com/api/v1"
    with pytest.raises(NotConnected, match=r"now at https://api\.prolific\.com"):
        client_of(researcher)


def test_every_page_says_that_prolific_is_a_stand_in(
    page: Client, prolific: LocalProlific, settings: Settings
) -> None:
    said = f"Prolific is a stand-in at {prolific.api_url} : nobody is recruited or paid."
    assert all(said in text_of(page.get(address)) for address in ("/", ADDRESS))
    settings.PROLIFIC_URL = "https://api.prolific.com/api/v1"
    assert "stand-in" not in text_of(page.get("/"))
