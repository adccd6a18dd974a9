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
from dashboard.overview.visits import visits
from survey.content import content_of
from survey.models import Study
from survey.slots import SlotCounts
from survey.tidy import counted_sources


@dataclass(frozen=True)
class LiveState:
    """Counts of everybody, and the rest of those who count and of the sources to `include`."""

    counts: LiveCounts
    include: list[str]
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
    people = visits(study, sources)
    inactive_since = counts.at - timedelta(minutes=counts.inactive_minutes)
    pages = drop_off(people, content_of(study), inactive_since=inactive_since)
    times, slots = timing(people), pools(study, at=counts.at)
    refused = refused_arrivals(study, at=counts.at)
    return LiveState(
        counts,
        include,
        slots,
        over_time(people),
        pages if any(not visit.is_imported for visit in people) else [],
        times,
        refused,
        live_warnings(Now(study, counts.at, people, pages, times, slots[0], sources, refused)),
    )
