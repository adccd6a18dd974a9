"""A judge that misbehaves on purpose, over real HTTP: an OpenAI-compatible server for tests.

In a test: `with faulty_judge(Plan(...)) as server:`. As a process of its own:
`python -m tests.servers.faulty_judge --plan JSON`, which prints its address. What it does with
the n-th question about responses depends on the plan and n alone; what it thinks of a response
depends on its text and the seed alone (see `opinion`). Whatever it generated it charges for, also
where the answer never arrives. Everything it received is in its log, at `GET /log`.
"""

import argparse
import contextlib
import json
import socket
import struct
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.servers.judge_faults import (
    CUTS,
    DRIPS,
    GREETING,
    RAW,
    STATUSES,
    TEXTS,
    USABLE,
    Plan,
    Question,
)


@dataclass
class Entry:
    """One request as the server saw it."""

    number: int
    request_id: str
    received_at: float
    what: str
    in_flight: int
    #: Of the client's end of the connection.
    port: int
    authorization: str
    body: dict[str, Any]
    is_probe: bool
    #: What was charged for it, in US dollars.
    cost: float = 0.0
    #: By letter; None where it gave no usable ones.
    scores: dict[str, int] | None = None
    ended_at: float | None = None

    @property
    def score(self) -> int | None:
        """Of a single response."""
        return self.scores[""] if self.scores else None


class FaultyJudge(ThreadingHTTPServer):
    """The server and its log."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, plan: Plan, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), FaultyHandler)
        self.plan = plan
        self.log: list[Entry] = []
        self.closing = threading.Event()
        #: While it is not set, questions about responses wait for their answers.
        self.answering = threading.Event()
        self.answering.set()
        self._lock = threading.Condition()
        self._in_flight = 0

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def begin(self, headers: Message, question: Question, port: int) -> Entry:
        with self._lock:
            self._in_flight += 1
            before = sum(entry.is_probe == question.is_probe for entry in self.log)
            entry = Entry(
                number=len(self.log),
                request_id=headers.get("X-Client-Request-Id", ""),
                received_at=time.time(),
                what=self.plan.what(before, is_probe=question.is_probe),
                in_flight=self._in_flight,
                port=port,
                authorization=headers.get("Authorization", ""),
                body=question.body,
                is_probe=question.is_probe,
            )
            if question.schema is not None and self.plan.schema == "refuse":
                entry.what = "refused_schema"
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


class FaultyHandler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    # Head and body are sent apart: the second would wait until the first is acknowledged, 40 ms.
    disable_nagle_algorithm = True
    server: FaultyJudge

    def do_GET(self) -> None:
        self._json(200, [asdict(entry) for entry in self.server.log])

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        body = self.rfile.read(length)
        if len(body) < length:  # the client was killed between head and body
            self.close_connection = True
            return
        question = Question(json.loads(body))
        entry = self.server.begin(self.headers, question, self.client_address[1])
        try:
            self._answer(entry, question)
        finally:
            self.server.end(entry)

    def _answer(self, entry: Entry, question: Question) -> None:
        plan = self.server.plan
        if not entry.is_probe:
            self.server.answering.wait()
        time.sleep(plan.latency_seconds)
        if plan.api_key and entry.authorization != f"Bearer {plan.api_key}":
            entry.what = "unauthorized"
        if entry.what == "refused_schema":
            self._json(400, {"error": {"message": "response_format is not supported"}})
        elif entry.what in STATUSES:
            status = STATUSES[entry.what]
            headers = {"Retry-After": plan.retry_after} if status == 429 else {}
            message = plan.error.format(what=entry.what, authorization=entry.authorization)
            self._json(status, plan.error_body or {"error": {"message": message}}, headers)
        elif entry.what in RAW:
            self._send(200, *RAW[entry.what])
        else:
            self._complete(entry, question)

    def _complete(self, entry: Entry, question: Question) -> None:
        """Generate an answer, charge for it, and send it, or something else."""
        plan = self.server.plan
        text = text_for(entry, question, plan)
        entry.cost = question.cost(text)
        completion = completion_of(
            entry, question, text, cost=entry.cost if plan.states_cost else None
        )
        completion |= plan.completion
        if entry.what == "hang":
            self.server.closing.wait(plan.hang_seconds)
            self.close_connection = True
        elif entry.what == "reset":
            self._reset()
        elif entry.what in DRIPS:
            self._drip(json.dumps(completion), headers_too=entry.what == "drip")
        elif entry.what in CUTS:
            whole = json.dumps(completion)
            half = whole[: len(whole) // 2]
            length = len(half if entry.what == "truncated" else whole)
            self._send(200, plan.content_type, half, {"Content-Length": str(length)})
            self.close_connection = True
        else:
            self._json(200, completion, plan.headers)

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


def text_for(entry: Entry, question: Question, plan: Plan) -> str:
    """What the judge writes; notes its scores, where they can be read."""
    if question.is_probe:
        held = question.schema is not None and plan.schema == "enforce"
        return '{"score": 3}' if held else GREETING
    if question.is_for_a_text:
        return "" if entry.what == "empty" else question.written()
    scores = question.scores()
    entry.scores = scores if entry.what in USABLE else None
    if entry.what not in TEXTS:
        return question.answer(scores)
    beyond = question.scale[-1] + 4
    return TEXTS[entry.what].format(score=next(iter(scores.values())), beyond=beyond)


def completion_of(
    entry: Entry, question: Question, text: str, *, cost: float | None
) -> dict[str, Any]:
    """A completion with this text."""
    refuses = entry.what == "refusal"
    said = {"content": None, "refusal": text} if refuses else {"content": text}
    tokens = sum(len(each) for each in question.texts) // 4, len(text) // 4
    return {
        "id": f"faulty-{entry.number}",
        "object": "chat.completion",
        "model": f"{question.body['model']}-served",
        "provider": "faults-inc",
        "system_fingerprint": "fp_faulty",
        "choices": [
            {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", **said}}
        ],
        "usage": {
            "prompt_tokens": tokens[0],
            "completion_tokens": tokens[1],
            "total_tokens": sum(tokens),
            **({} if cost is None else {"cost": cost}),
        },
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
            server.answering.set()
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
