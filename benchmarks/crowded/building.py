"""A study with any number of participants, written in bulk. Django has to be set up.

The first thousand have the slots, orders and pages that the product would give them. The others
have slots of their own, and the pages of one of these. All rated each response that they saw.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from io import StringIO
from pathlib import Path

from django.core.management import call_command
from django.db import connection, transaction
from django.utils import timezone

from survey.assignment import plan_survey
from survey.batched import batched
from survey.content import content_of
from survey.models import Participant, Presentation, Slot, Study
from survey.studies import set_state

#: One of so many people has not finished, and was seen a minute ago: nobody is inactive.
UNFINISHED = 20
#: Between the first and the last arrival.
PERIOD = timedelta(days=30)
AT_ONCE = 500
#: So many have pages of their own.
MODELS = 1000
#: All that is stored about a page, but whose it is.
OF_PAGES = [
    field.column
    for field in Presentation._meta.concrete_fields
    if field.column and field.column not in ("id", "participant_id")
]
PAGES = f"""\
INSERT INTO survey_presentation (participant_id, {", ".join(OF_PAGES)})
SELECT person.id, {", ".join(f"page.{column}" for column in OF_PAGES)}
FROM survey_participant person
JOIN survey_presentation page ON page.participant_id = %(first)s + person.slot %% %(models)s
WHERE person.id >= %(first)s + %(models)s
ORDER BY person.id, page.position
"""
RATINGS = """\
INSERT INTO survey_rating (presentation_id, response_id, task, dimension, value, revisions)
SELECT page.id, shown.response_id, 'likert', %s, 1 + (page.id * 7 + shown.position * 3) %% 5, 0
FROM survey_presentation page JOIN survey_blockresponse shown ON shown.block_id = page.block_id
WHERE page.answered_at IS NOT NULL
"""


def crowded_study(folder: Path, people: int) -> Study:
    """The study of `folder`, open, and taken by so many people."""
    call_command("migrate", verbosity=0)
    call_command("load_study", str(folder), stdout=StringIO())
    study = Study.objects.get()
    set_state(study=study, state="open")
    study.refresh_from_db()
    rating = content_of(study).definition.rating
    assert rating is not None
    with transaction.atomic(), connection.cursor() as cursor:
        for batch in batched(range(people), AT_ONCE):
            _arrive(study, batch, people)
        first = Participant.objects.earliest("id").pk
        cursor.execute(PAGES, {"first": first, "models": MODELS})
        cursor.execute(RATINGS, [rating.dimensions[0].name])
    refresh_statistics()
    return study


def refresh_statistics() -> None:
    """Do what PostgreSQL does by itself after a while, and what nothing does on SQLite.

    Autovacuum visits a table after a fifth of it was inserted or changed. From then on indexes are
    read without their rows.
    """
    if connection.vendor == "postgresql":
        inside = connection.in_atomic_block  # VACUUM has to be outside
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE" if inside else "VACUUM ANALYZE")


def _arrive(study: Study, numbers: list[int], people: int) -> None:
    now = timezone.now()
    arrived = Participant.objects.bulk_create(
        _participant(study, number, _arrival(number, people, now), now) for number in numbers
    )
    Slot.objects.bulk_create(
        Slot(study=study, pool="real", number=number, participant=person)
        for number, person in zip(numbers, arrived, strict=True)
    )
    Presentation.objects.bulk_create(
        page for person in arrived[: max(0, MODELS - numbers[0])] for page in _pages(study, person)
    )


def _arrival(number: int, people: int, now: datetime) -> datetime:
    """One after the other, the last of them just long enough ago to have finished."""
    return now - timedelta(minutes=35) - (people - number) / people * PERIOD


def _participant(study: Study, number: int, at: datetime, now: datetime) -> Participant:
    is_done = bool(number % UNFINISHED)
    ended = at + timedelta(minutes=20 + number % 13, seconds=number % 59)
    return Participant(
        study=study,
        source="prolific",
        way_in="prolific",
        status="completed" if is_done else "in_progress",
        ending="completed" if is_done else "",
        slot=number,
        held_pool="real",
        arrived_at=at,
        consented_at=at,
        started_at=at,
        last_seen_at=ended if is_done else now - timedelta(minutes=1),
        finished_at=ended if is_done else None,
        pages_done=30 if is_done else number % 30,
    )


def _pages(study: Study, person: Participant) -> Iterator[Presentation]:
    content = content_of(study)
    assert person.slot is not None
    assert person.started_at is not None
    plan = plan_survey(
        content.layout,
        content.check_ranges,
        slot=person.slot,
        order_seed=person.order_seed,
        first_page=content.first_block_page,
    )
    for planned in plan.blocks:
        shown_at = person.started_at + timedelta(seconds=50 * planned.position)
        answered_at = shown_at + timedelta(seconds=45)
        yield Presentation(
            participant=person,
            block_id=planned.block,
            page=planned.page,
            position=planned.position,
            response_order=planned.response_order,
            shown_at=shown_at,
            answered_at=answered_at,
            submitted_at=answered_at,
        )
