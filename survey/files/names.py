"""Names in one form, however a keyboard or a file system writes their accents. Pure."""

import unicodedata
from collections.abc import Mapping
from typing import TypeVar

Value = TypeVar("Value")


def one_name(text: str) -> str:
    """A name with composed characters (NFC), so that `é` as one character and as two is one
    name.
    """
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def in_one_form(value: Value) -> Value:
    """A value as JSON has it, with every key and text as `one_name`."""
    made: object = value
    if isinstance(value, str):
        made = one_name(value)
    elif isinstance(value, Mapping):
        made = {in_one_form(key): in_one_form(item) for key, item in value.items()}
    elif isinstance(value, list):
        made = [in_one_form(item) for item in value]
    return made  # type: ignore[return-value]  # of the same type
