"""A study at this moment: its people, slots, times and pages, and what needs attention."""

from dataclasses import dataclass
from datetime import timedelta

from dashboard.overview.counts import LiveCounts, SourceCounts, live_counts
from dashboard.overview.drop_off import PageReached, drop_off
from dashboard.overview.durations import Timing, timing
from dashboard.overview.endings import pools
from dashboard.overview.live_warnings import Now, Warned, live_warnings
from dashboard.overview.over_time import OverTime, over_time
from dashboard.overview.refused import RefusalCount, refused_arrivals
from dashboard.overview.visits import Visits, visits_of
from survey.content import content_of
from survey.models import Study
from survey.slots import SlotCounts
from survey.tidy import counted_sources, reading


@dataclass(frozen=True)
class LiveState:
    """Counts of everybody, and the rest of those who count and of the sources to `include`."""

    counts: LiveCounts
    include: list[str]
    visits: Visits
    slots: list[SlotCounts]
    over_time: OverTime | None
    #: Of people who saw pages here; empty for imports.
    pages: list[PageReached]
    times: Timing
    #: By reason; of everybody, because nothing is known of who they were.
    refused: list[RefusalCount]
    warnings: list[Warned]

    @property
    def shown(self) -> SourceCounts:
        return self.counts.together(self.include)

    @property
    def slots_shown(self) -> list[SlotCounts]:
        """Of the people shown; those of raters where nobody has a slot yet."""
        sources = counted_sources(self.include)
        shown = [
            one
            for one in self.slots
            if one.pool in sources or (one is self.slots[0] and self.counts.real.arrived)
        ]
        return shown or self.slots[:1]


def live_state(study: Study, asked: list[str] | None) -> LiveState:
    """A study now, with the test people that were `asked` for; None: those who came while nobody
    else has.
    """
    counts = live_counts(study)
    include = asked
    if include is None:
        include = [] if counts.real.arrived else counts.test_sources
    sources = counted_sources(include)
    inactive_since = counts.at - timedelta(minutes=counts.inactive_minutes)
    with reading():
        visits = visits_of(study, sources, inactive_since=inactive_since)
    pages = drop_off(visits.completed, visits.unfinished, content_of(study))
    times = timing(study.participants.filter(source__in=sources), visits.timed)
    slots = pools(study, at=counts.at)
    refused = refused_arrivals(study, at=counts.at)
    return LiveState(
        counts,
        include,
        visits,
        slots,
        over_time(visits.arrivals, visits.completions),
        pages,
        times,
        refused,
        live_warnings(Now(study, counts.at, visits, pages, times, slots[0], sources, refused)),
    )
