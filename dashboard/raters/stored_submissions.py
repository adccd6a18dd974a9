"""Submissions are stored as they are read, so that people can be paid; erased with their key.

Nothing else changes them: what is made of all submissions of a study is kept while their revision
is the same.
"""

import hashlib
from collections.abc import Iterable, Sequence
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from dashboard.raters.models import SubmissionOnProlific, SubmissionsRevision
from dashboard.raters.submission_lists import ListedSubmission
from survey.models import Identity, Study, Withdrawal

READ = (
    *("prolific_id", "prolific_study_id", "status", "code", "has_code"),
    *("started_at", "completed_at", "return_requested_at", "read_at"),
)


@transaction.atomic
def store_submissions(
    study: Study, submissions: Iterable[ListedSubmission], *, at: datetime
) -> None:
    """Store what lists say; what a list does not say (codes, times) stays as it was."""
    listed = list(submissions)
    if not listed:
        return
    _revise({study.slug})
    hashes = {one.id: id_hash(one.id) for one in listed}
    ids = [*hashes, *hashes.values()]
    known = SubmissionOnProlific.objects.filter(slug=study.slug, submission_id__in=ids)
    # SQLite reads the whole table where these are asked for in an order.
    keys = list(known.order_by().values_list("pk", flat=True))
    # Locked in the same order as by payments, which lock what they ask bonuses for.
    stored = SubmissionOnProlific.objects.filter(pk__in=keys)
    stored = stored.select_for_update(no_key=True).order_by("pk")
    rows = {row.submission_id: row for row in stored}
    versions = _versions(study.slug, {one.participant for one in listed})
    taken = []
    for one in listed:
        if hashes[one.id] in rows:  # it was erased
            continue
        row = rows.get(one.id)
        if row is None:
            row = SubmissionOnProlific(slug=study.slug, submission_id=one.id)
        row.study_id = versions.get(one.participant, row.study_id or study.pk)
        _take(row, one, at)
        row.pk = None  # the row is found by its slug and submission, or made
        taken.append(row)
    # bulk_update takes a millisecond of computing a row, this a twentieth.
    SubmissionOnProlific.objects.bulk_create(
        taken,
        batch_size=500,
        update_conflicts=True,
        unique_fields=["slug", "submission_id"],
        update_fields=["study", *READ],
    )


def erase_submissions(withdrawals: Sequence[Withdrawal]) -> None:
    """Erase the submissions of people whose payment keys are about to be erased, but for the hash
    that tells a later list not to bring them back.
    """
    of_prolific = [each for each in withdrawals if each.kind == Identity.Kind.PROLIFIC and each.key]
    _revise({each.slug for each in of_prolific})
    for withdrawal in of_prolific:
        of_slug = SubmissionOnProlific.objects.filter(slug=withdrawal.slug)
        came_with = withdrawal.prolific_session_id
        theirs = list(of_slug.filter(prolific_id=withdrawal.key))
        if came_with and came_with not in {row.submission_id for row in theirs}:
            theirs.append(
                SubmissionOnProlific(
                    study_id=withdrawal.study_id, slug=withdrawal.slug, submission_id=came_with
                )
            )
        for row in theirs:
            row.submission_id = id_hash(row.submission_id)
            row.prolific_id = row.prolific_study_id = row.code = ""
            row.started_at = row.completed_at = row.return_requested_at = None
            row.erased_at = timezone.now()
            row.save()


def revision_of(study: Study) -> str:
    """Another text whenever submissions of the study may be others."""
    rows = SubmissionsRevision.objects.filter(slug=study.slug)
    return rows.values_list("revision", flat=True).first() or ""


def _revise(slugs: set[str]) -> None:
    """Before any row is locked, so that two who store submissions wait for each other here."""
    SubmissionsRevision.objects.bulk_create(
        [SubmissionsRevision(slug=slug) for slug in sorted(slugs)],
        update_conflicts=True,
        unique_fields=["slug"],
        update_fields=["revision"],
    )


def id_hash(submission: str) -> str:
    """What is left of an erased submission's ID. The IDs are random, so it can't be guessed."""
    return hashlib.sha256(submission.encode()).hexdigest()


def _versions(slug: str, people: set[str]) -> dict[str, int]:
    """The version that each of these people came to, by Prolific ID."""
    of_prolific = {"slug": slug, "kind": Identity.Kind.PROLIFIC, "key__in": people - {""}}
    withdrew = Withdrawal.objects.filter(**of_prolific).values_list("key", "study_id")
    known = Identity.objects.filter(**of_prolific).values_list("key", "participant__study_id")
    return dict(withdrew) | dict(known)


def _take(row: SubmissionOnProlific, one: ListedSubmission, at: datetime) -> None:
    row.prolific_id, row.status, row.read_at = one.participant, one.status, at
    row.prolific_study_id = one.prolific_study or row.prolific_study_id
    row.started_at = one.started_at or row.started_at
    row.completed_at = one.completed_at or row.completed_at
    row.return_requested_at = one.return_requested_at or row.return_requested_at
    if one.has_code:
        row.code = one.code
    row.has_code = one.has_code or (row.has_code and row.pk is not None)
