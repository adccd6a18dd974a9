"""Automatic metrics of the responses: their means by system, and whether they order responses as
people do, beside judges and imported scores.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
from pandas import DataFrame, Series

from analysis.catalogue import columns as c
from analysis.catalogue.spec import Column, TableSpec
from analysis.catalogue.subjects import METRICS
from analysis.judges.circularity import raters_before
from analysis.judges.judged import PLACE, Judged, JudgesData, judged
from analysis.quality_rules import QualityRules
from analysis.stats.validity import Correlation, correlation_within, kendall_within
from analysis.study_data import StudyData, check
from analysis.tables.group_tests import ALL

METRIC = Column("metric", "Automatic metric", choice=True, is_key=True, labels="metrics")
METRIC_MEANS = TableSpec(
    "metric_means",
    "Automatic metrics by system",
    (
        METRIC, c.MODEL, c.CONDITION,
        c.N.but(meaning="Number of responses with a value; a response in several sets counts once"),
        c.MEAN, c.SD,
        Column("corpus", "Value of all texts of the system together, if the metric has one"),
        c.NOTE,
    ),
    question="What do automatic metrics say of each system?",
    observations="responses",
    says="Mean and SD (n − 1) over a system's responses. Metrics with a reference compare each "
        "response with that of its scenario, which has no value itself. Values of different "
        "metrics cannot be compared with each other, nor those of texts in different languages.",
    section="Automatic metrics",
    subject=METRICS,
)  # fmt: skip
METRIC_SOURCES = TableSpec(
    "metric_sources",
    "How metrics were computed",
    (
        METRIC,
        Column("meaning", "What it measures", kind="text"),
        Column("package", "Package that computes it; empty for code of Fivefold", kind="text"),
        Column("version", "Version of the package", kind="text"),
        Column("settings", "All settings that its values depend on, as JSON", kind="text"),
        Column("languages", "How many responses are in which language, how that is known, and why "
            "those in a language have no value", kind="text"),
        c.NOTE,
    ),
    question="How were the metrics computed?",
    observations="metrics",
    says="With these packages, versions and settings, the same texts get the same values.",
    section="Automatic metrics",
    subject=METRICS,
    folded=True,
)  # fmt: skip
SCORE_AGREEMENT = TableSpec(
    "score_agreement",
    "Do metrics and judges order responses as people do?",
    (
        Column("source", "Metric, judge, file, panel or jury", is_key=True, labels="sources"),
        Column("kind", "Which of these it is", is_key=True),
        c.DIMENSION, c.CONDITION,
        c.N_ITEMS.but(label="n responses", meaning="Number of responses with a score and ratings; "
            "a response in several sets counts once"),
        Column("spearman", "Spearman's ρ within scenarios"), *c.interval("spearman"),
        Column("kendall", "Kendall's τ-b within scenarios, averaged over scenarios"),
        *c.interval("kendall", "kendall"),
        c.NOTE,
    ),
    question="Do metrics and judges order responses as people do?",
    observations="responses",
    says="Correlations of a source's scores with people's mean ratings, within scenarios, over all "
        "conditions and in each. Intervals are bootstrapped over scenarios. People are the raters "
        "kept by every rule except {sigma_mae}.",
    section="Automatic metrics",
    subject=METRICS,
)  # fmt: skip
#: The note of a metric that lacks values for some responses.
OUTDATED = "out of date: there are new responses, so compute it again with manage.py metrics"
#: … of one whose responses were taken to be in other languages than now.
OTHER_LANGUAGES = (
    "out of date: responses were measured in another language, so compute it again with manage.py "
    "metrics"
)
#: The kind of the trained scorer among the judges.
SCORER = "scorer"
TABLES = [METRIC_MEANS.name, METRIC_SOURCES.name, SCORE_AGREEMENT.name]


@dataclass(frozen=True)
class MetricsData:
    """Metrics of a study's responses, as they were computed.

    `values`: `metric`, `response` (as in `StudyData.responses`), `value` (NaN where a metric is not
    defined), `not_for` (why, if that is because of its language; else empty). `corpus`: `metric`,
    `model`, `condition`, `corpus`. `sources`: the columns of METRIC_SOURCES; a metric with a `note`
    has no values.
    """

    values: DataFrame = field(
        default_factory=lambda: DataFrame(columns=["metric", "response", "value", "not_for"])
    )
    corpus: DataFrame = field(
        default_factory=lambda: DataFrame(columns=["metric", "model", "condition", "corpus"])
    )
    sources: DataFrame = field(default_factory=lambda: DataFrame(columns=METRIC_SOURCES.names))


def analyse_metrics(
    data: StudyData, judges: JudgesData, metrics: MetricsData, rules: QualityRules
) -> tuple[dict[str, DataFrame], dict[str, str]]:
    """The tables by name, and why some are not there."""
    tables: dict[str, DataFrame] = {}
    absent: dict[str, str] = {}
    if metrics.sources.empty:
        absent = dict.fromkeys(TABLES, "no automatic metric was computed: see docs/metrics.md")
        if SCORER not in set(judges.judges["kind"]):
            return {}, absent
        del absent[SCORE_AGREEMENT.name]  # the trained scorer is compared with people, too
    else:
        tables = {"metric_means": metric_means(data, metrics), "metric_sources": metrics.sources}
    rules = rules.applied(rated=bool(data.scale))
    checked = check(data)
    everything = judged(checked, judges, raters_before(checked, rules))
    if everything.ratings.empty:
        return tables, absent | {SCORE_AGREEMENT.name: "there are no ratings to compare with"}
    tables["score_agreement"] = score_agreement(everything, metrics, seed=judges.seed)
    return tables, absent


def metric_means(data: StudyData, metrics: MetricsData) -> DataFrame:
    """A row per metric and system, in study order."""
    places = data.responses[[*PLACE, "response"]].drop_duplicates(
        ["model", "condition", "response"]
    )
    both = metrics.values.merge(places, on="response")
    keys = ["metric", "model", "condition"]
    grouped = both.groupby(keys, sort=False)["value"]
    table = grouped.agg(n="count", mean="mean", sd="std").reset_index()
    table = table.merge(metrics.corpus, on=keys, how="left")
    table["note"] = [
        _without(part) for _, part in both.groupby(keys, sort=False)[["value", "not_for"]]
    ]
    orders = {
        "metric": list(metrics.sources["metric"]),
        "model": data.models,
        "condition": list(data.orders.get("condition", [])),
    }
    for name, order in orders.items():
        table[name] = pd.Categorical(table[name], [*order, *sorted({*table[name]} - {*order})])
    table = table.sort_values(keys).astype(dict.fromkeys(keys, "str"))
    return table[METRIC_MEANS.names].reset_index(drop=True)


def _without(values: DataFrame) -> str:
    """Why some or all of a system's responses have no value of a metric."""
    reasons = values.loc[values["not_for"] != "", "not_for"].value_counts(sort=False)
    if len(values) == reasons.sum():
        return "; ".join(reasons.index)
    if values["value"].isna().all():
        return "not defined for any of its responses"
    return "; ".join(f"{reason} ({n} of {len(values)} responses)" for reason, n in reasons.items())


