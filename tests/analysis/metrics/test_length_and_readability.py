"""Words, characters, sentences; Flesch's formulas."""

from math import isnan

import pytest

from analysis.metrics import MetricSettings
from analysis.metrics.readability import by_rule, syllables
from analysis.metrics.words import sentences, words
from tests.analysis.metrics.rows import value


def test_a_word_has_its_apostrophes_and_hyphens() -> None:
    assert words("It’s well-being, isn't it? 😀 x_y") == [
        "It’s",
        "well-being",
        "isn't",
        "it",
        "x",
        "y",
    ]


def test_each_character_of_chinese_or_japanese_is_a_word() -> None:
    assert words("我很OK，ありがとう") == ["我", "很", "OK", *"ありがとう"]


def test_sentences_know_abbreviations_and_lines() -> None:
    text = "Dr. Ames, e.g., can help. Really?\n- Rest.\n\n😀"
    assert sentences(text, "en") == ["Dr. Ames, e.g., can help.", "Really?", "- Rest."]


def test_sentences_of_chinese_need_no_spaces() -> None:
    assert sentences("我在听。你想说吗？好", "zh-CN") == ["我在听。", "你想说吗？", "好"]


def test_counts_of_a_text() -> None:
    text = "Rest now. I'm here!"
    assert [value(name, text) for name in ("words", "characters", "sentences")] == [4, 19, 2]


@pytest.mark.parametrize("text", ["", " ", "…", "😀"])
def test_a_text_without_words_has_length_0_and_no_readability(text: str) -> None:
    assert value("words", text) == value("sentences", text) == 0
    assert isnan(value("flesch_reading_ease", text))
    assert isnan(value("flesch_kincaid_grade", text))


def test_readability_is_of_english_alone() -> None:
    assert value("flesch_reading_ease", "Rest now.", language="en-GB") > 0
    assert isnan(value("flesch_reading_ease", "Ruh dich aus.", language="de"))


@pytest.mark.parametrize(
    ("text", "n"),
    [
        ("मैं समझता हूँ", 3),  # vowel signs
        ("أفهمُ أنّ هذا مؤلمٌ جدًّا", 5),  # vocalised
        ("cafe\u0301s re\u0301sume\u0301", 2),  # accents that are characters of their own
        ("❤️ 1️⃣ yes", 2),
    ],
)
def test_marks_belong_to_the_word_of_their_letter(text: str, n: int) -> None:
    assert value("words", text, language="hi") == n


@pytest.mark.parametrize("language", ["th", "lo", "km", "my-mm"])
def test_words_without_spaces_are_not_counted(language: str) -> None:
    text = "ฉันเข้าใจความรู้สึกของคุณ"
    assert isnan(value("words", text, language=language))
    assert isnan(value("rouge_l", text, text, language=language))
    assert value("chrf", text, text, language=language) == 100


def test_synonyms_are_of_english_alone(all_given: MetricSettings) -> None:
    text = "Ruh dich aus."
    assert value("meteor_synonyms", text, text, settings=all_given) > 0.9
    assert isnan(value("meteor_synonyms", text, text, language="de", settings=all_given))


def test_readability_by_hand() -> None:
    """Seven words, two sentences, ten syllables."""
    text = "Take care of yourself. You really matter."
    ease, grade = value("flesch_reading_ease", text), value("flesch_kincaid_grade", text)
    assert ease == pytest.approx(206.835 - 1.015 * 7 / 2 - 84.6 * 10 / 7)
    assert grade == pytest.approx(0.39 * 7 / 2 + 11.8 * 10 / 7 - 15.59)


@pytest.mark.parametrize(
    ("word", "count"),
    [("feelings", 2), ("well-being", 3), ("You’re", 1), ("friend's", 1), ("2024", 1)],
)
def test_syllables_of_a_word(word: str, count: int) -> None:
    assert syllables(word) == count


@pytest.mark.parametrize(
    ("word", "count"), [("zarble", 2), ("blone", 1), ("quode", 1), ("fee", 1), ("zm", 1)]
)
def test_syllables_of_a_word_that_the_dictionary_lacks(word: str, count: int) -> None:
    assert by_rule(word) == count
