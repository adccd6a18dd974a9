"""Consenting, which begins the survey, and declining."""

import hashlib
from datetime import datetime

from django.db import transaction

from survey.assignment import plan_survey
from survey.content import content_of
from survey.definition import StudyDefinition
from survey.models import AttentionCheck, Participant, Presentation, Refusal
from survey.notices import ai_policy, writing_notice
from survey.participants import NotAdmitted, admits, not_open
from survey.slots import Full, locked, take_slot


def consent_hash(definition: StudyDefinition) -> str:
    """SHA-256 of all texts before consent: warning, information, policy on AI, what is recorded of
    writing, statement.
    """
    texts = [
        definition.texts.warning,
        definition.texts.information,
        ai_policy(definition),
        writing_notice(definition),
        definition.consent.statement,
    ]
    return hashlib.sha256("\n\n".join(text for text in texts if text).encode()).hexdigest()


@transaction.atomic
def give_consent(*, participant: Participant, at: datetime) -> None:
    """Start the survey: draw and store the orders, and freeze the study for a real participant.

    The consent is stored as the study's version, the language, and the texts' hash. Harmless when
    repeated. Raises NotAdmitted when the study has stopped or filled meanwhile.
    """
    person = Participant.objects.select_for_update(no_key=True).get(pk=participant.pk)
    if person.status != Participant.Status.ARRIVED:
        return
    # From here its state cannot change: a study that was just stopped admits nobody.
    study = locked(person.study_id)
    if not admits(study, person.source):
        raise not_open(study, person.source)
    if study.frozen_at is None and person.source not in Participant.TEST_SOURCES:
        study.frozen_at = at
        study.save(update_fields=["frozen_at"])
    content = content_of(study)
    try:
        slot = take_slot(study=study, participant=person, at=at)
    except Full:
        raise NotAdmitted(study, person.source, Refusal.FULL) from None
    plan = plan_survey(
        content.layout,
        content.check_ranges,
        slot=slot,
        order_seed=person.order_seed,
        first_page=content.first_block_page,
    )
    pages_with_check = {planned.page for planned in plan.checks if planned.place is not None}
    Presentation.objects.bulk_create(
        Presentation(
            participant=person,
            block_id=planned.block,
            page=planned.page,
            position=planned.position,
            part=planned.part,
            response_order=planned.response_order,
            has_check=planned.page in pages_with_check,
        )
        for planned in plan.blocks
    )
    AttentionCheck.objects.bulk_create(
        AttentionCheck(
            participant=person,
            name=planned.name,
            page=planned.page,
            after_block=planned.after_block,
            place=planned.place,
        )
        for planned in plan.checks
    )
    person.status = Participant.Status.IN_PROGRESS
    person.consented_at = person.started_at = person.last_seen_at = at
    person.slot = slot
    definition = content.in_language(person.language)
    person.language = definition.language
    person.consent_hash = consent_hash(definition)
    person.ending = ""  # the study may have been full before
    person.save()


def turn_away(*, participant: Participant) -> None:
    """Record consent to a full study; the person may come again."""
    Participant.objects.filter(pk=participant.pk, status=Participant.Status.ARRIVED).update(
        ending="full"
    )


def decline(*, participant: Participant, at: datetime) -> None:
    """Record that the person declined; no effect after they have started."""
    Participant.objects.filter(pk=participant.pk, status=Participant.Status.ARRIVED).update(
        status=Participant.Status.DECLINED, ending="declined", last_seen_at=at, finished_at=at
    )
