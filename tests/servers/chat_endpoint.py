"""An endpoint of chats over real HTTP: it scores replies by their length, and shortens texts.

In a test: `with chat_endpoint() as server:`. A reply with more than 40 characters has a score of 4,
another one 2; a text to be rewritten loses its last word; all else is answered with some words,
which depend on it and on the model. Each answer reports a cost.
"""

import json
import re
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

COST = 0.001


class ChatEndpoint(ThreadingHTTPServer):
    """The server, and what it was asked. From request `fails_from` on it answers HTTP 400; the
    first `limited` requests are too many (HTTP 429).
    """

    daemon_threads = True

    def __init__(self, fails_from: int | None) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.fails_from = fails_from
        self.limited = 0
        self.asked: list[dict[str, Any]] = []

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def settings(self) -> dict[str, Any]:
        """As an entry of JUDGE_ENDPOINTS."""
        return {"base_url": self.base_url, "api_key": "", "model": "chat", "concurrency": 1}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: ChatEndpoint

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        number = len(self.server.asked)
        self.server.asked.append(body)
        if self.server.fails_from is not None and number >= self.server.fails_from:
            self._send(400, {"error": {"message": "no more"}})
            return
        if number < self.server.limited:
            self._send(429, {"error": {"message": "slow down"}})
            return
        message = {
            "role": "assistant",
            "content": answer(body["messages"][-1]["content"], body["model"]),
        }
        self._send(
            200,
            {
                "id": f"chat-{number}",
                "model": body["model"],
                "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": 10, "completion_tokens": 5, "cost": COST},
            },
        )

    def _send(self, status: int, content: object) -> None:
        data = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  the name in the base
        """What was asked is a list."""


WORDS = ["that", "sounds", "hard", "and", "you", "did", "well", "to", "tell", "me", "today"]


def answer(asked: str, model: str) -> str:
    """A score of the reply between tags, a text without its last word, or some words."""
    if reply := re.search(r"<response>\n(.*)\n</response>", asked, re.DOTALL):
        return json.dumps({"score": 4 if len(reply[1]) > 40 else 2})
    text = re.search(r"<text>\n(.*)\n</text>", asked, re.DOTALL)
    if text is None:
        chosen = zlib.crc32(f"{model} {asked}".encode())
        return " ".join([*WORDS[chosen % 3 : 6 + chosen % 7], str(chosen)])
    return f"<text>\n{text[1].rpartition(' ')[0]}\n</text>"


@contextmanager
def chat_endpoint(fails_from: int | None = None) -> Iterator[ChatEndpoint]:
    """A running server on a free port, in a thread of this process."""
    with ChatEndpoint(fails_from) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
