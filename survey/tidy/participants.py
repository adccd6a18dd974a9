"""participants.csv: the participants, how they took part, and their demographic answers."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from django.db.models import Count, Max, Q

from survey.batched import batched
from survey.definition import StudyDefinition
from survey.files.csv_text import time_text
from survey.models import AttentionCheck, DemographicAnswer, Participant, Presentation, Study
from survey.regions import region_of
from survey.tidy.study import Row, definition_of, people_of
from survey.tidy.times import seconds_between

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
#: People whose answers are read together.
AT_ONCE = 1000
#: How they saw the pages, and whether the clock can be trusted: never an address or what a browser
#: calls itself.
TAKING_PART_COLUMNS = (
    "way_in",
    "ending",
    "language",
    "device",
    "viewport_width",
    "viewport_height",
    "clock_stepped",
)


def participant_columns(definition: StudyDefinition) -> tuple[str, ...]:
    """The standard columns, how they took part, then the study's own questions."""
    asked = [question.name for question in (*definition.screening, *definition.demographics)]
    others = tuple(name for name in asked if name not in PARTICIPANT_COLUMNS)
    return PARTICIPANT_COLUMNS + TAKING_PART_COLUMNS + others


def columns_about_people(definition: StudyDefinition) -> list[str]:
    """The columns with what people said about themselves, and what can be seen of them: those that
    the form for sharing can have empty.
    """
    not_answers = {*PARTICIPANT_COLUMNS, *TAKING_PART_COLUMNS} - {*DEMOGRAPHIC_COLUMNS}
    about = [name for name in participant_columns(definition) if name not in not_answers]
    return [*about, "language", "device"]


def participant_rows(study: Study, sources: Sequence[str]) -> Iterator[Row]:
    """All participants from `sources` after the consent page, in order of arrival."""
    definition = definition_of(study)
    asked = participant_columns(definition)[len(PARTICIPANT_COLUMNS + TAKING_PART_COLUMNS) :]
    people = people_of(study, sources).order_by("id").iterator()
    for batch in batched(people, AT_ONCE):
        # What they answered is read for so many only: memory does not grow with the study.
        whose = Q(
            participant__study=study,
            participant__source__in=sources,
            participant_id__gte=batch[0].pk,
            participant_id__lte=batch[-1].pk,
        )
        answers = _demographic_answers(whose, definition)
        failed, last_answers = _checks_failed(whose), _last_answers(whose)
        yield from (
            _participant_row(
                person,
                answers.get(person.pk, {}),
                failed.get(person.pk),
                last_answers.get(person.pk),
                asked,
            )
            for person in batch
        )


def _participant_row(
    person: Participant,
    answer: dict[str, Any],
    failed: int | None,
    last_answer: datetime | None,
    asked: Sequence[str],
) -> Row:
    state = answer.get("state")
    region = region_of(str(state)) if state else answer.get("region")
    checks_failed = person.imported_checks_failed
    return (
        person.pseudonym,
        person.source,
        person.status,
        time_text(person.started_at),
        time_text(person.finished_at),
        _duration(person, last_answer),
        failed if checks_failed is None else checks_failed,
        *(answer.get(name) for name in DEMOGRAPHIC_COLUMNS[:-1]),
        region,
        person.way_in or None,
        *(person.ending or None, person.language or None, person.device or None),
        *(person.viewport_width, person.viewport_height, person.clock_stepped),
        *(answer.get(name) for name in asked),
    )


def active_participants(study: Study, sources: Sequence[str], *, seen_since: datetime) -> set[str]:
    """Participants who are taking the survey: in progress and not inactive; never imported ones."""
    return set(
        people_of(study, sources)
        .filter(
            status=Participant.Status.IN_PROGRESS,
            consented_at__isnull=False,
            last_seen_at__gte=seen_since,
        )
        .exclude(source=Participant.Source.IMPORT)
        .values_list("pseudonym", flat=True)
    )


def _duration(person: Participant, last_answer: datetime | None) -> float | None:
    if person.imported_duration_seconds is not None:
        return person.imported_duration_seconds
    if person.clock_stepped:
        return None
    return seconds_between(person.started_at, person.finished_at or last_answer)


def _demographic_answers(whose: Q, definition: StudyDefinition) -> dict[int, dict[str, Any]]:
    """Answers by participant and question, several choices as one text."""
    asked = {question.name: question for question in definition.demographics}
    answers: dict[int, dict[str, Any]] = {}
    rows = DemographicAnswer.objects.filter(whose).values_list("participant_id", "name", "value")
    for person, name, value in rows.iterator():
        cell = asked[name].cell(value) if name in asked else value
        answers.setdefault(person, {})[name] = cell
    return answers


def _checks_failed(whose: Q) -> dict[int, int]:
    """The number of failed attention checks of each participant who answered any."""
    rows = (
        AttentionCheck.objects.filter(whose, passed__isnull=False)
        .order_by()
        .values_list("participant_id")
        .annotate(failed=Count("id", filter=Q(passed=False)))
    )
    return dict(rows)


def _last_answers(whose: Q) -> dict[int, datetime]:
    """When each participant last answered a block or a check."""
    last: dict[int, datetime] = {}
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
