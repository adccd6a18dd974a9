"""What the filters look for in a text, and how texts are normalized and anonymized. Pure."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

import regex

#: Full-width forms of ASCII (U+FF01 to U+FF5E) and the ideographic space.
HALF_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}
#: Every address without :// has one.
_DOT = re.compile(r"\.\w")
# The parts of addresses have limits, as on the Internet: without them, a text of nothing but dashes
# or digits takes minutes.
_URL = re.compile(
    r"\b(?:https?://|ftp://|www\.)\S+"
    r"|(?<![@\w])(?:[a-z0-9-]{1,63}\.){1,10}"
    r"(?:com|org|net|edu|gov|info|io|cn|de|fr|uk|eu|ca|au|jp)\b(?!@)",
    re.IGNORECASE,
)
#: What is shown as a picture without being told to, what is told to, keycaps, and the hearts and
#: faces of older fonts.
_EMOJI = regex.compile(
    r"\p{Emoji_Presentation}|\p{Extended_Pictographic}\uFE0F|[0-9#*]\uFE0F?\u20E3|[☹☺❣❤]"
)
#: A word, or one character of a script without spaces.
_TOKEN = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]"
    r"|[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}]+)*"
)

_CJK = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]")
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_ASCII_TOKEN = re.compile(r"[A-Za-z0-9]+(?:'[A-Za-z]+)*")

_MAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,10}")
#: Digits in groups; `_is_phone` says which of them are a number to call.
_DIGITS = re.compile(r"(?<![\w.])(?:\+|\(\+?)?\d[\d\s().\-/]{6,20}\d(?!\w)")
_YEAR = re.compile(r"(?:19|20)\d\d")
_CAPITAL = r"\p{Lu}[\p{L}'’-]+(?:\s\p{Lu}[\p{L}'’-]+)?"
#: How people name themselves and others; group 1 is the name. Patterns are slow, so the words that
#: each begins with are looked for first.
_INTRODUCTIONS = {
    ("y name", "all me", "go by", "named", "Mr", "Ms", "Miss", "Dr", "Prof"): regex.compile(
        r"\b(?:[Mm]y name is|[Mm]y name['’]s|[Cc]all me|I go by|named"
        rf"|(?:Mr|Mrs|Ms|Miss|Dr|Prof)\.?)\s+({_CAPITAL})"
    ),
    ("Dear",): regex.compile(rf"(?m)^\s*Dear\s+({_CAPITAL})\s*[,:!]"),
    ("我叫", "我的名字", "我名叫"): regex.compile(
        r"(?:我叫|我的名字是|我的名字叫|我名叫)\s*(\p{Han}{2,3})(?=[\s,.!?;，。！？；、]|$)"
    ),
}
#: Capitalised words after "Dear" and titles that name nobody.
NOT_NAMES = {"sir", "madam", "friend", "all", "everyone", "reader", "diary", "god", "lord"}


def half_width(text: str) -> str:
    """Full-width characters as their usual forms, one kind of line end, one space between words."""
    usual = text.translate(HALF_WIDTH).replace("\r\n", "\n").replace("\r", "\n")
    return "\n".join(" ".join(line.split()) for line in usual.strip().split("\n"))


def url_in(text: str) -> str:
    """The first web address of a text, or its beginning; empty without one."""
    if "://" not in text and not _DOT.search(text):
        return ""
    found = _URL.search(text)
    return found[0] if found else ""


def emoji_in(text: str) -> str:
    """The first emoji of a text; empty without one."""
    found = None if text.isascii() else _EMOJI.search(text)
    return str(found[0]) if found else ""


def tokens(text: str) -> list[str]:
    """Words, and single characters of scripts without spaces."""
    pattern: Any = _ASCII_TOKEN if text.isascii() else _TOKEN
    found: list[str] = pattern.findall(text)
    return found


def count_tokens(text: str, most: int) -> int:
    """The number of tokens of a text, counted up to `most`."""
    pattern: Any = _ASCII_TOKEN if text.isascii() else _TOKEN
    return sum(1 for _ in islice(pattern.finditer(text), most))


@dataclass
class Replaced:
    """How many mail addresses, phone numbers and names were replaced."""

    mails: int = 0
    phones: int = 0
    names: int = 0

    def __bool__(self) -> bool:
        return bool(self.mails or self.phones or self.names)


@dataclass(frozen=True)
class Anonymizer:
    """Replaces mail addresses, phone numbers and names by `[mail]`, `[phone]` and `[name]`.

    A name is what follows "my name is", "call me", a title such as "Dr." or "Dear", 我叫 and the
    like, everywhere in its dialogue; and each of `names`.
    """

    names: tuple[str, ...] = ()

    def anonymize(self, texts: Mapping[str, str]) -> tuple[dict[str, str], Replaced]:
        """The texts of one dialogue without what identifies people."""
        replaced = Replaced()
        named = any_of({name for text in texts.values() for name in self._named(text)})
        changed = {}
        for key, given in texts.items():
            text, mails = _MAIL.subn("[mail]", given) if "@" in given else (given, 0)
            text, phones = without_phones(text)
            text, names = named.subn("[name]", text) if named else (text, 0)
            replaced.mails += mails
            replaced.phones += phones
            replaced.names += names
            changed[key] = text
        return changed, replaced

    def _named(self, text: str) -> set[str]:
        """The names of a text. A list may have thousands, so words are looked up in it."""
        found = names_in(text)
        if self._words:
            found |= self._words.intersection(_WORD.findall(text))
        return found | {name for name in self._others if name in text}

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(name for name in self.names if _WORD.fullmatch(name) and not is_cjk(name))

    @cached_property
    def _others(self) -> tuple[str, ...]:
        """Names of several words, or in scripts without spaces."""
        return tuple(name for name in self.names if name not in self._words)


def without_phones(text: str) -> tuple[str, int]:
    """The text with `[phone]` for each phone number, and their number."""
    found = [digits[0] for digits in _DIGITS.finditer(text) if _is_phone(digits[0])]
    for number in found:
        text = text.replace(number, "[phone]", 1)
    return text, len(found)


def names_in(text: str) -> set[str]:
    """The names by which people are introduced or addressed in a text."""
    found = {
        name
        for words, pattern in _INTRODUCTIONS.items()
        if any(word in text for word in words)
        for name in pattern.findall(text)
    }
    if not found:
        return found
    # A full name is used by its parts, too.
    parts = {part for name in found for part in name.split()}
    return {name for name in found | parts if name.casefold() not in NOT_NAMES}


def any_of(names: Iterable[str]) -> "re.Pattern[str] | None":
    """What matches each of the names as whole words; None without names."""
    given = sorted(names, key=len, reverse=True)
    if not given:
        return None
    # Between characters of a script without spaces there is no edge of a word.
    edged = (re.escape(n) if is_cjk(n) else rf"\b{re.escape(n)}\b" for n in given)
    return re.compile("|".join(edged))


def is_cjk(text: str) -> bool:
    """Whether a text is in Chinese or Japanese characters."""
    return _CJK.search(text) is not None


def _is_phone(found: str) -> bool:
    """Whether digits are a phone number: 9 to 15 of them (8 after a +), and not years."""
    groups = re.findall(r"\d+", found)
    n = sum(map(len, groups))
    if all(_YEAR.fullmatch(group) or len(group) <= 2 for group in groups):
        return False  # dates and spans of years
    return (8 if "+" in found else 9) <= n <= 15
