"""Corpora and samples of scenarios."""

from django.core.validators import RegexValidator
from django.db import models
from django.utils import timezone

from corpus.definition import GenerationDefinition
from corpus.options import NAME, NAMES

_name = RegexValidator(NAME, NAMES)


class Corpus(models.Model):
    """Dialogues from a file, and what the filters left of them."""

    name = models.CharField(max_length=60, unique=True, validators=[_name])
    source = models.JSONField(
        help_text="File, its SHA-256, how it was read, and how many dialogues it has"
    )
    filtered = models.JSONField(
        null=True, help_text="Filters, what each step found, and SHA-256 of the rest; empty before"
    )
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["name"]
        verbose_name_plural = "corpora"

    def __str__(self) -> str:
        return self.name

    @property
    def dialogues(self) -> int:
        """How many there are, after the filters if they were applied."""
        if self.filtered is None:
            return int(self.source["dialogues"])
        return int(self.filtered["dialogues"])


class Sample(models.Model):
    """Scenarios drawn from a corpus, and how their responses are generated.

    The scenarios never change: another draw is another sample. The row is locked while the cost of
    a request is counted.
    """

    name = models.CharField(max_length=60, unique=True, validators=[_name])
    corpus = models.ForeignKey(Corpus, models.PROTECT, related_name="samples")
    drawn = models.JSONField(
        help_text="How: first, random, seed; and from what: SHA-256 and number of dialogues"
    )
    generation = models.TextField(
        blank=True,
        help_text="JSON, as text: PostgreSQL's own has no order of keys, which is that of systems. "
        "See corpus.definition.GenerationDefinition; empty before the first",
    )
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name

    def read_generation(self) -> GenerationDefinition | None:
        """How its responses are generated, as checked values."""
        if not self.generation:
            return None
        return GenerationDefinition.model_validate_json(self.generation)


class SampledScenario(models.Model):
    """One scenario of a sample: what someone says, and how the corpus answers it."""

    sample = models.ForeignKey(Sample, models.CASCADE, related_name="scenarios")
    position = models.PositiveIntegerField()
    name = models.CharField(max_length=100)
    row = models.PositiveIntegerField(help_text="Its dialogue in the source of the corpus")
    prompt = models.TextField()
    context = models.TextField(blank=True)
    reference = models.TextField(blank=True, help_text="The response of the corpus")

    class Meta:
        ordering = ["sample", "position"]
        constraints = [
            models.UniqueConstraint(fields=["sample", "position"], name="sampled_position"),
            models.UniqueConstraint(fields=["sample", "name"], name="sampled_name"),
        ]

    def __str__(self) -> str:
        return f"{self.sample}: {self.name}"
