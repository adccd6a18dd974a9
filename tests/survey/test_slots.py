"""Places: how many people a study takes, whose place is free, and slots that are filled again."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from survey.consent import give_consent
from survey.models import Participant, Slot, Study
from survey.participants import Arrival, NotAdmitted
from survey.slots import (
    SlotCounts,
    _inactive,
    _left,
    capacity,
    free_slot,
    hold_again,
    is_full,
    slot_counts,
    sources_of,
)
from survey.withdrawal import withdraw
from tests.factories import newcomer
from tests.survey import small_study

NOW = timezone.now()
LATER = NOW + timedelta(minutes=121)


def limit(study: Study, **places: Any) -> None:
    """Change the study's places."""
    study.settings["places"] |= places
    study.save()


def start(
    study: Study, *, at: datetime = NOW, source: str = Participant.Source.LINK
) -> Participant:
    """Somebody who has just agreed to take part."""
    fresh = Study.objects.get(pk=study.pk)
    person = newcomer(Arrival(study=fresh, source=source, at=at))
    give_consent(participant=person, at=at)
    person.refresh_from_db()
    return person


def finish(person: Participant, *, at: datetime = NOW) -> bool:
    """Whether they got a lost slot back."""
    person.status, person.finished_at = Participant.Status.COMPLETED, at
    person.save(update_fields=["status", "finished_at", "returned_at"])
    return hold_again(participant=person, at=at)


def holder(study: Study, slot: int, pool: str = "real") -> Participant | None:
    return Slot.objects.get(study=study, pool=pool, number=slot).participant


def test_people_take_slots_in_order(study: Study) -> None:
    assert [start(study).slot for _ in range(4)] == [0, 1, 2, 3]


def test_full_study_takes_nobody(study: Study) -> None:
    limit(study, maximum=2)
    people = [start(study), start(study)]
    finish(people[0])
    assert is_full(study, source="link", at=NOW)
    with pytest.raises(NotAdmitted) as refusal:
        start(study)
    assert refusal.value.reason == "full"
    assert Slot.objects.count() == 2


def test_who_waits_at_consent_while_it_fills_up_finds_no_place(study: Study) -> None:
    limit(study, maximum=1)
    study.refresh_from_db()
    waiting = newcomer(Arrival(study=study, source="link", at=NOW))
    start(study)
    with pytest.raises(NotAdmitted):
        give_consent(participant=waiting, at=NOW)
    waiting.refresh_from_db()
    assert (waiting.status, waiting.slot) == ("arrived", None)
    assert not waiting.presentations.exists()


def test_left_slot_is_filled_before_a_new_one(study: Study) -> None:
    people = [start(study) for _ in range(3)]
    free_slot(people[1])
    assert start(study).slot == 1
    assert start(study).slot == 3


def test_withdrawn_person_leaves_their_slot(study: Study) -> None:
    limit(study, maximum=1)
    withdraw(participant=start(study), at=NOW)
    assert slot_counts(study, pool="real", at=NOW).withdrawn == 1
    assert start(study).slot == 0


def test_inactive_holder_keeps_the_slot_until_somebody_comes(study: Study) -> None:
    limit(study, maximum=1)
    silent = start(study)
    assert not is_full(study, source="link", at=LATER)
    assert holder(study, 0) == silent
    new = start(study, at=LATER)
    assert holder(study, 0) == new
    silent.refresh_from_db()
    assert (silent.status, silent.slot) == ("in_progress", 0)


def test_holder_keeps_the_place_for_as_many_minutes_as_the_study_allows(study: Study) -> None:
    limit(study, maximum=1, stale_minutes=30)
    start(study)
    allowed = NOW + timedelta(minutes=30)
    assert is_full(study, source="link", at=allowed)
    assert not is_full(study, source="link", at=allowed + timedelta(seconds=1))


