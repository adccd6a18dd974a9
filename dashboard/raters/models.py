"""What Prolific says about submissions, stored apart from answers."""

import zlib
from collections.abc import Sequence

from django.conf import settings
from django.db import models
from django.utils import timezone

from jobs.models import Job
from survey.models import Study
from survey.models.ids import new_secret


class SubmissionOnProlific(models.Model):
    """A submission as Prolific last described it, read by its API or from an uploaded list.

    It has the IDs by which a person is paid, so it is never exported. Its study is the version
    that its person came to, or the version that read it. When the key of a withdrawal is erased,
    so is everything here but a hash of the submission's ID: a later list does not bring it back,
    and what was paid stays paid.
    """

    study = models.ForeignKey(Study, models.CASCADE, related_name="prolific_submissions")
    slug = models.SlugField(max_length=80, db_index=False)  # indexes have it with an ID
    submission_id = models.CharField(max_length=100, help_text="SHA-256 of it once erased")
    prolific_id = models.CharField(max_length=200, help_text="Empty once erased")
    prolific_study_id = models.CharField(max_length=200, blank=True, help_text="Lists have none")
    status = models.CharField(max_length=40)
    code = models.CharField(max_length=200, blank=True, help_text="Empty if none was entered")
    has_code = models.BooleanField(default=True, help_text="Whether codes were read")
    started_at = models.DateTimeField(null=True)
    completed_at = models.DateTimeField(null=True)
    return_requested_at = models.DateTimeField(null=True)
    read_at = models.DateTimeField(default=timezone.now, help_text="When it was last read")
    erased_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name_plural = "submissions on Prolific"
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["slug", "submission_id"], name="submission_on_prolific_once"
            )
        ]
        indexes = [
            models.Index(fields=["slug", "prolific_id"], name="submission_of_a_person"),
            # Cases find the submissions of one person by it: by the study alone, SQLite would look
            # at all of them for each.
            models.Index(fields=["study", "prolific_id"], name="submission_in_study"),
            # Payments find and lock submissions by Prolific's ID alone.
            models.Index(fields=["submission_id"], name="submission_by_its_id"),
        ]

    def __str__(self) -> str:
        return f"submission {self.pk} on Prolific"


class SubmissionsRevision(models.Model):
    """Another text after each change of the submissions of a study, in all its versions, so that
    nobody has to look at them to find that they are as they were.
    """

    slug = models.SlugField(max_length=80, unique=True)
    revision = models.CharField(max_length=40, default=new_secret)

    def __str__(self) -> str:
        return f"revision of the submissions of {self.slug}"


class SubmissionUpload(Job):
    """Lists of submissions that are too long for a page: a worker takes them in. The lists are
    erased as soon as that has ended.
    """

    TASK = "dashboard.submissions"
    WORK = "dashboard.raters.uploads.take_in"
    NAME, WHAT = "submissions", "reading of the lists"
    ERASED = {"packed": b""}

    study = models.ForeignKey(Study, models.CASCADE, related_name="submission_uploads")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True)
    files = models.JSONField(help_text="Name and bytes of each list, as it was sent")
    packed = models.BinaryField(help_text="The lists one after the other, compressed")
    submissions = models.PositiveIntegerField(help_text="In the lists")
    says = models.JSONField(default=list, help_text="What the lists have changed, in sentences")

    class Meta(Job.Meta):
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"submission lists {self.pk} of {self.study}"

    @property
    def status(self) -> str:
        reading = "A worker is reading"
        if self.state == self.State.WAITING:
            reading = "Waiting for a worker to read"
        sent = f"{self.created_at:%Y-%m-%d %H:%M} UTC"
        return f"{reading} {self.submissions:,} submissions ({self.names}), sent {sent}."

    def pack(self, files: Sequence[tuple[str, bytes]]) -> None:
        """Keep files by their names."""
        self.files = [[name, len(data)] for name, data in files]
        self.packed = zlib.compress(b"".join(data for _, data in files))

    def unpacked(self) -> list[tuple[str, bytes]]:
        """The files by their names."""
        everything = zlib.decompress(self.packed)
        files, start = [], 0
        for name, size in self.files:
            files.append((name, everything[start : start + size]))
            start += size
        return files

    @property
    def names(self) -> str:
        """The files' names, in words."""
        return ", ".join(name for name, _ in self.files)
