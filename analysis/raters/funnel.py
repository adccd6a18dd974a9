"""The tables of who counts, from `raters.exclusion`: the funnel, and each exclusion."""

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from pandas import DataFrame, Series

from analysis.catalogue import columns as c
from analysis.catalogue.spec import TableSpec
from analysis.exclusion_rule import RaterArrays
from analysis.quality_rules import DECISION, MEASURES, QualityRules
from analysis.raters import exclusion
from analysis.raters.exclusion import UNSPECIFIED
from survey.definition.labels import words

FUNNEL = TableSpec(
    "funnel",
    "Excluded raters by rule",
    (
        c.STEP, c.EXCLUDED, c.REMAINING, c.ALONE, c.EXCLUDED_BY_SEX,
    ),
    question="How many raters does each rule exclude?",
    observations="raters",
    says="Counts people. Alone is how many raters a rule would exclude if it were the only rule; "
        "if sex is asked, the last columns give that of those excluded. The step {decision}, if "
        "present, counts raters whom the researchers excluded, each with a reason; the rules apply "
        "to the others. The same for every recipe.",
    section="Participants",
    leads=True,
)  # fmt: skip


@dataclass(frozen=True)
class Funnel:
    """`steps` is funnel.csv; `exclusion` is the first step that excludes a rater, "" where none
    does; `included` is who entered and is left after the last step."""

    steps: DataFrame
    exclusion: "Series[str]"
    included: "Series[bool]"


def in_funnel(raters: DataFrame) -> "Series[bool]":
    """Who enters: finished, or in progress and no longer active."""
    has_left = (raters["status"] == "in_progress") & ~raters["active"]
    return (raters["status"] == "completed") | has_left


def excluded_by_decision(raters: DataFrame) -> "Series[bool]":
    """Who is excluded by a decision, entered or not."""
    if "excluded_by_decision" not in raters:
        return Series(False, index=raters.index)
    return raters["excluded_by_decision"].fillna("") != ""


def under_rules(raters: DataFrame) -> "Series[bool]":
    """Who the rules apply to: entered, and not excluded by a decision."""
    return Series(exclusion.under_rules(_as_arrays(raters)), index=raters.index)


def not_entered(people: DataFrame) -> dict[str, int]:
    """Of those who came, how many are in no step, and why not."""
    active = (people["status"] == "in_progress") & people["active"]
    status = people["status"].astype("str").map(words)
    reasons = status.mask(active, "still taking the survey")
    counts = reasons[~in_funnel(people)].value_counts()
    return {str(why): int(counts[why]) for why in sorted(counts.index)}


def apply_rules(raters: DataFrame, rules: QualityRules) -> Funnel:
    """Apply the rules in their order to those of `raters` who are in the funnel.

    `raters` has one row each, with `status`, `active`, the columns of MEASURES (floats, NaN where
    unknown), `sex`, where it was asked, and `excluded_by_decision`, where there are decisions.
    `excluded` and `remaining` of the first step add up to how many entered; `remaining` of the last
    is how many are included. `excluded_<sex>` counts a step's excluded by sex, and
    `excluded_unspecified` those of whom it is not known.
    """
    arrays = _as_arrays(raters)
    outcome = exclusion.exclude(arrays, rules)
    sexes = [*sorted({*arrays.sex[arrays.entered].tolist()} - {UNSPECIFIED}), UNSPECIFIED]
    rows = [
        [step.name, step.excluded, step.remaining, step.alone]
        + [step.by_sex.get(sex, 0) for sex in sexes]
        for step in outcome.steps
    ]
    columns = ["step", "excluded", "remaining", "alone", *(f"excluded_{sex}" for sex in sexes)]
    return Funnel(
        DataFrame(rows, columns=columns),
        Series(outcome.excluded_by, index=raters.index, dtype="str"),
        Series(outcome.included, index=raters.index),
    )


def exclusions(raters: DataFrame, exclusion: "Series[str]", rules: QualityRules) -> DataFrame:
    """A row per excluded rater: `participant`, `rule`, and as JSON-ready mappings the measured
    `value` and the `threshold` of the first matching rule; of a decision its reason, and nothing.
    """
    measures = _as_arrays(raters).measures
    rows = []
    for at in np.flatnonzero(exclusion != ""):
        rater, name = raters.iloc[at], exclusion.iloc[at]
        if name == DECISION:
            value: dict[str, Any] = {"reason": rater["excluded_by_decision"]}
            allowed: dict[str, Any] = {}
        else:
            rule = rules.rule(name)
            value = rule.measured({of: _number(of, all_[at]) for of, all_ in measures.items()})
            allowed = rule.model_dump()
        rows.append((rater["participant"], name, value, allowed))
    rows.sort(key=lambda row: row[0])
    return DataFrame(rows, columns=["participant", "rule", "value", "threshold"])


def _number(measure: str, value: float) -> float:
    """A value as JSON has it: whole where the measure counts something."""
    return float(value) if MEASURES[measure].decimals or np.isnan(value) else int(value)


def _as_arrays(raters: DataFrame) -> RaterArrays:
    missing = Series(float("nan"), index=raters.index)
    sex = raters["sex"].map(_slug) if "sex" in raters else [UNSPECIFIED] * len(raters)
    return RaterArrays(
        entered=in_funnel(raters).to_numpy(dtype=bool),
        left=(raters["status"] == "in_progress").to_numpy(dtype=bool),
        decided=excluded_by_decision(raters).to_numpy(dtype=bool),
        sex=np.array(sex, dtype=str),
        measures={
            name: raters.get(about.column, missing).to_numpy(dtype=float) / about.per
            for name, about in MEASURES.items()
        },
    )


def _slug(sex: object) -> str:
    """A sex as the end of a column name: "Prefer not to say" → prefer_not_to_say."""
    words = re.findall(r"\w+", sex.lower()) if isinstance(sex, str) else []
    return "_".join(words) or UNSPECIFIED
