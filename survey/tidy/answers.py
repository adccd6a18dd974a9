"""Participants' answers: ratings.csv, ranks.csv, comments.csv and attention_checks.csv."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import Any

from django.db.models import F, Q

from survey.definition.tasks import COMPARING, KINDS, kinds_in
from survey.files.csv_text import time_text
from survey.models import AttentionCheck, FreeAnswer, Presentation, Rating, Study
from survey.paradata import WRITING
from survey.tidy.study import (
    CELL_COLUMNS,
    Row,
    cells_of,
    definition_of,
    dimensions_of,
    people_of,
    whole_pages,
)
from survey.tidy.times import is_backwards, seconds_between

RATING_COLUMNS = ("participant", *CELL_COLUMNS, "dimension", "rating")
#: How the response was shown; empty if imported ratings lack it.
#: `repeat` is 1 where the participant judged the response for the first time.
SHOWN_COLUMNS = ("block_position", "response_position", "block_seconds", "revisions", "repeat")
RANK_COLUMNS = ("participant", *CELL_COLUMNS, "dimension", *COMPARING)
COMMENT_COLUMNS = ("participant", "scenario", "set", "name", "text", "block_position", "revisions")
#: How long a free answer is, and how it was written.
WRITING_COLUMNS = ("characters", *WRITING)
CHECK_COLUMNS = (
    "participant",
    "name",
    "kind",
    "block_position",
    "place",
    "answer",
    "passed",
    "revisions",
    "shown_at",
    "answered_at",
    "seconds",
    "clock_stepped",
)

#: Tasks whose values are ratings; other tasks are in the table of ranks.
RATING_TASKS = kinds_in("rating")


@dataclass(frozen=True)
class _Shown:
    """A presentation: its block, and how it was shown."""

    block: int
    repeat: int
    position: int | None
    order: list[int] | None
    seconds: float | None

    def place_of(self, response: int) -> int | None:
        """1 for the response at the top of the page."""
        if self.order is None or response not in self.order:
            return None
        return self.order.index(response) + 1


def rating_rows(study: Study, sources: Sequence[str]) -> Iterator[Row]:
    """Ratings with how they were shown (RATING_COLUMNS + SHOWN_COLUMNS), in study order per
    participant. Read it inside `reading()`.
    """
    cells = cells_of(study)
    # All rows share one text for each name: copies would fill the memory in a large study.
    dimensions = {name: (n, name) for n, name in enumerate(dimensions_of(definition_of(study)))}
    for name, shown, values in _by_participant(study, sources, RATING_TASKS):
        rows = []
        for presentation, response, _, dimension, value, revisions in values:
            seen = shown[presentation]
            cell = cells[seen.block, response]
            place, called = dimensions.get(dimension, (-1, dimension))
            row = (
                *(name, *cell.names, called, value),
                *(seen.position, seen.place_of(response), seen.seconds, revisions, seen.repeat),
            )
            rows.append(((cell.place, place, seen.repeat), row))
        rows.sort(key=itemgetter(0))
        yield from (row for _, row in rows)


def rating_count(study: Study, sources: Sequence[str]) -> int:
    """How many ratings people from `sources` gave."""
    return Rating.objects.filter(
        presentation__participant__study=study,
        presentation__participant__source__in=sources,
        task__in=RATING_TASKS,
    ).count()


def rank_rows(study: Study, sources: Sequence[str]) -> Iterator[Row]:
    """Ranks and choices with how they were shown (RANK_COLUMNS + SHOWN_COLUMNS), one row per
    response and dimension, in study order per participant. If a participant chose a best and a
    worst response, the others that they were shown have a row too. Read it inside `reading()`.
    """
    cells = cells_of(study)
    members = whole_pages(study, cells)
    for name, shown, values in _by_participant(study, sources, kinds_in(*COMPARING)):
        given: dict[tuple[int, str], dict[int, _Placed]] = {}
        for presentation, response, task, dimension, value, revisions in values:
            placed = given.setdefault((presentation, dimension), {})
            row = placed.setdefault(response, _Placed())
            row.revisions += revisions
            kind = KINDS[task]
            row.cells[kind.column] = kind.cell(value)
            if kind.words:
                seen = shown[presentation]
                for other in seen.order or members.get(seen.block, []):
                    placed.setdefault(other, _Placed())
        rows = []
        for (presentation, dimension), placed in given.items():
            seen = shown[presentation]
            for response, row in placed.items():
                cell = cells[seen.block, response]
                values_of_row = (dimension, *map(row.cells.get, COMPARING))
                place = seen.place_of(response)
                shown_as = (seen.position, place, seen.seconds, row.revisions, seen.repeat)
                key = (cell.place, dimension, seen.repeat)
                rows.append((key, (*cell.names, *values_of_row, *shown_as)))
        rows.sort(key=itemgetter(0))
        yield from ((name, *row) for _, row in rows)


@dataclass
class _Placed:
    """A response's rank, choice, both, or neither (on a page with choices), by column."""

    cells: dict[str, float | str] = field(default_factory=dict)
    revisions: int = 0


