"""What machine judges say about responses.

The database is the queue: a `Call` is a row with a state and a lease, an `Attempt` is one
request that was (or may have been) sent. Money is not spent twice knowingly: a call is
identified by (response, dimension, judge, replicate) and, once answered, never asked again.
"""

from django.db import models
from django.db.models import Q
from django.utils import timezone

from judge.definition import JudgeConfiguration
from survey.models import Response, Study

#: Stands in the name of whatever made scores up, also where its scores were imported.
STAND_IN = "stand-in, no language model"


class Judge(models.Model):
    """One judge configuration of a study; a changed configuration is a new row."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="judges")
    name = models.CharField(max_length=100)
    version = models.PositiveIntegerField(default=1)
    configuration = models.JSONField(help_text="See judge.definition.JudgeConfiguration")
    configuration_hash = models.CharField(max_length=64)
    is_gold = models.BooleanField(default=False, help_text="Its scores are the gold scores")
    is_stand_in = models.BooleanField(default=False, help_text="Not a language model")
    created_at = models.DateTimeField(default=timezone.now)
    stopped = models.TextField(blank=True, help_text="Why nobody works on its calls, for people")
    not_before = models.DateTimeField(null=True, help_text="The endpoint is left alone until then")
    failures_in_a_row = models.PositiveIntegerField(default=0, help_text="Since the last answer")

    class Meta:
        ordering = ["study", "name", "version"]
        constraints = [
            models.UniqueConstraint(fields=["study", "name", "version"], name="judge_version"),
            models.UniqueConstraint(
                fields=["study", "name", "configuration_hash"], name="judge_configuration"
            ),
            models.UniqueConstraint(
                fields=["study"], condition=Q(is_gold=True), name="judge_one_gold"
            ),
        ]

    def __str__(self) -> str:
        name = f"{self.name}@{self.version}"
        return f"{name} ({STAND_IN})" if self.is_stand_in else name

    def read_configuration(self) -> JudgeConfiguration:
        """Its configuration as checked values."""
        return JudgeConfiguration.model_validate(self.configuration)


class Call(models.Model):
    """One replicate of one judge's score of one response on one dimension."""

    class State(models.TextChoices):
        WAITING = "waiting"
        RUNNING = "running"
        ANSWERED = "answered"
        FAILED = "failed"

    judge = models.ForeignKey(Judge, models.CASCADE, related_name="calls")
    response = models.ForeignKey(Response, models.CASCADE, related_name="judge_calls")
    dimension = models.CharField(max_length=100)
    replicate = models.PositiveIntegerField()
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    not_before = models.DateTimeField(null=True, help_text="Backoff: not asked again earlier")
    lease_token = models.CharField(
        max_length=40, blank=True, help_text="Request id of the attempt that may answer it"
    )
    lease_until = models.DateTimeField(null=True)
    score = models.IntegerField(null=True)
    answered_at = models.DateTimeField(null=True)
    error = models.TextField(blank=True, help_text="Why it failed, for people")
    forgiven = models.PositiveIntegerField(
        default=0, help_text="Attempts that no longer count, since somebody asked to try again"
    )

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["judge", "state"], name="call_queue")]
        constraints = [
            models.UniqueConstraint(
                fields=["judge", "response", "dimension", "replicate"], name="call_once"
            ),
            models.CheckConstraint(
                condition=Q(state="answered", score__isnull=False)
                | (~Q(state="answered") & Q(score__isnull=True)),
                name="call_score_only_when_answered",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.judge}: {self.response} #{self.replicate}"


class Attempt(models.Model):
    """One request. It is committed before it is sent, so a killed worker leaves a trace."""

    class Outcome(models.TextChoices):
        IN_FLIGHT = "in_flight"
        ANSWERED = "answered"
        UNUSABLE = "unusable", "answered, but with no usable score"
        GARBLED = "garbled", "answered with something that is no completion"
        HTTP_ERROR = "http_error", "refused or failed with an HTTP status"
        TIMEOUT = "timeout", "no answer in time: possibly answered and paid"
        CONNECTION_ERROR = "connection_error"
        UNKNOWN = "unknown", "worker lost: possibly answered and paid"

    #: Sent, and nobody here knows whether it was answered and charged for.
    POSSIBLY_PAID = (Outcome.TIMEOUT, Outcome.UNKNOWN)

    call = models.ForeignKey(Call, models.CASCADE, related_name="attempts")
    number = models.PositiveIntegerField()
    request_id = models.CharField(max_length=40, unique=True, help_text="Sent to the endpoint")
    outcome = models.CharField(max_length=16, choices=Outcome, default=Outcome.IN_FLIGHT)
    started_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True)
    http_status = models.PositiveIntegerField(null=True)
    raw_text = models.TextField(blank=True, help_text="What the judge wrote, or the error's body")
    error = models.TextField(blank=True, help_text="What went wrong, for people")
    returned_model = models.CharField(max_length=200, blank=True)
    provenance = models.JSONField(
        default=dict, help_text="Response id, fingerprint, usage, cost, latency"
    )

    class Meta:
        ordering = ["call", "number"]
        constraints = [models.UniqueConstraint(fields=["call", "number"], name="attempt_number")]

    def __str__(self) -> str:
        return f"{self.call}, attempt {self.number}: {self.outcome}"


class GoldScore(models.Model):
    """A gold score brought in from a file, when no judge of ours made it."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="imported_gold")
    response = models.ForeignKey(Response, models.CASCADE, related_name="imported_gold")
    dimension = models.CharField(max_length=100)
    value = models.FloatField()
    calls = models.JSONField(default=list, help_text="The single scores it averages, if given")
    gold_by = models.CharField(
        max_length=200, blank=True, help_text="Who made it, as the file says; empty if it does not"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["response", "dimension"], name="gold_score_once")
        ]

    def __str__(self) -> str:
        return f"{self.response}: {self.value}"
