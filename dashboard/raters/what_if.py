"""What other thresholds would do to a study's newest analysis, read for a page.

`raters.exclusion` and `tables.win_counts` compute, as they do for a worker; here they get the
raters of a run, and of ratings only the sums that change: the run holds those of the raters whom it
kept. Nothing is decided by it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property
from math import sqrt

import numpy as np

from analysis.exclusion_rule import RaterArrays
from analysis.models import AnalysisRun
from analysis.quality_rules import TOLERANCE, QualityRules
from analysis.raters.exclusion import ExclusionOutcome, Numbers, Truths, exclude
from analysis.rule_sets import rules_of
from analysis.tables.win_counts import WinCounts
from dashboard.raters.run_record import record_of
from survey.definition import StudyDefinition
from survey.models import Participant, Study
from survey.tidy import definition_of, dimensions_of


@dataclass(frozen=True)
class ConditionDifference:
    """The raters' mean of condition a minus condition b; an interval needs two raters."""

    n: int
    mean: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class DimensionResult:
    """The main results of one dimension, over all scenarios."""

    dimension: str
    wins: WinCounts
    difference: ConditionDifference


@dataclass(frozen=True)
class Outcome:
    """The outcome of some rules: the raters kept, and the main results from their ratings."""

    rules: QualityRules
    raters: RaterArrays
    funnel: ExclusionOutcome
    results: list[DimensionResult]

    @property
    def n_kept(self) -> int:
        return int(self.funnel.included.sum())


class WhatIf:
    """A finished run, and its outcome by other rules."""

    def __init__(self, study: Study, run: AnalysisRun) -> None:
        self.study, self.run = study, run
        self._record = record_of(study, run)

    @cached_property
    def definition(self) -> StudyDefinition:
        return definition_of(self.study)

    @property
    def confidence(self) -> float | None:
        """The confidence of the intervals; None for runs stored without the quantiles."""
        return self._record.quantiles.confidence

    @property
    def names(self) -> Sequence[str]:
        """The raters' pseudonyms, in the order of every outcome."""
        return self._record.names

    def outcome(self, rules: QualityRules) -> Outcome:
        """The funnel by `rules`, and the main results where the study compares two conditions."""
        rules = rules.applied(rated=self.definition.rating is not None)
        raters = self._raters(rules)
        filtered = exclude(raters, rules)
        return Outcome(rules, raters, filtered, list(self._results(filtered.included)))

    @cached_property
    def largest(self) -> dict[str, float]:
        """The largest value of each measure among the raters, for the ends of sliders."""
        return {
            name: float(np.nanmax(values, initial=0))
            for name, values in self._record.raters.measures.items()
        }

    @property
    def has_unfinished(self) -> bool:
        """Whether some rater may count as inactive or as active, depending on the rule."""
        return bool(self._unfinished)

    # ── The raters ───────────────────────────────────────────────────────────────────────────

    @cached_property
    def _unfinished(self) -> dict[int, datetime]:
        """Raters in progress who may come back, and when they were last seen."""
        people = Participant.objects.filter(
            quality__run=self.run,
            status=Participant.Status.IN_PROGRESS,
            consented_at__isnull=False,
            last_seen_at__isnull=False,
        ).exclude(source=Participant.Source.IMPORT)
        return dict(people.values_list("id", "last_seen_at"))

    def _raters(self, rules: QualityRules) -> RaterArrays:
        """The raters as `rules` see them: who entered, and with which σ."""
        own = rules_of(self.run.rule_set)
        raters = self._record.raters
        minutes = rules.early_exit.inactive_minutes
        if minutes != own.early_exit.inactive_minutes:
            read_at = datetime.fromisoformat(self.run.manifest["read_at"])
            silent_since = read_at - timedelta(minutes=minutes)
            active = {who for who, seen in self._unfinished.items() if seen >= silent_since}
            unfinished, still = (
                np.isin(self._record.keys, [*people]) for people in (self._unfinished, active)
            )
            raters = replace(raters, entered=(raters.entered | unfinished) & ~still)
        over, ddof = rules.sigma_mae.sigma_over, rules.sigma_mae.ddof
        if (over, ddof) != (own.sigma_mae.sigma_over, own.sigma_mae.ddof):
            sigma = self._record.sigma(over=over, ddof=ddof)
            raters = replace(raters, measures={**raters.measures, "sigma": sigma})
        return raters

    # ── The main results ─────────────────────────────────────────────────────────────────────

    def _results(self, included: Truths) -> Iterable[DimensionResult]:
        cells = self._record.cells
        if cells is None:
            return
        outcomes = cells.outcomes(*self._record.sums(included))
        for dimension in dimensions_of(self.definition):
            rows = np.array([cell.dimension == dimension for cell in cells.keys], dtype=bool)
            if rows.any():
                wins = outcomes.of(rows).counted()
                yield DimensionResult(dimension, wins, self._difference(dimension, included))

    def _difference(self, dimension: str, included: Truths) -> ConditionDifference:
        """Mean and t interval over raters: F1 of contrasts.csv, over all models."""
        values: Numbers = self._record.differences(dimension)[included]
        values = values[~np.isnan(values)]
        n = len(values)
        if not n:
            return ConditionDifference(0, None)
        mean = float(values.mean())
        sd = float(values.std(ddof=1)) if n > 1 else 0.0
        quantile = self._record.quantiles.of(n)
        if sd < TOLERANCE or quantile is None:
            return ConditionDifference(n, mean)
        half = quantile * sd / sqrt(n)
        return ConditionDifference(n, mean, mean - half, mean + half)
