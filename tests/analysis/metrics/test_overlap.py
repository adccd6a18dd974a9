"""Words and characters shared with the reference."""

from math import isnan, log
from pathlib import Path

import pytest

from analysis.metrics import METRICS, MetricSettings, score
from analysis.metrics.rouge_l import common_subsequence
from tests.analysis.metrics.rows import rows, value

NEED_A_REFERENCE = [metric.name for metric in METRICS.values() if metric.needs_reference]


def length_by_table(a: str, b: str) -> int:
    """As in textbooks."""
    table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            table[i + 1][j + 1] = (
                table[i][j] + 1 if x == y else max(table[i][j + 1], table[i + 1][j])
            )
    return table[-1][-1]


@pytest.mark.parametrize(
    ("a", "b"),
    [("", ""), ("a", ""), ("aaaa", "aa"), ("abcbdab", "bdcaba"), ("xyz" * 40, "zyx" * 50)],
)
def test_longest_common_subsequence_is_that_of_the_usual_table(a: str, b: str) -> None:
    assert common_subsequence(a, b) == length_by_table(a, b)


def test_rouge_l_is_f1_of_words_in_order() -> None:
    # "rest … now" of 3 and of 4 words
    assert value("rouge_l", "Rest here, now!", "rest a bit now") == pytest.approx(2 * 2 / (3 + 4))


def test_rouge_l_counts_characters_of_chinese() -> None:
    assert value("rouge_l", "我在听", "我听", language="zh-Hans") == pytest.approx(2 * 2 / 5)
    assert value("rouge_l", "我在听", "我听", language="en") == 0  # as rouge-score


def test_rouge_l_keeps_letters_of_other_languages() -> None:
    assert value("rouge_l", "für dich", "für euch", language="de") == pytest.approx(1 / 2)


def test_meteor_matches_stems_in_english_alone() -> None:
    assert value("meteor", "walks", "walking") > 0
    assert value("meteor", "walks", "walking", language="de") == 0


def test_meteor_says_what_it_matches(wordnet: Path) -> None:
    with_synonyms = MetricSettings(wordnet=wordnet)
    assert value("meteor_synonyms", "friend", "companion", settings=with_synonyms) > 0
    assert value("meteor", "friend", "companion", settings=with_synonyms) == 0
    assert METRICS["meteor"].label == "METEOR (exact + stem)"
    assert METRICS["meteor_synonyms"].label == "METEOR (exact + stem + synonyms)"


def test_chrf_records_the_settings_of_its_signature() -> None:
    recorded = METRICS["chrf"].recorded(MetricSettings())
    assert recorded["package"] == "sacrebleu"
    assert recorded["settings"] == {
        "level": "sentence", "beta": 2, "nrefs": 1,
        "case": "mixed", "eff": "yes", "nc": 6, "nw": 0, "space": "no",
    }  # fmt: skip


def test_tfidf_weighs_words_by_how_rare_they_are() -> None:
    """Of two distinct texts, both have "you" and one each "rest" and "walk"."""
    rare = log(3 / 2) + 1
    values = score(rows("you rest", "you walk", reference="you rest"), ["tfidf_cosine"])["value"]
    assert values.to_list() == pytest.approx([1, 1 / (1 + rare**2)])


@pytest.mark.parametrize("metric", NEED_A_REFERENCE)
@pytest.mark.parametrize("missing", [None, float("nan")])
def test_without_a_reference_there_is_no_value(
    metric: str, missing: float | None, all_given: MetricSettings
) -> None:
    texts = rows("Rest now.", "Rest now.", reference="Rest.")
    texts["reference"] = ["Rest.", missing]
    values = score(texts, [metric], all_given)["value"]
    assert not isnan(values[0]) and isnan(values[1])


@pytest.mark.parametrize("metric", NEED_A_REFERENCE)
def test_a_text_that_is_its_reference_is_most_alike(metric: str, all_given: MetricSettings) -> None:
    texts = rows("You listened well and rested.", "Go.", reference="You listened well and rested.")
    same, other = score(texts, [metric], all_given)["value"]
    assert same > other
    assert same == pytest.approx(100 if metric == "chrf" else 1, abs=0.01)
