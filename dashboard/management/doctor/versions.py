"""Versions of studies: frozen, never mixed, and open to whom their state says."""

import hashlib
from collections.abc import Iterator

from django.db.models import F

from dashboard.management.doctor.violation import REPORT, RESTORE, Violation, row_of
from survey.definition import StudyDefinition
from survey.loading import content_hash, stored_content_hash
from survey.models import Participant, Presentation, Response, Study
from survey.tidy import response_rows

Source = Participant.Source
NOT_REAL = (*Participant.TEST_SOURCES, Source.IMPORT)


def studies_are_frozen() -> Iterator[Violation]:
    """A version is frozen from its first real consent on, and was not loaded after it."""
    for study in Study.objects.all():
        consents = study.participants.exclude(source__in=NOT_REAL).exclude(consented_at=None)
        first = consents.order_by("consented_at").values_list("consented_at", flat=True).first()
        if first is None:
            continue
        if study.frozen_at is None:
            yield _of_study(study, "people have consented and it is not frozen", REPORT)
        elif study.loaded_at > max(first, study.frozen_at):
            yield _of_study(
                study,
                f"it was loaded on {study.loaded_at:%Y-%m-%d %H:%M} UTC, after the first consent "
                f"on {first:%Y-%m-%d %H:%M} UTC",
                "Raters saw two contents: find out from a backup who saw which",
            )


def content_is_what_was_loaded() -> Iterator[Violation]:
    """What raters see is what was loaded: texts, tasks and responses have the stored hashes."""
    for study in Study.objects.all():
        changed = list(_changed_texts(study))
        yield from changed
        if not changed and not _has_its_hash(study):
            yield _of_study(
                study,
                "its texts, tasks or responses are not those that were loaded: their hash differs",
                f"{RESTORE}, or compare with the study's folder",
            )


def _changed_texts(study: Study) -> Iterator[Violation]:
    for response in Response.objects.filter(scenario__study=study).iterator():
        if hashlib.sha256(response.text.encode()).hexdigest() != response.text_hash:
            yield Violation(
                str(study),
                row_of(Response, response.pk),
                "the text of this response was changed after it was loaded",
                f"{RESTORE}, or put back the text of the study's folder",
            )


def _has_its_hash(study: Study) -> bool:
    rows = response_rows(study, as_loaded=True)
    if stored_content_hash(study.definition, rows, list(study.translations.values())) == (
        study.content_hash
    ):
        return True
    definition, *translations = (
        StudyDefinition.model_validate(stored)
        for stored in (study.definition, *study.translations.values())
    )
    return content_hash(definition, rows, translations) == study.content_hash


def versions_are_not_mixed() -> Iterator[Violation]:
    """People saw blocks of their own version of the study only."""
    mixed = Presentation.objects.exclude(block__study=F("participant__study"))
    for page in mixed.select_related("participant__study", "block__study"):
        person = page.participant
        yield Violation(
            str(person.study),
            f"participant {person} ({row_of(Presentation, page.pk)})",
            f"page {page.page} is a block of {page.block.study}",
            REPORT,
        )


def drafts_have_test_people_only() -> Iterator[Violation]:
    """Nobody real has begun a draft or a rehearsal."""
    people = Participant.objects.exclude(source__in=NOT_REAL).exclude(consented_at=None)
    for study in Study.objects.all():
        if study.state != Study.State.DRAFT and not study.is_rehearsing:
            continue
        if n := people.filter(study=study).count():
            yield _of_study(
                study,
                f"it is a {'rehearsal' if study.is_rehearsing else 'draft'}, and {n} real people "
                "have begun it",
                "Open or close it: manage.py set_study",
            )


def _of_study(study: Study, what: str, todo: str) -> Violation:
    return Violation(str(study), row_of(Study, study.pk), what, todo)
