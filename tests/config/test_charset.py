"""What a request may say about its encoding, asked of the very application that is served."""

from collections.abc import Iterable
from io import BytesIO
from wsgiref.util import setup_testing_defaults

import pytest

from config.charset import REFUSAL
from config.wsgi import application

# Requests are refused before they reach the database: the database changes nothing of it.
pytestmark = [pytest.mark.django_db, pytest.mark.embedded]

FORM = "application/x-www-form-urlencoded"
FILES = "multipart/form-data; boundary=x"
TOKEN = "a" * 32  # in cookie and form alike, so that the form is read
FORM_BODY = f"csrfmiddlewaretoken={TOKEN}".encode()
FILES_BODY = (
    f'--x\r\nContent-Disposition: form-data; name="csrfmiddlewaretoken"\r\n\r\n{TOKEN}\r\n--x--\r\n'
).encode()


def ask(path: str, content_type: str, body: bytes = FORM_BODY, *, get: bool = False) -> str:
    """The answer's status; every refusal is the one plain line."""
    environ = {
        "REQUEST_METHOD": "GET" if get else "POST",
        "PATH_INFO": path,
        "QUERY_STRING": "a=1",
        "CONTENT_TYPE": content_type,
        "CONTENT_LENGTH": str(len(body)),
        "HTTP_COOKIE": f"csrftoken={TOKEN}",
        "HTTP_HOST": "localhost:8000",
        "wsgi.input": BytesIO(body),
    }
    setup_testing_defaults(environ)
    statuses: list[str] = []

    def start_response(status: str, headers: object, exc_info: object = None, /) -> object:
        statuses.append(status)
        return None

    answer: Iterable[bytes] = application(environ, start_response)  # type: ignore[arg-type]  # nobody calls write()
    said = b"".join(answer)
    [status] = statuses
    assert status != "400 Bad Request" or said == REFUSAL
    return status


@pytest.mark.parametrize("path", ["/login/", "/api/studies/", "/s/small/consent/", "/s/small/"])
@pytest.mark.parametrize(
    "charset",
    [
        "charset=utf-7",
        "charset=base64",
        'charset="base64"',
        "charset=klingon",
        "charset=",
        "Charset = hex",
        "charset=utf-8; charset=hex",
        "charset*=base64''x",
        "charset*=utf-8''%00",
    ],
)
def test_another_charset_is_refused_with_one_line(db: None, path: str, charset: str) -> None:
    assert ask(path, f"{FORM}; {charset}") == "400 Bad Request"
    assert ask(path, f"{FORM}; {charset}", get=True) == "400 Bad Request"
    assert ask(path, f"{FILES}; {charset}", FILES_BODY) == "400 Bad Request"


@pytest.mark.parametrize("charset", ["", "; charset=utf-8", '; CHARSET="UTF-8"', ";charset=UTF-8 "])
def test_utf_8_is_read(db: None, charset: str) -> None:
    assert ask("/login/", f"{FORM}{charset}") == "200 OK"
    assert ask("/login/", f"{FILES}{charset}", FILES_BODY) == "200 OK"
    assert ask("/api/studies/", f"{FORM}{charset}") == "401 Unauthorized"
