"""Hundreds of people who begin at the same moment, each on a database connection of their own."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from itertools import product

import pytest
from django.db import connection, transaction
from django.utils import timezone

from survey.consent import give_consent
from survey.models import Participant, Presentation, Response, Slot, Study
from survey.participants import Arrival, NotAdmitted
from survey.slots import capacity, free_slot, hold_again
from tests.factories import newcomer
from tests.survey import small_study, wide_study

pytestmark = pytest.mark.slow
AT_ONCE = 48
NOW = timezone.now()
BALANCED = """\
order: {responses: balanced, blocks: balanced}
blocks_per_participant: 2
"""


@pytest.fixture
def people() -> int:
    """SQLite has one writer at a time: fewer people show the same there."""
    return 240 if connection.vendor == "postgresql" else 60


@pytest.fixture
def study(transactional_db: None) -> Study:
    yaml = small_study.YAML.replace("after_blocks: [1, 3]", "after_blocks: [1, 1]")
    return small_study.load(yaml=yaml + BALANCED)


def at_once(action: Callable[[Participant], bool], people: list[Participant]) -> int:
    """Let everybody act in threads; how many succeeded."""

    def act(person: Participant) -> bool:
        try:
            return action(person)
        finally:
            connection.close()

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return sum(pool.map(act, people))


def arrived(study: Study, number: int) -> list[Participant]:
    study = Study.objects.get(pk=study.pk)
    return [newcomer(Arrival(study=study, source="link", at=NOW)) for _ in range(number)]


def begin(person: Participant) -> bool:
    try:
        give_consent(participant=person, at=NOW)
    except NotAdmitted:
        return False
    return True


def shown(study: Study) -> Counter[tuple[int, int, int]]:
    """How often each response of each block stands at each place, for those who hold a place."""
    counts = Counter(
        {
            (block, response, place): 0
            for block, responses in _blocks(study).items()
            for response, place in product(responses, range(len(responses)))
        }
    )
    orders = Presentation.objects.filter(participant__held_slot__isnull=False)
    for block, order in orders.values_list("block_id", "response_order"):
        counts.update((block, response, place) for place, response in enumerate(order or ()))
    return counts


def _blocks(study: Study) -> dict[int, list[int]]:
    return {
        block.pk: list(block.responses.values_list("pk", flat=True)) for block in study.blocks.all()
    }


def check(study: Study, people: int) -> None:
    """`people` hold a place each, and every target is held to within one."""
    holders = list(
        Slot.objects.exclude(participant=None).values_list("number", "participant__slot")
    )
    assert sorted(slot for slot, _ in holders) == list(range(people))
    assert all(slot == own for slot, own in holders)
    counts = shown(study)
    assert max(counts.values()) - min(counts.values()) <= 1
    per_block = Counter(
        Presentation.objects.filter(participant__held_slot__isnull=False).values_list(
            "block_id", flat=True
        )
    )
    assert max(per_block.values()) - min(per_block.values()) <= 1


def test_simultaneous_starts_hold_every_target_and_oversell_no_place(
    study: Study, people: int
) -> None:
    target = people * 3 // 8  # of ratings a block: two of four blocks each, so 3/4 of them fit
    study.settings["places"]["ratings_per_block"] = target
    study.save()
    most = capacity(study)
    assert most == 2 * target
    assert at_once(begin, arrived(study, people)) == most
    assert Slot.objects.count() == most
    check(study, most)


def test_simultaneous_starts_fill_the_slots_that_others_leave(study: Study, people: int) -> None:
    def begin_and_perhaps_leave(person: Participant) -> bool:
        began = begin(person)
        if began and person.pk % 5 == 0:
            free_slot(person)
        return began

    first = arrived(study, people // 2)
    assert at_once(begin_and_perhaps_leave, first) == len(first)
    left = Slot.objects.filter(participant=None).count()
    slots = Slot.objects.count()
    later = arrived(study, left + people // 4)
    assert at_once(begin, later) == len(later)
    check(study, slots + people // 4)


def test_one_person_on_several_devices_takes_one_place(study: Study, people: int) -> None:
    person = arrived(study, 1)[0]
    assert at_once(begin, [person] * 20) == 20
    assert Slot.objects.count() == 1
    assert Presentation.objects.filter(participant=person).count() == 2


def test_simultaneous_starts_show_each_system_equally_often(
    transactional_db: None, people: int
) -> None:
    yaml = wide_study.yaml_of("systems_per_page: 3", "order: {responses: balanced}")
    study = wide_study.load(yaml, wide_study.csv_of(7))
    assert at_once(begin, arrived(study, people)) == people
    counts = Counter(
        response
        for order in Presentation.objects.values_list("response_order", flat=True)
        for response in order or ()
    )
    assert len(counts) == 14
    assert max(counts.values()) - min(counts.values()) <= 1


def test_simultaneous_starts_are_even_between_subjects(transactional_db: None, people: int) -> None:
    yaml = wide_study.yaml_of("between_subjects: system")
    study = wide_study.load(yaml, wide_study.csv_of(2))
    assert at_once(begin, arrived(study, people)) == people
    models = dict(Response.objects.values_list("pk", "system__model"))
    first = Presentation.objects.filter(position=1).values_list("response_order", flat=True)
    systems = Counter(models[response] for order in first for response in order or ())
    assert systems == {"M1": people // 2, "M2": people // 2}


@pytest.mark.writers_side_by_side
def test_a_silent_person_who_sends_a_page_at_this_moment_keeps_their_slot(study: Study) -> None:
    """An arrival neither takes it nor waits for them: they may be waiting for the study's row."""
    later = NOW + timedelta(minutes=121)
    silent, other = arrived(study, 2)
    assert begin(silent)
    newcomer_at = ThreadPoolExecutor(1)
    with transaction.atomic(), newcomer_at:
        Participant.objects.filter(pk=silent.pk).update(last_seen_at=later)  # their row is locked

        def consent() -> None:
            try:
                give_consent(participant=other, at=later)
            finally:
                connection.close()

        newcomer_at.submit(consent).result(timeout=30)
        assert hold_again(participant=silent, at=later) is False  # it was theirs all the time
    holders = Slot.objects.order_by("number").values_list("participant", flat=True)
    assert list(holders) == [silent.pk, other.pk]
