"""Requests must be UTF-8. Others are refused before Django reads them.

Django accepts any of Python's codecs, even `base64`, and then fails in the middle of a page.
"""

import re
from collections.abc import Iterable
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

CHARSET = re.compile(r";\s*charset\b([^;]*)", re.IGNORECASE)
UTF_8 = re.compile(r"""\s*=\s*("utf-?8"|utf-?8)\s*""", re.IGNORECASE)
REFUSAL = b"This request is not in UTF-8, the only encoding that is read here.\n"


def utf_8_only(application: WSGIApplication) -> WSGIApplication:
    """Wrap the application: any other charset gets 400."""

    def guarded(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        charsets = CHARSET.findall(environ.get("CONTENT_TYPE", ""))
        if all(map(UTF_8.fullmatch, charsets)):
            return application(environ, start_response)
        start_response(
            "400 Bad Request",
            [
                ("Content-Type", "text/plain; charset=utf-8"),
                ("Content-Length", str(len(REFUSAL))),
                ("X-Content-Type-Options", "nosniff"),
            ],
        )
        return [REFUSAL]

    return guarded
