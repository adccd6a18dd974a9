"""A judge that misbehaves on purpose, over real HTTP: an OpenAI-compatible server for tests.

In a test: `with faulty_judge(Plan(...)) as server:`. As a process of its own:
`python -m tests.servers.faulty_judge --plan JSON`, which prints its address. What it does with
request n depends on the plan and n alone. Everything it received is in its log, at `GET /log`.
"""

import argparse
import contextlib
import hashlib
import json
import random
import re
import socket
import struct
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

ANSWER = "answer"
COST = 0.001


@dataclass(frozen=True)
class Plan:
    """What the server does: `sequence` for the first requests, then faults by their shares."""

    sequence: list[str] = field(default_factory=list)
    shares: dict[str, float] = field(default_factory=dict)
    seed: int = 1
    latency_seconds: float = 0.0
    hang_seconds: float = 30.0
    drip_seconds: float = 0.05
    retry_after: str = "0.05"
    api_key: str = ""
    content_type: str = "application/json"

    def __post_init__(self) -> None:
        known = {ANSWER, *TEXTS, *RAW, *STATUSES, *SILENT, *DRIPS}
        unknown = {*self.sequence, *self.shares} - known
        if unknown:
            raise ValueError(f"no such fault: {', '.join(sorted(unknown))}")

    def what(self, number: int) -> str:
        """What happens to request `number`, the first being 0."""
        if number < len(self.sequence):
            return self.sequence[number]
        drawn = random.Random(f"{self.seed}:{number}").random()
        for fault, share in self.shares.items():
            drawn -= share
            if drawn < 0:
                return fault
        return ANSWER


@dataclass
class Entry:
    """One request as the server saw it."""

    number: int
    request_id: str
    received_at: float
    what: str
    in_flight: int
    score: int | None = None
    ended_at: float | None = None


#: Completions whose text is not simply the score. {score} and {beyond} are filled in.
TEXTS = {
    "prose": "My rating is {score}, because the reply stays close to what was said.",
    "fenced": '```json\n{{"score": {score}}}\n```',
    "chatter": "What a moving exchange. There were {score} things I liked about it.",
    "words": "I would give it a high score.",
    "several": "Between {score} and {beyond}, I would say.",
    "out_of_range": "{beyond}",
    "decimal": "{score}.5",
    "garbage": "\u0000\ufffd{{]] \u202e\u0007 ???",
    "empty": "",
}
#: Answers with status 200 that are no completion.
RAW = {
    "html": ("text/html", "<!doctype html><html><title>Sign in</title></html>"),
    "truncated": ("application/json", '{"id": "x", "choices": [{"message": {"content": "'),
    "error_in_200": ("application/json", '{"error": {"code": 502, "message": "upstream died"}}'),
}
STATUSES = {
    "bad_request": 400,
    "unauthorized": 401,
    "no_credit": 402,
    "forbidden": 403,
    "not_found": 404,
    "request_timeout": 408,
    "conflict": 409,
    "rate_limit": 429,
    "server_error": 500,
    "bad_gateway": 502,
    "overloaded": 503,
}
#: No answer at all.
SILENT = ("hang", "reset")
#: A right answer, byte by byte: all of it, or what follows its headers.
DRIPS = ("drip", "drip_body")


