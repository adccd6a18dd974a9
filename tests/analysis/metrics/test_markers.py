"""What Liu (2025) counts, by our definitions: markers, imperatives, their ratio, topic shifts."""

from math import isnan

import pytest

from analysis.metrics import METRICS, MetricSettings
from tests.analysis.metrics.rows import value


def test_markers_are_counted_for_100_words() -> None:
    text = "You should rest, and you must not worry."  # 8 words
    assert value("prescriptive_markers", text) == 100 * 2 / 8
    assert value("affective_markers", "I hear you.") == pytest.approx(100 / 3)


def test_markers_of_chinese_are_counted_for_100_characters() -> None:
    assert value("prescriptive_markers", "你应该休息", language="zh-Hans") == 100 / 5
    assert value("affective_markers", "我理解你。", language="zh") == 100 / 4


@pytest.mark.parametrize(
    "sentence",
    [
        "Try to rest.",
        "Please just breathe.",
        "Don’t worry about it!",
        "First of all, take a walk.",
        "1. Talk to a friend.",
        "- **Write** it down.",
        "“Let it go.”",
    ],
)
def test_imperatives_begin_with_a_verb_in_its_base_form(sentence: str) -> None:
    assert value("imperatives", sentence) == 1


@pytest.mark.parametrize(
    "sentence",
    [
        "You try to rest.",
        "Trying helps.",
        "Take that seriously?",
        "Do you talk to friends?",
        "I see.",
        "Work is hard.",
    ],
)
def test_other_sentences_are_no_imperatives(sentence: str) -> None:
    assert value("imperatives", sentence) == 0


def test_imperatives_are_a_share_of_sentences() -> None:
    assert value("imperatives", "I hear you. Rest now. That is hard. Is it?") == 1 / 4


@pytest.mark.parametrize(
    "sentence", ["请休息。", "不要放弃！", "首先，试试深呼吸。", "也请记得吃饭"]
)
def test_imperatives_of_chinese_begin_with_an_opener(sentence: str) -> None:
    assert value("imperatives", sentence, language="zh") == 1


@pytest.mark.parametrize("sentence", ["我请你休息。", "请问你还好吗？", "别人不懂。"])
def test_other_sentences_of_chinese_are_no_imperatives(sentence: str) -> None:
    assert value("imperatives", sentence, language="zh") == 0


def test_advice_to_empathy_adds_one_half_to_both_counts() -> None:
    text = "I hear you. You should rest. Breathe."  # 1 marker, 1 imperative, 1 affective marker
    assert value("advice_to_empathy", text) == (2 + 0.5) / (1 + 0.5)
    assert value("advice_to_empathy", "Blue.") == 1


def test_the_base_model_of_an_example_advises_more_than_the_other() -> None:
    """Sentences of ours in the manner of the two examples that the paper compares."""
    advising = value("advice_to_empathy", "你应该主动沟通。不要想太多。", language="zh")
    attending = value("advice_to_empathy", "我能理解你的委屈，听起来真不容易。", language="zh")
    assert advising > 1 > attending


def test_sentences_that_share_hardly_a_word_are_a_topic_shift() -> None:
    text = "You feel tired. You feel alone. Exercise clears one's head."
    assert value("topic_shifts", text) == 1
    assert value("topic_shifts", "You feel tired.") == 0


@pytest.mark.parametrize(
    "metric", ["prescriptive_markers", "affective_markers", "imperatives", "advice_to_empathy"]
)
def test_a_language_without_lexicon_has_no_value(metric: str) -> None:
    assert isnan(value(metric, "Ruh dich aus.", language="de"))
    assert isnan(value(metric, "…", language="en"))


def test_lexicons_are_recorded_by_their_digest() -> None:
    settings = MetricSettings()
    recorded = METRICS["prescriptive_markers"].recorded(settings)["settings"]
    assert recorded == {"lexicons": {name: each.digest for name, each in settings.lexicons.items()}}
