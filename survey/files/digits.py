"""Numbers as other keyboards write them: full-width, Arabic-Indic, and so on. Pure."""

import re
import unicodedata
from collections.abc import Collection
from functools import cached_property

#: Full-width, small and mathematical signs; full-width and Arabic decimal marks.
_SIGNS = str.maketrans("－﹣−＋﹢．，٫", "---++.,.")

#: A whole number as programs write it whose columns of numbers have gaps.
_WITH_ZEROS = re.compile(r"(-?[0-9]+)\.0+")


def ascii_digits(text: str) -> str:
    """A text with the decimal digits of any script as 0 to 9."""
    if text.isascii():
        return text
    return "".join(
        str(unicodedata.decimal(character)) if character.isdecimal() else character
        for character in text
    )


def ascii_number(text: str) -> str:
    """A number with digits, sign and decimal mark in ASCII: `-3.5` of `－３．５`. What else a text
    has stays.
    """
    return text if text.isascii() else ascii_digits(text).translate(_SIGNS)


def as_whole(text: str) -> str:
    """A number in ASCII without decimals that are zeros: `3` of `3.0`. Other texts stay."""
    with_zeros = _WITH_ZEROS.fullmatch(text)
    return with_zeros[1] if with_zeros else text


class NumberedNames:
    """Finds names that are whole numbers, however a program wrote these."""

    def __init__(self, known: Collection[str]) -> None:
        self._known = known

    @cached_property
    def _by_number(self) -> dict[str, str]:
        """Known names by what `as_whole` makes of them, without those that it makes equal."""
        found: dict[str, list[str]] = {}
        for name in self._known:
            found.setdefault(as_whole(name), []).append(name)
        return {whole: alike[0] for whole, alike in found.items() if len(alike) == 1}

    def known(self, name: str) -> str:
        """The known name that is the same whole number: `1` for `1.0`. A name that is known, or
        that is no such number, stays.
        """
        if name in self._known or not as_whole(name).lstrip("-").isdigit():
            return name
        return self._by_number.get(as_whole(name), name)


def as_known(name: str, known: Collection[str]) -> str:
    """As `NumberedNames.known`, for one name."""
    return NumberedNames(known).known(name)
