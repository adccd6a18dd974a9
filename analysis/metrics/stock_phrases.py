"""How often a text uses phrases that the study lists."""

from collections import Counter
from collections.abc import Sequence

from pandas import DataFrame, Series

from analysis.metrics.metric import Metric, MetricSettings, of_each
from analysis.metrics.phrases import matches, pattern_of, plain


def stock_phrases(texts: DataFrame, settings: MetricSettings) -> "Series[float]":
    """Number of stock phrases in each text, repeated ones each time."""
    pattern = pattern_of(settings.phrases)
    return of_each(texts, lambda text, language: len(matches(pattern, text)))


def by_phrase(texts: DataFrame, phrases: Sequence[str]) -> DataFrame:
    """How often each text has each phrase: one row a text, indexed like `texts`, one column a
    phrase. Where phrases overlap, the one that begins first counts, then the longest.
    """
    pattern = pattern_of(phrases)
    counts = [Counter(matches(pattern, text)) for text in texts["text"]]
    return DataFrame(
        {phrase: [count[plain(phrase)] for count in counts] for phrase in phrases},
        index=texts.index,
        dtype="int64",
    )


STOCK_PHRASES = Metric(
    name="stock_phrases",
    meaning="Number of times that a phrase of the study's list is used",
    higher="more stock phrases",
    of_texts=stock_phrases,
    chosen=lambda settings: {"phrases": list(settings.phrases)},
    needs="phrases",
)
