"""Long lists of submissions: stored as they were sent, and taken in by a worker."""

import logging
from collections.abc import Sequence

from django.contrib.auth.models import User
from django.db import OperationalError, transaction
from django.utils import timezone

from dashboard.raters.models import SubmissionUpload
from dashboard.raters.submission_lists import SubmissionLists
from dashboard.raters.submissions import apply_submissions, in_words, read_lists
from dashboard.shared.log import record
from dashboard.shared.stopping import stop_job
from jobs import leases
from jobs.heartbeat import kept
from jobs.leases import Lost, jobs_to_wake
from survey.files.problems import DefinitionError
from survey.models import Study

logger = logging.getLogger(__name__)

#: Submissions that a page or the API takes in at once: about a second of its process.
AT_ONCE = 5_000


def is_long(lists: SubmissionLists) -> bool:
    """Whether lists are left to a worker."""
    return len(lists.submissions) > AT_ONCE


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


def newest_upload(study: Study) -> SubmissionUpload | None:
    """The last long list, taken in or not."""
    return SubmissionUpload.objects.filter(study=study).order_by("-id").first()


def stop_upload(upload: SubmissionUpload, *, author: User) -> bool:
    """End one that waits or is under way; what is stored already stays. False where it has ended
    already.
    """
    is_stopped = stop_job(upload, upload.study, "submissions stopped", author=author)
    forget_files()
    return is_stopped


def take_in(upload_id: int) -> bool:
    """Apply lists that wait, or say why that failed. False if there were none to take."""
    upload = leases.claim(SubmissionUpload.objects.select_related("study", "author"), upload_id)
    if upload is None:
        return False
    try:
        with kept(upload):
            lists = read_lists(upload.study, upload.unpacked())
            applied = apply_submissions(
                study=upload.study,
                submissions=lists.submissions,
                at=timezone.now(),
                author=upload.author,
            )
        leases.finish(upload, says=[*lists.notices, *in_words(applied)])
    except OperationalError:
        raise  # the database went away or stayed locked: once the lease is over it is tried again
    except Lost:
        logger.info("%s is no longer this worker's", upload)
    except DefinitionError as error:
        leases.refuse(upload, "\n".join(error.lines))
    except Exception as error:  # whatever it was: the page has to say that it failed
        logger.exception("%s failed", upload)
        leases.fail(upload, error)
    forget_files()
    return True


def forget_files() -> None:
    """Erase the lists of uploads that have ended: they have IDs of people."""
    ended = SubmissionUpload.objects.exclude(state__in=SubmissionUpload.UNDER_WAY)
    ended.exclude(packed=b"").update(packed=b"")


def uploads_to_wake() -> list[int]:
    """Uploads that wait, or whose worker is lost."""
    return jobs_to_wake(SubmissionUpload.objects.all())
