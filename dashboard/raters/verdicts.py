"""What each rule says of one rater of an analysis run: what it measured, and what it excludes."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from analysis.exclusion_rule import RaterArrays, Rule
from analysis.models import RaterQuality
from analysis.quality_rules import MEASURES
from analysis.rule_sets import rules_of
from survey.definition.labels import words
from survey.tidy import definition_of

EXCLUDED, MATCHES, PASSED = "excluded by this rule", "matches as well", "passed"
#: Decimals that a measure is shown with where fewer would mislead.
SHOWN_AT_MOST = 4
NOT_KNOWN, NOT_ASKED = "not measured, so passed", "not applied: still taking the survey"


@dataclass(frozen=True)
class Verdict:
    """A rule's verdict on a rater: `measured` in them, and who the rule `excludes`."""

    rule: str
    measured: str
    excludes: str
    verdict: str

    @property
    def is_against(self) -> bool:
        return self.verdict in (EXCLUDED, MATCHES)


def measured_in_words(measured: Mapping[str, Any]) -> str:
    """What a rule measured: `{"sigma": 0.41, "mae": 1.02}` → σ 0.410, MAE 1.020."""
    if "reason" in measured:  # of a decision
        return str(measured["reason"])
    if "status" in measured:
        return status_in_words(str(measured["status"]))
    known = (
        about.said.format(_rounded(measured[name], about.decimals))
        for name, about in MEASURES.items()
        if measured.get(name) is not None
    )
    return ", ".join(known)


def status_in_words(status: str) -> str:
    """How a rater's survey ended. Rules apply to those who left, so "in progress" means left."""
    return "not finished" if status == "in_progress" else words(status)


def _rounded(value: float, decimals: int) -> str:
    """Rounded, but not onto a round number that it only comes close to: 9.98 minutes are under 10,
    and σ of 0.5997 is below 0.6, which "10.0" and "0.600" would hide.
    """
    exact = Decimal(str(value))
    tried = [
        exact.quantize(Decimal(1).scaleb(-shown), ROUND_HALF_UP)
        for shown in range(decimals, max(decimals, SHOWN_AT_MOST) + 1)
    ]
    round_number = "0" * max(1, decimals - 1)
    told = (each for each in tried if each == exact or not str(each).endswith(round_number))
    return str(next(told, tried[0]))


def verdicts(quality: RaterQuality, exclusion: str) -> list[Verdict]:
    """What the rules of the run say of its rater, in their order; `exclusion` is what excluded
    them, or empty.
    """
    indices = quality.indices
    rated = definition_of(quality.run.study).rating is not None
    rules = rules_of(quality.run.rule_set).applied(rated=rated)
    measures = {
        name: None if (value := indices.get(about.column)) is None else value / about.per
        for name, about in MEASURES.items()
    }
    entered = quality.included or bool(exclusion)
    return [
        Verdict(
            rule.name,
            _measured(rule, measures, indices["status"]),
            rule.in_short(),
            _verdict(rule, measures, indices["status"], exclusion) if entered else NOT_ASKED,
        )
        for rule in map(rules.rule, rules.order)
    ]


def _measured(rule: Rule, measures: Mapping[str, float | None], status: str) -> str:
    if not rule.measures:
        return status_in_words(status)
    return measured_in_words({name: measures[name] for name in rule.measures})


def _verdict(rule: Rule, measures: Mapping[str, float | None], status: str, exclusion: str) -> str:
    import numpy as np  # what rules compare; pages that show no rater do without it

    def one(value: object) -> Any:
        return np.array([value])

    raters = RaterArrays(
        entered=one(True),
        left=one(status == "in_progress"),
        decided=one(False),
        sex=one(""),
        measures={n: one(np.nan if v is None else v) for n, v in measures.items()},
    )
    if rule.matches(raters)[0]:
        return EXCLUDED if exclusion == rule.name else MATCHES
    unknown = any(measures[name] is None for name in rule.measures)
    return NOT_KNOWN if unknown else PASSED
