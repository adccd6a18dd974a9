"""What other thresholds would do to a study's newest analysis, read for a page.

`raters.what_if` computes; here it gets the raters of a run, and of ratings only the sums that
change: the run holds those of the raters whom it kept.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property

from analysis.definition import QualityRules
from analysis.models import AnalysisRun
from analysis.raters.what_if import Difference, Funnel, Rater, Wins, funnel, mean_difference, wins
from analysis.rules import rules_of
from dashboard.run_record import record_of
from survey.definition import StudyDefinition
from survey.models import Participant, Study
from survey.tidy import definition_of, dimensions_of


@dataclass(frozen=True)
class DimensionResult:
    """The main results of one dimension."""

    dimension: str
    wins: Wins
    difference: Difference


@dataclass(frozen=True)
class Outcome:
    """What comes of some rules: who is left, and the main results from their ratings."""

    rules: QualityRules
    raters: Sequence[Rater]
    funnel: Funnel
    results: list[DimensionResult]

    @property
    def n_kept(self) -> int:
        return len(self.funnel.included)


@dataclass(frozen=True)
class Limits:
    """The largest values of the run's raters, for the ends of sliders."""

    minutes: float
    failures: int
    sigma: float
    mae: float
    #: Whether somebody may be called silent or still at it, depending on the rule.
    has_unfinished: bool


class WhatIf:
    """A finished run, and what it would have found by other rules."""

    def __init__(self, study: Study, run: AnalysisRun) -> None:
        self.study, self.run = study, run
        self._record = record_of(study, run)

    @cached_property
    def definition(self) -> StudyDefinition:
        return definition_of(self.study)

    @cached_property
    def confidence(self) -> float:
        """That of the first recipe whose units are raters."""
        recipes = self.run.manifest.get("recipes", {}).values()
        return next((r["confidence"] for r in recipes if r["unit"] == "participant"), 0.95)

    def outcome(self, rules: QualityRules) -> Outcome:
        """The funnel by `rules`, and the main results where the study compares two conditions."""
        if self.definition.rating is None:
            rules = rules.without("sigma_mae")
        raters = self._raters(rules)
        found = funnel(raters, rules)
        return Outcome(rules, raters, found, list(self._results(found.included)))

    @cached_property
    def limits(self) -> Limits:
        raters = self._record.raters

        def most(name: str) -> float:
            return max(
                (getattr(r, name) for r in raters if getattr(r, name) is not None), default=0
            )

        return Limits(
            minutes=most("minutes"),
            failures=int(most("failures")),
            sigma=most("sigma"),
            mae=most("mae"),
            has_unfinished=bool(self._unfinished),
        )

    def pseudonym(self, key: int) -> str:
        """How a rater is called."""
        return self._record.names[key]

    # ── The raters ───────────────────────────────────────────────────────────────────────────

    @cached_property
    def _unfinished(self) -> dict[int, datetime]:
        """Who is in progress and may come back, and when they were last seen."""
        people = Participant.objects.filter(
            quality__run=self.run,
            status=Participant.Status.IN_PROGRESS,
            consented_at__isnull=False,
            last_seen_at__isnull=False,
        ).exclude(source=Participant.Source.IMPORT)
        return dict(people.values_list("id", "last_seen_at"))

    def _raters(self, rules: QualityRules) -> Sequence[Rater]:
        """The raters as `rules` see them: who entered, and with which σ."""
        own = rules_of(self.run.rule_set)
        raters = self._record.raters
        minutes = rules.early_exit.inactive_minutes
        if minutes != own.early_exit.inactive_minutes:
            read_at = datetime.fromisoformat(self.run.manifest["read_at"])
            silent_since = read_at - timedelta(minutes=minutes)
            active = {who for who, seen in self._unfinished.items() if seen >= silent_since}
            raters = [
                r._replace(entered=(r.entered or r.key in self._unfinished) and r.key not in active)
                for r in raters
            ]
        way, own_way = (
            (limits.sigma_over, limits.ddof) for limits in (rules.sigma_mae, own.sigma_mae)
        )
        if way != own_way:
            sigmas = self._record.sigmas(way, own_way)
            raters = [r._replace(sigma=sigmas.get(r.key)) for r in raters]
        return raters

    # ── The main results ─────────────────────────────────────────────────────────────────────

    def _results(self, included: frozenset[int]) -> Iterable[DimensionResult]:
        a, b, reference = (
            self.definition.condition_a,
            self.definition.condition_b,
            self.definition.reference,
        )
        if a is None or b is None or self.definition.rating is None:
            return
        system = (reference.model, reference.condition) if reference else None
        found = wins(self._record.sums(included), (a, b), system)
        for dimension in dimensions_of(self.definition):
            if dimension in found:
                differences = self._record.differences.get(dimension, {})
                of_these = [value for who, value in differences.items() if who in included]
                difference = mean_difference(of_these, self.confidence)
                yield DimensionResult(dimension, found[dimension], difference)
