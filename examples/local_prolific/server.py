"""The local Prolific's HTTP server: its API, its faults, and pages for a person with a browser."""

import hashlib
import html
import json
import socket
import struct
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from examples.local_prolific import TOKEN
from examples.local_prolific.api import answer
from examples.local_prolific.faults import (
    AFTER,
    BEFORE,
    GATEWAY,
    STRANGE,
    STRANGE_BEFORE,
    Faults,
)
from examples.local_prolific.people import link_of
from examples.local_prolific.webhooks import Webhooks
from examples.local_prolific.world import ApiError, World

API = "/api/v1/"
KEYS = "/.well-known/study/jwks.json"
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Local Prolific</title>
<body style="font-family: sans-serif; max-width: 50em; margin: 2em auto"><h1>Local Prolific</h1>
<p>A stand-in on this machine: nobody is paid.</p>{}</body></html>"""


class LocalProlific(ThreadingHTTPServer):
    """The server, with its world and its faults."""

    daemon_threads = True

    def __init__(self, port: int = 0, *, token: str = TOKEN, balance: int = 1_000_000) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.faults = Faults()
        self.hooks = Webhooks(self.faults)
        self.world = World(balance=balance, notify=self.hooks.notify)
        # the same account after a restart
        account = hashlib.sha256(token.encode()).hexdigest()[:24]
        self.world.tokens[token] = {"id": account, "email": "researcher@local-prolific.test"}
        #: Every request to the API: method and path.
        self.log: list[str] = []
        #: Called with the token of a request to the API, what it asks for, and the moment: "asked",
        #: or "done" before the answer. It may wait.
        self.between: Callable[[str, str, str], None] = lambda token, request, moment: None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    @property
    def api_url(self) -> str:
        """What PROLIFIC_URL is set to."""
        return f"{self.url}/api/v1"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients may go away."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: LocalProlific

    def do_GET(self) -> None:
        self._any("GET")

    def do_POST(self) -> None:
        self._any("POST")

    def do_PATCH(self) -> None:
        self._any("PATCH")

    def do_DELETE(self) -> None:
        self._any("DELETE")

    def _any(self, method: str) -> None:
        data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        address = urlsplit(self.path)
        try:
            if address.path.startswith(API):
                self._api(method, address.path.removeprefix(API), address.query, data)
            elif address.path.startswith("/.local/"):
                self._control(method, address.path.removeprefix("/.local/"), data)
            elif address.path == KEYS:
                self._keys(method)
            else:
                self._page(address.path, address.query)
        except ApiError as error:
            self._json(error.status, error.body)

    # ── The API ──────────────────────────────────────────────────────────────────────────────

    def _api(self, method: str, path: str, query: str, data: bytes) -> None:
        server = self.server
        scheme, _, token = self.headers.get("Authorization", "").partition(" ")
        request = f"{method} {path}"
        server.between(token, request, "asked")
        server.log.append(request)
        fault = server.faults.of_request(method, path)
        if fault in BEFORE:
            status = BEFORE[fault]
            headers = {"Retry-After": server.faults.retry_after} if status == 429 else {}
            self._json(status, ApiError(status, "Not now").body, headers)
            return
        if fault in ("hang", "reset"):
            self._be_silent(fault)
            return
        if fault in GATEWAY:
            self._send(GATEWAY[fault], "text/html", b"<!doctype html><title>Gateway</title>")
            return
        if fault in STRANGE_BEFORE:
            self._send(200, *STRANGE_BEFORE[fault])
            return
        try:
            body = json.loads(data or b"{}")
        except ValueError:
            raise ApiError(400, "Bad Request", "The body is no JSON") from None
        status, content, headers = answer(
            server.world,
            server.hooks,
            method=method,
            path=path,
            query=query,
            body=body,
            token=token if scheme == "Token" else "",
        )
        server.between(token, request, "done")
        if fault in AFTER:
            self._be_silent(fault.removesuffix("_after"))
        elif fault in STRANGE:
            self._send(200, *STRANGE[fault])
        elif isinstance(content, bytes):
            self._send(status, "text/csv; charset=utf-8", content)
        else:
            self._json(status, content, headers)

    def _keys(self, method: str) -> None:
        """The public keys of signed links; a fault on `GET /.well-known/*` is an outage."""
        self.server.log.append(f"{method} {KEYS}")
        fault = self.server.faults.of_request(method, KEYS)
        if fault in BEFORE:
            self._json(BEFORE[fault], {})
        elif fault == "empty_json":
            self._json(200, {})
        else:
            self._json(200, self.server.world.signer.keys())

    def _be_silent(self, how: str) -> None:
        if how == "500":
            self._json(500, ApiError(500, "Server error").body)
            return
        self.close_connection = True
        if how == "hang":
            self.server.faults.ending.wait(self.server.faults.hang_seconds)
            return
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.rfile.close()
        self.wfile.close()
        self.connection.close()
        raise ConnectionResetError("on purpose")

    # ── For tests and rehearsals in other processes ──────────────────────────────────────────

    def _control(self, method: str, path: str, data: bytes) -> None:
        """`faults`: {"what": […], "on": "POST studies/"}; `ledger`: what was paid.

        `people`: {"study": …, "count": …} takes so many places, and tells each person's link;
        {"study": …, "participants": […]} does so for people with these ids, each of whom has one
        place; with "forge" their links are forged. `people/SUBMISSION`: {"code": …} or
        {"status": "RETURNED"} says what became of one. "at" has the time of a simulated clock.
        """
        server, world = self.server, self.server.world
        first, _, submission = path.partition("/")
        given = json.loads(data) if method == "POST" else {}
        at = given.get("at", "")
        if (method, path) == ("POST", "faults"):
            server.faults.add(*given["what"], on=given.get("on", "*"))
            self._json(200, {})
        elif (method, path) == ("POST", "people"):
            with world.lock:
                who = given.get("participants") or [None] * given["count"]
                came = [world.started(given["study"], one, at) for one in who]
                forge = given.get("forge", "")
                people = [
                    {**one.detail(), "link": link_of(world, one, forge=forge)} for one in came
                ]
            self._json(201, people)
        elif (method, first) == ("POST", "people"):
            with world.lock:
                one = world.submission(submission)
                if "status" in given:
                    world.leave(one, given["status"])
                else:
                    world.enter_code(one, given.get("code"), at)
                self._json(200, one.detail())
        elif (method, path) == ("GET", "ledger"):
            with world.lock:
                paid = [vars(payment) for payment in world.ledger]
                doubled = world.double_payments
            self._json(200, {"payments": paid, "double_payments": doubled})
        else:
            raise ApiError(404, "Not Found", path)

    # ── For a person with a browser ──────────────────────────────────────────────────────────

    def _page(self, path: str, query: str) -> None:
        first, _, rest = path.strip("/").partition("/")
        if first == "participate":
            self._participate(rest)
        elif path.startswith("/submissions/complete"):
            self._complete(parse_qs(query).get("cc", [""])[0])
        elif path == "/":
            self._html(self._studies())
        else:
            raise ApiError(404, "Not Found", path)

    def _participate(self, study: str) -> None:
        """Take a place and go to the survey, as somebody new."""
        world = self.server.world
        with world.lock:
            submission = world.start(study)
            link = link_of(world, submission)
        cookie = f"submission={submission.id}; Path=/; HttpOnly; SameSite=Lax"
        self._send(302, "text/plain", b"", {"Location": link, "Set-Cookie": cookie})

    def _complete(self, code: str) -> None:
        """Enter a code, as the person who took the last place in this browser."""
        world = self.server.world
        cookie = SimpleCookie(self.headers.get("Cookie", "")).get("submission")
        with world.lock:
            submission = world.submission(cookie.value if cookie else "")
            world.enter_code(submission, code)
        status = html.escape(submission.status)
        self._html(f"<p>Code entered. Your submission: {status}.</p>")

    def _studies(self) -> str:
        world = self.server.world
        with world.lock:
            rows = [
                f"<li>{html.escape(study['name'])}: {study['status']}, "
                f"{world.study(study['id'])['places_taken']} of "
                f"{study['total_available_places']} places taken. "
                f'<a href="/participate/{study["id"]}/">Take part</a></li>'
                for study in world.studies.values()
            ]
            paid = sum(payment.cents for payment in world.ledger) / 100
            doubled = len(world.double_payments)
        listed = f"<ul>{''.join(rows)}</ul>" if rows else "<p>No studies yet.</p>"
        return f"{listed}<p>Paid: {paid:.2f}. Paid twice: {doubled}.</p>"

    # ── Answers ──────────────────────────────────────────────────────────────────────────────

    def _html(self, content: str) -> None:
        self._send(200, "text/html; charset=utf-8", PAGE.format(content).encode())

    def _json(self, status: int, content: Any, headers: dict[str, str] | None = None) -> None:
        body = b"" if content is None else json.dumps(content).encode()
        self._send(status, "application/json", body, headers)

    def _send(
        self, status: int, content_type: str, body: bytes, headers: dict[str, str] | None = None
    ) -> None:
        self.send_response(status)
        sizes = {"Content-Type": content_type, "Content-Length": str(len(body))}
        for name, value in {**sizes, **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  the name in the base
        """The log is a list."""


@contextmanager
def local_prolific(*, token: str = TOKEN, balance: int = 1_000_000) -> Iterator[LocalProlific]:
    """A running server on a free port, in a thread of this process."""
    with LocalProlific(token=token, balance=balance) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield server
        finally:
            server.faults.ending.set()
            server.shutdown()
            thread.join()
