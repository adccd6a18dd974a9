"""A study with any number of participants, written in bulk. Django has to be set up.

The first thousand have the slots, orders and pages that the product would give them. The others
have slots of their own, and the pages of one of these. All rated each response that they saw.
"""

from collections.abc import Iterator
from datetime import timedelta
from io import StringIO
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
#: So many have pages of their own.
MODELS = 1000
PAGES = """\
INSERT INTO survey_presentation (participant_id, block_id, page, position, response_order,
    has_check, shown_at, answered_at, submitted_at)
SELECT person.id, page.block_id, page.page, page.position, page.response_order,
    page.has_check, page.shown_at, page.answered_at, page.submitted_at
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
        numbers = iter(range(people))
        while batch := list(islice(numbers, AT_ONCE)):
            _arrive(study, batch)
        first = Participant.objects.earliest("id").pk
        cursor.execute(PAGES, {"first": first, "models": MODELS})
        cursor.execute(RATINGS, [rating.dimensions[0].name])
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
        Slot(study=study, pool="real", number=number, participant=person)
        for number, person in zip(numbers, people, strict=True)
    )
    Presentation.objects.bulk_create(
        page for person in people[: max(0, MODELS - numbers[0])] for page in _pages(study, person)
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
