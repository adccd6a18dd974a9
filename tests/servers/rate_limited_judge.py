"""A judge with a rate limit that nobody here wrote: `mocklimit`, from PyPI.

It counts requests as OpenAI does and refuses those beyond its limit with 429, the wait in a
header and an error like OpenAI's. What it answers is always the same.
"""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import requests

from config.processes import Processes, free_port

#: So many requests are answered in so many seconds.
REQUESTS, SECONDS = 3, 2
ANSWER = '{"reason": "It is kind.", "score": 2}'
ROUTE = "/chat/completions"


def always(value: Any) -> dict[str, Any]:
    """The JSON schema that allows one value alone."""
    if isinstance(value, dict):
        return {"type": "object", "properties": {key: always(of) for key, of in value.items()}}
    if isinstance(value, list):
        return {"type": "array", "items": always(value[0])}
    return {"enum": [value]}


COMPLETION = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "model": "mocklimit",
    "choices": [
        {
            "index": 0,
            "message": {"role": "assistant", "content": ANSWER},
            "finish_reason": "stop",
        }
    ],
    "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
}
#: What the server is to answer, as OpenAPI says it; JSON is YAML.
SPEC = {
    "openapi": "3.1.0",
    "info": {"title": "A judge", "version": "1"},
    "servers": [{"url": "http://localhost/v1"}],
    "paths": {
        ROUTE: {
            "post": {
                "responses": {
                    "200": {"content": {"application/json": {"schema": always(COMPLETION)}}}
                }
            }
        }
    },
}
LIMITS = {
    "policies": {
        "chat": {
            "strategy": "fixed_window",
            "limits": [
                {"dimension": "requests", "limit": REQUESTS, "window_seconds": SECONDS},
            ],
            "scope": "api_key",
            "format": {"retry_after": {"header": "retry-after-ms", "unit": "milliseconds"}},
            "error_template": {"provider": "openai"},
        }
    },
    "endpoints": {ROUTE: {"methods": ["POST"], "policy": "chat"}},
}


@dataclass(frozen=True)
class RateLimitedJudge:
    """The running server."""

    port: int

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def counts(self) -> dict[str, int]:
        """`total_requests` that it has received with any key, and how many of them `total_429s`."""
        stats = requests.get(f"http://127.0.0.1:{self.port}/mocklimit/stats", timeout=10).json()
        (counts,) = stats[f"POST {ROUTE}"].values()
        return dict(counts)


@contextmanager
def rate_limited_judge(folder: Path) -> Iterator[RateLimitedJudge]:
    """Start the server; end it afterwards."""
    files = {"--spec": folder / "openapi.yaml", "--rate-config": folder / "limits.yaml"}
    for path, content in zip(files.values(), (SPEC, LIMITS), strict=True):
        path.write_text(json.dumps(content), encoding="utf-8")
    port = free_port()
    options = [str(part) for option in files.items() for part in option]
    with Processes(os.environ, logs=folder) as processes:
        command = [sys.executable, "-m", "mocklimit", "serve", *options, "--port", str(port)]
        processes.wait_for(processes.start("rate_limited_judge", command), port=port)
        yield RateLimitedJudge(port)
