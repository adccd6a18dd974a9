"""TF-IDF cosine: words shared with the reference, weighted by how rare they are in the study."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from pandas import DataFrame, Series

from analysis.metrics.metric import Metric, MetricSettings
from analysis.metrics.words import folded, not_split


def tfidf_cosine(texts: DataFrame, settings: MetricSettings) -> "Series[float]":
    """Cosine of a text's and its reference's TF-IDF vectors, from 0 to 1; NaN without a reference,
    or where one of the two has no words.

    A word's weight is its count times ln((1 + n) / (1 + df)) + 1, where df of the n distinct texts
    and references have it (scikit-learn's default).
    """
    values = Series(np.nan, index=texts.index, dtype="float64")
    has_both = texts["reference"].map(_has_words) & texts["text"].map(_has_words)
    pairs = texts[has_both]
    if pairs.empty:
        return values
    vectorizer = _fitted([*texts["text"], *texts["reference"].dropna()])
    own, others = vectorizer.transform(pairs["text"]), vectorizer.transform(pairs["reference"])
    values[has_both] = np.asarray(own.multiply(others).sum(axis=1)).ravel()
    return values


def _has_words(text: object) -> bool:
    return isinstance(text, str) and bool(folded(text))


def _fitted(corpus: Iterable[str]) -> Any:
    from sklearn.feature_extraction.text import TfidfVectorizer

    return TfidfVectorizer(tokenizer=folded, token_pattern=None, lowercase=False).fit(
        dict.fromkeys(corpus)
    )


TFIDF_COSINE = Metric(
    name="tfidf_cosine",
    meaning="Words shared with the reference, weighted by how rare they are among all texts of the "
    "study, from 0 to 1",
    higher="more alike",
    of_texts=tfidf_cosine,
    chosen=lambda settings: {
        "norm": "l2", "smooth_idf": True, "sublinear_tf": False, "case": "lower",
        "idf_of": "all distinct texts and references",
    },
    package="scikit-learn",
    needs_reference=True,
    of_all=True,
    not_for=not_split,
)  # fmt: skip
