"""The tidy tables of a study as rows, in the order of their columns, straight from the database.

Analyses, exports and the API all read these. Large tables are streamed; the number of queries
does not depend on the number of people. Several tables that must agree are read inside
`reading()`.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import Any

from django.db import connection, transaction
from django.db.models import Count, Max, Q

from survey.csv_text import time_text
from survey.definition import StudyDefinition
from survey.models import (
    AttentionCheck,
    BlockResponse,
    DemographicAnswer,
    Participant,
    Presentation,
    Rating,
    Study,
)
from survey.regions import region_of

Row = tuple[Any, ...]

DEMOGRAPHIC_COLUMNS = (
    "age",
    "sex",
    "gender",
    "race",
    "hispanic",
    "education",
    "employment",
    "state",
    "region",
)
PARTICIPANT_COLUMNS = (
    "participant",
    "source",
    "status",
    "started_at",
    "finished_at",
    "duration_seconds",
    "attention_checks_failed",
    *DEMOGRAPHIC_COLUMNS,
)
#: Which response, in which block: what names a cell of a study.
CELL_COLUMNS = ("scenario", "set", "model", "condition")
RATING_COLUMNS = ("participant", *CELL_COLUMNS, "dimension", "rating")
#: How the response was shown; empty where imported ratings came without it.
SHOWN_COLUMNS = ("block_position", "response_position", "block_seconds", "revisions")
RANK_COLUMNS = ("participant", *CELL_COLUMNS, "dimension", "rank", "choice")
GOLD_COLUMNS = (*CELL_COLUMNS, "dimension", "gold")

#: Tasks whose values are ratings; those of the others are in the table of ranks.
RATING_TASKS = ("likert", "slider")
RANKING, BEST_WORST = "ranking", "best_worst"
CHOICES = {1: "best", -1: "worst"}


@contextmanager
def reading() -> Iterator[None]:
    """One view of the database for several queries, as of the first; writers are not held up."""
    if connection.in_atomic_block:
        yield
        return
    with ExitStack() as stack:
        if connection.vendor == "sqlite":
            # The product's transactions begin by locking out other writers; this one reads.
            sqlite: Any = connection
            sqlite.ensure_connection()  # connecting sets the mode, so it comes first
            usual, sqlite.transaction_mode = sqlite.transaction_mode, "DEFERRED"
            try:
                stack.enter_context(transaction.atomic())
            finally:
                sqlite.transaction_mode = usual
        else:
            stack.enter_context(transaction.atomic())
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


def counted_sources(include: Iterable[str] = ()) -> list[str]:
    """Sources that count: all real ones, and the test people that are asked for by name.

    Raises ValueError for a name that is no source.
    """
    asked = set(include)
    unknown = sorted(asked - set(Participant.Source.values))
    if unknown:
        known = ", ".join(Participant.TEST_SOURCES)
        raise ValueError(f"{unknown[0]!r} is no source; those to include by name are {known}")
    return [
        source
        for source in Participant.Source.values
        if source not in Participant.TEST_SOURCES or source in asked
    ]


def tests_among(sources: Iterable[str]) -> list[str]:
    """Those of `sources` that are test people."""
    return [source for source in sources if source in Participant.TEST_SOURCES]


def definition_of(study: Study) -> StudyDefinition:
    """What raters of the study see."""
    return StudyDefinition.model_validate(study.definition)


def dimensions_of(definition: StudyDefinition) -> list[str]:
    """The dimensions that responses are rated on, in the order of the study."""
    return [d.name for d in definition.rating.dimensions] if definition.rating else []


# ── Participants ─────────────────────────────────────────────────────────────────────────────


def participant_columns(definition: StudyDefinition) -> tuple[str, ...]:
    """The usual columns, then the study's questions that are not among them."""
    asked = [question.name for question in definition.demographics]
    return PARTICIPANT_COLUMNS + tuple(n for n in asked if n not in PARTICIPANT_COLUMNS)


def participant_rows(study: Study, sources: Sequence[str]) -> Iterator[Row]:
    """Everybody from `sources` who went past the consent page, in order of arrival."""
    definition = definition_of(study)
    asked = participant_columns(definition)[len(PARTICIPANT_COLUMNS) :]
    answers = _demographic_answers(study, sources, definition)
    failed = _checks_failed(study, sources)
    last_answers = _last_answers(study, sources)
    for person in _people(study, sources).order_by("id").iterator():
        answer = answers.get(person.pk, {})
        state = answer.get("state")
        region = region_of(str(state)) if state else answer.get("region")
        checks_failed = person.imported_checks_failed
        yield (
            person.pseudonym,
            person.source,
            person.status,
            time_text(person.started_at),
            time_text(person.finished_at),
            _duration(person, last_answers.get(person.pk)),
            failed.get(person.pk) if checks_failed is None else checks_failed,
            *(answer.get(name) for name in DEMOGRAPHIC_COLUMNS[:-1]),
            region,
            *(answer.get(name) for name in asked),
        )


def active_participants(study: Study, sources: Sequence[str], *, seen_since: datetime) -> set[str]:
    """Who is taking the survey: in progress and not silent. Imported people never are."""
    return set(
        _people(study, sources)
        .filter(
            status=Participant.Status.IN_PROGRESS,
            consented_at__isnull=False,
            last_seen_at__gte=seen_since,
        )
        .exclude(source=Participant.Source.IMPORT)
        .values_list("pseudonym", flat=True)
    )


def _people(study: Study, sources: Sequence[str]) -> Any:
    return Participant.objects.filter(study=study, source__in=sources).exclude(
        status=Participant.Status.ARRIVED
    )


