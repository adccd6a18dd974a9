"""When participants saw and answered their pages, in order: page_times.csv."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from heapq import merge
from operator import itemgetter
from typing import Any

from django.db.models import Q

from survey.content import content_of
from survey.files.csv_text import time_text
from survey.models import AttentionCheck, PageTime, Participant, Presentation, Study
from survey.tidy.study import Row, people_of
from survey.tidy.times import is_backwards, seconds_between

PAGE_TIME_COLUMNS = (
    "participant",
    "page",
    "kind",
    "name",
    "shown_at",
    "answered_at",
    "seconds",
    "clock_stepped",
)
#: Participant id, page, kind, name, shown_at, answered_at.
_Page = tuple[int, int, str, str | None, datetime | None, datetime | None]


def page_time_rows(study: Study, sources: Sequence[str]) -> Iterator[Row]:
    """Each page shown to a participant here (PAGE_TIME_COLUMNS), in order.

    Read it inside `reading()`.
    """
    people = people_of(study, sources).exclude(source=Participant.Source.IMPORT)
    names = dict(people.values_list("id", "pseudonym"))
    whose = Q(participant__in=people)
    content = content_of(study)
    items = {page: content.training_item(page).name for page in content.training_pages}
    seen = whose & (Q(shown_at__isnull=False) | Q(answered_at__isnull=False))
    streams = (_consents(people), _others(whose, items), _blocks(seen), _checks(seen))
    for person, *page, shown_at, answered_at in merge(*streams, key=itemgetter(0, 1)):
        yield (
            names[person],
            *page,
            time_text(shown_at),
            time_text(answered_at),
            seconds_between(shown_at, answered_at),
            is_backwards(shown_at, answered_at),
        )


def _consents(people: Any) -> Iterator[_Page]:
    rows = people.order_by("id").values_list(
        "id", "status", "arrived_at", "consented_at", "finished_at"
    )
    for person, status, arrived_at, consented_at, finished_at in rows.iterator():
        declined_at = finished_at if status == Participant.Status.DECLINED else None
        yield person, 0, "consent", None, arrived_at, consented_at or declined_at


def _others(whose: Q, names: Mapping[int, str]) -> Iterator[_Page]:
    rows = PageTime.objects.filter(whose).order_by("participant_id", "page")
    columns = ("participant_id", "page", "kind", "shown_at", "answered_at")
    for person, page, kind, *times in rows.values_list(*columns).iterator():
        yield person, page, kind, names.get(page), *times


def _blocks(seen: Q) -> Iterator[_Page]:
    rows = Presentation.objects.filter(seen, page__isnull=False).order_by("participant_id", "page")
    columns = ("block__scenario__name", "block__set_name", "shown_at", "answered_at")
    times_of_pages = rows.values_list("participant_id", "page", *columns).iterator()
    for person, page, scenario, set_name, *times in times_of_pages:
        name = f"{scenario}/{set_name}" if set_name else scenario
        yield person, page, "block", name, *times


def _checks(seen: Q) -> Iterator[_Page]:
    rows = AttentionCheck.objects.filter(seen, place=None).order_by("participant_id", "page")
    columns = ("participant_id", "page", "name", "shown_at", "answered_at")
    for person, page, name, *times in rows.values_list(*columns).iterator():
        yield person, page, "check", name, *times
