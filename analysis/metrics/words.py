"""Words and sentences of a text, as all metrics count them."""

import re
from importlib.metadata import version

from survey.definition.word_edges import UNSPACED

#: A character of a word in a script with spaces.
SPACED_CHARACTER = rf"[^\W{UNSPACED}]"
#: A character of a script without spaces is a word, with its vowel signs and tone marks.
_WORD = re.compile(
    rf"(?=\w)[{UNSPACED}](?:(?!\w)[{UNSPACED}])*"
    rf"|[^\W_{UNSPACED}]+(?:['’-][^\W_{UNSPACED}]+)*"
)


def words(text: str) -> list[str]:
    """Words of a text, as they are written; a character of a script without spaces counts as one.

    Apostrophes and hyphens inside a word are a part of it. Punctuation and emoji are no words.
    """
    return _WORD.findall(text)


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


def base(language: object) -> str:
    """The language of a tag (`zh` of `zh-Hans`); empty where none is known."""
    if not isinstance(language, str):
        return ""
    return language.lower().replace("_", "-").partition("-")[0]
