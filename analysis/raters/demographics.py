"""Who the included raters are (Pursuit of Empathy, Table 3)."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from pandas import DataFrame, Series

from analysis.catalogue import columns as c
from analysis.catalogue.spec import Column, TableSpec
from analysis.not_available import NotAvailable
from analysis.ungrouped import NOT_ANSWERED

#: Columns of participants.csv that are about taking part, not about the person.
TAKING_PART = {
    "participant", "source", "status", "started_at", "finished_at", "duration_seconds",
    "attention_checks_failed", "active", "sigma", "mae", "included", "exclusion",
    "excluded_by_decision",
    "way_in", "ending", "language", "device", "viewport_width", "viewport_height",
    "clock_stepped",
}  # fmt: skip
DEMOGRAPHICS = TableSpec(
    "demographics",
    "Demographics of the included raters",
    (
        Column("characteristic", "Question about the person", is_key=True,
            labels="characteristics"),
        Column("category", "Answer; empty for numbers", is_key=True),
        c.N.but(meaning="Number of included raters"),
        Column("percent", "Percentage of all included raters", form="percent"),
        c.MEAN, c.SD, c.MIN, c.MAX, c.NOTE,
    ),
    question="Who are the included raters?",
    observations="raters",
    says="Included raters only.",
    section="Participants",
)  # fmt: skip
ONE_ANSWER = "no standard deviation, because there is one answer"


def demographics(
    everyone: DataFrame, included: "Series[bool]", order: Mapping[str, Sequence[str]]
) -> DataFrame:
    """Counts and shares per category; n, mean, sd (ddof 1), min and max of numbers. `note` says why
    there is no sd.

    `everyone` has a row per participant and a column per characteristic. A characteristic that
    nobody at all answered is left out. Percentages are of all included raters,
    of whom those that skipped a question are its last row. Categories stand in the `order` of
    the question's options; others follow, the most frequent first. Raises NotAvailable.
    """
    if not included.any():
        raise NotAvailable("no rater is included")
    asked = [c for c in map(str, everyone) if c not in TAKING_PART]
    if not asked:
        raise NotAvailable("the study asks no demographic question")
    answered = [c for c in asked if everyone[c].notna().any()]
    if not answered:
        raise NotAvailable("no demographic question was answered")
    rows: list[dict[str, Any]] = []
    for name in answered:
        answers = everyone[name][included]
        is_number = _is_number(everyone[name])
        categories = _numbers(answers) if is_number else _categories(answers, order.get(name, ()))
        skipped = int(answers.isna().sum())
        if skipped:
            categories.append({"category": NOT_ANSWERED, "n": skipped})
        rows += [
            {"note": ""} | row | {"characteristic": name, "percent": 100 * row["n"] / len(answers)}
            for row in categories
        ]
    return DataFrame(rows, columns=DEMOGRAPHICS.names)


def _is_number(values: "Series[Any]") -> bool:
    kind = pd.api.types.infer_dtype(values, skipna=True)
    return kind in {"integer", "floating", "mixed-integer-float"}


def _numbers(answers: "Series[Any]") -> list[dict[str, Any]]:
    values = answers.dropna().astype("float64").sort_values()
    if values.empty:
        return []
    lowest, highest = values.min(), values.max()
    statistics = {"mean": values.mean(), "sd": values.std(ddof=1), "min": lowest, "max": highest}
    note = ONE_ANSWER if len(values) == 1 else ""
    return [{"category": "", "n": len(values), "note": note} | statistics]


def _categories(answers: "Series[Any]", options: Sequence[str]) -> list[dict[str, Any]]:
    counts = {str(k): n for k, n in answers.dropna().value_counts().items()}
    known = [option for option in options if option in counts]
    others = sorted(counts.keys() - set(known), key=lambda option: (-counts[option], option))
    return [{"category": option, "n": counts[option]} for option in [*known, *others]]
