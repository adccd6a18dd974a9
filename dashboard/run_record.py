"""What an analysis run left of each rater, as `raters.what_if` takes it.

A slider asks for the same run again and again, and a finished run never changes. So each process
remembers the last runs that it was asked for: the raters, and the ratings of those who ever joined
or left.
"""

import math
from array import array
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from itertools import groupby
from typing import Any

from django.db.models import Count, F, Q, Sum

from analysis.models import AnalysisRun
from analysis.raters.what_if import NONE, Item, Rater, spread
from analysis.raters.what_if import Sum as RatingSum
from dashboard.queries import tables_of
from judge.queries import gold_scores
from survey.models import DemographicAnswer, Participant, Rating, Study
from survey.tidy import RATING_TASKS, cells_of, definition_of, dimensions_of

#: Runs that a process remembers; one of 8,000 raters takes some 20 MB when all have moved.
REMEMBERED = 4
#: Participants whose ratings one query reads; databases take no longer lists.
AT_ONCE = 5000
UNSPECIFIED = "unspecified"
#: Of what σ is taken, and its ddof.
Way = tuple[str, int]


def record_of(study: Study, run: AnalysisRun) -> "RunRecord":
    """The record of a finished run. Whoever withdraws takes the runs that counted them along."""
    return _remembered(run.pk, run.created_at, study.content_hash)


@lru_cache(maxsize=REMEMBERED)
def _remembered(run: int, *_version: object) -> "RunRecord":
    return RunRecord(AnalysisRun.objects.select_related("study", "rule_set").get(pk=run))


