"""What needs a researcher's attention while a study runs: what, where, and what to do."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Min

from analysis.labels import labels_of
from analysis.models import AnalysisRun
from analysis.quality_rules import SigmaMae
from analysis.rule_sets import current_rules
from dashboard.overview.drop_off import PageReached
from dashboard.overview.durations import Durations, Timing
from dashboard.overview.refused import RefusalCount
from dashboard.overview.visits import Visits
from judge.models import Call
from judge.queries import gold_scores
from survey.models import Participant, Response, Study
from survey.slots import SlotCounts
from survey.tidy import definition_of, dimensions_of

QUIET = timedelta(hours=1)
#: From so many people who left a page on, and such a share of those who reached it.
LEFT, SHARE_LEFT = 3, 10
#: From so many who completed on, a median that is this many times the announced time, or less.
TIMED, LONG, SHORT = 5, 1.5, 0.5
#: From so many who answered a check on, such a share who failed any.
CHECKED, SHARE_FAILED = 8, 25
#: Work that no worker has taken up for so many sweeps.
SWEEPS = 6


@dataclass(frozen=True)
class Warned:
    """One line: `what` is the matter, what to `do`, and the page (`address`) where to do it."""

    what: str
    do: str
    address: str = ""
    label: str = ""


@dataclass(frozen=True)
class Now:
    """A study at a moment, as the overview has read it: the people shown, and the real slots."""

    study: Study
    at: datetime
    visits: Visits
    pages: Sequence[PageReached]
    times: Timing
    slots: SlotCounts
    sources: Sequence[str]
    refused: Sequence[RefusalCount] = ()


def live_warnings(now: Now) -> list[Warned]:
    """Everything that needs attention, what stops the study first."""
    return [
        *_worker(now),
        *_refused(now),
        *_arrivals(now),
        *_slots(now),
        *_drop_off(now),
        *_times(now),
        *_checks(now),
        *_gold(now),
        *_clock(now),
    ]


def _worker(now: Now) -> Iterator[Warned]:
    late = now.at - timedelta(seconds=SWEEPS * settings.SWEEP_SECONDS)
    runs, judges = now.study.analysis_runs, now.study.judges
    waiting = runs.filter(state=AnalysisRun.State.WAITING).aggregate(since=Min("created_at"))
    lost = runs.filter(state=AnalysisRun.State.RUNNING).aggregate(since=Min("lease_until"))
    woken = judges.filter(stopped="").aggregate(since=Min("woken_at"))
    since = min((s for each in (waiting, lost, woken) if (s := each["since"])), default=now.at)
    if since < late and not _is_any_working(now.at):
        yield Warned(
            f"No worker has taken up waiting work for {duration_in_words(now.at - since)}.",
            "Start or restart the worker process and read its log.",
        )
    for judge in judges.filter(is_current=True).exclude(stopped=""):
        yield Warned(
            f"Judge {judge} was stopped: {judge.stopped}.",
            "Fix the cause, then retry.",
            "gold",
            "Judges",
        )


def _is_any_working(at: datetime) -> bool:
    """Whether a worker is at anything: then work of this study waits its turn."""
    return (
        AnalysisRun.objects.filter(state=AnalysisRun.State.RUNNING, lease_until__gte=at).exists()
        or Call.objects.filter(state=Call.State.RUNNING, lease_until__gte=at).exists()
    )


def _refused(now: Now) -> Iterator[Warned]:
    for refused in now.refused:
        if refused.is_many:
            yield Warned(
                f"{refused.in_last_hour} arrivals were refused in the last hour. {refused.label}.",
                refused.what_to_do,
            )


def _arrivals(now: Now) -> Iterator[Warned]:
    """Of an open study with free slots; nobody has to come to a rehearsal."""
    if now.study.doing != Study.State.OPEN or now.slots.free == 0:
        return
    quiet = quiet_for(now.study, now.at, sources=now.sources)
    if quiet is None:
        return
    free = "" if now.slots.free is None else f" and {now.slots.free} slots are free"
    yield Warned(
        f"Nobody has arrived for {duration_in_words(quiet)}, though the study is open{free}.",
        "Check that the link works and that recruitment (on Prolific: places) continues, or "
        "pause the study.",
    )


def quiet_for(study: Study, at: datetime, *, sources: Collection[str]) -> timedelta | None:
    """How long nobody from `sources` has come to an open study; None if that is not long."""
    here = study.participants.filter(source__in=sources).exclude(source=Participant.Source.IMPORT)
    last_arrival = here.order_by("-id").values_list("arrived_at", flat=True).first()
    opened = study.events.filter(action="state", detail__to="open").order_by("-id").first()
    since = [time for time in (last_arrival, opened and opened.at) if time]
    quiet = at - max(since) if since else timedelta()
    return quiet if quiet >= QUIET else None


def _slots(now: Now) -> Iterator[Warned]:
    free = now.slots.free
    if free is not None and now.slots.inactive > free:
        yield Warned(
            f"{now.slots.inactive} participants are inactive and only {free} slots are free.",
            "New arrivals take their slots. Upload Prolific’s submissions to free those of people "
            "who returned or timed out.",
            "submissions",
            "Submissions",
        )


def _drop_off(now: Now) -> Iterator[Warned]:
    for page in now.pages:
        if page.left >= LEFT and page.share_left >= SHARE_LEFT:
            where = "the consent page" if not page.number else f"page {page.number}"
            yield Warned(
                f"{page.left} of {page.reached} people ({page.share_left:.0f} %) left at {where} "
                f"({page.name.lower()}).",
                "Take the preview on a phone and a computer to see what stops people there.",
            )


def _times(now: Now) -> Iterator[Warned]:
    planned = now.study.definition["estimated_minutes"]
    times: Durations | None = now.times.everybody
    if times is None or times.n < TIMED or not times.median:
        return
    pay = 100 * planned / times.median
    measured = (
        f"Half of the {times.n} who completed took {times.median:.1f} minutes or more; the study "
        f"announces {planned}. Paid for {planned} minutes, they earn {pay:.0f} % of the planned "
        "pay per hour."
    )
    if times.median > LONG * planned:
        yield Warned(measured, "Raise the pay, and raise estimated_minutes for later arrivals.")
    elif times.median < SHORT * planned:
        yield Warned(
            measured,
            "Look for raters who rush, then lower estimated_minutes.",
            "raters",
            "Raters",
        )


def _checks(now: Now) -> Iterator[Warned]:
    n, failed = now.visits.checked, now.visits.failed_check
    if n >= CHECKED and 100 * failed >= SHARE_FAILED * n:
        yield Warned(
            f"{failed} of the {n} who completed ({100 * failed / n:.0f} %) failed an attention "
            "check.",
            "Check that its wording is clear, and look at who failed it.",
            "raters",
            "Raters",
        )


def _gold(now: Now) -> Iterator[Warned]:
    """Where the rule that needs gold scores has none, or too few."""
    definition = definition_of(now.study)
    dimensions = dimensions_of(definition)
    if not dimensions or SigmaMae.name not in current_rules(now.study).order:
        return
    wanted = len(dimensions) * Response.objects.filter(scenario__study=now.study).count()
    rule = labels_of(now.study).text("rules", SigmaMae.name)
    there = sum(gold.dimension in dimensions for gold in gold_scores(now.study).scores)
    if there < wanted:
        yield Warned(
            f"{wanted - there} of {wanted} gold scores are missing, so the rule “{rule}” "
            "compares raters with fewer scores, or with none.",
            "Score the responses, or upload gold scores.",
            "gold",
            "Judges",
        )


def _clock(now: Now) -> Iterator[Warned]:
    stepped = now.visits.clock_stepped
    if stepped:
        yield Warned(
            f"The server’s clock was set back while {stepped} "
            f"{'person' if stepped == 1 else 'people'} took part: their durations are unknown.",
            "Use NTP to set the server’s clock gradually. Report the unknown durations.",
        )


def duration_in_words(time: timedelta) -> str:
    """Whole minutes, hours or days."""
    minutes = round(time.total_seconds() / 60)
    for most, per, name in ((120, 1, "minutes"), (48 * 60, 60, "hours")):
        if minutes < most:
            return f"{minutes // per} {name}"
    return f"{minutes // (24 * 60)} days"
