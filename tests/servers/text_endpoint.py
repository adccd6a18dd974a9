"""An endpoint of embeddings and completions over real HTTP, right or wrong on purpose.

In a test: `with text_endpoint(TextPlan(...)) as server:`. A text's embedding counts its letters a
to z. Its tokens are its words with the spaces before them, and ln p of a token is −(its length +
that of the token before it) / 10; the first one has none.
"""

import json
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from string import ascii_lowercase
from typing import Any

MODEL = "letters"
BEGIN = "<s>"


@dataclass(frozen=True)
class TextPlan:
    """What the server does: `statuses` for the first requests, then right answers, except for
    `wrong`, from request `wrong_from` on.
    """

    statuses: list[int] = field(default_factory=list)
    #: `none`, `fewer`, `ragged`, `zeros`, `words`, `html`, `other_model`, `no_echo`, `hole`.
    wrong: str = ""
    wrong_from: int = 0
    #: Whether it puts a token of its own before each prompt.
    begins: bool = False
    api_key: str = "key-of-the-lab"
    retry_after: str = "0.01"


class TextEndpoint(ThreadingHTTPServer):
    """The server, and the paths and bodies of what it was asked."""

    daemon_threads = True

    def __init__(self, plan: TextPlan) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.plan = plan
        self.asked: list[tuple[str, dict[str, Any]]] = []

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def settings(self) -> dict[str, Any]:
        """As an entry of JUDGE_ENDPOINTS."""
        about = {"base_url": self.base_url, "api_key": self.plan.api_key}
        return about | {"model": "a-judge", "concurrency": 1}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: TextEndpoint

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        plan, number = self.server.plan, len(self.server.asked)
        self.server.asked.append((self.path, body))
        wrong = plan.wrong if number >= plan.wrong_from else ""
        if self.headers.get("Authorization") != f"Bearer {plan.api_key}":
            self._send(401, {"error": {"message": "wrong key"}})
        elif number < len(plan.statuses):
            self._send(plan.statuses[number], {"error": {"message": "not now"}})
        elif body["model"] != MODEL:
            message = f"The model `{body['model']}` does not exist."
            self._send(404, {"error": {"message": message}})
        elif wrong == "html":
            self._send(200, "<!doctype html><title>Sign in</title>")
        elif self.path == "/v1/embeddings":
            self._send(200, embeddings(body, wrong))
        else:
            self._send(200, completions(body, wrong, begins=plan.begins))

    def _send(self, status: int, content: object) -> None:
        text = content if isinstance(content, str) else json.dumps(content)
        data = text.encode()
        self.send_response(status)
        kind = "text/html" if isinstance(content, str) else "application/json"
        headers = {"Content-Type": kind, "Content-Length": str(len(data))}
        if status == 429:
            headers["Retry-After"] = self.server.plan.retry_after
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  the name in the base
        """What was asked is a list."""


def embeddings(body: Mapping[str, Any], wrong: str) -> dict[str, Any]:
    """The answer of `/embeddings`, the last text first: `index` says which is which."""
    vectors: list[Any] = [counts(text) for text in body["input"]]
    if wrong == "ragged":
        vectors[-1] = vectors[-1][:-1]
    if wrong == "zeros":
        vectors[-1] = [0.0] * 26
    if wrong == "words":
        vectors[-1] = ["many"]
    data = [{"index": place, "embedding": vector} for place, vector in enumerate(vectors)]
    model = "another" if wrong == "other_model" else MODEL
    answer = {"object": "list", "data": data[::-1], "model": model}
    if wrong == "fewer":
        answer["data"] = data[1:]
    return {} if wrong == "none" else answer


def counts(text: str) -> list[float]:
    """How often a text has each letter."""
    return [float(text.lower().count(letter)) for letter in ascii_lowercase]


def completions(body: Mapping[str, Any], wrong: str, *, begins: bool) -> dict[str, Any]:
    """The answer of `/completions`, as vLLM gives it, or llama.cpp."""
    echoes = body.get("echo") and body.get("logprobs") and wrong != "no_echo"
    choices = []
    for place, prompt in enumerate(body["prompt"]):
        tokens = ([BEGIN] if begins else []) + tokens_of(prompt)
        log_p: list[float | None] = [None, *map(log_probability, tokens, tokens[1:])]
        if wrong == "hole":
            log_p[-1] = None
        returned = {"tokens": tokens, "token_logprobs": log_p[: len(tokens)]}
        choice = {"index": place, "text": prompt if echoes else "", "finish_reason": "length"}
        choices.append(choice | {"logprobs": returned if echoes else None})
    return {"object": "text_completion", "choices": choices[::-1], "model": MODEL}


def tokens_of(text: str) -> list[str]:
    """Words with the spaces before them."""
    return re.findall(r"\s*\S+|\s+", text)


def log_probability(before: str, token: str) -> float:
    """ln p of a token after another one."""
    return -(len(before) + len(token)) / 10


@contextmanager
def text_endpoint(plan: TextPlan | None = None) -> Iterator[TextEndpoint]:
    """A running server on a free port, in a thread of this process."""
    with TextEndpoint(plan or TextPlan()) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
