"""Long lists of submissions: stored as they were sent, and taken in by a worker."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from dashboard.raters.models import SubmissionUpload
from dashboard.raters.submission_lists import SubmissionLists
from dashboard.raters.submissions import Applied, apply_submissions, in_words, read_lists
from dashboard.shared.log import record
from jobs.runner import Store, Taken
from survey.definition.options import SentFile
from survey.models import Study

#: Submissions that a page or the API takes in at once: about a second of its process.
AT_ONCE = 5_000


@transaction.atomic
def leave_to_worker(
    *,
    study: Study,
    files: Sequence[tuple[str, bytes]],
    submissions: int,
    author: User | None = None,
) -> SubmissionUpload:
    """Store lists that were read and are right; the caller wakes a worker for them. What is left
    of an earlier upload goes.
    """
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    earlier = SubmissionUpload.objects.filter(study=study)
    earlier.exclude(state__in=SubmissionUpload.UNDER_WAY).delete()
    upload = SubmissionUpload(study=study, author=author, submissions=submissions)
    upload.pack(files)
    upload.save()
    record(study, author, "submissions sent", submissions=submissions)
    return upload


def apply_lists(study: Study, lists: SubmissionLists, author: User | None) -> Applied:
    """Apply lists that were read, however long they are: what that changed."""
    return apply_submissions(
        study=study, submissions=lists.submissions, at=timezone.now(), author=author
    )


@dataclass(frozen=True)
class TakenLists:
    """Lists that were read: what they changed, or the upload that a worker takes in."""

    lists: SubmissionLists
    applied: Applied | None = None
    upload: SubmissionUpload | None = None


def take_lists(study: Study, files: Sequence[SentFile], author: User) -> TakenLists:
    """Take in lists of submissions at once, or leave long ones to a worker, whom the caller wakes:
    all of them, or nothing where a line is wrong. Raises DefinitionError.
    """
    named = [(file.name, file.content) for file in files]
    lists = read_lists(study, named)
    n = len(lists.submissions)
    if n > AT_ONCE:
        upload = leave_to_worker(study=study, files=named, submissions=n, author=author)
        return TakenLists(lists, upload=upload)
    return TakenLists(lists, apply_lists(study, lists, author))


def newest_upload(study: Study) -> SubmissionUpload | None:
    """The last long list, taken in or not."""
    return SubmissionUpload.objects.filter(study=study).order_by("-id").first()


def take_in(taken: Taken[SubmissionUpload]) -> Store:
    """Apply the lists."""
    upload = taken.job
    lists = read_lists(upload.study, upload.unpacked())
    applied = apply_lists(upload.study, lists, upload.author)
    return partial(taken.finish, says=[*lists.notices, *in_words(applied)])
