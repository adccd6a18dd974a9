"""Numbers as other keyboards write them: full-width, Arabic-Indic, and so on. Pure."""

import unicodedata

#: Full-width, small and mathematical signs; full-width and Arabic decimal marks.
_SIGNS = str.maketrans("－﹣−＋﹢．，٫", "---++.,.")


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
