"""What reading a form gives."""

from dataclasses import dataclass, field
from typing import Generic, TypeVar

Values = TypeVar("Values")


@dataclass
class Checked(Generic[Values]):
    """Values that can be stored, what was sent (to show it again), and what is wrong.

    `errors` maps the id of the input to go to onto a message.
    """

    values: Values
    sent: dict[str, object] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)


def clean_text(text: str) -> str:
    """Written text as it is stored: line breaks as one character, no zero bytes, no edges."""
    return text.replace("\x00", "").replace("\r\n", "\n").replace("\r", "\n").strip()
