"""Texts that models write for the scenarios of a sample, with the queue of a judge's calls."""

from django.db import models
from django.utils import timezone

from corpus.definition import GeneratorConfiguration
from corpus.models.corpora import Sample, SampledScenario
from judge.completions import Ended
from judge.models import Asker, Endpoint, QueuedCall, SentAttempt


class Generator(Asker):
    """A model at an endpoint with its parameters, which answers scenarios of a sample."""

    sample = models.ForeignKey(Sample, models.CASCADE, related_name="generators")
    endpoint = models.ForeignKey(Endpoint, models.PROTECT, related_name="generators")
    configuration = models.JSONField(help_text="See corpus.definition.GeneratorConfiguration")
    configuration_hash = models.CharField(max_length=64)
    model = models.CharField(max_length=200, help_text="Model name sent to the endpoint")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["sample", "configuration_hash"], name="generator_configuration"
            )
        ]

    def __str__(self) -> str:
        return f"{self.model} at {self.endpoint}"

    def read_configuration(self) -> GeneratorConfiguration:
        """Its configuration as checked values."""
        return GeneratorConfiguration.model_validate(self.configuration)


class Generation(QueuedCall):
    """One text: an answer to a scenario, under a condition, by one configuration of a model."""

    ASKER = "generator"

    generator = models.ForeignKey(Generator, models.CASCADE, related_name="calls")
    scenario = models.ForeignKey(SampledScenario, models.CASCADE, related_name="generations")
    condition = models.CharField(max_length=100)
    prompt_hash = models.CharField(max_length=64, help_text="SHA-256 of the messages")
    replicate = models.PositiveIntegerField()
    is_wanted = models.BooleanField(
        default=True, help_text="False: the generation file no longer asks for it"
    )
    text = models.TextField(blank=True)
    ended = models.CharField(
        max_length=10, blank=True, help_text="See judge.completions.Ended; empty: nothing came back"
    )
    notices = models.JSONField(
        default=list, help_text="What was odd about it: see judge.completions.Oddity"
    )

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["generator", "state"], name="generation_queue")]
        constraints = [
            models.UniqueConstraint(
                fields=["generator", "scenario", "condition", "prompt_hash", "replicate"],
                name="generation_once",
            )
        ]

    def __str__(self) -> str:
        return f"{self.scenario} by {self.generator}, {self.condition} #{self.replicate}"

    @property
    def is_cut_off(self) -> bool:
        """Whether the endpoint truncated it."""
        return self.ended == Ended.CUT_OFF


class GenerationAttempt(SentAttempt):
    """One request for a text."""

    call = models.ForeignKey(Generation, models.CASCADE, related_name="attempts")
    raw_text = models.TextField(blank=True, help_text="What the model wrote, or the error's body")

    class Meta:
        ordering = ["call", "number"]
        constraints = [
            models.UniqueConstraint(fields=["call", "number"], name="generation_attempt_number")
        ]

    def __str__(self) -> str:
        return f"{self.call}, attempt {self.number}: {self.outcome}"
