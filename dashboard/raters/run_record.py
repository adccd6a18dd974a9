"""What an analysis run left of each rater, as `dashboard.raters.what_if` takes it.

A slider asks for the same run again and again, and a finished run never changes. So each process
remembers the last runs that it was asked for: the raters, and the ratings of those who ever joined
or left.
"""

from array import array
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
from django.db.models import Count, F, Q, Sum

from analysis.exclusion_rule import RaterArrays
from analysis.models import AnalysisRun, Result
from analysis.quality_rules import MEASURES, SigmaOver
from analysis.queries import T_QUANTILES
from analysis.raters.exclusion import UNSPECIFIED, Numbers, Truths, Whole, sigmas
from analysis.tables.win_counts import Cells, Item, cells_of
from dashboard.shared.newest_analysis import tables_of
from judge.queries import gold_scores
from survey.batched import batched
from survey.models import DemographicAnswer, Participant, Rating, Study
from survey.tidy import RATING_TASKS, definition_of, dimensions_of
from survey.tidy import cells_of as study_cells

#: Runs that a process remembers; one of 8,000 raters takes some 20 MB when all have moved.
REMEMBERED = 4
#: Participants whose ratings one query reads; databases take no longer lists.
AT_ONCE = 5000


class RunRater(NamedTuple):
    """A rater of the run, and of their indices those that are used here."""

    key: int
    name: str
    included: bool
    indices: dict[str, Any]


@dataclass(frozen=True)
class Quantiles:
    """Student's t for intervals of this `confidence` over 2, 3, … raters.

    There are none in a run that was stored before runs held them.
    """

    confidence: float | None = None
    quantiles: list[float] = field(default_factory=list)

    def of(self, n: int) -> float | None:
        """That of so many raters."""
        return self.quantiles[n - 2] if 2 <= n < 2 + len(self.quantiles) else None


def record_of(study: Study, run: AnalysisRun) -> "RunRecord":
    """The record of a finished run. A withdrawal deletes the runs that counted the person."""
    return _remembered(run.pk, run.created_at, study.content_hash)


@lru_cache(maxsize=REMEMBERED)
def _remembered(run: int, *_version: object) -> "RunRecord":
    return RunRecord(AnalysisRun.objects.select_related("study", "rule_set").get(pk=run))