def test_left_place_goes_before_that_of_somebody_silent(study: Study) -> None:
    silent, left = start(study), start(study)
    free_slot(left)
    assert start(study, at=LATER).slot == left.slot
    assert holder(study, 0) == silent


def test_who_is_inactive_longest_loses_the_slot_before_a_new_one_is_opened(
    study: Study,
) -> None:
    start(study, at=NOW + timedelta(seconds=1))
    longest = start(study, at=NOW)
    assert start(study, at=LATER).slot == longest.slot


def test_completed_people_never_lose_their_place(study: Study) -> None:
    limit(study, maximum=1)
    finish(start(study))
    with pytest.raises(NotAdmitted):
        start(study, at=LATER + timedelta(days=30))


def test_who_finishes_without_their_place_has_it_again_if_it_is_free(study: Study) -> None:
    limit(study, maximum=1)
    slow = start(study)
    other = start(study, at=LATER)
    free_slot(other)
    assert finish(slow, at=LATER)
    assert holder(study, 0) == slow
    assert is_full(study, source="link", at=LATER)


def test_who_finishes_without_their_place_stands_beyond_the_places(study: Study) -> None:
    limit(study, maximum=1)
    slow = start(study)
    other = start(study, at=LATER)
    assert not finish(slow, at=LATER)
    assert holder(study, 0) == other
    assert slot_counts(study, pool="real", at=LATER) == SlotCounts(
        pool="real",
        maximum=1,
        completed=0,
        active=1,
        inactive=0,
        to_refill=0,
        over_quota_completed=1,
        over_quota_in_progress=0,
        withdrawn=0,
    )


def test_returned_person_who_finishes_gets_no_place_again(study: Study) -> None:
    person = start(study)
    free_slot(person)
    person.returned_at = NOW
    assert not finish(person)
    assert holder(study, 0) is None


def test_lowered_maximum_lets_people_finish_and_takes_nobody_until_below(study: Study) -> None:
    people = [start(study) for _ in range(4)]
    limit(study, maximum=2)
    free_slot(people[0])
    with pytest.raises(NotAdmitted):
        start(study)
    free_slot(people[1])
    free_slot(people[2])
    assert start(study).slot == 0
    finish(people[3])
    assert slot_counts(study, pool="real", at=NOW).taken == 2


def test_maximum_is_that_of_the_moment_not_of_an_old_copy(study: Study) -> None:
    waiting = newcomer(Arrival(study=study, source="link", at=NOW))
    limit(Study.objects.get(pk=study.pk), maximum=1)
    start(study)
    with pytest.raises(NotAdmitted):
        give_consent(participant=waiting, at=NOW)


def test_each_pool_has_places_of_its_own(study: Study) -> None:
    limit(study, maximum=1)
    for source in ("link", "simulated", "preview"):
        assert start(study, source=source).slot == 0
    for source in ("prolific", "simulated", "preview"):
        assert is_full(study, source=source, at=NOW)


def test_silence_is_judged_by_the_clock_of_who_comes(study: Study) -> None:
    limit(study, maximum=1)
    start(study, source="simulated", at=NOW)
    with pytest.raises(NotAdmitted):
        start(study, source="simulated", at=NOW - timedelta(days=1))
    assert start(study, source="simulated", at=LATER).slot == 0


def test_sources_of_a_pool() -> None:
    assert sources_of("real") == ["prolific", "link", "import"]
    assert sources_of("panel") == ["panel"]
    assert sources_of("simulated") == ["simulated"]


@pytest.mark.parametrize(
    ("ratings", "shown", "people"), [(10, 4, 10), (10, 1, 40), (10, 3, 14), (1, 3, 2)]
)
def test_ratings_per_block_set_how_many_people_are_taken(
    db: None, ratings: int, shown: int, people: int
) -> None:
    yaml = small_study.YAML.replace("after_blocks: [1, 3]", "after_blocks: [1, 1]")
    study = small_study.load(yaml=f"{yaml}blocks_per_participant: {shown}\n")
    limit(study, ratings_per_block=ratings)
    assert capacity(study) == people


