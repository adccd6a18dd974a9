"""What the filters look for in a text, and how texts are normalized and anonymized. Pure."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any
from unicodedata import normalize

import regex

from corpus.addresses import HALF_WIDTH, Kind, addresses_in, in_place_of
from survey.definition.word_edges import BEGINS, CASED, CASED_LETTERS, ENDS, HANGUL, UNSPACED
from survey.files.as_written import as_written
from survey.files.names import one_name

#: What is shown as a picture without being told to, what is told to, keycaps, and the hearts and
#: faces of older fonts.
_EMOJI = regex.compile(
    r"\p{Emoji_Presentation}|\p{Extended_Pictographic}\uFE0F|[0-9#*]\uFE0F?\u20E3|[☹☺❣❤]"
)
_UNSPACED_LETTER = (
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\u30fc\uff70]"
)
#: A word, or one character of a script without spaces.
_TOKEN = regex.compile(
    rf"(?V1){_UNSPACED_LETTER}|[[\p{{L}}\p{{M}}\p{{N}}]--{_UNSPACED_LETTER}]+"
    rf"(?:['’][[\p{{L}}\p{{M}}]--{_UNSPACED_LETTER}]+)*"
)
_ASCII_TOKEN = re.compile(r"[A-Za-z0-9]+(?:'[A-Za-z]+)*")

#: By more than the one space that ends up before a line by chance.
_INDENT = re.compile(r"(?:\t|  )[ \t]*(?=\S)")

# Names

_WITH_CASE = rf"[{CASED_LETTERS}]+(?:['’-][{CASED_LETTERS}]+)*"
#: A letter, digit or underscore of a script with spaces.
_SPACED = rf"[^\W{UNSPACED}{HANGUL}]"
_WORD = regex.compile(rf"{_WITH_CASE}|(?:(?![\d_{CASED_LETTERS}]){_SPACED})+")
_CASED_CHARACTER, _SPACED_CHARACTER = regex.compile(f"[{CASED}]"), re.compile(_SPACED)
_NAME = rf"\p{{Lu}}[{CASED_LETTERS}'’-]+"
_CAPITAL = rf"{_NAME}(?:\s{_NAME})?"
#: How people name themselves and others; group 1 is the name. Patterns are slow, so the words that
#: each begins with are looked for first.
_INTRODUCTIONS = {
    ("y name", "all me", "go by", "named", "Mr", "Ms", "Miss", "Dr", "Prof"): regex.compile(
        rf"{BEGINS}(?:[Mm]y name is|[Mm]y name['’]s|[Cc]all me|I go by|named"
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
    """Full-width characters as their usual forms, one kind of line end, one space between words.
    Lines keep their indentation by spaces and tabs.
    """
    lines = as_written(text.replace("\r\n", "\n").replace("\r", "\n")).split("\n")
    return "\n".join(map(_half_width_line, lines))


def _half_width_line(line: str) -> str:
    indent = _INDENT.match(line)
    words = line.translate(HALF_WIDTH).split()
    return f"{indent[0] if indent else ''}{' '.join(words)}"


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
    """How many mail addresses, phone numbers, names and web addresses were replaced."""

    mails: int = 0
    phones: int = 0
    names: int = 0
    urls: int = 0

    def __bool__(self) -> bool:
        return bool(self.mails or self.phones or self.names or self.urls)


@dataclass(frozen=True)
class Anonymizer:
    """Replaces mail addresses, phone numbers, web addresses and names by `[mail]`, `[phone]`,
    `[url]` and `[name]`.

    A name is what follows "my name is", "call me", a title such as "Dr." or "Dear", 我叫 and the
    like, everywhere in its dialogue; and each of `names`.
    """

    names: tuple[str, ...] = ()

    def anonymize(
        self, texts: Mapping[str, str], *, with_urls: Collection[str] = ()
    ) -> tuple[dict[str, str], Replaced]:
        """The texts of one dialogue without what identifies people. Those of `with_urls` keep their
        web addresses.
        """
        replaced = Replaced()
        named = any_of({name for text in texts.values() for name in self._named(text)})
        changed = {}
        for key, given in texts.items():
            found = addresses_in(given, with_urls=key in with_urls)
            text = in_place_of(given, ((start, end, f"[{kind}]") for start, end, kind in found))
            text, names = named.subn("[name]", text) if named else (text, 0)
            kinds = Counter(kind for _, _, kind in found)
            replaced.mails += kinds[Kind.MAIL]
            replaced.phones += kinds[Kind.PHONE]
            replaced.urls += kinds[Kind.URL]
            replaced.names += names
            changed[key] = text
        return changed, replaced

    def _named(self, text: str) -> set[str]:
        """The names of a text. A list may have thousands, so words are looked up in it."""
        text = one_name(text)
        found = names_in(text)
        if self._words:
            found |= self._words.intersection(_WORD.findall(text))
        return found | {name for name in self._others if name in text}

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return tuple(map(one_name, self.names))

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(name for name in self._names if _WORD.fullmatch(name))

    @cached_property
    def _others(self) -> tuple[str, ...]:
        """Names of several words, or in scripts without spaces."""
        return tuple(name for name in self._names if name not in self._words)


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


def any_of(names: Iterable[str]) -> Any:
    """What matches each of the names as whole words, however its accents are written; None without
    names.
    """
    forms = {normalize(form, name) for name in names for form in ("NFC", "NFD")}
    given = sorted(forms, key=len, reverse=True)
    if not given:
        return None
    return regex.compile("|".join(map(_edged, given)))


def _edged(name: str) -> str:
    """The pattern of a name. In scripts without spaces, words have no edges."""
    before = after = ""
    if _CASED_CHARACTER.match(name[0]):
        before = BEGINS
    elif _SPACED_CHARACTER.match(name[0]):
        before = f"(?<!{_SPACED})"
    if _CASED_CHARACTER.match(name[-1]):
        after = ENDS
    elif _SPACED_CHARACTER.match(name[-1]):
        after = f"(?!{_SPACED})"
    return f"{before}{regex.escape(name)}{after}"
