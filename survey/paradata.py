"""What a page's script measured, sent with the form. Pure: text in, checked fields out.

It comes from a browser and may be anything: whatever is no plausible measurement is left out,
and never a reason to refuse an answer. The survey works without it.
"""

import json
from collections.abc import Sequence
from typing import Any, Protocol

DEVICES = ("phone", "tablet", "desktop")
LONGEST_SECONDS = 30 * 24 * 3600
LONGEST_TEXT = 4000
MOST_PIXELS = 20_000
MOST_CHANGES = 100_000


class Shown(Protocol):
    """A response as the browser knows it."""

    @property
    def id(self) -> int: ...
    @property
    def public_id(self) -> str: ...


def _object(text: str) -> dict[str, Any]:
    if len(text) > LONGEST_TEXT:
        return {}
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _seconds(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return round(float(value), 3) if 0 <= value <= LONGEST_SECONDS else None


def _count(value: object, most: int) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value <= most else None


def read_page(text: str, responses: Sequence[Shown]) -> dict[str, Any]:
    """Measured fields of a presentation (see its table); empty where nothing was measured."""
    sent = _object(text)
    if not sent:
        return {}
    on_screen = sent.get("responses")
    by_public_id = on_screen if isinstance(on_screen, dict) else {}
    return {
        "visible_seconds": _seconds(sent.get("visible")),
        "hidden_seconds": _seconds(sent.get("hidden")),
        "first_answer_seconds": _seconds(sent.get("first")),
        "last_answer_seconds": _seconds(sent.get("last")),
        "changes": _count(sent.get("changes"), MOST_CHANGES),
        "response_seconds": {
            str(response.id): seconds
            for response in responses
            if (seconds := _seconds(by_public_id.get(response.public_id))) is not None
        },
    }


def read_device(text: str) -> dict[str, Any]:
    """A participant's device class and viewport in CSS pixels; empty where unknown."""
    sent = _object(text)
    if sent.get("device") not in DEVICES:
        return {}
    return {
        "device": sent["device"],
        "viewport_width": _count(sent.get("width"), MOST_PIXELS),
        "viewport_height": _count(sent.get("height"), MOST_PIXELS),
    }
