"""Counts in chunks: those of the data as they are now, whatever was stored before."""

from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.utils import timezone

from dashboard import tasks
from dashboard.api import counting_ahead
from dashboard.api.counting_ahead import count_ahead, large_studies
from dashboard.api.ratings import Ratings
from dashboard.design.certificate import Certificate
from dashboard.shared import chunk_counts
from dashboard.shared.chunk_counts import counted_in_chunks
from dashboard.shared.models import ChunkCounts
from survey.consent import give_consent
from survey.models import Participant, Rating, Study
from survey.participants import Arrival
from survey.slots import free_slot
from survey.withdrawal import withdraw
from tests.factories import add_participant, make_study, newcomer
from tests.rows_read import counted_reads
from tests.survey import small_study

NOW = timezone.now()
Captured = Any


@pytest.fixture(autouse=True)
def chunks_of_two(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a handful of people fills several."""
    for module in (chunk_counts, counting_ahead):
        monkeypatch.setattr(module, "PEOPLE_IN_CHUNK", 2)


@pytest.fixture
def study(db: None) -> Study:
    yaml = small_study.YAML.replace("after_blocks: [1, 3]", "after_blocks: [1, 1]")
    return small_study.load(yaml=yaml + "order: {responses: balanced, blocks: balanced}\n")


def start(study: Study) -> Participant:
    person = newcomer(Arrival(study=study, source="link", at=NOW))
    give_consent(participant=person, at=NOW)
    person.refresh_from_db()
    return person


def rows(study: Study) -> list[tuple[object, ...]]:
    return list(Certificate(study, "real", "places").rows())


def recounted(study: Study) -> list[tuple[object, ...]]:
    """The same with nothing stored."""
    ChunkCounts.objects.all().delete()
    return rows(study)


def test_stored_counts_are_those_of_a_new_count(
    study: Study, django_capture_on_commit_callbacks: Captured
) -> None:
    for _ in range(5):
        start(study)
    with django_capture_on_commit_callbacks(execute=True):
        count_ahead(study.pk)
    assert ChunkCounts.objects.filter(subject="shown, real, places").count() >= 3
    assert rows(study) == recounted(study)


def test_whoever_comes_leaves_or_withdraws_is_counted_again(
    study: Study, django_capture_on_commit_callbacks: Captured
) -> None:
    people = [start(study) for _ in range(6)]
    with django_capture_on_commit_callbacks(execute=True):
        before = rows(study)
    changes: list[Callable[[], object]] = [
        partial(start, study),
        partial(free_slot, people[1]),
        partial(withdraw, participant=people[3], at=NOW),
        partial(free_slot, people[0]),
    ]
    for change in changes:
        change()
        now = rows(study)
        assert now != before
        before = now
    assert before == recounted(study)


def test_only_chunks_whose_people_have_changed_are_counted_again(
    study: Study, django_capture_on_commit_callbacks: Captured
) -> None:
    people = [start(study) for _ in range(8)]
    counted: list[range] = []

    def count(ids: range) -> Counter[str]:
        counted.append(ids)
        return Counter(people=len(ids))

    def total(ids: list[int]) -> Counter[str]:
        counted.clear()
        people = Participant.objects.filter(pk__in=ids)
        return counted_in_chunks(study, "test", people, count, store_from=1)

    ids = [person.pk for person in people]
    with django_capture_on_commit_callbacks(execute=True):
        first = total(ids)
    assert len(counted) >= 4
    assert total(ids) == first
    assert not counted
    total(ids[1:])
    assert [ids[0] in chunk for chunk in counted] in ([True], [])  # alone in its chunk, it is gone


def test_a_page_stores_what_it_counted_only_where_that_was_much(
    study: Study, django_capture_on_commit_callbacks: Captured
) -> None:
    start(study)
    with django_capture_on_commit_callbacks(execute=True):
        rows(study)
    assert not ChunkCounts.objects.exists()
    for _ in range(6):
        start(study)
    with django_capture_on_commit_callbacks(execute=True):
        rows(study)
    assert ChunkCounts.objects.exists()


def test_withdrawal_deletes_the_counts_that_the_person_is_part_of(
    study: Study, django_capture_on_commit_callbacks: Captured
) -> None:
    people = [start(study) for _ in range(6)]
    with django_capture_on_commit_callbacks(execute=True):
        count_ahead(study.pk)
    chunk = ChunkCounts.objects.filter(chunk=people[2].pk // 2)
    others = ChunkCounts.objects.count() - chunk.count()
    assert chunk.exists()
    withdraw(participant=people[2], at=NOW)
    assert not chunk.exists()
    assert ChunkCounts.objects.count() == others


def test_answers_are_counted_as_they_come(
    db: None, django_capture_on_commit_callbacks: Captured
) -> None:
    study = make_study()
    for name in ("ann", "ben", "cat", "dot", "eve", "fay"):
        add_participant(study, pseudonym=name)
    add_participant(study, pseudonym="robot", source="simulated")
    with django_capture_on_commit_callbacks(execute=True):
        assert Ratings(study, ["link"]).count() == 6 * 12
    assert Ratings(study, ["link", "simulated"]).count() == 7 * 12
    ann = Participant.objects.get(pseudonym="ann")
    Rating.objects.filter(presentation__participant=ann).first().delete()  # type: ignore[union-attr]
    ann.pages_done += 1
    ann.save()
    assert Ratings(study, ["link"]).count() == 6 * 12 - 1


def test_worker_counts_ahead_of_large_studies_that_run_or_are_new(
    study: Study, django_capture_on_commit_callbacks: Captured
) -> None:
    assert large_studies() == []
    for _ in range(3):
        start(study)
    assert large_studies() == [study.pk]
    with django_capture_on_commit_callbacks() as callbacks:
        tasks.sweep()
    assert [callback.keywords["args"] for callback in callbacks] == [(study.pk,)]
    Study.objects.update(state="closed")
    assert large_studies() == [study.pk]
    with django_capture_on_commit_callbacks(execute=True):
        tasks.count(study.pk)
    assert large_studies() == []
    Study.objects.update(state="open")
    assert large_studies() == [study.pk]


def test_worker_counts_ahead_of_a_closed_study_of_which_pages_have_stored_some_counts(
    study: Study, django_capture_on_commit_callbacks: Captured
) -> None:
    for _ in range(5):
        start(study)
    Study.objects.update(state="closed")
    with django_capture_on_commit_callbacks(execute=True):
        Certificate(study, "real", "places").counted()
    assert ChunkCounts.objects.exists()
    assert large_studies() == [study.pk]


def test_worker_counts_again_only_once_somebody_was_there(study: Study) -> None:
    people = [start(study) for _ in range(3)]
    long_ago = timezone.now() - timedelta(hours=1)
    study.participants.update(last_seen_at=long_ago)
    count_ahead(study.pk)
    with counted_reads() as quiet:
        count_ahead(study.pk)
    assert quiet.queries <= 4
    changes: list[Callable[[], object]] = [
        lambda: study.participants.filter(pk=people[0].pk).update(last_seen_at=timezone.now()),
        partial(withdraw, participant=people[1], at=timezone.now()),
        lambda: newcomer(Arrival(study=study, source="link", at=timezone.now())),
    ]
    for change in changes:
        change()
        with counted_reads() as busy:
            count_ahead(study.pk)
        assert busy.queries > 2 * quiet.queries
        study.participants.update(last_seen_at=long_ago)
        study.withdrawals.update(withdrawn_at=long_ago)
        count_ahead(study.pk)


def test_counting_ahead_of_a_deleted_study_does_nothing(db: None) -> None:
    count_ahead(1)
    assert not ChunkCounts.objects.exists()


def test_update_has_a_closed_study_counted_ahead_again(study: Study) -> None:
    for _ in range(3):
        start(study)
    count_ahead(study.pk)
    Study.objects.update(state="closed")
    assert large_studies() == []
    update = import_module("dashboard.migrations.0027_counted_ahead_again")
    update.forget(apps, None)
    assert large_studies() == [study.pk]