def test_counts_tell_active_silent_completed_and_left_apart(study: Study) -> None:
    limit(study, maximum=10)
    people = [start(study) for _ in range(4)]
    finish(people[0])
    free_slot(people[1])
    start(study, source="simulated")
    Participant.objects.filter(pk=people[2].pk).update(last_seen_at=LATER)
    counts = slot_counts(study, pool="real", at=LATER)
    assert (counts.completed, counts.active, counts.inactive, counts.to_refill) == (1, 1, 1, 1)
    assert (counts.taken, counts.free) == (3, 7)
    assert (counts.over_quota_completed, counts.over_quota_in_progress) == (0, 1)


def test_over_quota_are_participants_of_the_pool_who_lost_their_slot(study: Study) -> None:
    people = [start(study) for _ in range(4)]
    simulated = [start(study, source="simulated") for _ in range(2)]
    for person in [*people, *simulated]:
        free_slot(person)
    of = {person.pk: Participant.objects.filter(pk=person.pk) for person in people}
    of[people[0].pk].update(status="completed", finished_at=NOW)
    of[people[1].pk].update(returned_at=NOW)
    of[people[2].pk].update(status="screened_out")
    withdraw(participant=simulated[0], at=NOW)
    imported = newcomer(Arrival(study=study, source="import", at=NOW))
    Participant.objects.filter(pk=imported.pk).update(status="completed", finished_at=NOW)
    counts = slot_counts(study, pool="real", at=NOW)
    assert (counts.over_quota_completed, counts.over_quota_in_progress) == (1, 1)
    assert (counts.to_refill, counts.withdrawn) == (4, 0)


def test_study_without_a_maximum_has_room_for_any_number(study: Study) -> None:
    assert slot_counts(study, pool="real", at=NOW).free is None
    assert not is_full(study, source="link", at=NOW)


def held_as_noted(study: Study) -> bool:
    """Whether the pools noted with participants are those of the slots that they hold."""
    noted = study.participants.exclude(held_pool="").values_list("pk", "held_pool", "slot")
    held = study.slots.exclude(participant=None).values_list("participant", "pool", "number")
    return set(noted) == set(held)


def test_participants_note_the_pool_of_the_slot_that_they_hold(study: Study) -> None:
    limit(study, maximum=3)
    slow, left, gone = (start(study) for _ in range(3))
    start(study, source="simulated")
    free_slot(left)
    withdraw(participant=gone, at=NOW)
    assert held_as_noted(study)
    others = [start(study, at=LATER) for _ in range(3)]
    assert [person.slot for person in others] == [left.slot, 2, slow.slot]
    assert held_as_noted(study)
    free_slot(others[2])
    slow.refresh_from_db()
    assert finish(slow, at=LATER)
    assert held_as_noted(study)


@pytest.mark.embedded  # PostgreSQL reads tables as small as these without an index
def test_slots_and_silent_people_are_found_by_an_index_whatever_their_number(
    study: Study,
) -> None:
    plans = [query.explain() for query in (_left(study, "real"), _inactive(study, "real", NOW))]
    for plan, index in zip(plans, ("slot_left", "participant_inactive"), strict=True):
        assert f"INDEX {index} " in plan
        assert "TEMP B-TREE" not in plan  # nothing is sorted


@pytest.mark.embedded
@pytest.mark.parametrize("maximum", [None, 6])
def test_consent_takes_as_many_queries_however_many_people_there_are(
    study: Study, maximum: int | None
) -> None:
    def queries() -> int:
        person = newcomer(Arrival(study=Study.objects.get(pk=study.pk), source="link", at=NOW))
        with CaptureQueriesContext(connection) as captured:
            give_consent(participant=person, at=NOW)
        return len(captured)

    limit(study, maximum=maximum)
    queries()  # freezes the study and reads its content
    first = queries()
    for _ in range(3):
        start(study)
    assert queries() == first
