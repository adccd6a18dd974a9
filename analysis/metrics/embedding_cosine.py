"""Cosine of the embeddings of a text and its reference."""

import numpy as np
from pandas import DataFrame, Series

from analysis.metrics.metric import Metric, MetricSettings


def embedding_cosine(texts: DataFrame, settings: MetricSettings) -> "Series[float]":
    """From −1 to 1; NaN without a reference, or where a text has no characters but spaces. The
    embedder gets each distinct text of `texts` once.
    """
    assert settings.sentence_model
    values = Series(np.nan, index=texts.index, dtype="float64")
    has_both = texts["reference"].map(_is_given) & texts["text"].map(_is_given)
    pairs = texts[has_both]
    if pairs.empty:
        return values
    distinct = list(dict.fromkeys([*pairs["text"], *pairs["reference"]]))
    vectors = settings.sentence_model.sentence(distinct)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    at = {text: place for place, text in enumerate(distinct)}
    own, others = unit[pairs["text"].map(at)], unit[pairs["reference"].map(at)]
    values[has_both] = np.einsum("ij,ij->i", own, others)
    return values


def _is_given(text: object) -> bool:
    return isinstance(text, str) and not text.isspace() and text != ""


def _chosen(settings: MetricSettings) -> dict[str, object]:
    assert settings.sentence_model
    return dict(settings.sentence_model.settings)


EMBEDDING_COSINE = Metric(
    name="embedding_cosine",
    meaning="Cosine of a model's vectors of the text and of the reference, from −1 to 1",
    higher="more alike",
    of_texts=embedding_cosine,
    chosen=_chosen,
    needs_reference=True,
    needs="sentence_model",
)
