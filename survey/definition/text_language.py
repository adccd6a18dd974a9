"""The language of a text: as stated, else as its script tells, else that of the pages.

Texts need not be in the language of the pages around them, and metrics, voices and fonts go by the
language of the text.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import AfterValidator

from survey.definition.language import LONGEST_TAG, TAG

if TYPE_CHECKING:
    import regex

How = Literal["stated", "script", "page"]
#: The tag of a language that nobody knows (BCP 47).
UNKNOWN = "und"
#: What is in no language, even within a text: code, formulas, and addresses of web pages.
_NO_LANGUAGE = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]+`|\\\(.*?\\\)|\\\[.*?\\\]|\$\$.*?\$\$|https?://\S+", re.DOTALL
)
#: With this share of kana among kana and Chinese characters, the latter are Japanese, too. A
#: Chinese text may have a の.
_SHARE_OF_KANA = 0.1
#: With this share of words in the script of a page, a text whose other words tell no language is in
#: the language of the page.
_SHARE_OF_OWN = 0.1
#: Up to this share of a text's letters may be missing in the alphabet of its script's language.
_SHARE_OF_FOREIGN = 0.02


@dataclass(frozen=True)
class Script:
    """A script by its Unicode `properties`, and the language that a text in it is in, if the script
    tells.

    `letters` of a word where words have no spaces between them; 0 where they have. `alphabet` is
    that of the language where many other languages share its script.
    """

    properties: tuple[str, ...]
    language: str = UNKNOWN
    letters: int = 0
    alphabet: str = ""


#: By ISO 15924. The language is the one that most texts in a script are in.
SCRIPTS = {
    "Latn": Script(("Latin",)),
    "Hani": Script(("Han",), "zh", letters=2),
    "Kana": Script(("Hiragana", "Katakana"), "ja", letters=2),
    "Hang": Script(("Hangul",), "ko"),
    "Thai": Script(("Thai",), "th", letters=5),
    "Laoo": Script(("Lao",), "lo", letters=5),
    "Khmr": Script(("Khmer",), "km", letters=5),
    "Mymr": Script(("Myanmar",), "my", letters=5),
    "Arab": Script(("Arabic",), "ar", alphabet="ء-غف-يٱ"),
    "Hebr": Script(("Hebrew",), "he"),
    "Grek": Script(("Greek",), "el"),
    "Cyrl": Script(("Cyrillic",), "ru", alphabet="а-яёА-ЯЁ"),
    "Armn": Script(("Armenian",), "hy"),
    "Geor": Script(("Georgian",), "ka"),
    "Ethi": Script(("Ethiopic",), "am"),
    "Deva": Script(("Devanagari",), "hi"),
    "Beng": Script(("Bengali",), "bn"),
    "Guru": Script(("Gurmukhi",), "pa"),
    "Gujr": Script(("Gujarati",), "gu"),
    "Orya": Script(("Oriya",), "or"),
    "Taml": Script(("Tamil",), "ta"),
    "Telu": Script(("Telugu",), "te"),
    "Knda": Script(("Kannada",), "kn"),
    "Mlym": Script(("Malayalam",), "ml"),
    "Sinh": Script(("Sinhala",), "si"),
    "Zzzz": Script(("L",)),  # any other
}
#: The scripts of languages that use several; first the one that no other language uses.
_TOGETHER = {
    "Hans": ("Hani",),
    "Hant": ("Hani",),
    "Jpan": ("Kana", "Hani"),
    "Kore": ("Hang",),
}


@dataclass(frozen=True, order=True)
class TextLanguage:
    """The language of a text, and how it is known."""

    language: str
    how: How


def language_of(text: str, *, pages: Sequence[str], stated: str = "") -> TextLanguage:
    """The language of `text` in a study whose pages are in `pages`, the main language first.

    Unless it is stated, most words of the text must be in a script for this to say the language: it
    is the first of the pages' languages in this script, else the script's own language. In Latin
    letters, where no page has any, it is unknown.
    """
    if stated:
        return TextLanguage(stated, "stated")
    script = _script_of(text)
    if script is None:
        return TextLanguage(pages[0], "page")
    own = [each for each in pages if _scripts(each)[:1] == (script,)]
    if own := own or [each for each in pages if script in _scripts(each)]:
        return TextLanguage(own[0], "page" if own[0] == pages[0] else "script")
    if SCRIPTS[script].language != UNKNOWN and _is_in_alphabet(text, SCRIPTS[script]):
        return TextLanguage(SCRIPTS[script].language, "script")
    # Names of products and abbreviations in Latin letters amid words of a page's language.
    counts = _words_in(text)
    for each in pages:
        if sum(counts[part] for part in _scripts(each)) >= _SHARE_OF_OWN * sum(counts.values()):
            return TextLanguage(each, "page" if each == pages[0] else "script")
    return TextLanguage(UNKNOWN, "script")


def base(language: object) -> str:
    """The language of a tag (`zh` of `zh-Hans`); empty where none is known."""
    if not isinstance(language, str):
        return ""
    return language.lower().replace("_", "-").partition("-")[0]


def language_name(language: str) -> str:
    """A language in English, with its tag: `Chinese (zh-hans)`."""
    if base(language) in ("", UNKNOWN):
        return "an unknown language"
    return f"{_names().get(base(language), 'the language')} ({language})"


def differs(language: str, page: str) -> str:
    """The language that a text has to be marked with on a page in another one; else empty."""
    if language == page or (language == base(language) == base(page)):
        return ""
    return language


def distinct(languages: Iterable[TextLanguage]) -> list[str]:
    """The languages of some texts, the most frequent first."""
    return [language for language, _ in Counter(one.language for one in languages).most_common()]


def in_words(languages: Iterable[TextLanguage]) -> list[str]:
    """How many responses are in which language and how that is known, the most frequent first."""
    counts = sorted(Counter(languages).items(), key=lambda pair: (-pair[1], pair[0]))
    return [count_in_words(n, language) for language, n in counts]


def count_in_words(n: int, language: TextLanguage) -> str:
    """`120 responses in Chinese (zh), by their script`."""
    how, one = _HOW[language.how], n == 1
    return (
        f"{n:,} response{'' if one else 's'} in {language_name(language.language)}, "
        f"{how.format(its='its' if one else 'their')}"
    )


_HOW: dict[How, str] = {
    "stated": "as stated",
    "script": "by {its} script",
    "page": "the language of the pages",
}


def checked_tag(tag: str) -> str:
    """A tag as it is stored: `zh-hans` of `zh-Hans`. Raises ValueError for what is no language."""
    plain = tag.strip().lower().replace("_", "-")
    if len(plain) <= LONGEST_TAG and re.fullmatch(TAG, plain) and base(plain) in _names():
        return plain
    codes = {name.lower(): code for code, name in _names().items()}
    meant = f"; did you mean {codes[plain]!r}?" if plain in codes else ""
    raise ValueError(f"{tag!r} is not the tag of a language, such as en or zh-hans{meant}")


#: The language of texts: any language, while that of pages is one that they are translated into.
LanguageTag = Annotated[str, AfterValidator(checked_tag)]


@cache
def _names() -> dict[str, str]:
    """The English name of each language, by the language of its tags."""
    from babel import Locale  # takes a while, and most studies need none of it

    return {code: name for code, name in Locale("en").languages.items() if "_" not in code}


@cache
def _scripts(language: str) -> tuple[str, ...]:
    """The scripts of a language, by its tag or as is likely; empty where none is known."""
    from babel.core import get_global

    _, *rest = language.split("-")
    likely = get_global("likely_subtags").get(base(language), "").split("_")
    script = next((part.title() for part in (*rest, *likely[1:]) if len(part) == 4), "")
    return _TOGETHER.get(script, (script,) if script in SCRIPTS else ())


@cache
def _words() -> "regex.Pattern[str]":
    """Matches a run of letters of one script, as the group of its name."""
    import regex  # takes a while, as above

    groups = []
    for code, script in SCRIPTS.items():
        letters = "".join(rf"\p{{{name}}}" for name in script.properties)
        groups.append(rf"(?P<{code}>[{letters}][{letters}\p{{M}}]*)")
    return regex.compile("|".join(groups))


def _script_of(text: str) -> str | None:
    """The script of most words; None where none has most of them, or there are no letters."""
    text = _NO_LANGUAGE.sub(" ", text)
    if text.isascii():  # most English texts, and much quicker
        return "Latn" if re.search("[A-Za-z]", text) else None
    counts = _words_in(text)
    script = max(counts, key=counts.__getitem__)
    return script if 2 * counts[script] > sum(counts.values()) else None


def _words_in(text: str) -> defaultdict[str, float]:
    """The number of words in each script. In Japanese, Chinese characters are Japanese, too."""
    counts: defaultdict[str, float] = defaultdict(float)
    text = _NO_LANGUAGE.sub(" ", text)
    for match in _words().finditer(text):
        assert match.lastgroup is not None
        letters = SCRIPTS[match.lastgroup].letters
        counts[match.lastgroup] += len(match.group()) / letters if letters else 1
    if counts["Kana"] > _SHARE_OF_KANA * (counts["Kana"] + counts["Hani"]):
        counts["Kana"] += counts.pop("Hani", 0)
    return counts


def _is_in_alphabet(text: str, script: Script) -> bool:
    """Whether the letters of this script are those of its language, but for a few."""
    if not script.alphabet:
        return True
    runs = [m.group() for m in _words().finditer(text) if SCRIPTS[m.lastgroup or ""] is script]
    letters = "".join(filter(str.isalpha, "".join(runs)))
    foreign = re.sub(f"[{script.alphabet}]", "", letters)
    return len(foreign) <= _SHARE_OF_FOREIGN * len(letters)
