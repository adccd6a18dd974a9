"""Some thresholds beside those in force: what they change, and for whom. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from analysis.definition import DECISION
from analysis.raters.what_if import Rater, Step
from dashboard.tables import Column, sortable_columns
from dashboard.thresholds import Outcome
from dashboard.thresholds_figure import SigmaMaeFigure, sigma_mae_figure

#: Raters who are listed when they join or leave.
LISTED = 100
#: What they can be sorted by.
COLUMNS = {
    "participant": "Rater",
    "change": "By these thresholds",
    "rule": "Rule",
    "minutes": "Minutes",
    "failures": "Failed checks",
    "sigma": "σ",
    "mae": "MAE",
}
TEXTS = ("participant", "change", "rule")
RULE = "sigma_mae"


@dataclass(frozen=True)
class Moved:
    """A rater who would join or leave, and the rule that took them out or would."""

    participant: str
    change: str
    rule: str
    rater: Rater

    def sort_key(self, name: str) -> Any:
        return getattr(self if name in TEXTS else self.rater, name)


def _all_steps(outcome: Outcome, other: Outcome) -> list[Step]:
    """The steps of an outcome, with an empty one for decisions where only the other has it."""
    steps = outcome.funnel.steps
    if len(steps) == len(other.funnel.steps) or (steps and steps[0].name == DECISION):
        return steps
    sexes = {sex for step in steps for sex in step.by_sex}
    none = Step(DECISION, remaining=outcome.funnel.entered, by_sex=dict.fromkeys(sorted(sexes), 0))
    return [none, *steps]


@dataclass(frozen=True)
class Tried:
    """What some rules would do, beside those in force. `sort` is a name in COLUMNS, with a minus
    in front for the largest first; by anything else raters stand by their names.
    """

    before: Outcome
    after: Outcome
    name_of: Callable[[int], str]
    sort: str = ""

    @cached_property
    def joining(self) -> frozenset[int]:
        return self.after.funnel.included - self.before.funnel.included

    @cached_property
    def leaving(self) -> frozenset[int]:
        return self.before.funnel.included - self.after.funnel.included

    @property
    def is_new(self) -> bool:
        return bool(self.joining or self.leaving)

    @property
    def steps(self) -> list[tuple[Any, Any]]:
        """Each step as it is and as it would be. Whom a decision excludes may enter by one rule and
        be still at it by another, and then one side lacks that step.
        """
        before, after = self.before, self.after
        return list(zip(_all_steps(before, after), _all_steps(after, before), strict=True))

    @property
    def results(self) -> list[tuple[Any, Any]]:
        return list(zip(self.before.results, self.after.results, strict=True))

    @property
    def sexes(self) -> list[str]:
        """Those of the raters who entered, if there is more than one."""
        found = {sex for step in self.after.funnel.steps for sex in step.by_sex}
        return sorted(found) if len(found) > 1 else []

    # ── Who moves ────────────────────────────────────────────────────────────────────────────

    @property
    def columns(self) -> list[Column]:
        return sortable_columns(COLUMNS, texts=TEXTS, sort=self._sort)

    @property
    def moved(self) -> Sequence[Moved]:
        """Who would join or leave, sorted; the first hundred. Who has no number comes last."""
        ways = (
            ("kept", self.joining, self.before.funnel.excluded),
            ("excluded", self.leaving, self.after.funnel.excluded),
        )
        raters = {rater.key: rater for rater in self.after.raters}
        rows = [
            # no rule excludes whoever is taken to be still at it
            Moved(self.name_of(who), change, excluded.get(who, ""), raters[who])
            for change, people, excluded in ways
            for who in people
        ]
        rows.sort(key=lambda row: row.participant)
        name = self._sort.removeprefix("-")
        known = [row for row in rows if row.sort_key(name) is not None]
        known.sort(key=lambda row: row.sort_key(name), reverse=self._sort.startswith("-"))
        return [*known, *(row for row in rows if row.sort_key(name) is None)][:LISTED]

    @property
    def n_unlisted(self) -> int:
        return max(len(self.joining) + len(self.leaving) - LISTED, 0)

    @property
    def _sort(self) -> str:
        return self.sort if self.sort.removeprefix("-") in COLUMNS else "participant"

    @property
    def figure(self) -> SigmaMaeFigure | None:
        """Everybody who entered by σ and MAE, where the rule on these is applied."""
        if RULE not in self.after.rules.order:
            return None
        kinds = {
            rater.key: "kept" if rater.key in self.after.funnel.included else "excluded"
            for rater in self.after.raters
            if rater.entered
        }
        kinds |= dict.fromkeys(self.joining, "joining") | dict.fromkeys(self.leaving, "leaving")
        return sigma_mae_figure(
            self.after.raters,
            kinds,
            in_force=self.before.rules.sigma_mae,
            tried=self.after.rules.sigma_mae,
        )