class RunRecord:
    """The raters of a run with their indices, and their ratings as far as they were asked for."""

    def __init__(self, run: AnalysisRun) -> None:
        self.run, self.study = run, run.study
        #: Each rater's ratings: places among the items and values, by turns.
        self._ratings_of: dict[int, array[float]] = {}

    # ── The raters ───────────────────────────────────────────────────────────────────────────

    @cached_property
    def raters(self) -> RaterArrays:
        """Everybody in the run as its rules saw them, in the order of `keys` and `names`."""
        sexes = self._sexes()
        excluded = self.run.exclusions.values_list("participant_id", flat=True)
        indices = [row.indices for row in self._rows]
        return RaterArrays(
            entered=self._included | np.isin(self.keys, [*excluded]),
            left=np.array([each["status"] for each in indices], dtype=str)
            == Participant.Status.IN_PROGRESS.value,
            # a run from before there were decisions says nothing of them
            decided=np.array([each["excluded_by_decision"] for each in indices], dtype=bool),
            sex=np.array([sexes.get(row.key, UNSPECIFIED) for row in self._rows], dtype=str),
            measures={
                name: np.array([each[about.column] for each in indices], dtype=float) / about.per
                for name, about in MEASURES.items()
            },
        )

    @cached_property
    def keys(self) -> Whole:
        """The participants' ids."""
        return np.array([row.key for row in self._rows], dtype=np.int64)

    @cached_property
    def names(self) -> list[str]:
        """Their pseudonyms."""
        return [row.name for row in self._rows]

    @cached_property
    def _included(self) -> Truths:
        return np.array([row.included for row in self._rows], dtype=bool)

    @cached_property
    def _places(self) -> dict[int, int]:
        return {row.key: place for place, row in enumerate(self._rows)}

    @cached_property
    def _rows(self) -> list[RunRater]:
        used = {about.column for about in MEASURES.values()}
        used |= {"status", "n_ratings", "n_gold", "excluded_by_decision"}
        rows = self.run.rater_quality.order_by("id").values_list(
            "participant_id", "participant__pseudonym", "included", "indices"
        )
        return [
            RunRater(key, name, included, {each: indices.get(each) for each in used})
            for key, name, included, indices in rows
        ]

    def _sexes(self) -> dict[int, str]:
        answers = DemographicAnswer.objects.filter(
            participant__study=self.study, participant__source__in=self.run.sources, name="sex"
        )
        return {who: str(sex) for who, sex in answers.values_list("participant_id", "value") if sex}

    def sigma(self, *, over: SigmaOver, ddof: int) -> Numbers:
        """Every rater's σ, taken in another way than the run's."""
        return sigmas(*self._blocks, raters=len(self.keys), over=over, ddof=ddof)[0]

    @cached_property
    def _blocks(self) -> tuple[Whole, Whole, Numbers, Numbers]:
        """Whose ratings of a block they are, how many, their sum, and that of their squares: of
        those that the run computed σ from, with a gold score, or all where there is none.
        """
        ratings = self._ratings()
        if self._is_scored_in_part:
            ratings = ratings.filter(_with_gold(self.study))
        rows = (
            ratings.order_by()
            .values_list("presentation__participant_id", "presentation__block_id")
            .annotate(n=Count("id"), total=Sum("value"), squares=Sum(F("value") * F("value")))
        )
        known = [
            (self._places[who], *sums) for who, _, *sums in rows.iterator() if who in self._places
        ]
        rater, n, total, squares = np.array(known, dtype=float).reshape(-1, 4).T
        return rater.astype(np.int64), n.astype(np.int64), total, squares

    @property
    def _is_scored_in_part(self) -> bool:
        """Whether some ratings have a gold score, and others none."""
        n_gold, n_ratings = (
            np.array([row.indices[name] for row in self._rows], dtype=int)
            for name in ("n_gold", "n_ratings")
        )
        return bool(n_gold.any() and (n_gold != n_ratings).any())

    # ── Their ratings ────────────────────────────────────────────────────────────────────────

    def differences(self, dimension: str) -> Numbers:
        """Each rater's mean of condition a minus b on a dimension; NaN if they have none."""
        return self._differences.get(dimension, np.full(len(self.keys), np.nan))

    @cached_property
    def _differences(self) -> dict[str, Numbers]:
        places = {name: place for place, name in enumerate(self.names)}
        by_dimension: dict[str, Numbers] = {}
        for row in tables_of(self.run, "rater_differences")["rater_differences"].rows:
            if row["participant"] in places:
                nobody = np.full(len(places), np.nan)
                of_dimension = by_dimension.setdefault(row["dimension"], nobody)
                of_dimension[places[row["participant"]]] = row["difference"]
        return by_dimension

    @cached_property
    def quantiles(self) -> Quantiles:
        """What the worker stored for intervals of these differences."""
        stored = self.run.results.filter(kind=Result.Kind.PAGE, name=T_QUANTILES).first()
        return Quantiles(**stored.content) if stored else Quantiles()

    @cached_property
    def cells(self) -> Cells | None:
        """What is compared; None where the study rates nothing or compares no two conditions."""
        definition = definition_of(self.study)
        a, b, of = definition.condition_a, definition.condition_b, definition.reference
        if a is None or b is None or definition.rating is None:
            return None
        reference = (of.model, of.condition) if of else None
        return cells_of(self._items.values(), (a, b), reference)

    def sums(self, included: Truths) -> tuple[Numbers, Whole]:
        """Sum and number of the ratings of each item by the `included`: those of the run, with who
        joins and without who leaves; or all of them added up, where fewer ratings are to be read
        for that.
        """
        joining, leaving = included & ~self._included, self._included & ~included
        totals, counts = self._sums_of_run[0].copy(), self._sums_of_run[1].copy()
        parts = [(joining, 1), (leaving, -1)]
        if self._unread(joining | leaving) > self._unread(included):
            totals, counts = np.zeros_like(totals), np.zeros_like(counts)
            parts = [(included, 1)]
        for people, times in parts:
            items, values = self._read(self.keys[people].tolist())
            np.add.at(totals, items, times * values)
            np.add.at(counts, items, times)
        return totals, counts

    @cached_property
    def _items(self) -> dict[tuple[int, int, str], Item]:
        """Every response as shown, by block, response and dimension."""
        definition = definition_of(self.study)
        return {
            (block, response, dimension): Item(*cell.names, dimension)
            for (block, response), cell in study_cells(self.study).items()
            for dimension in dimensions_of(definition)
        }

    @cached_property
    def _sums_of_run(self) -> tuple[Numbers, Whole]:
        """Sum and number of the ratings of each item by the raters that the run kept."""
        stored = {
            Item(*(row[name] for name in Item._fields)): (row["total"], row["n"])
            for row in tables_of(self.run, "items")["items"].rows
        }
        sums = [stored.get(item, (0, 0)) for item in self._items.values()]
        totals, counts = np.array(sums, dtype=float).reshape(-1, 2).T
        return totals, counts.astype(np.int64)

    def _unread(self, people: Truths) -> int:
        return len(set(self.keys[people].tolist()) - self._ratings_of.keys())

    def _read(self, people: list[int]) -> tuple[Whole, Numbers]:
        """Items (by their places) and values of these people's ratings; those that nobody has
        asked for before are read.
        """
        missing = sorted(who for who in people if who not in self._ratings_of)
        places = {key: place for place, key in enumerate(self._items)}
        for some in batched(missing, AT_ONCE):
            read: dict[int, array[float]] = {who: array("d") for who in some}
            rows = (
                # They are people of this run; joining them, too, takes PostgreSQL minutes where it
                # has no statistics yet.
                Rating.objects.filter(presentation__participant_id__in=some, task__in=RATING_TASKS)
                .order_by()
                .values_list(
                    "presentation__participant_id",
                    "presentation__block_id",
                    "response_id",
                    "dimension",
                    "value",
                )
            )
            for who, block, response, dimension, value in rows.iterator():
                read[who].extend((places[block, response, dimension], value))
            self._ratings_of |= read
        pairs = np.concatenate([np.empty(0), *(self._ratings_of[who] for who in people)])
        items, values = pairs.reshape(-1, 2).T
        return items.astype(np.int64), values

    def _ratings(self) -> Any:
        return Rating.objects.filter(
            presentation__participant__study=self.study,
            presentation__participant__source__in=self.run.sources,
            task__in=RATING_TASKS,
        )


def _with_gold(study: Study) -> Q:
    """Ratings of responses that have a gold score on their dimension."""
    by_dimension: dict[str, list[int]] = {}
    for score in gold_scores(study).scores:
        by_dimension.setdefault(score.dimension, []).append(score.response_id)
    condition = Q(pk__in=[])
    for dimension, responses in by_dimension.items():
        condition |= Q(dimension=dimension, response_id__in=responses)
    return condition
