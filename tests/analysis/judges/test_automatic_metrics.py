"""Metrics by system, and whether they order responses as people do, beside judges."""

from dataclasses import replace
from typing import Any

import pytest
from pandas import DataFrame
from scipy.stats import kendalltau, spearmanr

from analysis.judges.automatic_metrics import (
    METRIC_SOURCES,
    MetricsData,
    analyse_metrics,
    metric_means,
)
from analysis.quality_rules import QualityRules
from analysis.study_data import StudyData, records
from tests.analysis import judged_study
from tests.analysis.judged_study import cells

SCENARIOS = ["s1", "s2", "s3"]
CELLS = cells(*SCENARIOS)
PEOPLE = {cell: 1 + (2 * n) % 5 for n, cell in enumerate(CELLS)}
JUDGES = judged_study.judges({"llm": {cell: [float(PEOPLE[cell])] for cell in CELLS}})


def data() -> StudyData:
    made = judged_study.study({"r1": PEOPLE, "r2": PEOPLE})
    orders = {"condition": ["base", "tuned", "reference"]}
    return replace(made, responses=JUDGES.responses, orders=orders)


def metrics(*values: float | None) -> MetricsData:
    """The metric `m`, with the value of each response in the order of `CELLS`."""
    names = [f"{cell[0]}/{cell[2]}/{cell[3]}" for cell in CELLS]
    rows = [("m", name, value, "") for name, value in zip(names, values, strict=True)]
    return MetricsData(
        DataFrame(rows, columns=["metric", "response", "value", "not_for"]).astype(
            {"value": "float64"}
        ),
        DataFrame([("m", "m1", "base", 0.25)], columns=["metric", "model", "condition", "corpus"]),
        DataFrame([("m", "", "", "", "{}", "", "")], columns=METRIC_SOURCES.names),
    )


def agreement(of: MetricsData) -> dict[tuple[str, str], dict[str, Any]]:
    """The rows of score_agreement by source and condition."""
    tables, _ = analyse_metrics(data(), JUDGES, of, QualityRules())
    rows = records(tables["score_agreement"])
    return {(row["source"], row["condition"]): row for row in rows}


def test_means_are_over_the_responses_of_a_system_in_study_order() -> None:
    table = metric_means(data(), metrics(1, 2, None, 3, 4, None, 5, 9, None))
    assert table[["model", "condition", "n"]].to_numpy().tolist() == [
        ["m1", "base", 3],
        ["m1", "tuned", 3],
        ["big", "reference", 0],
    ]
    base = table.iloc[0]
    assert (base["mean"], base["sd"], base["corpus"]) == (3, 2, 0.25)
    assert table["note"].tolist() == ["", "", "not defined for any of its responses"]


def test_responses_in_a_language_that_a_metric_does_not_measure_are_named_with_the_reason() -> None:
    measured = metrics(1, 2, None, 3, None, None, None, None, None)
    reason = "not available for Arabic (ar): there is no list of its words"
    measured.values["not_for"] = ["", "", reason, "", reason, reason, reason, reason, reason]
    base, tuned, reference = metric_means(data(), measured)["note"]
    assert base == f"{reason} (1 of 3 responses)"
    assert tuned == f"{reason} (2 of 3 responses)"
    assert reference == reason


def test_metric_that_orders_responses_as_people_do_in_every_scenario_correlates_by_one() -> None:
    """However high the metric is in a scenario."""
    table = agreement(metrics(*[PEOPLE[cell] + 10 * SCENARIOS.index(cell[0]) for cell in CELLS]))
    overall = table["m", "all"]
    assert (overall["spearman"], overall["kendall"]) == (pytest.approx(1), pytest.approx(1))
    assert (overall["n_items"], overall["kind"]) == (9, "metric")
    # Judges stand beside metrics, and are held against the same people.
    assert table["llm", "all"]["spearman"] == pytest.approx(1)
    assert table["m", "base"]["note"] == (
        "not estimable, because no scenario has two responses with a score and ratings"
    )


def test_correlations_are_means_of_those_of_scipy_within_scenarios() -> None:
    given = [3.0, 1.0, 2.0, 5.0, 6.0, 1.0, 2.0, 9.0, 4.0]
    row = agreement(metrics(*given))["m", "all"]
    people = [PEOPLE[cell] for cell in CELLS]
    parts = [(given[n : n + 3], people[n : n + 3]) for n in (0, 3, 6)]
    assert all(len(set(values)) == 3 for part in parts for values in part)
    taus, rhos = (
        [correlation(*part).statistic for part in parts] for correlation in (kendalltau, spearmanr)
    )
    assert row["kendall"] == pytest.approx(sum(taus) / 3)
    assert row["spearman"] == pytest.approx(sum(rhos) / 3)
    assert row["ci_low"] <= row["spearman"] <= row["ci_high"]
    assert row["kendall_low"] <= row["kendall"] <= row["kendall_high"]


def test_constant_metric_and_unrated_study_say_why() -> None:
    constant = metrics(*[2] * 9)
    note = agreement(constant)["m", "all"]["note"]
    assert note == "not estimable, because scores or ratings do not vary within any scenario"
    unrated = replace(data(), ratings=data().ratings.head(0))
    _, absent = analyse_metrics(unrated, JUDGES, constant, QualityRules())
    assert absent == {"score_agreement": "there are no ratings to compare with"}


def test_study_without_metrics_says_how_to_get_them() -> None:
    tables, absent = analyse_metrics(data(), JUDGES, MetricsData(), QualityRules())
    assert tables == {}
    assert set(absent.values()) == {"no automatic metric was computed: see docs/metrics.md"}
