"""Counts over all people of a study that cost little however many there are.

People are counted in chunks of a thousand. What a chunk came to is stored with a hash of who was in
it, and in which state. Each request compares the hashes with the people as they are now, and counts
chunks that differ again. So a total is always that of the data as they are. A worker stores the
chunks ahead (`dashboard.sweep`); pages store them if many are missing.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.db.models.expressions import CombinedExpression, Func

from dashboard.shared.listed import AllOf
from dashboard.shared.models import ChunkCounts
from survey.models import PEOPLE_IN_CHUNK, Participant, Study

#: A page that has to count so many chunks stores them for the next one.
MANY = 3
#: How stored subjects begin that are about all people at once (`kept_whole`).
WHOLE = "whole: "

Counts = Mapping[str, int]
Found = TypeVar("Found")


def counted_in_chunks(
    study: Study,
    subject: str,
    people: QuerySet[Participant],
    count: Callable[[range], Counts],
    *,
    state: CombinedExpression | None = None,
    store_from: int = MANY,
) -> Counter[str]:
    """The sum of what `count` finds in each chunk of `people`; see `chunks_of`.

    `state` is a whole number for each person, another one whenever their counts may be others; by
    default their id, so counts never change.
    """
    total: Counter[str] = Counter()
    states = states_in_chunks(people, state or F("id"))
    for counts in chunks_of(study, subject, states, count, store_from=store_from).values():
        total.update(counts)
    return total


def chunks_of(
    study: Study,
    subject: str,
    states: Mapping[int, str],
    count: Callable[[range], Found],
    *,
    store_from: int = MANY,
) -> dict[range, Found]:
    """What `count` finds, as JSON, in each chunk of people, in order. It gets the range of their
    ids.

    `states` has a text for each chunk by its number, another one whenever what is found may be
    other. Call this inside `survey.tidy.reading()`, so that states and counts agree. `store_from`
    or more chunks that had to be counted are stored after the transaction.
    """
    hashes = {chunk: _hash(study, state) for chunk, state in states.items()}
    found: dict[int, Found] = {
        chunk: counts
        for chunk, people_hash, counts in ChunkCounts.objects.filter(study=study, subject=subject)
        .order_by()
        .values_list("chunk", "people_hash", "counts")
        if hashes.get(chunk) == people_hash
    }
    missing = [chunk for chunk in hashes if chunk not in found]
    found |= {chunk: count(_ids(chunk)) for chunk in missing}
    if missing and len(missing) >= store_from:
        counted = [
            ChunkCounts(
                study=study,
                subject=subject,
                chunk=chunk,
                people_hash=hashes[chunk],
                counts=found[chunk],
            )
            for chunk in missing
        ]
        transaction.on_commit(lambda: _store(counted), robust=True)
    return {_ids(chunk): found[chunk] for chunk in sorted(found)}


def in_chunks(people: QuerySet[Participant]) -> "QuerySet[Participant, Any]":
    """A row with the number of each chunk of people, to be annotated, in any order: PostgreSQL
    takes the number for another one of each person, and would sort them all.
    """
    return people.order_by().annotate(chunk=F("id") / PEOPLE_IN_CHUNK).values_list("chunk")


def states_in_chunks(
    people: QuerySet[Participant], state: F | CombinedExpression | Func
) -> dict[int, str]:
    """The `state` of all people of a chunk, by its number."""
    return dict(in_chunks(people).annotate(all=AllOf(state)))


def _ids(chunk: int) -> range:
    """Of its people."""
    return range(chunk * PEOPLE_IN_CHUNK, (chunk + 1) * PEOPLE_IN_CHUNK)


def kept_whole(
    study: Study, subject: str, state: Callable[[], str], make: Callable[[], tuple[Any, int]]
) -> Any:
    """What `make` returns about all people of a study; it is stored, and made again once `state`
    returns another text. `make` also returns the number of things that it is about. It is stored,
    after the transaction, only if these are more than a chunk. Any withdrawal erases it. Call this
    inside `survey.tidy.reading()`.
    """
    subject = f"{WHOLE}{subject}"
    rows = ChunkCounts.objects.filter(study=study, subject=subject, chunk=0)
    stored = rows.values_list("people_hash", "counts").first()
    people_hash = _hash(study, state()) if stored else ""
    if stored and stored[0] == people_hash:
        return stored[1]
    made, size = make()
    if size > PEOPLE_IN_CHUNK:
        row = ChunkCounts(
            study=study,
            subject=subject,
            chunk=0,
            people_hash=people_hash or _hash(study, state()),
            counts=made,
        )
        transaction.on_commit(lambda: _store([row]), robust=True)
    return made


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


def erase_counts(participant: Participant) -> None:
    """Delete every count that the person is part of. Registered in `survey.withdrawal.erasers`."""
    of_chunk = Q(chunk=participant.pk // PEOPLE_IN_CHUNK)
    of_all = Q(subject__startswith=WHOLE)
    ChunkCounts.objects.filter(of_chunk | of_all, study=participant.study_id).delete()
