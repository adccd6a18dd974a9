"""Where a text has one of many phrases."""

from collections.abc import Iterable

import regex

from analysis.metrics.words import SPACED_CHARACTER

_SPACED = regex.compile(rf"(?V1){SPACED_CHARACTER}")


def pattern_of(phrases: Iterable[str]) -> "regex.Pattern[str]":
    """Matches any of the phrases, the longest that fits; there must be one.

    Case, the kind of apostrophe and the width of spaces do not matter. A phrase begins and ends
    where a word does, but anywhere in a script without spaces.
    """
    longest_first = sorted({plain(phrase) for phrase in phrases}, key=lambda one: (-len(one), one))
    groups: dict[bool, list[str]] = {True: [], False: []}
    for phrase in longest_first:
        groups[_begins_a_word(phrase)].append(_with_end(phrase))
    # One look behind for all phrases of a group: most places of a text need no more.
    before = {True: f"(?<!{SPACED_CHARACTER})", False: ""}
    return regex.compile(
        "(?V1)"
        + "|".join(f"{before[key]}(?:{'|'.join(each)})" for key, each in groups.items() if each)
    )


def matches(pattern: "regex.Pattern[str]", text: str) -> list[str]:
    """The phrases in a text, in order and as `plain` has them. They do not overlap."""
    return list(pattern.findall(plain(text)))


def plain(text: str) -> str:
    """A text as phrases are compared: lower case, straight apostrophes, single spaces."""
    return " ".join(text.lower().replace("’", "'").split())


def _begins_a_word(phrase: str) -> bool:
    return _SPACED.match(phrase) is not None


def _with_end(phrase: str) -> str:
    after = rf"(?!{SPACED_CHARACTER})" if _SPACED.match(phrase[-1]) else ""
    return str(regex.escape(phrase)) + after