def _duration(person: Participant, last_answer: datetime | None) -> float | None:
    if person.imported_duration_seconds is not None:
        return person.imported_duration_seconds
    end = person.finished_at or last_answer
    return (end - person.started_at).total_seconds() if end and person.started_at else None


def _demographic_answers(
    study: Study, sources: Sequence[str], definition: StudyDefinition
) -> dict[int, dict[str, Any]]:
    """Answers by participant and question, several choices as one text."""
    several = {q.name: getattr(q, "several", None) for q in definition.demographics}
    answers: dict[int, dict[str, Any]] = {}
    rows = DemographicAnswer.objects.filter(
        participant__study=study, participant__source__in=sources
    ).values_list("participant_id", "name", "value")
    for person, name, value in rows.iterator():
        answers.setdefault(person, {})[name] = (
            _one_text(value, several.get(name)) if isinstance(value, list) else value
        )
    return answers


def _one_text(choices: list[str], several: str | None) -> str | None:
    """Several choices as one text: what the study calls them, else all of them."""
    if len(choices) > 1 and several:
        return several
    return "; ".join(choices) or None


def _checks_failed(study: Study, sources: Sequence[str]) -> dict[int, int]:
    """How many attention checks each participant failed, of those who answered any."""
    rows = (
        AttentionCheck.objects.filter(
            participant__study=study, participant__source__in=sources, passed__isnull=False
        )
        .order_by()
        .values_list("participant_id")
        .annotate(failed=Count("id", filter=Q(passed=False)))
    )
    return dict(rows)


def _last_answers(study: Study, sources: Sequence[str]) -> dict[int, datetime]:
    """When each participant last answered a block or a check."""
    last: dict[int, datetime] = {}
    whose = Q(participant__study=study, participant__source__in=sources)
    for rows in (
        Presentation.objects.filter(whose, submitted_at__isnull=False).values_list(
            "participant_id", Max("submitted_at")
        ),
        AttentionCheck.objects.filter(whose, answered_at__isnull=False).values_list(
            "participant_id", Max("answered_at")
        ),
    ):
        for person, at in rows.order_by():
            last[person] = max(at, last.get(person, at))
    return last


# ── Ratings and ranks ────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Cell:
    """A response in a block by its names, and its place in the order of the study."""

    place: int
    names: tuple[str, str, str, str]


def cells_of(study: Study) -> dict[tuple[int, int], Cell]:
    """The study's cells by (block id, response id), in study order."""
    rows = (
        BlockResponse.objects.filter(block__study=study)
        .order_by("block__position", "position")
        .values_list(
            "block_id",
            "response_id",
            "block__scenario__name",
            "block__set_name",
            "response__system__model",
            "response__system__condition",
        )
    )
    return {
        (block, response): Cell(place, (scenario, set_name, model, condition))
        for place, (block, response, scenario, set_name, model, condition) in enumerate(rows)
    }


@dataclass(frozen=True)
class _Shown:
    """A presentation: its block, and how it was shown."""

    block: int
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
    dimensions = {name: n for n, name in enumerate(dimensions_of(definition_of(study)))}
    for name, shown, values in _by_participant(study, sources, RATING_TASKS):
        rows = []
        for presentation, response, _, dimension, value, revisions in values:
            seen = shown[presentation]
            cell = cells[seen.block, response]
            row = (
                *(name, *cell.names, dimension, value),
                *(seen.position, seen.place_of(response), seen.seconds, revisions),
            )
            rows.append(((cell.place, dimensions.get(dimension, -1)), row))
        rows.sort(key=itemgetter(0))
        yield from (row for _, row in rows)


def rank_rows(study: Study, sources: Sequence[str]) -> Iterator[Row]:
    """Ranks and choices (RANK_COLUMNS), one row per response and dimension, in study order per
    participant. Read it inside `reading()`.
    """
    cells = cells_of(study)
    for name, shown, values in _by_participant(study, sources, (RANKING, BEST_WORST)):
        ranks: dict[tuple[int, str], list[Any]] = {}
        names: dict[int, tuple[str, ...]] = {}
        for presentation, response, task, dimension, value, _ in values:
            cell = cells[shown[presentation].block, response]
            names[cell.place] = cell.names
            row = ranks.setdefault((cell.place, dimension), [None, None])
            row[task == BEST_WORST] = CHOICES[value] if task == BEST_WORST else value
        for place, dimension in sorted(ranks):
            yield (name, *names[place], dimension, *ranks[place, dimension])


def _by_participant(
    study: Study, sources: Sequence[str], tasks: Sequence[str]
) -> Iterator[tuple[str, dict[int, _Shown], list[tuple[int, int, str, str, int, int]]]]:
    """Each participant's pseudonym, presentations by id, and values of `tasks`: two streams in
    the order of participants, side by side.
    """
    names = dict(_people(study, sources).values_list("id", "pseudonym"))
    whose = {"participant__study": study, "participant__source__in": sources}
    presentations = groupby(
        Presentation.objects.filter(**whose)
        .order_by("participant_id")
        .values_list(
            "participant_id",
            "id",
            "block_id",
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
        shown = next(rows for somebody, rows in presentations if somebody == person)
        yield names[person], {row[1]: _shown(*row[2:]) for row in shown}, [r[1:] for r in given]


def _shown(
    block: int,
    position: int | None,
    order: list[int] | None,
    shown_at: datetime | None,
    answered_at: datetime | None,
    imported_seconds: float | None,
) -> _Shown:
    seconds = imported_seconds
    if shown_at and answered_at:
        seconds = (answered_at - shown_at).total_seconds()
    return _Shown(block, position, order, seconds)
