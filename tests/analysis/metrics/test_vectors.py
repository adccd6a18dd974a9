"""BERTScore and cosine, of vectors that are known."""

from collections.abc import Mapping, Sequence
from math import isnan

import numpy as np
import pytest

from analysis.metrics import MetricSettings, score
from analysis.metrics.bertscore import bertscore
from analysis.metrics.metric import Matrix, TokenVectors
from tests.analysis.metrics.rows import rows

AXES = np.eye(3)


def tokens(*vectors: Sequence[float], special: int = 0) -> TokenVectors:
    """The first `special` of them are special tokens."""
    return TokenVectors(np.array(vectors, dtype=float), np.arange(len(vectors)) < special)


def test_each_token_is_matched_with_the_most_similar() -> None:
    found = bertscore(tokens(AXES[0], AXES[1]), tokens(AXES[0] * 5, [0, 1, 1], AXES[2]))
    half = np.sqrt(1 / 2)
    assert found.precision == pytest.approx((1 + half) / 2)
    assert found.recall == pytest.approx((1 + half + 0) / 3)
    assert found.f1 == pytest.approx(
        2 * found.precision * found.recall / (found.precision + found.recall)
    )


def test_special_tokens_are_matched_and_not_averaged_over() -> None:
    text = tokens(AXES[2], AXES[0], special=1)
    reference = tokens(AXES[0], AXES[1], special=1)
    found = bertscore(text, reference)
    assert found.precision == pytest.approx(1)  # with the reference's special token
    assert found.recall == pytest.approx(0)


def test_nothing_but_special_tokens_has_0() -> None:
    found = bertscore(tokens(AXES[0], special=1), tokens(AXES[0], AXES[1]))
    assert (found.precision, found.recall, found.f1) == (0, 0, 0)


class Counting:
    """An embedder: how often a text has a, b and c."""

    settings: Mapping[str, object] = {"counted": "abc"}

    def __init__(self) -> None:
        self.asked: list[str] = []

    def sentence(self, texts: Sequence[str]) -> Matrix:
        self.asked += texts
        return np.array([[text.count(letter) for letter in "abc"] for text in texts], dtype=float)


def test_cosine_is_of_the_embedders_vectors_and_each_text_is_embedded_once() -> None:
    embedder = Counting()
    texts = rows("ab", "ab", "aac", " ", reference="a")
    settings = MetricSettings(sentence_model=embedder)
    values = score(texts, ["embedding_cosine"], settings)["value"]
    assert values[:3].to_list() == pytest.approx([np.sqrt(1 / 2), np.sqrt(1 / 2), 2 / np.sqrt(5)])
    assert isnan(values[3])
    assert sorted(embedder.asked) == ["a", "aac", "ab"]
