"""`manage.py serve --public`: a name with HTTPS before the site, tried out on this machine."""

import os
import signal
import socket
from pathlib import Path

import pytest
import requests
from django.core.management.base import CommandError
from django.test import Client
from pytest_django import Settings

from config.processes import free_port
from dashboard.management.public_address import PublicAddress
from tests.dashboard.reading import text_of
from tests.e2e.test_serve import (
    Serve,
    children_of,
    descendants,
    in_use,
    master_of,
    serve,
    set_up,
    still_running,
    until,
    until_end,
)

pytestmark = [pytest.mark.e2e, pytest.mark.embedded]
__all__ = ["in_use", "serve", "set_up"]  # fixtures


@pytest.mark.usefixtures("set_up")
def test_site_answers_at_its_name_with_https_and_says_from_where_it_was_reached(
    serve: Serve, tmp_path: Path
) -> None:
    port = free_port()
    process = serve(free_port(), PUBLIC=f"localhost:{port}")
    link = until(process, r"open this link:\s+(https://\S+)")
    assert link.startswith(f"https://localhost:{port}/reachable/")
    session = requests.Session()
    session.trust_env = False  # this machine's own authorities do not matter
    authority = tmp_path / "data" / "caddy/caddy/pki/authorities/local/root.crt"
    session.verify = str(authority)
    login = session.get(f"https://localhost:{port}/login/", timeout=30)
    assert login.status_code == 200
    assert login.cookies.get("csrftoken"), f"{login.headers} {login.text[:1000]}"
    assert next(iter(login.cookies)).secure

    # What a client says of itself does not count: the proxy adds what it knows.
    shown = session.get(link, headers={"X-Forwarded-For": "8.8.8.8"}, timeout=30)
    assert "This device is in the same network as the server." in shown.text
    until(process, "Reached from the network of this machine.")
    assert session.get(link + "x/", timeout=30).status_code == 404

    proxy = master_of(process, "caddy")
    os.kill(proxy, signal.SIGKILL)
    until(process, "proxy ended unexpectedly .* restarted in 1 s")
    children = descendants(process)
    process.child.send_signal(signal.SIGINT)
    assert until_end(process).rstrip().endswith("Stopped.")
    assert still_running([*children, *children_of(proxy)]) == []
    assert oct((tmp_path / "data" / "caddy").stat().st_mode)[-3:] == "700"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("https://example.org", "--public 'https://example.org' is no host name"),
        ("example.org/survey", "--public 'example.org/survey' is no host name"),
        ("203.0.113.5", "--public '203.0.113.5' is no host name"),
        ("-example.org", "is no host name"),
        ("example.org:0", "--public 'example.org:0': a port is a number from 1 to 65535"),
        ("example.org:x", "a port is a number"),
    ],
)
def test_what_is_no_name_gets_one_clear_line(text: str, said: str) -> None:
    with pytest.raises(CommandError) as refused:
        PublicAddress.read(text)
    assert said in str(refused.value) and "\n" not in str(refused.value)


def test_name_that_leads_nowhere_is_refused_before_anything_is_made(
    serve: Serve, tmp_path: Path
) -> None:
    process = serve(free_port(), PUBLIC=f"nobody.invalid:{free_port()}")
    said = until_end(process)
    assert process.exit_code == 1
    assert "this name leads nowhere yet" in said or "Port 80 is taken" in said
    assert said.count("\n") == 1
    assert not (tmp_path / "data" / "fivefold.sqlite3").exists()


def test_taken_port_of_https_is_named() -> None:
    with socket.create_server(("", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(CommandError, match=f"Port {port} is taken: another web server"):
            PublicAddress("localhost", port).check()


def test_address_is_in_links_without_the_usual_port() -> None:
    assert PublicAddress.read("Survey.Example.org").url == "https://survey.example.org"
    assert PublicAddress.read("localhost:8443").url == "https://localhost:8443"
    assert PublicAddress("localhost").is_local and not PublicAddress("example.org").is_local


# ── The page that a phone opens ──────────────────────────────────────────────────────────────


@pytest.fixture
def token(settings: Settings, tmp_path: Path) -> str:
    settings.BEHIND_PROXY = True
    settings.REACHABLE_TOKEN = "the-token"
    settings.REACHED_FILE = tmp_path / "reached"
    return "the-token"


@pytest.mark.parametrize(
    ("client_at", "said", "told"),
    [
        ("93.184.216.34", "This device is outside the network of the server.", "outside"),
        ("192.168.1.7", "This device is in the same network as the server.", "inside"),
        ("::1", "This device is in the same network as the server.", "inside"),
    ],
)
def test_only_an_address_of_the_internet_is_from_outside(
    client: Client, db: None, settings: Settings, token: str, client_at: str, said: str, told: str
) -> None:
    answer = client.get(f"/reachable/{token}/", HTTP_X_FORWARDED_FOR=f"10.0.0.1, {client_at}")
    assert answer.status_code == 200 and said in text_of(answer)
    assert settings.REACHED_FILE.read_text() == told  # and no address


@pytest.mark.parametrize("other", ["another", "ünknown"])
def test_other_links_reach_nothing(
    client: Client, db: None, settings: Settings, token: str, other: str
) -> None:
    assert client.get(f"/reachable/{other}/").status_code == 404
    settings.REACHABLE_TOKEN = ""
    assert client.get(f"/reachable/{token}/").status_code == 404
    assert not settings.REACHED_FILE.exists()
