"""Orders of blocks and of responses."""

import re
from collections.abc import Iterator

from django.db.models import Q

from dashboard.management.doctor.violation import REPORT, Violation, row_of
from survey.assignment import Plan, plan_survey
from survey.content import StudyContent, content_of
from survey.models import BlockResponse, Participant, Presentation, Response, Study

PUBLIC_ID = re.compile(r"[0-9a-f]{12}")
Source = Participant.Source


def orders_are_stored() -> Iterator[Violation]:
    """Every page that was planned has its position and the order of its responses."""
    missing = Q(position=None) | Q(page=None) | Q(response_order__isnull=True)
    pages = Presentation.objects.filter(missing).exclude(participant__source=Source.IMPORT)
    for page in pages.select_related("participant__study"):
        yield _finding(page, "has no stored order", REPORT)


def orders_are_those_of_the_seed() -> Iterator[Violation]:
    """Each participant's orders are those that their seed, slot and study give."""
    for study in Study.objects.all():
        people = study.participants.exclude(slot=None).prefetch_related("presentations")
        if not people.exists():
            continue
        content = content_of(study)
        for person in people.iterator(chunk_size=500):
            planned = _plan(content, person)
            expected = {
                (block.block, block.part): (block.page, block.position, list(block.response_order))
                for block in planned.blocks
            }
            for page in person.presentations.all():
                shown = (page.page, page.position, page.response_order)
                is_stored = None not in shown  # else `orders_are_stored` finds it
                if expected.pop((page.block_id, page.part), None) != shown and is_stored:
                    page.participant = person
                    yield _finding(
                        page,
                        f"page {page.page}, position {page.position}, does not have the order that "
                        f"seed {person.order_seed} and slot {person.slot} give",
                        REPORT,
                    )
            if expected:
                yield Violation(
                    str(study),
                    f"participant {person} ({row_of(Participant, person.pk)})",
                    f"{len(expected)} of the planned pages are not stored",
                    REPORT,
                )


def _plan(content: StudyContent, person: Participant) -> Plan:
    assert person.slot is not None
    return plan_survey(
        content.layout,
        content.check_ranges,
        slot=person.slot,
        order_seed=person.order_seed,
        first_page=content.first_block_page,
    )


def only_responses_of_the_block_are_shown() -> Iterator[Violation]:
    """A page shows responses of its own block, each once."""
    blocks: dict[int, set[int]] = {}
    for block, response in BlockResponse.objects.values_list("block_id", "response_id"):
        blocks.setdefault(block, set()).add(response)
    pages = Presentation.objects.exclude(response_order__isnull=True).select_related(
        "participant__study"
    )
    for page in pages.iterator():
        order = page.response_order or []
        if len(set(order)) != len(order) or not set(order) <= blocks.get(page.block_id, set()):
            yield _finding(
                page, "its order has a response twice, or one that is not of its block", REPORT
            )


def public_ids_are_random() -> Iterator[Violation]:
    """The ids of responses that browsers see are random."""
    for response in Response.objects.select_related("scenario__study").iterator():
        if not PUBLIC_ID.fullmatch(response.public_id):
            yield Violation(
                str(response.scenario.study),
                row_of(Response, response.pk),
                f"its public id {response.public_id!r} is not a random one",
                "Pause the study: browsers see this id",
            )


def _finding(page: Presentation, what: str, todo: str) -> Violation:
    person = page.participant
    row = f"participant {person} ({row_of(Presentation, page.pk)})"
    return Violation(str(person.study), row, what, todo)
