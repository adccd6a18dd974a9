"""Other thresholds than those in force: tried on an analysis, and put in force."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from django.contrib.auth.models import User

from analysis.models import AnalysisRun, RuleSet
from analysis.quality_rules import changes_in_words
from analysis.rule_sets import current_rule_set, rules_of, set_rules
from analysis.runs import request_run
from dashboard.raters.forms import ThresholdsForm
from dashboard.shared.log import record
from survey.definition.labels import Labels
from survey.models import Study
from survey.refusals import RequestRefused
from survey.tidy import counted_sources

if TYPE_CHECKING:
    from dashboard.raters.threshold_preview import ThresholdPreview
    from dashboard.raters.what_if import WhatIf


@dataclass(frozen=True)
class TriedThresholds:
    """What was asked for, and an analysis by it; the rules in force wherever nothing was said."""

    form: ThresholdsForm
    what_if: "WhatIf"
    in_force: RuleSet

    def preview(self, sort: str = "") -> "ThresholdPreview":
        """The outcome beside that of the rules in force, raters sorted by `sort`."""
        from dashboard.raters.threshold_preview import ThresholdPreview

        before = self.what_if.outcome(self.form.in_force)
        after = self.what_if.outcome(self.form.asked)
        return ThresholdPreview(before, after, self.what_if.names, sort)

    def changes(self, labels: Labels) -> list[str]:
        """What they would change of the rules, in words."""
        return changes_in_words(self.form.in_force, self.form.asked, labels)

    def refuse_if_useless(self) -> None:
        """Raises RequestRefused where something is wrong with them, or nothing is new."""
        if not self.form.is_valid():
            raise RequestRefused("\n".join(self.form.problems))
        if self.form.asked == rules_of(self.in_force):
            raise RequestRefused("These thresholds are in force already.")


def try_thresholds(data: Mapping[str, Any], study: Study, run: AnalysisRun) -> TriedThresholds:
    """The thresholds that `data` has, by field, tried on a finished run."""
    from dashboard.raters.what_if import WhatIf

    in_force = current_rule_set(study)
    what_if = WhatIf(study, run)
    left_out = [] if what_if.has_unfinished else ["inactive_minutes"]
    form = ThresholdsForm({}, rules=rules_of(in_force), left_out=left_out)
    form.data = {name: _whole(field.initial) for name, field in form.fields.items()} | {
        name: value for name, value in data.items() if name in form.fields and value
    }
    return TriedThresholds(form, what_if, in_force)


def put_in_force(
    tried: TriedThresholds, *, study: Study, instead_of: str, author: User, include: list[str]
) -> tuple[RuleSet, AnalysisRun]:
    """Make them the rules in force, in place of that version of rules, and ask for the analysis; a
    worker has to be woken for it. Raises RequestRefused, having changed nothing.
    """
    tried.refuse_if_useless()
    if instead_of != str(tried.in_force.version):
        raise RequestRefused(
            f"Nothing was changed: rules version {tried.in_force.version} came into force "
            "meanwhile. Check its thresholds first."
        )
    newest = set_rules(study=study, rules=tried.form.asked, author=author)
    record(study, author, "thresholds", name=f"rules version {newest.version}")
    return newest, request_run(study=study, sources=counted_sources(include))


def with_changes(versions: list[RuleSet], labels: Labels) -> list[tuple[RuleSet, list[str]]]:
    """Each version with what it changed of the one before, newest first; the oldest is left out
    unless it is the first of all.
    """
    changed = [
        (newer, changes_in_words(rules_of(older), rules_of(newer), labels))
        for newer, older in pairwise(versions)
    ]
    if versions and versions[-1].version == 1:
        changed.append((versions[-1], ["first version"]))
    return changed


def _whole(value: float | str) -> float | str:
    """The same number, without decimals where it has none: 120 and not 120.0."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
