"""Names in one form, however a keyboard or a file system writes their accents. Pure."""

import hashlib
import unicodedata
from collections.abc import Mapping
from typing import TypeVar

Value = TypeVar("Value")

#: Characters of the longest key, and of the digest at the end of a shortened one.
LONGEST_KEY, _DIGEST = 100, 10


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


def short_key(text: str) -> str:
    """A key of any length as one that can be stored: a longer one becomes its beginning and a
    digest of all of it.
    """
    if len(text) <= LONGEST_KEY:
        return text
    digest = hashlib.sha256(one_name(text).encode()).hexdigest()[:_DIGEST]
    return f"{text[: LONGEST_KEY - _DIGEST - 2].rstrip()}… {digest}"


def key_of_texts(*texts: str) -> str:
    """A key of something that has none, made from its texts. Spaces between words do not count."""
    return short_key(one_name(" | ".join(" ".join(text.split()) for text in texts if text.strip())))
