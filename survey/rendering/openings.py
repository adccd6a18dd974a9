"""How a response begins, next to its label where the response itself is far up the page. Pure."""

from functools import lru_cache
from typing import Any
from unicodedata import east_asian_width

from survey.rendering.responses import Look, shown

#: Length in columns: a Chinese character takes two.
OPENING = 70


@lru_cache(maxsize=1024)
def opening(text: str, look: Look) -> dict[str, Any]:
    """How a response begins, and whether it goes on."""
    line = shown(text, look).words
    columns = 0
    for length, character in enumerate(line):
        columns += 2 if east_asian_width(character) in "WF" else 1
        if columns > OPENING:
            return {"text": line[:length].rstrip(), "cut": True}
    return {"text": line, "cut": False}
