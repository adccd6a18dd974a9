"""Distinct-1 and Distinct-2: how varied the words of a text are.

J. Li, M. Galley, C. Brockett, J. Gao & B. Dolan (2016), A diversity-promoting objective function
for neural conversation models. They divide by the number of words; we divide by the number of
n-grams, as is usual, so that a text without repetition has 1.
"""

from collections.abc import Iterable
from functools import partial
from itertools import pairwise

from pandas import DataFrame, Series

from analysis.metrics.metric import Metric, MetricSettings, of_each
from analysis.metrics.words import folded, not_split


def distinct(texts: Iterable[str], n: int) -> float:
    """Distinct n-grams as a share of all n-grams, over all texts; n-grams do not cross from one
    text to the next. NaN where there are none.
    """
    found = [gram for text in texts for gram in _grams(folded(text), n)]
    return len(set(found)) / len(found) if found else float("nan")


def _grams(each: list[str], n: int) -> Iterable[object]:
    return each if n == 1 else pairwise(each)


def _of_texts(texts: DataFrame, settings: MetricSettings, *, n: int) -> "Series[float]":
    return of_each(texts, lambda text, language: distinct([text], n))


def _of_corpus(texts: DataFrame, *, n: int) -> float:
    return distinct(texts["text"], n)


def _metric(n: int, unit: str) -> Metric:
    return Metric(
        name=f"distinct_{n}",
        meaning=f"Different {unit} as a share of all {unit}, from 0 to 1; it falls with the length "
        "of a text",
        higher="more varied words",
        of_texts=partial(_of_texts, n=n),
        chosen=lambda settings: {"n": n, "divided_by": "n-grams", "case": "lower"},
        of_corpus=partial(_of_corpus, n=n),
        not_for=not_split,
    )


DISTINCT_1 = _metric(1, "words")
DISTINCT_2 = _metric(2, "pairs of adjacent words")
