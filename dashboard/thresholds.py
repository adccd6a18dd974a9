"""What other thresholds would do to a study's newest analysis, read for a page.

`analysis.what_if` computes; here it gets the raters of a run, and of ratings only the sums that
change: the run holds those of the raters whom it kept.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from itertools import groupby
from typing import Any

from django.db.models import Count, F, Q, Sum

from analysis.definition import QualityRules, SigmaMae
from analysis.models import AnalysisRun
from analysis.rules import rules_of
from analysis.what_if import (
    NONE,
    Difference,
    Funnel,
    Item,
    Rater,
    Wins,
    funnel,
    mean_difference,
    spread,
    wins,
)
from analysis.what_if import Sum as RatingSum
from dashboard.queries import tables_of
from judge.queries import gold_scores
from survey.definition import StudyDefinition
from survey.models import DemographicAnswer, Participant, Rating, Study
from survey.tidy import RATING_TASKS, cells_of, definition_of, dimensions_of

#: Participants whose ratings one query adds up; databases take no longer lists.
AT_ONCE = 5000
UNSPECIFIED = "unspecified"


@dataclass(frozen=True)
class DimensionResult:
    """The main results of one dimension."""

    dimension: str
    wins: Wins
    difference: Difference


@dataclass(frozen=True)
class Outcome:
    """What comes of some rules: who is left, and the main results from their ratings."""

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
        found = funnel(self._raters(rules), rules)
        return Outcome(found, list(self._results(found.included)))

    @cached_property
    def limits(self) -> Limits:
        rows = [indices for _, _, indices in self._rows]

        def most(name: str) -> float:
            return max((row[name] for row in rows if row[name] is not None), default=0)

        return Limits(
            minutes=most("duration_seconds") / 60,
            failures=int(most("attention_checks_failed")),
            sigma=most("sigma"),
            mae=most("mae"),
            has_unfinished=bool(self._unfinished),
        )

    def pseudonyms(self, keys: Iterable[int]) -> list[str]:
        """How raters are called."""
        names = {key: name for name, key in self._keys.items()}
        return sorted(names[key] for key in keys)

    # ── The raters ───────────────────────────────────────────────────────────────────────────

    @cached_property
    def _rows(self) -> list[tuple[int, bool, dict[str, Any]]]:
        """Participant, whether included, and indices."""
        rows = self.run.rater_quality.order_by("id")
        return list(rows.values_list("participant_id", "included", "indices"))

    @cached_property
    def _keys(self) -> dict[str, int]:
        """Participants by pseudonym."""
        rows = self.run.rater_quality.values_list("participant__pseudonym", "participant_id")
        return dict(rows)

    @cached_property
    def _entered(self) -> set[int]:
        """Who entered the funnel: nobody else is included or excluded."""
        excluded = set(self.run.exclusions.values_list("participant_id", flat=True))
        return excluded | self._included

    @cached_property
    def _included(self) -> set[int]:
        return {who for who, included, _ in self._rows if included}

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

    @cached_property
    def _sexes(self) -> dict[int, str]:
        answers = DemographicAnswer.objects.filter(
            participant__study=self.study, participant__source__in=self.run.sources, name="sex"
        )
        return {who: str(sex) for who, sex in answers.values_list("participant_id", "value") if sex}

    def _raters(self, rules: QualityRules) -> list[Rater]:
        own = rules_of(self.run.rule_set)
        entered = self._entered
        minutes = rules.early_exit.inactive_minutes
        if minutes != own.early_exit.inactive_minutes:
            read_at = datetime.fromisoformat(self.run.manifest["read_at"])
            silent_since = read_at - timedelta(minutes=minutes)
            active = {who for who, seen in self._unfinished.items() if seen >= silent_since}
            entered = (entered | self._unfinished.keys()) - active
        sigmas = {who: indices["sigma"] for who, _, indices in self._rows}
        if _sigma_of(rules.sigma_mae) != _sigma_of(own.sigma_mae):
            sigmas = self._sigmas(rules.sigma_mae)
        return [
            Rater(
                key=who,
                entered=who in entered,
                left=indices["status"] == Participant.Status.IN_PROGRESS,
                minutes=_minutes(indices["duration_seconds"]),
                failures=indices["attention_checks_failed"],
                sigma=sigmas.get(who),
                mae=indices["mae"],
                sex=self._sexes.get(who, UNSPECIFIED),
            )
            for who, _, indices in self._rows
        ]

    @property
    def _is_scored_in_part(self) -> bool:
        """Whether some ratings have a gold score, and others none."""
        all_have = all(row["n_gold"] == row["n_ratings"] for _, _, row in self._rows)
        return not all_have and any(row["n_gold"] for _, _, row in self._rows)

    def _sigmas(self, limits: SigmaMae) -> dict[int, float | None]:
        """Every rater's σ as `limits` has it, from what it was computed: ratings with a gold
        score, or all where there is none.
        """
        over, ddof = _sigma_of(limits)
        ratings = self._ratings()
        if self._is_scored_in_part:
            ratings = ratings.filter(_with_gold(self.study))
        rows = (
            ratings.order_by("presentation__participant_id", "presentation__block_id")
            .values_list("presentation__participant_id", "presentation__block_id")
            .annotate(total=Sum("value"), n=Count("id"), squares=Sum(F("value") * F("value")))
        )
        return {
            who: spread(
                [(RatingSum(total, n), squares) for _, _, total, n, squares in blocks],
                over=over,
                ddof=ddof,
            )
            for who, blocks in groupby(rows.iterator(), key=lambda row: row[0])
        }

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
        found = wins(self._sums(included), (a, b), system)
        for dimension in dimensions_of(self.definition):
            if dimension in found:
                differences = self._differences.get(dimension, {})
                of_these = [value for who, value in differences.items() if who in included]
                difference = mean_difference(of_these, self.confidence)
                yield DimensionResult(dimension, found[dimension], difference)

    @cached_property
    def _differences(self) -> dict[str, dict[int, float]]:
        """Each rater's a − b, by dimension."""
        table = tables_of(self.run, "rater_differences")["rater_differences"]
        found: dict[str, dict[int, float]] = {}
        for row in table.rows:
            if row["participant"] in self._keys:
                who = self._keys[row["participant"]]
                found.setdefault(row["dimension"], {})[who] = row["difference"]
        return found

    @cached_property
    def _items(self) -> dict[tuple[int, int, str], Item]:
        """Every response as shown, by block, response and dimension."""
        return {
            (block, response, dimension): Item(*cell.names, dimension)
            for (block, response), cell in cells_of(self.study).items()
            for dimension in dimensions_of(self.definition)
        }

    @cached_property
    def _sums_of_run(self) -> dict[Item, RatingSum]:
        """The sums of the raters whom the run kept."""
        sums = dict.fromkeys(self._items.values(), NONE)
        for row in tables_of(self.run, "items")["items"].rows:
            sums[Item(*(row[name] for name in Item._fields))] = RatingSum(row["total"], row["n"])
        return sums

    def _sums(self, included: frozenset[int]) -> dict[Item, RatingSum]:
        """The sums of the `included`: those of the run, with who joins and without who leaves."""
        sums = dict(self._sums_of_run)
        for who, times in ((included - self._included, 1), (self._included - included, -1)):
            for key, added in self._added_up(sorted(who)):
                item = self._items[key]
                sums[item] = sums[item].plus(added, times)
        return sums

    def _added_up(self, who: Sequence[int]) -> Iterable[tuple[tuple[int, int, str], RatingSum]]:
        for first in range(0, len(who), AT_ONCE):
            rows = (
                self._ratings()
                .filter(presentation__participant_id__in=who[first : first + AT_ONCE])
                .order_by()
                .values_list("presentation__block_id", "response_id", "dimension")
                .annotate(total=Sum("value"), n=Count("id"))
            )
            for block, response, dimension, total, n in rows:
                yield (block, response, dimension), RatingSum(total, n)

    def _ratings(self) -> Any:
        return Rating.objects.filter(
            presentation__participant__study=self.study,
            presentation__participant__source__in=self.run.sources,
            task__in=RATING_TASKS,
        )


def _sigma_of(limits: SigmaMae) -> tuple[str, int]:
    """Of what σ is taken, and its ddof."""
    return limits.sigma_over, limits.ddof


def _minutes(seconds: float | None) -> float | None:
    return None if seconds is None else seconds / 60


def _with_gold(study: Study) -> Q:
    """Ratings of responses that have a gold score on their dimension."""
    by_dimension: dict[str, list[int]] = {}
    for score in gold_scores(study).scores:
        by_dimension.setdefault(score.dimension, []).append(score.response_id)
    found = Q(pk__in=[])
    for dimension, responses in by_dimension.items():
        found |= Q(dimension=dimension, response_id__in=responses)
    return found