class FaultyJudge(ThreadingHTTPServer):
    """The server and its log."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, plan: Plan, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.plan = plan
        self.log: list[Entry] = []
        self.closing = threading.Event()
        self._lock = threading.Condition()
        self._in_flight = 0

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def begin(self, request_id: str) -> Entry:
        with self._lock:
            self._in_flight += 1
            entry = Entry(
                number=len(self.log),
                request_id=request_id,
                received_at=time.time(),
                what=self.plan.what(len(self.log)),
                in_flight=self._in_flight,
            )
            self.log.append(entry)
            self._lock.notify_all()
            return entry

    def wait_for(self, requests: int, *, seconds: float = 60) -> None:
        """Return when so many requests have come."""
        with self._lock:
            assert self._lock.wait_for(lambda: len(self.log) >= requests, seconds)

    def end(self, entry: Entry) -> None:
        with self._lock:
            self._in_flight -= 1
            entry.ended_at = time.time()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is what some tests are about."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: FaultyJudge

    def do_GET(self) -> None:
        self._json(200, [asdict(entry) for entry in self.server.log])

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        entry = self.server.begin(self.headers.get("X-Client-Request-Id", ""))
        try:
            self._answer(entry, json.loads(body))
        finally:
            self.server.end(entry)

    def _answer(self, entry: Entry, request: dict[str, Any]) -> None:
        plan = self.server.plan
        time.sleep(plan.latency_seconds)
        if plan.api_key and self.headers.get("Authorization") != f"Bearer {plan.api_key}":
            entry.what = "unauthorized"
        if entry.what == "hang":
            self.server.closing.wait(plan.hang_seconds)
            self.close_connection = True
        elif entry.what == "reset":
            self._reset()
        elif entry.what in STATUSES:
            status = STATUSES[entry.what]
            headers = {"Retry-After": plan.retry_after} if status == 429 else {}
            self._json(status, {"error": {"message": f"this is a {entry.what}"}}, headers)
        elif entry.what in RAW:
            self._send(200, *RAW[entry.what])
        else:
            score, beyond = self._score(request)
            entry.score = score if entry.what in (ANSWER, "prose", "fenced") else None
            text = TEXTS.get(entry.what, "{score}").format(score=score, beyond=beyond)
            completion = _completion(entry, request, text)
            if entry.what in DRIPS:
                self._drip(json.dumps(completion), headers_too=entry.what == "drip")
            else:
                self._json(200, completion)

    def _score(self, request: dict[str, Any]) -> tuple[int, int]:
        """A point of the stated scale that depends on what was asked, and one beyond the scale."""
        asked = request["messages"][0]["content"]
        scale = [int(value) for value in re.findall(r"^(-?[0-9]+) = ", asked, re.MULTILINE)]
        key = json.dumps([request["messages"], request.get("seed")])
        return scale[hashlib.sha256(key.encode()).digest()[0] % len(scale)], scale[-1] + 4

    def _drip(self, body: str, *, headers_too: bool) -> None:
        """Never a long silence, and no end in sight."""
        head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\n\r\n"
        if not headers_too:
            self.wfile.write(head.encode())
        for byte in (head + body if headers_too else body).encode():
            if self.server.closing.wait(self.server.plan.drip_seconds):
                break
            self.wfile.write(bytes([byte]))

    def _reset(self) -> None:
        """Break the connection off without an answer (RST, not FIN)."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.rfile.close()
        self.wfile.close()
        self.connection.close()
        raise ConnectionResetError("on purpose")

    def _json(self, status: int, content: Any, headers: dict[str, str] | None = None) -> None:
        self._send(status, self.server.plan.content_type, json.dumps(content), headers)

    def _send(
        self, status: int, content_type: str, text: str, headers: dict[str, str] | None = None
    ) -> None:
        body = text.encode()
        self.send_response(status)
        for name, value in {
            "Content-Type": content_type,
            "Content-Length": str(len(body)),
            **(headers or {}),
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  the name in the base
        """The log is a list."""


def _completion(entry: Entry, request: dict[str, Any], text: str) -> dict[str, Any]:
    return {
        "id": f"faulty-{entry.number}",
        "object": "chat.completion",
        "model": f"{request['model']}-served",
        "system_fingerprint": "fp_faulty",
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": text},
            }
        ],
        "usage": {"prompt_tokens": 100, "completion_tokens": 2, "total_tokens": 102, "cost": COST},
    }


@contextmanager
def faulty_judge(plan: Plan | None = None) -> Iterator[FaultyJudge]:
    """A running server on a free port, in a thread of this process."""
    with FaultyJudge(plan or Plan()) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield server
        finally:
            server.closing.set()
            server.shutdown()
            thread.join()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--plan", type=json.loads, default={}, help="the fields of Plan, as JSON")
    arguments = parser.parse_args()
    with FaultyJudge(Plan(**arguments.plan), arguments.port) as server:
        sys.stdout.write(f"{server.base_url}\n")
        sys.stdout.flush()
        with contextlib.suppress(KeyboardInterrupt):
            server.serve_forever()


if __name__ == "__main__":
    main()
