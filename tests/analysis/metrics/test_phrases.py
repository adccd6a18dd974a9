"""Phrases in texts, and stock phrases."""

import pytest

from analysis.metrics import METRICS, MetricSettings
from analysis.metrics.phrases import matches, pattern_of
from analysis.not_computed import NotComputed
from tests.analysis.metrics.rows import value


def found(text: str, *phrases: str) -> list[str]:
    return matches(pattern_of(phrases), text)


def test_case_spaces_and_apostrophes_do_not_matter() -> None:
    assert found("I’M  here\nfor you", "I'm here for you") == ["i'm here for you"]


def test_a_phrase_matches_whole_words() -> None:
    assert found("Shoulder to shoulder; you should.", "should") == ["should"]
    assert found("shouldn't", "should") == []


def test_a_phrase_of_chinese_matches_anywhere() -> None:
    assert found("你应该休息，OK", "应该", "ok") == ["应该", "ok"]


def test_a_phrase_of_latin_letters_may_stand_beside_chinese() -> None:
    assert found("我feel好", "feel") == ["feel"]


def test_the_longest_phrase_counts() -> None:
    assert found("so sorry to hear", "sorry", "sorry to hear") == ["sorry to hear"]


def test_a_phrase_may_have_signs() -> None:
    assert found("Really? (yes)", "really?", "(yes)") == ["really?", "(yes)"]


def test_stock_phrases_are_counted_each_time() -> None:
    settings = MetricSettings(phrases=("take care", "not alone"))
    text = "Take care. You are not alone, not alone! Take great care."
    assert value("stock_phrases", text, settings=settings) == 3


def test_without_phrases_there_is_nothing_to_count() -> None:
    with pytest.raises(NotComputed, match="stock_phrases needs phrases, which is not given"):
        METRICS["stock_phrases"].check(MetricSettings())


def test_phrases_are_recorded() -> None:
    recorded = METRICS["stock_phrases"].recorded(MetricSettings(phrases=("take care",)))
    assert recorded == {"package": "", "version": "", "settings": {"phrases": ["take care"]}}
