"""Counts over all people of a study that cost little however many there are.

People are counted in chunks of a thousand. What a chunk came to is stored with a hash of who was in
it, and in which state. Each request compares the hashes with the people as they are now, and counts
chunks that differ again. So a total is always that of the data as they are. A worker stores the
chunks ahead (`dashboard.sweep`); pages store them if many are missing.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.expressions import CombinedExpression

from dashboard.shared.listed import Listed
from dashboard.shared.models import ChunkCounts
from survey.models import Participant, Study

PEOPLE_IN_CHUNK = 1000
#: A page that has to count so many chunks stores them for the next one.
MANY = 3

Counts = Mapping[str, int]


def counted_in_chunks(
    study: Study,
    subject: str,
    people: QuerySet[Participant],
    count: Callable[[range], Counts],
    *,
    state: CombinedExpression | None = None,
    store_from: int = MANY,
) -> Counter[str]:
    """The sum of what `count` finds for each chunk of `people`. It gets the range of their ids.

    `state` is a whole number for each person, another one whenever their counts may be others; by
    default their id, so counts never change. Call this inside `survey.tidy.reading()`, so that
    people and counts agree. `store_from` or more chunks that had to be counted are stored after
    the transaction.
    """
    chunks = people.annotate(chunk=F("id") / PEOPLE_IN_CHUNK).order_by("chunk")
    listed = chunks.values_list("chunk").annotate(listed=Listed(state or F("id")))
    hashes = {chunk: _hash(study, members) for chunk, members in listed}
    stored = {
        chunk: counts
        for chunk, people_hash, counts in ChunkCounts.objects.filter(study=study, subject=subject)
        .order_by()
        .values_list("chunk", "people_hash", "counts")
        if hashes.get(chunk) == people_hash
    }
    counted = [
        ChunkCounts(
            study=study,
            subject=subject,
            chunk=chunk,
            people_hash=people_hash,
            counts=count(range(chunk * PEOPLE_IN_CHUNK, (chunk + 1) * PEOPLE_IN_CHUNK)),
        )
        for chunk, people_hash in hashes.items()
        if chunk not in stored
    ]
    if counted and len(counted) >= store_from:
        transaction.on_commit(partial(_store, counted), robust=True)
    total: Counter[str] = Counter()
    for counts in (*stored.values(), *(chunk.counts for chunk in counted)):
        total.update(counts)
    return total


def _hash(study: Study, people: str) -> str:
    """SHA-256 of the people, and of the content that they were shown."""
    text = f"{study.loaded_at.isoformat()}\n{people}"
    return hashlib.sha256(text.encode()).hexdigest()


def _store(chunks: list[ChunkCounts]) -> None:
    """A chunk that another process has stored meanwhile is replaced: both are right."""
    ChunkCounts.objects.bulk_create(
        chunks,
        update_conflicts=True,
        unique_fields=["study", "subject", "chunk"],
        update_fields=["people_hash", "counts"],
    )


def large_studies() -> list[int]:
    """The ids of studies with more than one chunk of people that people take now, or of which
    nothing is stored yet.
    """
    running = Q(state__in=(Study.State.OPEN, Study.State.PAUSED))
    of_study = {"study": OuterRef("pk")}
    stored = Exists(ChunkCounts.objects.filter(**of_study))
    beyond_a_chunk = Participant.objects.filter(**of_study).order_by("id")[PEOPLE_IN_CHUNK:]
    large = Study.objects.filter(running | ~stored).filter(Exists(beyond_a_chunk))
    return list(large.order_by("id").values_list("id", flat=True))


def erase_counts(participant: Participant) -> None:
    """Delete every count that the person is part of. Registered in `survey.withdrawal.erasers`."""
    chunk = participant.pk // PEOPLE_IN_CHUNK
    ChunkCounts.objects.filter(study=participant.study_id, chunk=chunk).delete()
