"""How often a text uses phrases that the study lists."""

from pandas import DataFrame, Series

from analysis.metrics.metric import Metric, MetricSettings, of_each
from analysis.metrics.phrases import matches, pattern_of


def stock_phrases(texts: DataFrame, settings: MetricSettings) -> "Series[float]":
    """Number of stock phrases in each text, repeated ones each time."""
    pattern = pattern_of(settings.phrases)
    return of_each(texts, lambda text, language: len(matches(pattern, text)))


STOCK_PHRASES = Metric(
    name="stock_phrases",
    meaning="Number of times that a phrase of the study's list is used",
    higher="more stock phrases",
    of_texts=stock_phrases,
    chosen=lambda settings: {"phrases": list(settings.phrases)},
    needs="phrases",
)