def score_agreement(judged: Judged, metrics: MetricsData, *, seed: int) -> DataFrame:
    """A row per source, dimension and condition (`all` and each), judges first."""
    rows: list[dict[str, Any]] = []
    for source, kind, dimension, scores in _sources(judged, metrics):
        people = judged.people.get(dimension)
        if people is None:
            continue
        about = judged.responses[dimension]
        things = DataFrame(
            {
                "judge": scores.reindex(about.index),
                "people": people.mean(axis=1).reindex(about.index),
                "group": about["scenario"],
                "condition": about["condition"],
            }
        ).dropna(subset=["judge", "people"])
        for condition in [ALL, *things["condition"].unique()]:
            part = things if condition == ALL else things[things["condition"] == condition]
            front = {"source": source, "kind": kind, "dimension": dimension}
            rows.append(front | {"condition": condition} | _agreement(part, seed))
    return DataFrame(rows, columns=SCORE_AGREEMENT.names).astype({"n_items": "Int64"})


def _sources(
    judged: Judged, metrics: MetricsData
) -> "Iterator[tuple[str, str, str, Series[float]]]":
    for judge in judged.judges:
        for dimension in judged.dimensions_of(judge):
            yield judge.name, judge.kind, dimension, judged.means(judge, dimension)
    for metric, values in metrics.values.groupby("metric", sort=False):
        scores = values.set_index("response")["value"].astype("float64")
        for dimension in judged.dimensions:
            yield str(metric), "metric", dimension, scores


def _agreement(things: DataFrame, seed: int) -> dict[str, Any]:
    spearman = correlation_within(things, seed=seed, ranks=True)
    kendall = kendall_within(things, seed=seed)
    row: dict[str, Any] = {"n_items": len(things), "note": ""}
    if spearman is None or kendall is None:
        return row | {"note": _why_not(things)}
    row |= _numbers("spearman", "ci", spearman) | _numbers("kendall", "kendall", kendall)
    if spearman.interval is None:
        row["note"] = "no intervals, because there is one scenario"
    return row


def _numbers(name: str, interval: str, found: Correlation) -> dict[str, Any]:
    low, high = found.interval or (None, None)
    return {name: found.r, f"{interval}_low": low, f"{interval}_high": high}


def _why_not(things: DataFrame) -> str:
    if things.empty:
        return "not estimable, because no response has a score and ratings"
    sizes = things.groupby("group", observed=True).size()
    if sizes.max() < 2:
        return "not estimable, because no scenario has two responses with a score and ratings"
    return "not estimable, because scores or ratings do not vary within any scenario"
