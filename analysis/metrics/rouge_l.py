"""ROUGE-L: the longest common subsequence of words, as F1.

C.-Y. Lin (2004), ROUGE: A package for automatic evaluation of summaries. Equal to rouge-score 0.1.2
without its stemmer, which is what it does unless asked otherwise.
"""

import re
from collections import defaultdict
from collections.abc import Sequence

from pandas import DataFrame, Series

from analysis.metrics.metric import Metric, MetricSettings, of_pairs
from analysis.metrics.words import folded, not_split
from survey.definition.text_language import base

#: What rouge-score calls a word. It drops every letter that is not in English.
_ENGLISH = re.compile(r"[a-z0-9]+")


def rouge_l(text: str, reference: str, language: str) -> float:
    """F1 of recall and precision, from 0 to 1; 0 where one of the texts has no words."""
    own, others = tokens(text, language), tokens(reference, language)
    return 2 * common_subsequence(own, others) / (len(own) + len(others) or 1)


def tokens(text: str, language: str) -> list[str]:
    """Words as rouge-score finds them in English; in other languages every word, and every
    character of Chinese.
    """
    return _ENGLISH.findall(text.lower()) if base(language) == "en" else folded(text)


def common_subsequence(a: Sequence[str], b: Sequence[str]) -> int:
    """Length of the longest common subsequence.

    A row of the usual table differs from its neighbour by 0 or 1, so it is kept as the bits of one
    number (H. Hyyrö, 2004, Bit-parallel LCS-length computation revisited): 0 where it grows.
    """
    at: defaultdict[str, int] = defaultdict(int)
    for place, token in enumerate(a):
        at[token] |= 1 << place
    all_places = (1 << len(a)) - 1
    row = all_places
    for token in b:
        matched = row & at.get(token, 0)
        row = (row + matched | row - matched) & all_places
    return len(a) - row.bit_count()


def _of_texts(texts: DataFrame, settings: MetricSettings) -> "Series[float]":
    return of_pairs(texts, rouge_l)


ROUGE_L = Metric(
    name="rouge_l",
    meaning="Longest sequence of words shared with the reference, in order and with gaps: F1 of "
    "precision and recall, from 0 to 1",
    higher="more alike",
    of_texts=_of_texts,
    chosen=lambda settings: {"score": "F1", "stemmer": False, "tokens": "rouge-score 0.1.2"},
    needs_reference=True,
    not_for=not_split,
)
