"""Imperative sentences.

By rule: a sentence is imperative if it begins with an opener of the lexicon (in English a verb in
its base form), after any number of lead-ins such as "please" or "then", and is no question. Numbers
and punctuation before it do not count. An imperative after another clause ("When you are tired,
rest") is not found.
"""

import re

from pandas import DataFrame, Series

from analysis.metrics.lexicon import Lexicon
from analysis.metrics.metric import (
    Metric,
    MetricSettings,
    chosen_lexicons,
    of_each,
    without_lexicon,
)
from analysis.metrics.phrases import plain
from analysis.metrics.words import sentence_rule, sentences
from survey.definition.text_language import base

_QUESTION = re.compile(r"[?？]\W*$")


def imperatives(text: str, lexicon: Lexicon) -> int:
    """Number of imperative sentences."""
    return sum(
        lexicon.imperative.match(plain(sentence)) is not None
        for sentence in sentences(text, lexicon.language)
        if not _QUESTION.search(sentence)
    )


def _share(texts: DataFrame, settings: MetricSettings) -> "Series[float]":
    def of_text(text: str, language: str) -> float:
        of = len(sentences(text, language))
        return imperatives(text, settings.lexicons[base(language)]) / of if of else float("nan")

    return of_each(texts, of_text)


IMPERATIVES = Metric(
    name="imperatives",
    meaning="Share of sentences that begin with an imperative, from 0 to 1",
    higher="more imperatives",
    of_texts=_share,
    chosen=lambda settings: {**chosen_lexicons(settings), "sentences": sentence_rule()},
    not_for=without_lexicon,
)
