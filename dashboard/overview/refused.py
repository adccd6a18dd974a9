"""Arrivals that were refused: how many, why, and what to do about it."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Max, Q, Sum

from survey.arrival_counts import HOUR
from survey.models import Refusal, RefusedArrivals, Study
from survey.models.arrivals import INTERVAL

#: So many in the last hour for one reason are told at once.
MANY = 5
_LINK = (
    "Compare the link on Prolific with the one under Links on the study’s overview: copy it whole, "
    "with the names of its parameters."
)
_STATE = "Pause recruitment until the study is open."
#: What researchers can do about many refusals.
WHAT_TO_DO = {
    Refusal.NO_ID: _LINK,
    Refusal.WRONG_ID: _LINK,
    Refusal.UNSIGNED: "Check that the study on Prolific sends signed links, or set "
    "prolific.signed_links to false.",
    Refusal.OTHER_LINK: _LINK,
    Refusal.EXPIRED: "Check the server’s clock: signed links are valid for two minutes.",
    Refusal.UNCHECKED: "Check that the server reaches Prolific’s API, where the keys of signed "
    "links are.",
    Refusal.NOT_INVITED: "Send personal links, or add another way to ways_in.",
    Refusal.INVITATION: "Compare the links that were sent with the invitations of the study.",
    Refusal.PERSONAL_LINK: "Links for continuing end with a withdrawal; other ones were cut.",
    Refusal.PREVIEW: "Give participants the link under Links on the study’s overview, not that of "
    "the preview.",
    Refusal.DRAFT: _STATE,
    Refusal.REHEARSAL: _STATE,
    Refusal.PAUSED: _STATE,
    Refusal.CLOSED: "Stop recruitment, or open the study.",
    Refusal.FULL: "Stop recruitment, or raise the number of places.",
    Refusal.TOO_MANY: "If they are real people of one institution, set "
    "NEW_PARTICIPANTS_PER_ADDRESS higher. If it is somebody with invented IDs, use signed links.",
    Refusal.TOOK_PART: "Nothing: they saw their last page again.",
    Refusal.WITHDRAWN: "Nothing: they were told that their data are deleted.",
}
#: Expected in any study, however often.
HARMLESS = (Refusal.TOOK_PART, Refusal.WITHDRAWN)


@dataclass(frozen=True)
class RefusalCount:
    """Arrivals that were refused for one reason. A person who tries twice counts twice."""

    reason: str
    n: int
    in_last_hour: int
    last_at: datetime

    @property
    def label(self) -> str:
        return str(Refusal(self.reason).label)

    @property
    def what_to_do(self) -> str:
        return WHAT_TO_DO[Refusal(self.reason)]

    @property
    def is_many(self) -> bool:
        """Whether somebody should look at it now."""
        return self.in_last_hour >= MANY and self.reason not in HARMLESS


def refused_arrivals(study: Study, *, at: datetime) -> list[RefusalCount]:
    """By reason, most first."""
    recent = Sum("n", filter=Q(start__gt=at - HOUR), default=0)
    by_reason = (
        study.refused_arrivals.order_by()
        .values_list("reason")
        .annotate(total=Sum("n"), recent=recent, last=Max("start"))
    )
    rows = [
        RefusalCount(reason, total, hour, min(last + INTERVAL, at))
        for reason, total, hour, last in by_reason
    ]
    return sorted(rows, key=lambda row: (-row.n, row.reason))


def many_refused(study: Study, *, at: datetime) -> Iterator[tuple[RefusalCount, datetime]]:
    """Reasons for which many were refused in the last hour, with the time since which that goes on:
    an hour without any ends it.
    """
    for refused in refused_arrivals(study, at=at):
        if refused.is_many:
            yield refused, _since(study, refused.reason)


def _since(study: Study, reason: str) -> datetime:
    starts = RefusedArrivals.objects.filter(study=study, reason=reason).order_by("-start")
    since: datetime | None = None
    for start in starts.values_list("start", flat=True).iterator(chunk_size=200):
        if since is not None and since - start >= HOUR:
            break
        since = start
    assert since is not None  # there are some in the last hour
    return since
