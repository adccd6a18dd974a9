"""Where a text has one of many phrases."""

import re
from collections.abc import Iterable

from analysis.metrics.words import SPACED_CHARACTER


def pattern_of(phrases: Iterable[str]) -> re.Pattern[str]:
    """Matches any of the phrases, the longest that fits; there must be one.

    Case, the kind of apostrophe and the width of spaces do not matter. A phrase begins and ends
    where a word does, but anywhere in a script without spaces.
    """
    longest_first = sorted({plain(phrase) for phrase in phrases}, key=lambda one: (-len(one), one))
    return re.compile("|".join(map(_bounded, longest_first)))


def matches(pattern: re.Pattern[str], text: str) -> list[str]:
    """The phrases in a text, in order and as `plain` has them. They do not overlap."""
    return pattern.findall(plain(text))


def plain(text: str) -> str:
    """A text as phrases are compared: lower case, straight apostrophes, single spaces."""
    return " ".join(text.lower().replace("’", "'").split())


def _bounded(phrase: str) -> str:
    before = rf"(?<!{SPACED_CHARACTER})" if re.match(SPACED_CHARACTER, phrase) else ""
    after = rf"(?!{SPACED_CHARACTER})" if re.search(rf"{SPACED_CHARACTER}\Z", phrase) else ""
    return f"{before}{re.escape(phrase)}{after}"
