"""The result of reading a form."""

from dataclasses import dataclass, field
from typing import Generic, TypeVar

Values = TypeVar("Values")


@dataclass
class CheckedInput(Generic[Values]):
    """Values that can be stored, the values sent (to show them again), and errors.

    `errors` maps an input's id to a message.
    """

    values: Values
    sent: dict[str, object] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)


def clean_text(text: str) -> str:
    """Text as it is stored: line breaks as one character, no zero bytes, stripped."""
    return text.replace("\x00", "").replace("\r\n", "\n").replace("\r", "\n").strip()
