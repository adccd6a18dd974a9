"""How long people took who completed the survey."""

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import quantiles

from dashboard.overview.visits import Visit

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


def timing(people: Iterable[Visit]) -> Timing:
    """Minutes from start to end of the completed; those without a known duration are left out."""
    timed = [visit for visit in people if visit.is_completed and visit.seconds is not None]
    timed.sort(key=lambda visit: visit.finished_at or visit.arrived_at)
    minutes = [(visit.seconds or 0) / 60 for visit in timed]
    newest = _durations(minutes[-NEWEST:]) if len(minutes) > NEWEST else None
    return Timing(_durations(minutes), newest)


def _durations(minutes: list[float]) -> Durations | None:
    if not minutes:
        return None
    if len(minutes) == 1:
        return Durations(1, *minutes * 3)
    return Durations(len(minutes), *quantiles(minutes, n=4, method="inclusive"))
