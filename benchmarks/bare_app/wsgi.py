"""The least that any Python web application does: a constant page, and a redirect for a POST."""

import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

PAGE = Path(os.environ["BARE_PAGE"]).read_bytes()  # a page of Fivefold, so that sizes are equal
LAST = int(os.environ["BARE_PAGES"])


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    number = int(re.sub(r"\D", "", environ["PATH_INFO"]) or 1)
    if environ["REQUEST_METHOD"] == "POST":
        environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]))
        start_response("302 Found", [("Location", f"/{number + 1}"), ("Content-Length", "0")])
        return [b""]
    page = PAGE if number <= LAST else b'<output id="completion-code">BARE1</output>'
    headers = [("Content-Type", "text/html"), ("Content-Length", str(len(page)))]
    start_response("200 OK", headers)
    return [page]
