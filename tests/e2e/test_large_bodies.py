"""What is too long, or does not say how long it is, is refused before it is read."""

import socket
import tempfile
from pathlib import Path

import pytest

from tests.e2e.installation import Installation

pytestmark = pytest.mark.embedded
FORM = "Content-Type: application/x-www-form-urlencoded"
FILES = "Content-Type: multipart/form-data; boundary=b"
CSRF = "Cookie: csrftoken=" + "a" * 32
LENGTH, CHUNKED = "Content-Length: {}", "Transfer-Encoding: chunked"
MB = 1_000_000


def status_before_the_body(installation: Installation, path: str, *headers: str) -> int:
    """What the server answers when it has heard the head of a request and nothing more."""
    head = [f"POST {path} HTTP/1.1", f"Host: localhost:{installation.port}", CSRF, *headers]
    with socket.create_connection(("127.0.0.1", installation.port), timeout=20) as line:
        line.sendall("\r\n".join([*head, "", ""]).encode())
        answer = line.recv(65536)
    return int(answer.split()[1])


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/s/small/page/2/", (FORM, LENGTH.format(3 * MB)), 413),
        ("/s/small/page/2/", (FILES, LENGTH.format(300 * MB)), 413),
        ("/s/small/page/2/", (FORM, CHUNKED), 411),
        ("/login/", (FILES, LENGTH.format(300 * MB)), 413),
        ("/login/", (FILES, CHUNKED), 411),
    ],
)
def test_body_is_refused_by_what_its_head_says(
    installation: Installation, path: str, headers: tuple[str, ...], status: int
) -> None:
    assert status_before_the_body(installation, path, *headers) == status


def test_large_file_sent_by_a_participant_never_reaches_the_disk(
    installation: Installation,
) -> None:
    part = b'--b\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n'
    head = (
        f"POST /s/small/page/2/ HTTP/1.1\r\nHost: localhost:{installation.port}\r\n{CSRF}\r\n"
        f"{FILES}\r\nContent-Length: {300 * MB}\r\n\r\n"
    )
    folder = Path(tempfile.gettempdir())
    before = set(folder.glob("*.upload*"))
    with socket.create_connection(("127.0.0.1", installation.port), timeout=20) as line:
        line.sendall(head.encode() + part)
        sent = 0
        try:
            while sent < 300 * MB:
                sent += line.send(b"x" * 65536)
        except OSError:  # the server has closed the line
            pass
    assert sent < 30 * MB
    assert set(folder.glob("*.upload*")) == before


def test_form_of_a_page_may_be_as_long_as_forms_are(installation: Installation) -> None:
    assert status_before_the_body(installation, "/s/small/page/2/", FORM, LENGTH.format(0)) == 403
