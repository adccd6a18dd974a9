"""Distinct-1 and Distinct-2."""

from math import isnan

from analysis.metrics import METRICS
from tests.analysis.metrics.rows import rows, value


def test_share_of_different_words_and_pairs() -> None:
    assert value("distinct_1", "so so so good") == 2 / 4
    assert value("distinct_2", "so so so good") == 2 / 3


def test_case_and_apostrophes_make_no_other_word() -> None:
    assert value("distinct_1", "It's it’s IT'S") == 1 / 3


def test_characters_of_chinese_are_words() -> None:
    assert value("distinct_1", "好好休息", language="zh") == 3 / 4


def test_without_words_there_is_no_value() -> None:
    assert isnan(value("distinct_1", "…"))
    assert isnan(value("distinct_2", "good"))


def test_over_all_texts_of_a_group_pairs_do_not_cross_texts() -> None:
    group = rows("so good", "good day")
    ones, twos = METRICS["distinct_1"].of_corpus, METRICS["distinct_2"].of_corpus
    assert ones and ones(group) == 3 / 4
    assert twos and twos(group) == 1
    assert isnan(ones(rows("…")))