class RunRecord:
    """The raters of a run with their indices, and their ratings as far as they were asked for."""

    def __init__(self, run: AnalysisRun) -> None:
        self.run, self.study = run, run.study
        #: Each rater's ratings: places among the items and values, by turns.
        self._ratings_of: dict[int, array[int]] = {}
        self._sigmas: dict[str, dict[int, tuple[float, int]]] = {}

    # ── The raters ───────────────────────────────────────────────────────────────────────────

    @cached_property
    def raters(self) -> list[Rater]:
        """Everybody in the run as its rules saw them."""
        sexes = self._sexes()
        excluded = set(self.run.exclusions.values_list("participant_id", flat=True))
        return [
            Rater(
                key=who,
                entered=included or who in excluded,
                left=indices["status"] == Participant.Status.IN_PROGRESS,
                minutes=_minutes(indices["duration_seconds"]),
                failures=indices["attention_checks_failed"],
                sigma=indices["sigma"],
                mae=indices["mae"],
                sex=sexes.get(who, UNSPECIFIED),
                decided=bool(indices["excluded_by_decision"]),
            )
            for who, _, included, indices in self._rows
        ]

    @cached_property
    def names(self) -> dict[int, str]:
        """Pseudonyms by participant."""
        return {who: name for who, name, _, _ in self._rows}

    @cached_property
    def _included(self) -> frozenset[int]:
        return frozenset(who for who, _, included, _ in self._rows if included)

    @cached_property
    def _rows(self) -> list[tuple[int, str, bool, dict[str, Any]]]:
        """Participant, pseudonym, whether included, and of the indices those that are used here."""
        used = ["status", "duration_seconds", "attention_checks_failed", "sigma", "mae"]
        used += ["n_ratings", "n_gold", "excluded_by_decision"]
        rows = self.run.rater_quality.order_by("id").values_list(
            "participant_id", "participant__pseudonym", "included", "indices"
        )
        return [
            # a run from before there were decisions says nothing of them
            (who, name, included, {each: indices.get(each) for each in used})
            for who, name, included, indices in rows
        ]

    def _sexes(self) -> dict[int, str]:
        answers = DemographicAnswer.objects.filter(
            participant__study=self.study, participant__source__in=self.run.sources, name="sex"
        )
        return {who: str(sex) for who, sex in answers.values_list("participant_id", "value") if sex}

    def sigmas(self, way: Way, own: Way) -> dict[int, float | None]:
        """Every rater's σ taken another `way` than the run's `own`."""
        over, ddof = way
        is_known = over == own[0] == "ratings"
        if over not in self._sigmas:
            self._sigmas[over] = self._own_sigmas() if is_known else dict(self._read_sigmas(over))
        had = own[1] if is_known else 0
        return {
            who: sigma * math.sqrt((n - had) / (n - ddof)) if n > ddof else None
            for who, (sigma, n) in self._sigmas[over].items()
        }

    def _own_sigmas(self) -> dict[int, tuple[float, int]]:
        """The run's σ and of how many ratings: those with a gold score, if there are any."""
        n_of = "n_gold" if any(row["n_gold"] for *_, row in self._rows) else "n_ratings"
        return {who: (row["sigma"] or 0.0, row[n_of]) for who, _, _, row in self._rows}

    def _read_sigmas(self, over: str) -> Iterator[tuple[int, tuple[float, int]]]:
        """Every rater's σ with ddof 0, and of how many ratings or blocks, from what the run
        computed it: ratings with a gold score, or all where there is none.
        """
        ratings = self._ratings()
        if self._is_scored_in_part:
            ratings = ratings.filter(_with_gold(self.study))
        rows = (
            ratings.order_by("presentation__participant_id", "presentation__block_id")
            .values_list("presentation__participant_id", "presentation__block_id")
            .annotate(total=Sum("value"), n=Count("id"), squares=Sum(F("value") * F("value")))
        )
        for who, blocks in groupby(rows.iterator(), key=lambda row: row[0]):
            sums = [(RatingSum(total, n), squares) for _, _, total, n, squares in blocks]
            several = len(sums) if over == "blocks" else sum(of_block.n for of_block, _ in sums)
            yield who, (spread(sums, over=over, ddof=0) or 0.0, several)

    @property
    def _is_scored_in_part(self) -> bool:
        """Whether some ratings have a gold score, and others none."""
        all_have = all(row["n_gold"] == row["n_ratings"] for *_, row in self._rows)
        return not all_have and any(row["n_gold"] for *_, row in self._rows)

    # ── Their ratings ────────────────────────────────────────────────────────────────────────

    @cached_property
    def differences(self) -> dict[str, dict[int, float]]:
        """Each rater's a − b, by dimension."""
        keys = {name: who for who, name in self.names.items()}
        found: dict[str, dict[int, float]] = {}
        for row in tables_of(self.run, "rater_differences")["rater_differences"].rows:
            if row["participant"] in keys:
                who = keys[row["participant"]]
                found.setdefault(row["dimension"], {})[who] = row["difference"]
        return found

    def sums(self, included: frozenset[int]) -> dict[Item, RatingSum]:
        """The sums of the `included`: those of the run, with who joins and without who leaves; or
        all of them added up, where fewer ratings are to be read for that.
        """
        joining, leaving = included - self._included, self._included - included
        totals, counts = map(list, self._sums_of_run)
        parts: tuple[tuple[Iterable[int], int], ...] = ((joining, 1), (leaving, -1))
        if self._unread(joining | leaving) > self._unread(included):
            totals, counts = [0] * len(self._items), [0] * len(self._items)
            parts = ((included, 1),)
        for people, times in parts:
            self._read(people)
            for who in people:
                given = self._ratings_of[who]
                for place, value in zip(given[::2], given[1::2], strict=True):
                    totals[place] += times * value
                    counts[place] += times
        sums = map(RatingSum, totals, counts)
        return dict(zip(self._items.values(), sums, strict=True))

    @cached_property
    def _items(self) -> dict[tuple[int, int, str], Item]:
        """Every response as shown, by block, response and dimension."""
        definition = definition_of(self.study)
        return {
            (block, response, dimension): Item(*cell.names, dimension)
            for (block, response), cell in cells_of(self.study).items()
            for dimension in dimensions_of(definition)
        }

    @cached_property
    def _sums_of_run(self) -> tuple[list[int], list[int]]:
        """Sum and number of the ratings of each item by the raters whom the run kept."""
        stored = {
            Item(*(row[name] for name in Item._fields)): RatingSum(row["total"], row["n"])
            for row in tables_of(self.run, "items")["items"].rows
        }
        sums = [stored.get(item, NONE) for item in self._items.values()]
        return [each.total for each in sums], [each.n for each in sums]

    def _unread(self, people: frozenset[int]) -> int:
        return len(people - self._ratings_of.keys())

    def _read(self, people: Iterable[int]) -> None:
        """Read the ratings of whom nobody has asked for before."""
        missing = sorted(who for who in people if who not in self._ratings_of)
        places = {key: place for place, key in enumerate(self._items)}
        for first in range(0, len(missing), AT_ONCE):
            some = missing[first : first + AT_ONCE]
            found: dict[int, array[int]] = {who: array("i") for who in some}
            rows = (
                self._ratings()
                .filter(presentation__participant_id__in=some)
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
                found[who].extend((places[block, response, dimension], value))
            self._ratings_of |= found

    def _ratings(self) -> Any:
        return Rating.objects.filter(
            presentation__participant__study=self.study,
            presentation__participant__source__in=self.run.sources,
            task__in=RATING_TASKS,
        )


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
