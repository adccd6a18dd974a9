"""Measurements of a page's script, sent with the form. Pure: text in, checked fields out.

A page carries its earlier measurements, and the script adds to them and sends totals. So the times
of several visits add up, and a page sent twice counts once. The values come from a browser and can
be anything: implausible ones are ignored, and never a reason to refuse an answer. The survey works
without them.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

DEVICES = ("phone", "tablet", "desktop")
LONGEST_SECONDS = 30 * 24 * 3600
LONGEST_TEXT = 4000
MOST_PIXELS = 20_000
MOST_TIMES = 100_000
#: Field of a presentation → its name in the script.
SECONDS = {
    "visible_seconds": "visible",
    "hidden_seconds": "hidden",
    "unfocused_seconds": "unfocused",
    "first_answer_seconds": "first",
    "last_answer_seconds": "last",
}
COUNTS = {"focus_losses": "losses", "changes": "changes"}
FIELDS = (*SECONDS, *COUNTS, "response_seconds")
#: How a free answer was written: fields of FreeAnswer, with the same names in the script.
WRITING_COUNTS = (
    *("keystrokes", "typed_characters", "deletions", "pastes", "pasted_characters", "own_pastes"),
    *("drops", "dropped_characters", "autofills", "autofilled_characters", "largest_insertion"),
    *("returned_characters", "focus_losses"),
)
WRITING_SECONDS = ("focus_seconds", "typing_seconds", "away_seconds")
WRITING = WRITING_COUNTS + WRITING_SECONDS


class Shown(Protocol):
    """A response, with the id that the browser knows."""

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
    """Measured fields of a presentation (see its table); only those that were measured."""
    sent = _object(text)
    fields: dict[str, Any] = {name: _seconds(sent.get(key)) for name, key in SECONDS.items()}
    fields |= {name: _count(sent.get(key), MOST_TIMES) for name, key in COUNTS.items()}
    on_screen = sent.get("responses")
    if isinstance(on_screen, dict):
        fields["response_seconds"] = {
            str(response.id): seconds
            for response in responses
            if (seconds := _seconds(on_screen.get(response.public_id))) is not None
        }
    return {name: value for name, value in fields.items() if value is not None}


def page_text(fields: dict[str, Any], responses: Sequence[Shown]) -> str:
    """The measured `fields` of a presentation as text for its page; empty if there are none."""
    known: dict[str, Any] = {
        key: fields[name]
        for name, key in (SECONDS | COUNTS).items()
        if fields.get(name) is not None
    }
    on_screen = fields.get("response_seconds") or {}
    by_public_id = {
        response.public_id: on_screen[str(response.id)]
        for response in responses
        if str(response.id) in on_screen
    }
    if by_public_id:
        known["responses"] = by_public_id
    return json.dumps(known) if known else ""


def read_writing(text: str) -> dict[str, Any]:
    """How a free answer was written, by field of FreeAnswer; empty if nothing was measured.

    A value that is no count or no time is None, and so are all values that the script did not send.
    """
    sent = _object(text)
    fields: dict[str, Any] = {name: _count(sent.get(name), MOST_TIMES) for name in WRITING_COUNTS}
    fields |= {name: _seconds(sent.get(name)) for name in WRITING_SECONDS}
    return fields if any(value is not None for value in fields.values()) else {}


def writing_text(fields: Mapping[str, Any]) -> str:
    """What `read_writing` reads, as text for its page; empty if nothing was measured."""
    known = {name: fields[name] for name in WRITING if fields.get(name) is not None}
    return json.dumps(known) if known else ""


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