def comment_rows(study: Study, sources: Sequence[str]) -> Iterator[Row]:
    """Free-text answers (COMMENT_COLUMNS) in order: block by block, then at the end."""
    for row in written_rows(study, sources):
        yield row[: len(COMMENT_COLUMNS)]


def written_rows(study: Study, sources: Sequence[str]) -> Iterator[Row]:
    """Free-text answers and how they were written (COMMENT_COLUMNS + WRITING_COLUMNS), in order."""
    rows = (
        FreeAnswer.objects.filter(participant__in=people_of(study, sources))
        .order_by("participant_id", F("presentation__position").asc(nulls_last=True), "id")
        .values_list(
            "participant__pseudonym",
            "presentation__block__scenario__name",
            "presentation__block__set_name",
            "name",
            "text",
            "presentation__position",
            "revisions",
            *WRITING,
        )
    )
    usual = len(COMMENT_COLUMNS)
    for row in rows.iterator():
        yield (*row[:usual], len(row[COMMENT_COLUMNS.index("text")]), *row[usual:])


def check_rows(study: Study, sources: Sequence[str]) -> Iterator[Row]:
    """Attention checks that were shown or answered (CHECK_COLUMNS), in the order of the pages."""
    kinds = {check.name: check.kind for check in definition_of(study).attention_checks}
    rows = (
        AttentionCheck.objects.filter(participant__in=people_of(study, sources))
        .filter(Q(shown_at__isnull=False) | Q(answered_at__isnull=False))
        .order_by("participant_id", "page")
        .values_list(
            *("participant__pseudonym", "name", "after_block", "place"),
            *("answer", "passed", "revisions", "shown_at", "answered_at"),
        )
    )
    for person, name, *others, shown_at, answered_at in rows.iterator():
        yield (
            *(person, name, kinds.get(name), *others, time_text(shown_at), time_text(answered_at)),
            *(seconds_between(shown_at, answered_at), is_backwards(shown_at, answered_at)),
        )


def _by_participant(
    study: Study, sources: Sequence[str], tasks: Sequence[str]
) -> Iterator[tuple[str, dict[int, _Shown], list[tuple[int, int, str, str, Any, int]]]]:
    """Each participant's pseudonym, presentations by id, and values of `tasks`: two streams in the
    order of participants, merged.
    """
    names = dict(people_of(study, sources).values_list("id", "pseudonym"))
    whose = {"participant__study": study, "participant__source__in": sources}
    presentations = groupby(
        Presentation.objects.filter(**whose)
        .order_by("participant_id")
        .values_list(
            "participant_id",
            "id",
            "block_id",
            "repeat",
            "position",
            "response_order",
            "shown_at",
            "answered_at",
            "imported_seconds",
        )
        .iterator(),
        key=itemgetter(0),
    )
    values = groupby(
        Rating.objects.filter(
            **{f"presentation__{key}": value for key, value in whose.items()}, task__in=tasks
        )
        .order_by("presentation__participant_id")
        .values_list(
            "presentation__participant_id",
            "presentation_id",
            "response_id",
            "task",
            "dimension",
            "value",
            "revisions",
        )
        .iterator(),
        key=itemgetter(0),
    )
    for person, given in values:
        shown = next(rows for shown_to, rows in presentations if shown_to == person)
        yield names[person], {row[1]: _shown(*row[2:]) for row in shown}, [r[1:] for r in given]


def _shown(
    block: int,
    repeat: int,
    position: int | None,
    order: list[int] | None,
    shown_at: datetime | None,
    answered_at: datetime | None,
    imported_seconds: float | None,
) -> _Shown:
    known = shown_at and answered_at
    seconds = seconds_between(shown_at, answered_at) if known else imported_seconds
    return _Shown(block, repeat, position, order, seconds)
