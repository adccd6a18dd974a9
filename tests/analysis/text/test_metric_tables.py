"""Means of metrics side by side: models down, metrics across, a column for each condition."""

import re
from dataclasses import replace
from typing import Any

from analysis.text.cells import Table
from analysis.text.metric_tables import metric_tables
from dashboard.share.latex_files import as_latex
from dashboard.share.report_tables import shown_table
from survey.definition.labels import Labels

COLUMNS = ["metric", "model", "condition", "n", "mean", "sd", "corpus", "note"]
LABELS = Labels({"conditions": {"zs": "Zero-shot", "ft": "Fine-tuned"}}, "Zero-shot", "Fine-tuned")
#: Two models in both conditions, one of them without a value, and the reference.
ROWS: list[list[Any]] = [
    ["rouge_l", "Ant", "zs", 6, 0.256, 0.0412, None, ""],
    ["rouge_l", "Ant", "ft", 6, 0.3, 0.0, None, ""],
    ["rouge_l", "Bee", "zs", 1, 0.5, None, None, ""],
    ["rouge_l", "Bee", "ft", 0, None, None, None, "not defined for any of its responses"],
    ["rouge_l", "Oracle", "reference", 0, None, None, None, ""],
    ["words", "Ant", "zs", 6, 61.5, 12.25, None, ""],
    ["words", "Ant", "ft", 6, 40.0, 8.0, None, ""],
    ["words", "Oracle", "reference", 6, 80.0, 4.5, None, ""],
]
MEANS = Table("metric_means", COLUMNS, ROWS, LABELS)


def shown(table: Table, **options: int) -> list[list[list[str]]]:
    """Of each table, each line: the system, then its cells."""
    return [
        [
            [line.system, *(str(c) if c else "–" for cells in line.cells for c in cells)]
            for line in part.lines
        ]
        for part in metric_tables(table, **options)
    ]


def test_models_are_down_and_metrics_across_with_a_cell_for_each_condition() -> None:
    (table,) = metric_tables(MEANS)
    assert (table.metrics, table.conditions) == (
        ["ROUGE-L", "Words"],
        ["Zero-shot", "Fine-tuned"],
    )
    assert shown(MEANS) == [
        [
            ["Ant", "0.26 ± 0.04", "0.30 ± 0.00", "61.50 ± 12.25", "40.00 ± 8.00"],
            ["Bee", "0.50", "–", "–", "–"],
            ["Oracle (Reference)", "–", "80.00 ± 4.50"],
        ]
    ]


def test_system_without_a_value_of_a_table_s_metrics_is_not_in_it() -> None:
    likeness, text = shown(MEANS, per_table=1)
    assert [line[0] for line in likeness] == ["Ant", "Bee"]
    assert [line[0] for line in text] == ["Ant", "Oracle (Reference)"]


def test_study_without_a_contrast_has_a_column_for_every_condition() -> None:
    (table,) = metric_tables(replace(MEANS, labels=Labels()))
    assert table.conditions == ["Zs", "Ft", "Reference"]
    assert [line.system for line in table.lines] == ["Ant", "Bee", "Oracle"]


def test_table_without_a_mean_has_none() -> None:
    nothing = replace(MEANS, rows=ROWS[3:5])
    assert metric_tables(nothing) == []
    assert as_latex(nothing) == "% No table: metric_means.csv has no mean.\n"


def test_latex_has_the_metrics_above_their_conditions() -> None:
    found = as_latex(MEANS)
    assert r"\begin{tabular}{lrrrr}" in found
    assert r" & \multicolumn{2}{c}{ROUGE-L} & \multicolumn{2}{c}{Words} \\" in found
    assert r"\cmidrule(lr){2-3} \cmidrule(lr){4-5}" in found
    assert r"Model & Zero-shot & Fine-tuned & Zero-shot & Fine-tuned \\" in found
    assert r"Bee & 0.50 & -- & -- & -- \\" in found
    across = r"Oracle (Reference) & \multicolumn{2}{c}{--} & \multicolumn{2}{c}{80.00 $\pm$ 4.50}"
    assert across in found
    assert "% Columns that are in metric_means.csv alone: n, corpus, note." in found


def test_latex_of_many_metrics_is_several_tables_that_fit_a_page() -> None:
    names = ["rouge_l", "meteor", "chrf", "tfidf_cosine", "distinct_1", "distinct_2", "words"]
    rows = [[name, *row[1:]] for name in names for row in ROWS[:2]]
    found = as_latex(replace(MEANS, rows=rows))
    assert re.findall(r"\\label{(.*)}", found) == ["tab:metric_means-1", "tab:metric_means-2"]
    assert found.count(r"\multicolumn{2}{c}") == len(names)


def test_report_has_them_above_the_rows() -> None:
    table = shown_table(MEANS)
    assert [wide.metrics for wide in table.side_by_side] == [["ROUGE-L", "Words"]]
    assert all(part.is_folded for part in table.parts)
    cell = table.side_by_side[0].lines[0].cells[0][0]
    assert cell is not None and cell.mean.address == "metric_means.csv#cell=2,5"
