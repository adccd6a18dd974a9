"""Prescriptive and affective markers, and how much a text advises for each sign of empathy.

X. Liu (2025), Bridging the empathy gap, counts "prescriptive markers" and "affective alignment
markers" with two examples of each, and names an "advice-to-empathy ratio" without a definition. So
the lists and the ratio are ours, and nothing here repeats that study's numbers.
"""

from collections.abc import Callable

import numpy as np
from pandas import DataFrame, Series

from analysis.metrics.imperatives import imperatives
from analysis.metrics.lexicon import Lexicon
from analysis.metrics.metric import (
    Metric,
    MetricSettings,
    chosen_lexicons,
    of_each,
    without_lexicon,
)
from analysis.metrics.phrases import matches
from analysis.metrics.words import sentence_rule, words
from survey.definition.text_language import base

#: Added to both counts, so that a text without a marker of one kind has a ratio.
HALF = 0.5


def prescriptive(text: str, lexicon: Lexicon) -> int:
    """Number of prescriptive markers, such as "should"."""
    return len(matches(lexicon.prescriptive, text))


def affective(text: str, lexicon: Lexicon) -> int:
    """Number of affective markers, such as "I understand"."""
    return len(matches(lexicon.affective, text))


def advice_to_empathy(text: str, lexicon: Lexicon) -> float:
    """(prescriptive markers + imperative sentences + ½) / (affective markers + ½)."""
    advice = prescriptive(text, lexicon) + imperatives(text, lexicon)
    return (advice + HALF) / (affective(text, lexicon) + HALF)


def _per_100_words(count: Callable[[str, Lexicon], int]) -> Callable[[str, Lexicon], float]:
    return lambda text, lexicon: 100 * count(text, lexicon) / len(words(text))


def of_texts_with(
    measure: Callable[[str, Lexicon], float],
) -> Callable[[DataFrame, MetricSettings], "Series[float]"]:
    """`measure` of each text by the lexicon of its language; NaN without words."""

    def of_texts(texts: DataFrame, settings: MetricSettings) -> "Series[float]":
        def of_text(text: str, language: str) -> float:
            return measure(text, settings.lexicons[base(language)]) if words(text) else np.nan

        return of_each(texts, of_text)

    return of_texts


PRESCRIPTIVE_MARKERS = Metric(
    name="prescriptive_markers",
    meaning="Words and phrases of advice, for 100 words (characters of Chinese)",
    higher="more prescriptive markers",
    of_texts=of_texts_with(_per_100_words(prescriptive)),
    chosen=chosen_lexicons,
    not_for=without_lexicon,
)
AFFECTIVE_MARKERS = Metric(
    name="affective_markers",
    meaning="Words and phrases about feelings, for 100 words (characters of Chinese)",
    higher="more affective markers",
    of_texts=of_texts_with(_per_100_words(affective)),
    chosen=chosen_lexicons,
    not_for=without_lexicon,
)
ADVICE_TO_EMPATHY = Metric(
    name="advice_to_empathy",
    meaning="Prescriptive markers and imperative sentences, plus ½, for each affective marker, "
    "plus ½; our definition",
    higher="more advice for each affective marker",
    of_texts=of_texts_with(advice_to_empathy),
    chosen=lambda settings: {**chosen_lexicons(settings), "sentences": sentence_rule()},
    not_for=without_lexicon,
)
