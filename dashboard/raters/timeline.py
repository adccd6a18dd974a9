"""The pages of one rater in their order: when they saw them, for how long, and how others did."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from statistics import median
from typing import NamedTuple

from django.db.models import Q, QuerySet, Sum

from analysis.labels import labels_of
from dashboard.shared.block_labels import block_label
from survey.content import content_of
from survey.definition.labels import usual
from survey.models import AttentionCheck, PageTime, Participant, Presentation
from survey.slots import pool_of, sources_of
from survey.tidy.times import seconds_between

#: Of so many who completed last are the medians that a page is held against.
COMPARED = 200
SEEN = Q(shown_at__isnull=False) | Q(answered_at__isnull=False)
#: From so many seconds on, time away from a page is a break.
BREAK = 60


class Key(NamedTuple):
    """The identity of a page for all raters: its kind, and which block, check or other page."""

    kind: str
    which: int | str = ""


@dataclass(frozen=True)
class SeenPage:
    """A page as a rater saw it. Seconds are None where they are not known."""

    key: Key
    #: 0 is the consent page; None where an import does not tell.
    page: int | None
    name: str
    shown_at: datetime | None
    answered_at: datetime | None
    seconds: float | None
    visible_seconds: float | None = None
    hidden_seconds: float | None = None
    focus_losses: int | None = None
    #: Answers changed before the page was sent, and after.
    changes: int | None = None
    revisions: int = 0
    can_be_replayed: bool = False
    #: Of other raters who completed.
    median: float | None = None
    #: Between the page before and this one.
    away_before: float | None = None

    @property
    def breaks(self) -> list[str]:
        """The breaks that can be seen, in words."""
        return [
            f"{_minutes(seconds)} {where}"
            for seconds, where in (
                (self.away_before, "before the page"),
                (self.hidden_seconds, "with the page in the background"),
            )
            if seconds is not None and seconds >= BREAK
        ]


def _minutes(seconds: float) -> str:
    minutes = round(seconds / 60)
    return f"{minutes / 60:.1f} h" if minutes >= 60 else f"{minutes} min"


def timeline(person: Participant) -> list[SeenPage]:
    """What `person` saw, in the order of the pages, or of the study where an import has none."""
    pages = sorted(_pages(person), key=lambda seen: (seen.page is None, seen.page or 0))
    if person.source == Participant.Source.IMPORT:
        return pages
    medians = _medians(person)
    before: datetime | None = None
    seen_pages = []
    for seen in pages:
        away = seconds_between(before, seen.shown_at)
        seen_pages.append(replace(seen, median=medians.get(seen.key), away_before=away))
        before = seen.answered_at
    return seen_pages


def _pages(person: Participant) -> Iterator[SeenPage]:
    if person.source != Participant.Source.IMPORT:
        declined = person.status == Participant.Status.DECLINED
        end = person.consented_at or (person.finished_at if declined else None)
        times = (person.arrived_at, end)
        yield SeenPage(Key("consent"), 0, "Consent", *times, seconds_between(*times))
    for row in person.page_times.all():
        seconds = seconds_between(row.shown_at, row.answered_at)
        yield SeenPage(
            Key("page", row.page),
            row.page,
            _called(person, row),
            row.shown_at,
            row.answered_at,
            seconds,
        )
    yield from _blocks(person)
    for check in person.attention_checks.filter(SEEN, place=None):
        yield SeenPage(
            Key("check", check.name),
            check.page,
            f"Attention check “{usual(check.name)}”",
            check.shown_at,
            check.answered_at,
            seconds_between(check.shown_at, check.answered_at),
            revisions=check.revisions,
            can_be_replayed=True,
        )


def _called(person: Participant, row: PageTime) -> str:
    """The kind of a page; of a training item also its name, and how often it was tried."""
    name = str(row.get_kind_display())
    tries = 0
    if row.kind == PageTime.Kind.COMPREHENSION:
        tries = person.comprehension_attempts.count()
    elif row.kind == PageTime.Kind.TRAINING:
        item = content_of(person.study).training_item(row.page).name
        tries = person.training_attempts.filter(name=item).count()
        name = f"{name} “{usual(item)}”"
    return f"{name}, {tries} attempts" if tries > 1 else name


def _blocks(person: Participant) -> Iterator[SeenPage]:
    labels = labels_of(person.study)
    seen = person.presentations.filter(SEEN | Q(page=None)).select_related("block__scenario")
    for row in seen.order_by("position", "id").annotate(revised=Sum("ratings__revisions")):
        block = row.block
        name = block_label(labels, block.scenario.name, block.set_name)
        known = seconds_between(row.shown_at, row.answered_at)
        yield SeenPage(
            Key("block", row.block_id),
            row.page,
            f"Block {row.position}: {name}" if row.position else f"Block {name}",
            row.shown_at,
            row.answered_at,
            row.imported_seconds if known is None else known,
            row.visible_seconds,
            row.hidden_seconds,
            row.focus_losses,
            row.changes,
            row.revised or 0,
            can_be_replayed=row.page is not None and row.response_order is not None,
        )


def _medians(person: Participant) -> dict[Key, float]:
    """How long others took for each page: the newest who completed, of the same pool."""
    others = (
        person.study.participants.filter(
            source__in=sources_of(pool_of(person.source)), status=Participant.Status.COMPLETED
        )
        .exclude(source=Participant.Source.IMPORT)
        .exclude(pk=person.pk)
        .order_by("-id")
    )
    people = list(others.values_list("pk", "arrived_at", "consented_at")[:COMPARED])
    ids = [pk for pk, *_ in people]
    times: dict[Key, list[float]] = {}

    def add(key: Key, start: datetime | None, end: datetime | None) -> None:
        if (seconds := seconds_between(start, end)) is not None:
            times.setdefault(key, []).append(seconds)

    for _, *at in people:
        add(Key("consent"), *at)
    of_others: tuple[tuple[str, QuerySet[PageTime | Presentation | AttentionCheck], str], ...] = (
        ("page", PageTime.objects.all(), "page"),
        ("block", Presentation.objects.all(), "block_id"),
        ("check", AttentionCheck.objects.filter(place=None), "name"),
    )
    for kind, rows, which in of_others:
        theirs = rows.filter(participant__in=ids).order_by()
        for of, *at in theirs.values_list(which, "shown_at", "answered_at"):
            add(Key(kind, of), *at)
    return {key: median(seconds) for key, seconds in times.items()}
