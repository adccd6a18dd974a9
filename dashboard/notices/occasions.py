"""What there is to tell about a study at a moment. It names no participant."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Max
from django.urls import reverse

from analysis.models import AnalysisRun
from dashboard.notices.models import Occasion
from dashboard.overview.live_warnings import duration_in_words, quiet_for
from dashboard.overview.refused import many_refused
from survey.models import Slot, Study
from survey.slots import SlotCounts, slot_counts
from survey.tidy import counted_sources

State = AnalysisRun.State
#: An analysis that was over before is no news: a run may become one that was asked for later, when
#: a download of it is prepared.
NEWS = timedelta(hours=1)


@dataclass(frozen=True)
class Happened:
    """One thing to tell. While it stays the same, `key` does."""

    occasion: Occasion
    key: str
    subject: str
    text: str


def happened(study: Study, *, at: datetime) -> list[Happened]:
    """Everything to tell about a version, as of `at`."""
    slots = slot_counts(study, pool=Slot.Pool.REAL, at=at)
    return [
        *_full(study, slots),
        *_stalled(study, slots, at),
        *_refused(study, at),
        *_judges(study),
        *_analyses(study, at),
    ]


def _full(study: Study, slots: SlotCounts) -> Iterator[Happened]:
    if slots.maximum and slots.completed >= slots.maximum:
        yield Happened(
            Occasion.FULL,
            str(slots.maximum),
            f"all {slots.maximum} slots are completed",
            f"{slots.completed} of {slots.maximum} slots of {study} are completed, so nobody new "
            "can begin. Compare the submissions, look at the raters, then close the study."
            f"\n\n{_address('study', study)}",
        )


def _stalled(study: Study, slots: SlotCounts, at: datetime) -> Iterator[Happened]:
    if study.doing != Study.State.OPEN or slots.free == 0:
        return
    quiet = quiet_for(study, at, sources=counted_sources())
    if quiet is not None:
        since = (at - quiet).isoformat(timespec="seconds")
        yield Happened(
            Occasion.STALLED,
            since,
            f"nobody has arrived for {duration_in_words(quiet)}",
            f"{study} is open and has free slots, but nobody has arrived for "
            f"{duration_in_words(quiet)}. Check that the link works and that recruitment "
            f"continues, or pause the study.\n\n{_address('study', study)}",
        )


def _refused(study: Study, at: datetime) -> Iterator[Happened]:
    for refused, since in many_refused(study, at=at):
        n = refused.in_last_hour
        yield Happened(
            Occasion.REFUSED,
            f"{refused.reason} since {since.isoformat(timespec='seconds')}",
            f"{n} arrivals were refused in the last hour",
            f"{n} arrivals at {study} were refused in the last hour. {refused.label}."
            f"\n\n{refused.what_to_do}\n\n{_address('study', study)}",
        )


def _judges(study: Study) -> Iterator[Happened]:
    stopped = study.judges.filter(is_current=True).exclude(stopped="")
    for judge in stopped.annotate(asked=Max("calls__attempts")):
        yield Happened(
            Occasion.JUDGE,
            # Stopped again after further requests, it is told again.
            f"{judge.pk} after {judge.asked or 0}",
            f"judge {judge} has stopped",
            f"Judge {judge} of {study} has stopped: {judge.stopped}.\n\nFix the cause, then "
            f"press “Resume”. No answered call is repeated.\n\n{_address('gold', study)}",
        )


def _analyses(study: Study, at: datetime) -> Iterator[Happened]:
    over = study.analysis_runs.filter(state__in=[State.DONE, State.FAILED])
    for run in over.filter(is_automatic=False, finished_at__gte=at - NEWS).defer("manifest"):
        is_done = run.state == State.DONE
        how = "is ready" if is_done else f"failed: {run.error}"
        yield Happened(
            Occasion.ANALYSIS,
            str(run.pk),
            "the analysis is ready" if is_done else "the analysis failed",
            f"The analysis of {study} that was asked for on {run.created_at:%Y-%m-%d %H:%M} UTC "
            f"{how}.\n\n{_address('results', study)}",
        )


def _address(name: str, study: Study) -> str:
    return f"{settings.SITE_URL}{reverse(name, args=[study])}"
