"""The people who came to a study, how far they got and when: one row each, read by one query."""

from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple

from survey.models import Participant, Study
from survey.tidy.times import seconds_between

Status = Participant.Status


class Visit(NamedTuple):
    """What is needed of a person to count and time them."""

    source: str
    status: str
    arrived_at: datetime
    started_at: datetime | None
    last_seen_at: datetime
    finished_at: datetime | None
    returned_at: datetime | None
    clock_stepped: bool
    pages_done: int
    imported_duration_seconds: float | None

    @property
    def is_imported(self) -> bool:
        """Never here, so that there are neither pages nor an arrival."""
        return self.source == Participant.Source.IMPORT

    @property
    def is_completed(self) -> bool:
        return self.status == Status.COMPLETED

    @property
    def seconds(self) -> float | None:
        """From start to end; None where it is not known, or the clock was set back meanwhile."""
        if self.imported_duration_seconds is not None:
            return self.imported_duration_seconds
        return None if self.clock_stepped else seconds_between(self.started_at, self.finished_at)

    def has_left(self, *, inactive_since: datetime) -> bool:
        """Whether they ended before the end, or were not seen since then."""
        if self.is_completed:
            return False
        if self.status in (Status.ARRIVED, Status.IN_PROGRESS) and self.returned_at is None:
            return self.last_seen_at < inactive_since
        return True


def visits(study: Study, sources: Collection[str]) -> list[Visit]:
    """Everybody from `sources`, in the order of their arrival."""
    people = study.participants.filter(source__in=sources).order_by("arrived_at", "id")
    return [Visit(*row) for row in people.values_list(*Visit._fields)]
