"""What went wrong at Prolific's API, in one sentence. Pure."""

import re
from collections.abc import Iterator
from typing import Any

from survey.refusals import RefusalKind, RequestRefused

#: A longer text is not one that a page should repeat.
LONGEST = 300
#: Of people and submissions.
IDS = re.compile(r"\b[0-9a-f]{24}\b")
NOT_KNOWN = "Whether it was done is not known: look again. Nothing is done twice."


class ProlificError(RequestRefused):
    """A request that failed; the text is a sentence for researchers.

    `status` is that of HTTP, None without an answer. `may_have_happened` says that the request may
    have been carried out all the same: no answer came, or one that does not tell. `is_missing` says
    that Prolific does not have what was asked for.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        may_have_happened: bool = False,
        is_missing: bool = False,
    ) -> None:
        self.status = status
        self.may_have_happened = may_have_happened
        self.is_missing = is_missing
        self.kind = RefusalKind.LATER if is_temporary(status) else RefusalKind.CONFLICT
        super().__init__(message)

    @property
    def lines(self) -> list[str]:
        """The sentence without the IDs of people and submissions."""
        return [without_ids(str(self))]

    @property
    def listed(self) -> list[str]:
        """The sentence, and whether something may have been changed."""
        return [*self.lines, NOT_KNOWN if self.may_have_happened else self.unchanged]


def is_temporary(status: int | None) -> bool:
    """Whether the same request may succeed later; None stands for no answer."""
    return status is None or status in (408, 429) or status >= 500


def without_ids(text: str) -> str:
    """A message of Prolific's without the IDs of people and submissions."""
    return IDS.sub("…", text)


def refusal(status: int, body: object, *, about: str) -> ProlificError:
    """The error of an answer that is none of success; `about` names what was asked for.

    Errors of the API are JSON objects. A redirect, or the page of a server in between, does not
    tell whether the request has reached Prolific.
    """
    said = sentence_of(body)
    if not isinstance(body, dict) or status < 400:
        message = (
            f"Prolific's address leads elsewhere (HTTP {status}): check PROLIFIC_URL"
            if status < 400
            else f"Another server than Prolific's API has answered ({about}, HTTP {status}). Try "
            "again in some minutes; if it stays so, check PROLIFIC_URL"
        )
        return ProlificError(f"{message}.", status=status, may_have_happened=True)
    if status == 401:
        message = (
            "Prolific does not accept this token. Copy it again from your settings on Prolific, or "
            "create another one there"
        )
    elif status == 403:
        message = f"Prolific does not let this account do that ({about}): {said or 'no reason'}"
    elif status == 404:
        message = f"Prolific has no {about}, or this account may not see it"
    else:
        message = f"Prolific refused ({about}): {said or f'HTTP {status}'}"
    return ProlificError(f"{message.rstrip('.')}.", status=status, is_missing=status == 404)


def sentence_of(body: object) -> str:
    """What an error's body says: its title, and each field with what is wrong about it."""
    error = body.get("error", body) if isinstance(body, dict) else None
    if isinstance(error, str):
        return error[:LONGEST]
    if not isinstance(error, dict):
        return ""
    details = "; ".join(_details(error.get("detail")))
    title = error.get("title")
    parts = [part for part in (title, details) if isinstance(part, str) and part]
    return ": ".join(dict.fromkeys(parts))[:LONGEST]


def _details(detail: Any, field: str = "") -> Iterator[str]:
    if isinstance(detail, dict):
        for name, inner in detail.items():
            yield from _details(inner, name if name != "any_field" else field)
    elif isinstance(detail, list):
        for inner in detail:
            yield from _details(inner, field)
    elif detail is not None:
        yield f"{field}: {detail}" if field else str(detail)
