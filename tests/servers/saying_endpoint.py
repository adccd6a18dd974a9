"""An endpoint over real HTTP that says what a test has it say.

In a test: `with saying_endpoint(lambda body: completion("4")) as server:`. Files and batches are
answered line by line in the same way.
"""

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any

Body = dict[str, Any]
GREETING = "Hello, it is nice to meet you."


@dataclass(frozen=True)
class Answer:
    """What is sent. `body` is JSON, or text as it is; `parts` are sent after it, one by one."""

    body: Any
    status: int = 200
    content_type: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)
    parts: Callable[[], Iterator[bytes]] | None = None


def completion(content: Any, *, finish_reason: str = "stop", **message: Any) -> Answer:
    """A chat completion, which costs what a real one does."""
    said = {"role": "assistant", "content": content, **message}
    return Answer(
        {
            "id": "said-1",
            "object": "chat.completion",
            "model": "m-served",
            "choices": [{"index": 0, "finish_reason": finish_reason, "message": said}],
            "usage": {
                "prompt_tokens": 10,
                "completion_tokens": 5,
                "total_tokens": 15,
                "cost": 0.01,
            },
        }
    )


class SayingEndpoint(ThreadingHTTPServer):
    """The server, and the bodies of what it was asked, without probes."""

    daemon_threads = True

    def __init__(self, says: Callable[[Body], Answer]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.says = says
        self.asked: list[Body] = []
        self.files: dict[str, str] = {}
        self.batches: dict[str, Body] = {}
        self.numbers = count(1)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def settings(self, model: str = "m", concurrency: int = 2) -> dict[str, Any]:
        """As an entry of JUDGE_ENDPOINTS."""
        about = {"base_url": self.base_url, "api_key": "", "model": model}
        return about | {"concurrency": concurrency}

    def answer(self, body: Body) -> Answer:
        """A probe is answered in words: schemas are accepted and not kept to."""
        if body["messages"][0]["content"].startswith("Say hello"):
            return completion(GREETING)
        self.asked.append(body)
        return self.says(body)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients go away from endless answers."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: SayingEndpoint

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if found := re.fullmatch(r"/v1/files/(.+)/content", path):
            self._send(Answer(self.server.files[found[1]], content_type="application/jsonl"))
        elif found := re.fullmatch(r"/v1/batches/(.+)", path):
            self._send(Answer(self.server.batches[found[1]]))
        else:
            self._send(Answer({"object": "list", "data": [], "has_more": False}))

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path.endswith("/files"):
            name = f"file-{next(self.server.numbers)}"
            self.server.files[name] = self._uploaded(body)
            self._send(Answer({"id": name, "object": "file"}))
        elif self.path.endswith("/batches"):
            self._send(Answer(self._batch(json.loads(body))))
        else:
            self._send(self.server.answer(json.loads(body)))

    def _uploaded(self, body: bytes) -> str:
        head = f"Content-Type: {self.headers['Content-Type']}\r\n\r\n".encode()
        parts: list[Message] = message_from_bytes(head + body).get_payload()  # type: ignore[assignment]
        (file,) = (part for part in parts if part.get_filename())
        content = file.get_payload(decode=True)
        assert isinstance(content, bytes)
        return content.decode()

    def _batch(self, asked: Body) -> Body:
        lines = []
        for line in self.server.files[asked["input_file_id"]].splitlines():
            request = json.loads(line)
            said = self.server.answer(request["body"])
            response = {"status_code": said.status, "body": said.body}
            lines.append(json.dumps({"custom_id": request["custom_id"], "response": response}))
        name = f"batch-{next(self.server.numbers)}"
        self.server.files[f"{name}-output"] = "".join(line + "\n" for line in lines)
        batch = {"id": name, "object": "batch", "status": "completed", **asked}
        self.server.batches[name] = batch | {"output_file_id": f"{name}-output"}
        return self.server.batches[name]

    def _send(self, answer: Answer) -> None:
        body = answer.body if isinstance(answer.body, str) else json.dumps(answer.body)
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.content_type)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        if answer.parts is None:
            self.send_header("Content-Length", str(len(body.encode())))
        else:
            self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        if answer.parts is None:
            self.wfile.write(body.encode())
            return
        for part in answer.parts():
            self.wfile.write(f"{len(part):x}\r\n".encode() + part + b"\r\n")
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  the name in the base
        """What was asked is a list."""


@contextmanager
def saying_endpoint(says: Callable[[Body], Answer]) -> Iterator[SayingEndpoint]:
    """Runs the server in a thread."""
    with SayingEndpoint(says) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}).start()
        try:
            yield server
        finally:
            server.shutdown()
