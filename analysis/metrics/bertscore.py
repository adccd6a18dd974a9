"""BERTScore: each token matched with the most similar token of the other text.

T. Zhang, V. Kishore, F. Wu, K. Q. Weinberger & Y. Artzi (2020), BERTScore: Evaluating text
generation with BERT. Without weights by rarity (idf), and without rescaling by a baseline.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from pandas import DataFrame, Series

from analysis.metrics.metric import (
    Matrix,
    Metric,
    MetricSettings,
    TokenEmbedder,
    TokenVectors,
    of_pairs,
)


@dataclass(frozen=True)
class BertScore:
    """Precision is over the tokens of the text, recall over those of the reference."""

    precision: float
    recall: float

    @property
    def f1(self) -> float:
        """Their harmonic mean; 0 if both are."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


def bertscore(text: TokenVectors, reference: TokenVectors) -> BertScore:
    """Greedy matching by cosine. Special tokens may be matched, but are not averaged over, as in
    bert-score 0.3.13; a text without other tokens has 0, as there.
    """
    if text.special.all() or reference.special.all():
        return BertScore(0.0, 0.0)
    cosines = _unit(text.vectors) @ _unit(reference.vectors).T
    precision = cosines.max(axis=1)[~text.special].mean()
    recall = cosines.max(axis=0)[~reference.special].mean()
    return BertScore(float(precision), float(recall))


def _unit(vectors: npt.NDArray[np.floating]) -> Matrix:
    exact = vectors.astype(np.float64)
    unit: Matrix = exact / np.linalg.norm(exact, axis=1, keepdims=True)
    return unit


def _metric(part: str, meaning: str, value: Callable[[BertScore], float]) -> Metric:
    def of_texts(texts: DataFrame, settings: MetricSettings) -> "Series[float]":
        model = _model(settings)

        def measure(text: str, reference: str, language: str) -> float:
            return value(bertscore(model.tokens(text), model.tokens(reference)))

        return of_pairs(texts, measure)

    return Metric(
        name=f"bertscore_{part}",
        meaning=f"{meaning}, from −1 to 1; not rescaled",
        higher="more alike",
        of_texts=of_texts,
        chosen=lambda settings: {
            "idf": False, "rescaled": False, "arithmetic": "bert-score 0.3.13",
            **_model(settings).settings,
        },
        needs_reference=True,
        needs="token_model",
    )  # fmt: skip


def _model(settings: MetricSettings) -> TokenEmbedder:
    assert settings.token_model
    return settings.token_model


BERTSCORE_PRECISION = _metric(
    "precision",
    "Mean cosine of each token with the most similar token of the reference",
    lambda score: score.precision,
)
BERTSCORE_RECALL = _metric(
    "recall",
    "Mean cosine of each token of the reference with the most similar token of the text",
    lambda score: score.recall,
)
BERTSCORE_F1 = _metric(
    "f1",
    "Harmonic mean of BERTScore's precision and recall",
    lambda score: score.f1,
)
