"""Other thresholds compared with those in force: what changes, and for which raters. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isnan
from typing import Any

import numpy as np

from analysis.quality_rules import DECISION, MEASURES, SigmaMae
from analysis.raters.exclusion import Step, Truths
from dashboard.raters.thresholds_figure import SigmaMaeFigure, sigma_mae_figure
from dashboard.raters.what_if import DimensionResult, Outcome
from dashboard.shared.stored_tables import SortableColumn, sortable_columns

#: Raters who are listed when they join or leave.
LISTED = 100
#: What they can be sorted by.
TEXTS = {"participant": "Rater", "change": "By these thresholds", "rule": "Rule"}
COLUMNS = TEXTS | {name: about.label for name, about in MEASURES.items()}


@dataclass(frozen=True)
class Moved:
    """A rater who would join or leave, the rule that took them out or would, and what rules measure
    in them (None where it is not known).
    """

    participant: str
    change: str
    rule: str
    measures: dict[str, float | None]

    def sort_key(self, name: str) -> Any:
        return getattr(self, name) if name in TEXTS else self.measures[name]

    @property
    def numbers(self) -> list[tuple[float | None, int]]:
        """The measures, each with its decimals."""
        return [(value, MEASURES[name].decimals) for name, value in self.measures.items()]


def _all_steps(outcome: Outcome, other: Outcome) -> list[Step]:
    """The steps of an outcome, with an empty one for decisions where only the other has it."""
    steps = outcome.funnel.steps
    if len(steps) == len(other.funnel.steps) or (steps and steps[0].name == DECISION):
        return steps
    sexes = {sex for step in steps for sex in step.by_sex}
    none = Step(DECISION, remaining=outcome.funnel.entered, by_sex=dict.fromkeys(sorted(sexes), 0))
    return [none, *steps]


@dataclass(frozen=True)
class ThresholdPreview:
    """Other rules compared with those in force. `sort` is a name in COLUMNS, with a minus in
    front for descending order; anything else sorts raters by name.
    """

    before: Outcome
    after: Outcome
    names: Sequence[str]
    sort: str = ""

    @cached_property
    def joining(self) -> list[int]:
        """Raters that only these rules keep, as places among the raters."""
        return _places(self.after.funnel.included & ~self.before.funnel.included)

    @cached_property
    def leaving(self) -> list[int]:
        """Raters that only these rules exclude."""
        return _places(self.before.funnel.included & ~self.after.funnel.included)

    @property
    def is_new(self) -> bool:
        return bool(self.joining or self.leaving)

    @property
    def steps(self) -> list[tuple[Step, Step]]:
        """Each step as it is and as it would be. Whom a decision excludes may enter by one rule and
        be still at it by another, and then one side lacks that step.
        """
        before, after = self.before, self.after
        return list(zip(_all_steps(before, after), _all_steps(after, before), strict=True))

    @property
    def results(self) -> list[tuple[DimensionResult, DimensionResult]]:
        return list(zip(self.before.results, self.after.results, strict=True))

    @property
    def sexes(self) -> list[str]:
        """The sexes of the raters who entered, if there is more than one."""
        sexes = {sex for step in self.after.funnel.steps for sex in step.by_sex}
        return sorted(sexes) if len(sexes) > 1 else []

    # ── Who moves ────────────────────────────────────────────────────────────────────────────

    @property
    def columns(self) -> list[SortableColumn]:
        return sortable_columns(COLUMNS, texts=TEXTS, sort=self._sort)

    @cached_property
    def moved(self) -> Sequence[Moved]:
        """Raters who would join or leave, sorted; the first hundred. Missing numbers come last."""
        ways = (
            ("included", self.joining, self.before.funnel.excluded_by),
            ("excluded", self.leaving, self.after.funnel.excluded_by),
        )
        rows = [
            # no rule excludes raters who count as still active
            Moved(self.names[at], change, str(excluded_by[at]), self._measures[at])
            for change, people, excluded_by in ways
            for at in people
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

    @cached_property
    def _measures(self) -> list[dict[str, float | None]]:
        """What rules measure in each of the raters."""
        measures = self.after.raters.measures
        known = [[None if isnan(n) else n for n in of.tolist()] for of in measures.values()]
        return [dict(zip(measures, row, strict=True)) for row in zip(*known, strict=True)]

    @property
    def figure(self) -> SigmaMaeFigure | None:
        """Everyone who entered, by σ and MAE, where the rule on these is applied."""
        if SigmaMae.name not in self.after.rules.order:
            return None
        raters, included = self.after.raters, self.after.funnel.included
        kinds = np.where(included, "kept", np.where(raters.entered, "excluded", ""))
        kinds = kinds.astype(object)  # texts of any length
        kinds[self.joining], kinds[self.leaving] = "joining", "leaving"
        return sigma_mae_figure(
            raters.measures["sigma"].tolist(),
            raters.measures["mae"].tolist(),
            kinds.tolist(),
            in_force=self.before.rules.sigma_mae,
            tried=self.after.rules.sigma_mae,
        )


def _places(raters: Truths) -> list[int]:
    places: list[int] = np.flatnonzero(raters).tolist()
    return places
