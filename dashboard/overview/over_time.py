"""Arrivals and completions over time, added up: the points of a small chart, and its table."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
#: How long a row of the table may be: the first of which there are not too many, else the last.
STEPS = (10 * MINUTE, HOUR, DAY, 7 * DAY, 28 * DAY)
MOST_ROWS = 100
#: Of the drawing, which is stretched to its place on the page.
WIDTH, HEIGHT = 1000, 100


@dataclass(frozen=True)
class Interval:
    """How many arrived and completed from `start` on, and how many had by its end."""

    start: datetime
    arrived: int
    completed: int
    all_arrived: int
    all_completed: int


@dataclass(frozen=True)
class OverTime:
    """Intervals of one length; the last ends now, or after the last visit."""

    step: timedelta
    intervals: list[Interval]

    @property
    def step_seconds(self) -> float:
        return self.step.total_seconds()

    @property
    def has_hours(self) -> bool:
        return self.step < DAY

    @property
    def last(self) -> Interval:
        return self.intervals[-1]

    @property
    def end(self) -> datetime:
        return self.last.start + self.step

    @property
    def arrived_path(self) -> str:
        return self._path([0, *(each.all_arrived for each in self.intervals)])

    @property
    def completed_path(self) -> str:
        return self._path([0, *(each.all_completed for each in self.intervals)])

    def _path(self, counts: list[int]) -> str:
        """An SVG path through `counts`, from left to right."""
        wide, high = WIDTH / (len(counts) - 1), HEIGHT / max(self.last.all_arrived, 1)
        points = (f"{at * wide:.1f} {HEIGHT - n * high:.1f}" for at, n in enumerate(counts))
        return "M" + "L".join(points)


def over_time(
    arrivals: Mapping[datetime, int], completions: Mapping[datetime, int]
) -> OverTime | None:
    """Arrivals and completions over time; None if no one arrived here."""
    if not arrivals:
        return None
    first, last = min(arrivals), max(*arrivals, *completions, min(arrivals))
    step = next((s for s in STEPS if (last - first) / s < MOST_ROWS - 1), STEPS[-1])
    first = first.astimezone(UTC)
    start = first.replace(minute=0, second=0, microsecond=0)
    if step >= DAY:
        start = start.replace(hour=0)
    start += (first - start) // step * step
    n = (last - start) // step + 1
    counts = [[0, 0] for _ in range(n)]
    for kind, times in enumerate((arrivals, completions)):
        for at, people in times.items():
            counts[max((at - start) // step, 0)][kind] += people
    intervals = []
    all_arrived = all_completed = 0
    for place, (came, done) in enumerate(counts):
        all_arrived, all_completed = all_arrived + came, all_completed + done
        intervals.append(Interval(start + place * step, came, done, all_arrived, all_completed))
    return OverTime(step, intervals)
