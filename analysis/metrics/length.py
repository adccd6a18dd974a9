"""How long a text is: words, characters, sentences."""

from collections.abc import Callable

from pandas import DataFrame, Series

from analysis.metrics.metric import Metric, MetricSettings, of_each
from analysis.metrics.words import not_split, sentences, words


def _metric(
    name: str,
    meaning: str,
    count: Callable[[str, str], float],
    package: str = "",
    not_for: Callable[[str, MetricSettings], str] = lambda language, settings: "",
) -> Metric:
    def of_texts(texts: DataFrame, settings: MetricSettings) -> "Series[float]":
        return of_each(texts, count)

    return Metric(
        name=name,
        meaning=meaning,
        higher=f"more {name}",
        of_texts=of_texts,
        chosen=lambda settings: {},
        package=package,
        not_for=not_for,
    )


WORDS = _metric(
    "words",
    "Number of words; a character of Chinese counts as one",
    lambda text, language: len(words(text)),
    not_for=not_split,
)
CHARACTERS = _metric(
    "characters",
    "Number of characters (code points), spaces and punctuation included",
    lambda text, language: len(text),
)
SENTENCES = _metric(
    "sentences",
    "Number of sentences that have a letter; a line break ends one, too",
    lambda text, language: len(sentences(text, language)),
    package="sentencex",
)
