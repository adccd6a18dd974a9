"""Durations of people who completed the survey."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from django.db.models import QuerySet, Value
from django.db.models.functions import Coalesce

from survey.models import Participant
from survey.models.participant import ENDED, SECONDS
from survey.tidy import seconds_between

#: The newest of so many completed are timed apart.
NEWEST = 20


@dataclass(frozen=True)
class Durations:
    """Quartiles of the minutes that `n` people took."""

    n: int
    lower: float
    median: float
    upper: float


@dataclass(frozen=True)
class Timing:
    """The durations of all who completed, and of the newest."""

    everybody: Durations | None
    newest: Durations | None


def timed(people: QuerySet[Participant]) -> QuerySet[Participant]:
    """Those who completed in a known time, with their `seconds`."""
    completed = people.filter(status=Participant.Status.COMPLETED, clock_stepped=False)
    return completed.annotate(seconds=SECONDS).filter(seconds__gte=0)


def timing(people: QuerySet[Participant], n: int) -> Timing:
    """Minutes from start to end of the people who are `timed`; `n` is their number."""
    everybody = _durations(n, partial(_minutes, timed(people).order_by(SECONDS)))
    if n <= NEWEST:
        return Timing(everybody, None)
    completed = people.filter(status=Participant.Status.COMPLETED, clock_stepped=False)
    # No index has their seconds in this form, so SQLite goes from the newest on, not through all.
    known = completed.annotate(seconds=Coalesce(SECONDS, Value(-1.0))).filter(seconds__gte=0)
    last_first = known.annotate(ended=ENDED).order_by("-ended", "-id")
    newest = sorted(_minutes(last_first, 0, NEWEST))
    return Timing(everybody, _durations(NEWEST, lambda first, last: newest[first:last]))


def _minutes(people: QuerySet[Participant], first: int, last: int) -> list[float]:
    rows = people.values_list("imported_duration_seconds", "started_at", "finished_at")[first:last]
    return [
        (seconds_between(start, end) or 0 if imported is None else imported) / 60
        for imported, start, end in rows
    ]


def _durations(n: int, minutes: Callable[[int, int], list[float]]) -> Durations | None:
    """Quartiles of `n` durations. `minutes(first, last)` gives a slice of them, sorted; so only the
    values at the quartiles are read.
    """
    if not n:
        return None
    quartiles = []
    for quarter in (1, 2, 3):
        below, rest = divmod(quarter * (n - 1), 4)
        low, *above = minutes(below, below + 2)
        quartiles.append(low + (above[0] - low) * rest / 4 if rest else low)
    return Durations(n, *quartiles)
