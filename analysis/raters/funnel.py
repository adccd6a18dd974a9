"""Which raters count: the rules applied one after the other, and what each would do alone.

Everybody who consented and either finished or left enters; who declined, was screened out,
withdrew or is still taking the survey is in no step. The first rule that matches, in the order of
the rule set, is the reason why a rater is excluded. Before all rules stands the step `decision`:
whom researchers excluded by a recorded decision. It is there where it excludes people who entered,
and the rules are about the others, also in the column `alone`.

Numbers closer than `TOLERANCE` count as equal. Judge scores are thirds, so a mean absolute error
of exactly 0.9 may come out as 0.9000000000000001, which is not above 0.9. Two values of σ or MAE
that really differ lie farther apart, for any survey that a person can sit through.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pandas import DataFrame, Series

from analysis.catalogue import columns as c
from analysis.catalogue.spec import TableSpec
from analysis.definition import DECISION, QualityRules, RuleName, StepName

TOLERANCE = 1e-9
UNSPECIFIED = "unspecified"

FUNNEL = TableSpec(
    "funnel",
    "Who was filtered out",
    (
        c.STEP, c.EXCLUDED, c.REMAINING, c.ALONE, c.EXCLUDED_BY_SEX,
    ),
    question="Who was filtered out, by what, and by what alone?",
    observations="raters",
    says="Counts people; alone is how many a rule would remove by itself, and the last columns "
        "are the sex of those whom it excludes. The step decision, where there is one, holds those "
        "whom the researchers excluded, each with a reason; the rules are about the others. The "
        "same for every recipe.",
    section="Participants",
)  # fmt: skip


@dataclass(frozen=True)
class Rule:
    """Whom a rule matches, what it measured in a rater, and what it allows.

    What is not known matches nothing: somebody who left before any time was recorded has no
    duration, and is caught by `early_exit` instead of `duration`.
    """

    matches: "Callable[[DataFrame, QualityRules], Series[bool]]"
    measured: "Callable[[Series[Any]], dict[str, Any]]"
    allowed: Callable[[QualityRules], dict[str, Any]]


def _outside_window(raters: DataFrame, rules: QualityRules) -> "Series[bool]":
    minutes = raters["duration_seconds"] / 60
    window = rules.duration_minutes
    return (minutes < window.minimum - TOLERANCE) | (minutes > window.maximum + TOLERANCE)


def _failed_attention(raters: DataFrame, rules: QualityRules) -> "Series[bool]":
    return raters["attention_checks_failed"] > rules.attention.failures_allowed


def _flat_and_far(raters: DataFrame, rules: QualityRules) -> "Series[bool]":
    limits = rules.sigma_mae
    flat = raters["sigma"] < limits.sigma_below - TOLERANCE
    return flat & (raters["mae"] > limits.mae_above + TOLERANCE)


def _has_left(raters: DataFrame) -> "Series[bool]":
    return (raters["status"] == "in_progress") & ~raters["active"]


RULES: dict[RuleName, Rule] = {
    "duration": Rule(
        _outside_window,
        lambda rater: {"minutes": rater["duration_seconds"] / 60},
        lambda rules: rules.duration_minutes.model_dump(),
    ),
    "attention": Rule(
        _failed_attention,
        lambda rater: {"failures": int(rater["attention_checks_failed"])},
        lambda rules: rules.attention.model_dump(),
    ),
    "early_exit": Rule(
        lambda raters, rules: _has_left(raters),
        lambda rater: {"status": rater["status"]},
        lambda rules: rules.early_exit.model_dump(),
    ),
    "sigma_mae": Rule(
        _flat_and_far,
        lambda rater: {"sigma": rater["sigma"], "mae": rater["mae"]},
        lambda rules: rules.sigma_mae.model_dump(),
    ),
}


def _of_decisions(rater: "Series[Any]") -> dict[str, Any]:
    return {"reason": rater["excluded_by_decision"]}


@dataclass(frozen=True)
class Funnel:
    """`steps` is funnel.csv; `exclusion` is the first step that excludes a rater, "" where none
    does; `included` is who entered and is left after the last step."""

    steps: DataFrame
    exclusion: "Series[str]"
    included: "Series[bool]"


def in_funnel(raters: DataFrame) -> "Series[bool]":
    """Who enters: finished, or in progress and no longer active."""
    return (raters["status"] == "completed") | _has_left(raters)


def excluded_by_decision(raters: DataFrame) -> "Series[bool]":
    """Whom a decision excludes, whether they have entered or not."""
    if "excluded_by_decision" not in raters:
        return Series(False, index=raters.index)
    return raters["excluded_by_decision"].fillna("") != ""


def under_rules(raters: DataFrame) -> "Series[bool]":
    """Whom the rules are asked about: who entered, and is not excluded by a decision."""
    return in_funnel(raters) & ~excluded_by_decision(raters)


def not_entered(people: DataFrame) -> dict[str, int]:
    """Of those who came, how many are in no step, and why not."""
    active = (people["status"] == "in_progress") & people["active"]
    status = people["status"].astype("str").str.replace("_", " ")
    reasons = status.mask(active, "still taking the survey")
    counts = reasons[~in_funnel(people)].value_counts()
    return {str(why): int(counts[why]) for why in sorted(counts.index)}


def apply_rules(raters: DataFrame, rules: QualityRules) -> Funnel:
    """Apply the rules in their order to those of `raters` who are in the funnel.

    `raters` has one row each, with `status`, `active`, `duration_seconds`,
    `attention_checks_failed`, `sigma`, `mae` (floats, NaN where unknown), `sex`, where it was
    asked, and `excluded_by_decision`, where there are decisions. `excluded` and `remaining` of the
    first step add up to how many entered; `remaining` of the last is how many are included.
    `excluded_<sex>` counts a step's excluded by sex, and `excluded_unspecified` those of whom it is
    not known.
    """
    entered = in_funnel(raters)
    sex = _sex(raters)
    sexes = [*sorted(set(sex[entered]) - {UNSPECIFIED}), UNSPECIFIED]
    remaining = entered
    exclusion = Series("", index=raters.index, dtype="str")
    ruled = under_rules(raters)
    steps = []
    if (decided := entered & ~ruled).any():
        remaining = ruled
        exclusion[decided] = DECISION
        steps.append(_step(DECISION, decided, remaining, int(decided.sum()), sex, sexes))
    for name in rules.order:
        matching = ruled & RULES[name].matches(raters, rules)
        excluded = matching & remaining
        remaining = remaining & ~excluded
        exclusion[excluded] = name
        steps.append(_step(name, excluded, remaining, int(matching.sum()), sex, sexes))
    columns = ["step", "excluded", "remaining", "alone", *(f"excluded_{which}" for which in sexes)]
    return Funnel(DataFrame(steps, columns=columns), exclusion, remaining)


def exclusions(raters: DataFrame, exclusion: "Series[str]", rules: QualityRules) -> DataFrame:
    """A row per excluded rater: `participant`, `rule`, and as JSON-ready mappings the measured
    `value` and the `threshold` of the first matching rule; of a decision its reason, and nothing.
    """
    measures: dict[StepName, tuple[Callable[[Series[Any]], dict[str, Any]], dict[str, Any]]] = {
        DECISION: (_of_decisions, {}),
        **{name: (rule.measured, rule.allowed(rules)) for name, rule in RULES.items()},
    }
    rows = []
    for name, (measured, allowed) in measures.items():
        excluded = raters[exclusion == name]
        rows += [
            (rater["participant"], name, measured(rater), allowed)
            for _, rater in excluded.iterrows()
        ]
    rows.sort(key=lambda row: row[0])
    return DataFrame(rows, columns=["participant", "rule", "value", "threshold"])


def _step(
    name: str,
    excluded: "Series[bool]",
    remaining: "Series[bool]",
    alone: int,
    sex: "Series[str]",
    sexes: list[str],
) -> dict[str, Any]:
    counts = sex[excluded].value_counts()
    return {
        "step": name,
        "excluded": int(excluded.sum()),
        "remaining": int(remaining.sum()),
        "alone": alone,
    } | {f"excluded_{which}": int(counts.get(which, 0)) for which in sexes}


def _sex(raters: DataFrame) -> "Series[str]":
    """Each rater's sex as the end of a column name: "Prefer not to say" → prefer_not_to_say."""
    if "sex" not in raters:
        return Series(UNSPECIFIED, index=raters.index, dtype="str")
    return raters["sex"].map(_slug)


def _slug(sex: object) -> str:
    words = re.findall(r"\w+", sex.lower()) if isinstance(sex, str) else []
    return "_".join(words) or UNSPECIFIED
