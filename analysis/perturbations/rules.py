"""Changes of a text by rule: from the text and a seed, the same each time.

Haleas (2025) changes one text by hand and gives no rule; these are ours. A text that a rule cannot
change, such as a Chinese one by Greek letters, stays as it is.
"""

import re
from random import Random

#: Letters that look alike in most typefaces.
GREEK = str.maketrans(
    "ABEHIKMNOPTXYZaikovpuxwy", "ΑΒΕΗΙΚΜΝΟΡΤΧΥΖαικονρυχωγ"
)  # fmt: skip
LEETSPEAK = str.maketrans("aAeEiIoOsStT", "@@3311005577")
#: Shares of words that are changed.
MISSPELLED, FILLED = 0.3, 0.15
SHORTEST = 4  # letters of a word that is misspelled
#: Words that say nothing, by language.
FILLERS = {
    "en": ("um,", "well,", "you know,", "I mean,", "like,"),
    "ar": ("يعني،", "طيب،", "والله،"),
    "de": ("ähm,", "also,", "naja,", "weißt du,"),
    "es": ("eh,", "bueno,", "pues,", "o sea,"),
    "fr": ("euh,", "ben,", "enfin,", "tu vois,"),
    "ja": ("えっと、", "あの、", "まあ、"),
    "ko": ("음,", "뭐,", "그러니까,", "있잖아,"),
    "pt": ("hum,", "bom,", "tipo,", "quer dizer,"),
    "ru": ("ну,", "вот,", "как бы,", "значит,"),
    "zh": ("嗯，", "那个，", "就是说，"),
}
#: Of languages without spaces between words: the commas behind which fillers stand.
COMMAS = {"ja": re.compile("[、，,]"), "zh": re.compile("[，,]")}

_WORD = re.compile(r"[^\W\d_]+")
#: The last letter of a sentence with its mark, or of the text.
_CLOSING = re.compile(r"(\w)([.!?。！？]+)(?=\s|$)|(\w)(?=\s*$)")


def repeated(text: str, random: Random, language: str) -> str:
    """The last letter of each sentence 5 to 12 times, and its mark four times; "!" without one."""

    def longer(match: re.Match[str]) -> str:
        letter, mark = match[1] or match[3], match[2] or "!"
        return letter * random.randint(5, 12) + mark[-1] * 4

    return _CLOSING.sub(longer, text)


def greek(text: str, random: Random, language: str) -> str:
    """Greek letters in place of Latin ones that look like them."""
    return text.translate(GREEK)


def misspelled(text: str, random: Random, language: str) -> str:
    """Three in ten words of at least four letters: two letters swapped, one left out, or the end
    cut off.
    """

    def wrong(match: re.Match[str]) -> str:
        word = match[0]
        if len(word) < SHORTEST or not word.isascii() or random.random() >= MISSPELLED:
            return word
        kind, place = random.randrange(3), random.randrange(1, len(word) - 2)
        if kind == 0:
            return word[:place] + word[place + 1] + word[place] + word[place + 2 :]
        if kind == 1:
            return word[:place] + word[place + 1 :]
        return word[: -random.randint(1, 2)]

    return _WORD.sub(wrong, text)


def leetspeak(text: str, random: Random, language: str) -> str:
    """@, 3, 1, 0, 5 and 7 in place of a, e, i, o, s and t."""
    return text.translate(LEETSPEAK)


def whitespace(text: str, random: Random, language: str) -> str:
    """Two or three spaces for each, one at both ends, and an empty line at the end."""
    wider = re.sub(r"[^\S\n]+", lambda match: " " * random.randint(2, 3), text.strip())
    return f" {wider} \n\n"


def case(text: str, random: Random, language: str) -> str:
    """All letters as capitals."""
    return text.upper()


def filler(text: str, random: Random, language: str) -> str:
    """Words that say nothing, such as "you know", at the beginning and after one word in seven."""
    language = language.lower().split("-")[0]
    words = FILLERS.get(language)
    if words is None:
        return text
    if comma := COMMAS.get(language):
        more = comma.sub(lambda found: found[0] + random.choice(words), text)
        return random.choice(words) + more
    parts = re.split(r"(\s+)", text.strip())
    for place in range(2, len(parts), 2):
        if random.random() < FILLED:
            parts[place] = f"{random.choice(words)} {parts[place]}"
    first = random.choice(words)
    return f"{first[0].upper()}{first[1:]} {''.join(parts)}"
