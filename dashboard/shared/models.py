"""Who may do what in a study or with a corpus; what workers count ahead for large studies."""

from django.conf import settings
from django.db import models

from corpus.models import Corpus
from dashboard.shared.roles import Role
from survey.models import Study


class Membership(models.Model):
    """The role of an account in all versions of a study. Superusers own every study without one."""

    slug = models.SlugField(max_length=80, help_text="Of the study")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role)

    class Meta:
        ordering = ["slug", "id"]
        constraints = [models.UniqueConstraint(fields=["slug", "user"], name="membership_once")]

    def __str__(self) -> str:
        return f"{self.user}, {self.role} of {self.slug}"


class CorpusMembership(models.Model):
    """The role of an account in a corpus and its samples. Superusers own every corpus."""

    corpus = models.ForeignKey(Corpus, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="corpus_memberships"
    )
    role = models.CharField(max_length=10, choices=Role)

    class Meta:
        ordering = ["corpus", "id"]
        constraints = [
            models.UniqueConstraint(fields=["corpus", "user"], name="corpus_membership_once")
        ]

    def __str__(self) -> str:
        return f"{self.user}, {self.role} of corpus {self.corpus}"


class ChunkCounts(models.Model):
    """Counts of what the people of one chunk of a study were shown or answered.

    `people_hash` says of whom and in which state they were. While it is theirs, the counts are
    exact; otherwise they are counted again.
    """

    study = models.ForeignKey(Study, models.CASCADE, related_name="chunk_counts")
    subject = models.CharField(max_length=60, help_text="What is counted, and of which people")
    chunk = models.PositiveBigIntegerField(
        help_text="Of participants' ids, in steps of `PEOPLE_IN_CHUNK`"
    )
    people_hash = models.CharField(max_length=64, help_text="SHA-256 of the people counted")
    counts = models.JSONField()

    class Meta:
        verbose_name_plural = "chunk counts"
        ordering = ["study", "subject", "chunk"]
        constraints = [
            models.UniqueConstraint(fields=["study", "subject", "chunk"], name="chunk_counts_once")
        ]

    def __str__(self) -> str:
        return f"{self.subject}, chunk {self.chunk} of {self.study}"
