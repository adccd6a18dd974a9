"""How often a text turns to other words from one sentence to the next.

X. Liu (2025), Bridging the empathy gap, reports "topic shifts" without a definition; this one is
ours. Two adjacent sentences are a shift if the cosine of their word counts is below `LEVEL`.
Function words count, because short sentences seldom share others.
"""

from collections import Counter
from itertools import pairwise
from math import sqrt

from pandas import DataFrame, Series

from analysis.metrics.metric import Metric, MetricSettings, of_each
from analysis.metrics.words import folded, not_split, sentence_rule, sentences

LEVEL = 0.1


def topic_shifts(text: str, language: str) -> float:
    """Number of adjacent pairs of sentences with a shift; NaN where there is no sentence."""
    counts = [Counter(folded(sentence)) for sentence in sentences(text, language)]
    if not counts:
        return float("nan")
    return sum(_cosine(a, b) < LEVEL for a, b in pairwise(counts))


def _cosine(a: Counter[str], b: Counter[str]) -> float:
    shared = sum(count * b[word] for word, count in a.items())
    return shared / (_length(a) * _length(b))


def _length(counts: Counter[str]) -> float:
    return sqrt(sum(count**2 for count in counts.values()))


def _of_texts(texts: DataFrame, settings: MetricSettings) -> "Series[float]":
    return of_each(texts, topic_shifts)


TOPIC_SHIFTS = Metric(
    name="topic_shifts",
    meaning="Number of times that a sentence shares hardly a word with the sentence before it; our "
    "definition",
    higher="more shifts",
    of_texts=_of_texts,
    chosen=lambda settings: {"cosine_below": LEVEL, "sentences": sentence_rule()},
    not_for=not_split,
)
