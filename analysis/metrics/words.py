"""Words and sentences of a text, as all metrics count them."""

from importlib.metadata import version

import regex

from survey.definition.text_language import base
from survey.definition.word_edges import UNSPACED

#: A character of a word in a script with spaces, for `regex` (V1).
SPACED_CHARACTER = rf"[[\w\p{{M}}]--[{UNSPACED}]]"
#: A character of a script without spaces is a word, with its vowel signs and tone marks.
_UNSPACED_WORD = rf"[[\p{{L}}\p{{N}}]&&[{UNSPACED}]][\p{{M}}&&[{UNSPACED}]]*"
#: A letter or digit, and what follows it in a word: accents, vowel signs and the like, too.
_FIRST = rf"[[\p{{L}}\p{{N}}]--[{UNSPACED}]]"
_REST = rf"[[\p{{L}}\p{{M}}\p{{N}}]--[{UNSPACED}]]"
_WORD = regex.compile(rf"(?V1){_UNSPACED_WORD}|{_FIRST}{_REST}*(?:['’-]{_REST}+)*")
#: Languages whose words nothing here finds, and why.
_NOT_SPLIT = dict.fromkeys(("th", "lo", "km", "my"), "its words have no spaces between them")


def words(text: str) -> list[str]:
    """Words of a text, as they are written; a character of a script without spaces counts as one.

    Apostrophes and hyphens inside a word are a part of it. Punctuation and emoji are no words.
    In Thai, Lao, Khmer and Burmese this splits into characters, not words: see `not_split`.
    """
    return list(_WORD.findall(text))


def folded(text: str) -> list[str]:
    """Words of a text as they are compared: in lower case, with straight apostrophes."""
    return words(text.lower().replace("’", "'"))


def sentences(text: str, language: str) -> list[str]:
    """Sentences with at least one letter, by sentencex; a line break ends one, too."""
    import sentencex

    split = sentencex.segment(base(language) or "en", text)
    return [each for one in split if any(map(str.isalpha, each := one.strip()))]


def sentence_rule() -> str:
    """What splits sentences, as metrics record it."""
    return f"sentencex {version('sentencex')}"


def not_split(language: str, settings: object = None) -> str:
    """Why texts in a language are not split into words, in a metric's words; empty where they
    are.
    """
    return _NOT_SPLIT.get(language, "")
