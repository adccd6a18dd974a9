"""A study with any number of participants, written to the database in bulk. Django has to be set up.

Everybody has the slot, the orders and the pages that the product would give them, and rated each
response that they were shown.
"""

from collections.abc import Iterator
from datetime import timedelta
from itertools import islice
from pathlib import Path

from django.core.management import call_command
from django.db import connection, transaction
from django.utils import timezone

from survey.assignment import plan_survey
from survey.content import content_of
from survey.models import Participant, Presentation, Slot, Study
from survey.studies import set_state

#: One of so many people has not finished, and was seen a minute ago: nobody is inactive.
UNFINISHED = 20
AT_ONCE = 500
RATINGS = """\
INSERT INTO survey_rating (presentation_id, response_id, task, dimension, value, revisions)
SELECT page.id, shown.response_id, 'likert', %s, 1 + (page.id * 7 + shown.position * 3) %% 5, 0
FROM survey_presentation page JOIN survey_blockresponse shown ON shown.block_id = page.block_id
WHERE page.answered_at IS NOT NULL
"""


def crowded_study(folder: Path, people: int) -> Study:
    """The study of `folder`, open, and taken by so many people."""
    call_command("migrate", verbosity=0)
    call_command("load_study", str(folder), stdout=open("/dev/null", "w"))
    study = Study.objects.get()
    set_state(study=study, state="open")
    study.refresh_from_db()
    with transaction.atomic():
        numbers = iter(range(people))
        while batch := list(islice(numbers, AT_ONCE)):
            _arrive(study, batch)
        dimension = content_of(study).definition.rating
        assert dimension is not None
        with connection.cursor() as cursor:
            cursor.execute(RATINGS, [dimension.dimensions[0].name])
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")  # as PostgreSQL does by itself after a while
    return study


def _arrive(study: Study, numbers: list[int]) -> None:
    now = timezone.now()
    people = Participant.objects.bulk_create(
        Participant(
            study=study,
            source="link",
            way_in="link",
            status="completed" if number % UNFINISHED else "in_progress",
            slot=number,
            held_pool="real",
            arrived_at=now - timedelta(minutes=25),
            consented_at=now - timedelta(minutes=24),
            started_at=now - timedelta(minutes=24),
            last_seen_at=now - timedelta(minutes=1),
            finished_at=now - timedelta(minutes=1) if number % UNFINISHED else None,
        )
        for number in numbers
    )
    Slot.objects.bulk_create(
        Slot(study=study, pool="real", number=person.slot, participant=person) for person in people
    )
    Presentation.objects.bulk_create(
        page for person in people for page in _pages(study, person)
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
        first_page=content.instructions_page + 1,
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
