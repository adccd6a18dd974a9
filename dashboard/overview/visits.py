"""How many people came to a study, how far they got and when, counted by the database.

People who completed the survey stay as they are, so their counts are stored (`chunk_counts`). The
others are counted each time.
"""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import NamedTuple

from django.db.models import Case, Count, Max, Min, Q, QuerySet, Value, When

from dashboard.overview.durations import timed
from dashboard.shared.chunk_counts import MANY, counted_in_chunks
from survey.models import AttentionCheck, Participant, Study
from survey.models.sql import TimeText

Status = Participant.Status
#: How many characters of a time in UTC tell ten minutes, and an hour.
TEN_MINUTES, HOUR = len("2026-05-04 13:5"), len("2026-05-04 13")
#: People who came within less than this are counted by ten minutes, as `over_time` may show them.
SHORT = timedelta(hours=24)


class Unfinished(NamedTuple):
    """How many people did not complete the survey, by how far they got."""

    status: str
    pages_done: int
    has_left: bool
    n: int


@dataclass(frozen=True)
class Visits:
    """Counts of people who saw pages here. Imported people are in none of them."""

    completed: int
    unfinished: list[Unfinished]
    #: By the start of ten minutes or, where people came over days, of an hour.
    arrivals: Mapping[datetime, int]
    completions: Mapping[datetime, int]
    clock_stepped: int
    #: Of those who completed: how many answered an attention check, and failed one.
    checked: int
    failed_check: int
    #: What `count_completed` found, by source; also of imported people.
    by_source: Mapping[str, Counter[str]]

    @property
    def timed(self) -> int:
        """How many of those who completed, imported people too, have a known duration."""
        return sum(counts["timed"] for counts in self.by_source.values())


def visits_of(study: Study, sources: Collection[str], *, inactive_since: datetime) -> Visits:
    """Everybody from `sources`. People not seen since `inactive_since` have left. Call this inside
    `survey.tidy.reading()`.
    """
    here = [source for source in sources if source != Participant.Source.IMPORT]
    by_source = {source: count_completed(study, source) for source in sources}
    total: Counter[str] = Counter()
    for source in here:
        total.update(by_source[source])
    rest = unfinished_people(study, here)
    came = rest.aggregate(
        first=Min("arrived_at"),
        last=Max("arrived_at"),
        stepped=Count("id", filter=Q(clock_stepped=True)),
    )
    total.update(_by_time("arrived", rest, "arrived_at", came["first"], came["last"]))
    return Visits(
        completed=total["completed"],
        unfinished=_unfinished(rest, inactive_since),
        arrivals=_times(total, "arrived"),
        completions=_times(total, "finished"),
        clock_stepped=total["stepped"] + came["stepped"],
        checked=total["checked"],
        failed_check=total["failed"],
        by_source=by_source,
    )


def unfinished_people(study: Study, sources: Collection[str]) -> QuerySet[Participant]:
    """People from these sources who did not complete. The filter has only statuses that occur, so
    that databases find them by the index and do not look through all who completed.
    """
    people = study.participants.filter(source__in=sources).order_by()
    others = (status for status in Status.values if status != Status.COMPLETED)
    there = [status for status in others if people.filter(status=status).exists()]
    return people.filter(status__in=there)


def count_completed(study: Study, source: str, *, store_from: int = MANY) -> Counter[str]:
    """People of a source who completed: `completed`, `arrived …` and `finished …` by time,
    `ended …` by ending, `stepped`, `timed`, `checked`, `failed`.
    """
    people = study.participants.filter(source=source, status=Status.COMPLETED)
    count = partial(_count, people)
    return counted_in_chunks(study, f"completed, {source}", people, count, store_from=store_from)


def _count(people: QuerySet[Participant], ids: range) -> Counter[str]:
    chunk = people.filter(id__gte=ids.start, id__lt=ids.stop).order_by()
    about = chunk.aggregate(
        completed=Count("id"),
        stepped=Count("id", filter=Q(clock_stepped=True)),
        first=Min("arrived_at"),
        last=Max("finished_at"),
    )
    checks = AttentionCheck.objects.filter(participant__in=chunk, passed__isnull=False)
    counts = Counter(
        completed=about["completed"],
        stepped=about["stepped"],
        timed=timed(chunk).count(),
        **checks.aggregate(
            checked=Count("participant", distinct=True),
            failed=Count("participant", distinct=True, filter=Q(passed=False)),
        ),
    )
    endings = chunk.values_list("ending").annotate(n=Count("*"))
    counts.update({f"ended {ending or Status.COMPLETED}": n for ending, n in endings})
    counts += _by_time("arrived", chunk, "arrived_at", about["first"], about["last"])
    counts += _by_time("finished", chunk, "finished_at", about["first"], about["last"])
    return counts


def _by_time(
    name: str,
    people: QuerySet[Participant],
    time: str,
    first: datetime | None,
    last: datetime | None,
) -> Counter[str]:
    if first is None or last is None:
        return Counter()
    at = TimeText(time, TEN_MINUTES if last - first < SHORT else HOUR)
    rows = people.filter(**{f"{time}__isnull": False}).values_list(at).annotate(n=Count("*"))
    return Counter({f"{name} {text}": n for text, n in rows})


def _times(counts: Mapping[str, int], name: str) -> dict[datetime, int]:
    """Counts by time: `arrived 2026-05-04 13:5` is ten minutes, `arrived 2026-05-04 13` an hour."""
    times = ((key.partition(" ")[2], n) for key, n in counts.items() if key.startswith(name))
    return {
        datetime.fromisoformat(f"{text}0Z" if len(text) == TEN_MINUTES else f"{text}:00Z"): n
        for text, n in times
    }


def _unfinished(rest: QuerySet[Participant], inactive_since: datetime) -> list[Unfinished]:
    going_on = Q(status__in=(Status.ARRIVED, Status.IN_PROGRESS), returned_at=None)
    is_here = When(going_on & Q(last_seen_at__gte=inactive_since), then=Value(value=False))
    rows = rest.annotate(has_left=Case(is_here, default=Value(value=True)))
    counted = rows.values_list("status", "pages_done", "has_left").annotate(n=Count("*"))
    return [Unfinished(*row) for row in counted]
