"""Judges and juries of a study, and what is known of endpoints."""

from decimal import Decimal

from django.db import models
from django.db.models import Q
from django.utils import timezone

from judge.configuration import JudgeConfiguration
from judge.definition import JudgingDefinition
from judge.models.asking import Asker, Endpoint
from survey.models import Study

#: Part of the name of a source that is not a language model, also of imported scores.
STAND_IN = "stand-in, no language model"


class Judging(models.Model):
    """The `judging` section of a study's file. Its row is locked while a request's cost is
    counted.
    """

    study = models.OneToOneField(Study, models.CASCADE, related_name="judging")
    definition = models.JSONField(help_text="See judge.definition.JudgingDefinition")
    updated_at = models.DateTimeField(default=timezone.now)
    #: Money spent on calls that were deleted when a draft's content was loaded again.
    past_requests = models.PositiveIntegerField(default=0)
    past_money = models.DecimalField(max_digits=20, decimal_places=10, default=Decimal(0))
    past_estimated = models.DecimalField(max_digits=20, decimal_places=10, default=Decimal(0))
    past_unpriced = models.PositiveIntegerField(default=0)

    def __str__(self) -> str:
        return f"judging of {self.study}"

    def read_definition(self) -> JudgingDefinition:
        """The section of the file as checked values."""
        return JudgingDefinition.model_validate(self.definition)


class StructuredOutput(models.Model):
    """Whether an endpoint enforces a JSON schema for a model: tested once."""

    class Support(models.TextChoices):
        ENFORCED = "enforced", "answers keep to a JSON schema"
        IGNORED = "ignored", "a JSON schema is accepted and not kept to"
        REFUSED = "refused", "a request with a JSON schema is refused"
        UNKNOWN = "unknown", "could not be found out"

    endpoint = models.ForeignKey(Endpoint, models.CASCADE, related_name="structured_outputs")
    model = models.CharField(max_length=200)
    support = models.CharField(max_length=10, choices=Support)
    detail = models.TextField(blank=True, help_text="What the endpoint answered")
    found_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["endpoint", "model"], name="structured_output_once")
        ]

    def __str__(self) -> str:
        return f"{self.model} at {self.endpoint}: {self.support}"


class EndpointTrait(models.Model):
    """What an endpoint does not accept of requests to a model: the first one showed it."""

    endpoint = models.ForeignKey(Endpoint, models.CASCADE, related_name="traits")
    model = models.CharField(max_length=200)
    trait = models.CharField(max_length=40, help_text="See judge.traits.Trait")
    said = models.TextField(help_text="The refusal of the endpoint")
    found_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["endpoint", "model", "trait"]
        constraints = [
            models.UniqueConstraint(fields=["endpoint", "model", "trait"], name="trait_once")
        ]

    def __str__(self) -> str:
        return f"{self.model} at {self.endpoint}: {self.trait}"


class Judge(Asker):
    """One version of a judge of a study; a changed configuration is a new row."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="judges")
    endpoint = models.ForeignKey(Endpoint, models.PROTECT, related_name="judges")
    name = models.CharField(max_length=100)
    version = models.PositiveIntegerField(default=1)
    configuration = models.JSONField(help_text="See judge.definition.JudgeConfiguration")
    configuration_hash = models.CharField(max_length=64)
    model = models.CharField(max_length=200, help_text="Model name sent to the endpoint")
    is_current = models.BooleanField(
        default=True, help_text="False: an earlier version that no longer scores"
    )
    is_stand_in = models.BooleanField(
        default=False, help_text="True: no language model made these scores"
    )
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["study", "name", "version"]
        constraints = [
            models.UniqueConstraint(fields=["study", "name", "version"], name="judge_version"),
            models.UniqueConstraint(
                fields=["study", "name", "configuration_hash"], name="judge_configuration"
            ),
            models.UniqueConstraint(
                fields=["study", "name"], condition=Q(is_current=True), name="judge_one_current"
            ),
        ]

    def __str__(self) -> str:
        name = f"{self.name}@{self.version}"
        return f"{name} ({STAND_IN})" if self.is_stand_in else name

    def read_configuration(self) -> JudgeConfiguration:
        """Its configuration as checked values."""
        return JudgeConfiguration.model_validate(self.configuration)


class Jury(models.Model):
    """One version of a jury of a study: several judges as one source of scores.

    Other judges, other versions of them, or another way to combine them are a new row, so that
    scores that are gold never change by themselves.
    """

    class Combine(models.TextChoices):
        MEAN = "mean"
        MEDIAN = "median"

    study = models.ForeignKey(Study, models.CASCADE, related_name="juries")
    name = models.CharField(max_length=100)
    version = models.PositiveIntegerField(default=1)
    judges = models.ManyToManyField(Judge, related_name="juries")
    combine = models.CharField(max_length=10, choices=Combine)
    is_current = models.BooleanField(
        default=True, help_text="False: an earlier version, or no longer in the study's file"
    )
    is_stand_in = models.BooleanField(default=False, help_text="True: one of its judges is")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["study", "name", "version"]
        constraints = [
            models.UniqueConstraint(fields=["study", "name", "version"], name="jury_version"),
            models.UniqueConstraint(
                fields=["study", "name"], condition=Q(is_current=True), name="jury_one_current"
            ),
        ]

    def __str__(self) -> str:
        name = f"jury {self.name}@{self.version}"
        return f"{name} ({STAND_IN})" if self.is_stand_in else name
