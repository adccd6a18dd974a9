"""People: those who withdrew, and the slots of the others."""

from collections.abc import Iterator

from dashboard.management.doctor.violation import REPORT, Violation, row_of
from survey.models import Identity, Participant, Slot, Withdrawal
from survey.slots import pool_of


def withdrawn_people_are_gone() -> Iterator[Violation]:
    """Of people who withdrew there is nothing but the record of the withdrawal."""
    for withdrawal in Withdrawal.objects.exclude(key="").select_related("study"):
        same = Identity.objects.filter(
            slug=withdrawal.slug, kind=withdrawal.kind, key=withdrawal.key
        )
        for identity in same.select_related("participant__study"):
            person = identity.participant
            yield Violation(
                str(person.study),
                f"participant {person} ({row_of(Participant, person.pk)})",
                f"withdrew on {withdrawal.withdrawn_at:%Y-%m-%d %H:%M} UTC and is still here",
                f"Delete them: manage.py withdraw {person.study} {person} --yes",
            )


def slots_are_of_their_pool() -> Iterator[Violation]:
    """Test people hold no place of a rater, nor raters one of theirs; both sides agree."""
    held = Slot.objects.exclude(participant=None).select_related("participant__study")
    for slot in held.iterator():
        person = slot.participant
        assert person is not None
        if slot.pool != pool_of(person.source) or slot.study_id != person.study_id:
            yield _of_person(person, f"({person.source}) holds {slot.pool} slot {slot.number}")
        elif person.held_pool != slot.pool or person.slot != slot.number:
            yield _of_person(
                person,
                f"holds {slot.pool} slot {slot.number}, and their own row says "
                f"{person.held_pool or 'none'} {person.slot}",
            )
    people = Participant.objects.exclude(held_pool="").filter(held_slot=None)
    for person in people.select_related("study").iterator():
        yield _of_person(person, f"should hold a {person.held_pool} slot and holds none")


def _of_person(person: Participant, what: str) -> Violation:
    row = f"participant {person} ({row_of(Participant, person.pk)})"
    return Violation(str(person.study), row, what, REPORT)
