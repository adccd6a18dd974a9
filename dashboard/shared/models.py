"""What workers count ahead for pages of large studies."""

from django.db import models

from survey.models import Study


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
