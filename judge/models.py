"""Scores of machine judges, and the decisions about the gold source.

The database is the queue: a `Call` is a row with a state and a lease, an `Attempt` is one request
that was (or may have been) sent. A call is identified by (response or block, dimension, judge,
replicate). An answered call is never made again, so nothing is knowingly paid twice.
"""

from decimal import Decimal
from functools import reduce
from operator import and_

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from judge.definition import JudgeConfiguration, JudgingDefinition
from survey.models import Block, Response, Study

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


class Endpoint(models.Model):
    """An endpoint's address. Its row is locked while requests in flight are counted."""

    base_url = models.CharField(max_length=500, unique=True)
    not_before = models.DateTimeField(
        null=True, help_text="The endpoint asked for no requests before then"
    )

    def __str__(self) -> str:
        return self.base_url


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


class Judge(models.Model):
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
    stopped = models.TextField(blank=True, help_text="Why its calls are stopped, or empty")
    not_before = models.DateTimeField(null=True, help_text="Backoff: no calls before then")
    failures_in_a_row = models.PositiveIntegerField(
        default=0, help_text="Failures since the last answer"
    )
    woken_at = models.DateTimeField(
        null=True, help_text="A worker was woken then and has not started yet"
    )

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


class Call(models.Model):
    """One replicate of one judge's question about a response, a block or two of its responses.

    The question is about one dimension, or about all of them together: `dimension` is then empty.

    A call about no response and no block is the judge's probe: it tests whether its endpoint
    enforces a JSON schema.
    """

    class State(models.TextChoices):
        WAITING = "waiting"
        RUNNING = "running"
        ANSWERED = "answered"
        FAILED = "failed"

    judge = models.ForeignKey(Judge, models.CASCADE, related_name="calls")
    response = models.ForeignKey(Response, models.CASCADE, null=True, related_name="judge_calls")
    block = models.ForeignKey(Block, models.CASCADE, null=True, related_name="judge_calls")
    pair = models.CharField(
        max_length=50, blank=True, help_text="Ids of the two responses of a pair, smaller first"
    )
    dimension = models.CharField(max_length=100, blank=True)
    replicate = models.PositiveIntegerField()
    order = models.JSONField(
        null=True,
        help_text="Ids of a block's or pair's responses in the order shown",
    )
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    not_before = models.DateTimeField(null=True, help_text="Backoff: not asked again before then")
    lease_token = models.CharField(
        max_length=40, blank=True, help_text="Request id of the attempt that may answer it"
    )
    lease_until = models.DateTimeField(null=True, help_text="Empty: it is in a batch")
    answered_at = models.DateTimeField(null=True)
    error = models.TextField(blank=True, help_text="Why it failed, in words")
    forgiven = models.PositiveIntegerField(
        default=0, help_text="Attempts before a researcher asked to try again; they no longer count"
    )

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["judge", "state"], name="call_queue")]
        constraints = [
            models.UniqueConstraint(
                fields=["judge", "response", "dimension", "replicate"],
                condition=Q(response__isnull=False),
                name="call_once_a_response",
            ),
            models.UniqueConstraint(
                fields=["judge", "block", "pair", "dimension", "replicate"],
                condition=Q(block__isnull=False),
                name="call_once_a_block",
            ),
            models.UniqueConstraint(
                fields=["judge"],
                condition=Q(response__isnull=True, block__isnull=True),
                name="call_one_probe",
            ),
            models.CheckConstraint(
                condition=Q(response__isnull=True) | Q(block__isnull=True),
                name="call_about_a_response_or_a_block",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.judge}: {self.response or self.block or 'probe'} #{self.replicate}"

    @property
    def is_probe(self) -> bool:
        return self.response_id is None and self.block_id is None


class Score(models.Model):
    """A response's score from an answered call."""

    call = models.ForeignKey(Call, models.CASCADE, related_name="scores")
    response = models.ForeignKey(Response, models.CASCADE, related_name="judge_scores")
    dimension = models.CharField(
        max_length=100, blank=True, help_text="Empty: its call is about one dimension, which it has"
    )
    value = models.IntegerField()
    reason = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["call", "response", "dimension"], name="score_once")
        ]

    def __str__(self) -> str:
        return f"{self.call}: {self.value}"


class Batch(models.Model):
    """Requests of one judge that are sent together, in a file.

    Each step is committed before the next one begins: the calls and their attempts, the file's id,
    the batch's id. One worker at a time works on a batch, under a lease; a call in a batch belongs
    to its attempt until the batch has ended, and has no lease of its own.
    """

    class State(models.TextChoices):
        FILLING = "filling", "calls are being added; nothing has been sent"
        SENDING = "sending", "being sent: the endpoint may have it"
        RUNNING = "running", "the endpoint has it"
        ENDED = "ended", "its answers are recorded"

    judge = models.ForeignKey(Judge, models.CASCADE, related_name="batches")
    state = models.CharField(max_length=10, choices=State, default=State.FILLING)
    key = models.CharField(max_length=40, unique=True, help_text="Sent to the endpoint with it")
    input_file = models.CharField(max_length=200, blank=True, help_text="The endpoint's id of it")
    remote_id = models.CharField(max_length=200, blank=True, help_text="The endpoint's id of it")
    said = models.CharField(
        max_length=200, blank=True, help_text="How far it is, as the endpoint says"
    )
    created_at = models.DateTimeField(default=timezone.now)
    sent_at = models.DateTimeField(null=True, help_text="When the endpoint had it")
    ended_at = models.DateTimeField(null=True)
    not_before = models.DateTimeField(null=True, help_text="The endpoint is not asked before then")
    failures_in_a_row = models.PositiveIntegerField(default=0)
    error = models.TextField(blank=True, help_text="Its last problem, in words")
    lease_token = models.CharField(max_length=40, blank=True, help_text="Of the worker that has it")
    lease_until = models.DateTimeField(null=True)

    class Meta:
        ordering = ["id"]
        verbose_name_plural = "batches"

    def __str__(self) -> str:
        return f"batch {self.remote_id or self.key} of {self.judge}"


class Attempt(models.Model):
    """One request. It is committed before it is sent, so a killed worker leaves a trace."""

    class Outcome(models.TextChoices):
        IN_FLIGHT = "in_flight", "in flight"
        ANSWERED = "answered", "answered"
        UNUSABLE = "unusable", "answered, but with no usable score"
        GARBLED = "garbled", "answered with something that is no completion"
        HTTP_ERROR = "http_error", "refused or failed with an HTTP status"
        TIMEOUT = "timeout", "no answer in time: possibly answered and paid"
        NOT_CONNECTED = "not_connected", "the request was not sent"
        BROKEN_OFF = "broken_off", "the connection broke: possibly answered and paid"
        UNKNOWN = "unknown", "worker or batch lost: possibly answered and paid"
        NOT_PROCESSED = "not_processed", "its batch ended without it: not billed"

    #: Sent, and possibly answered and billed.
    POSSIBLY_PAID = (Outcome.TIMEOUT, Outcome.BROKEN_OFF, Outcome.UNKNOWN, Outcome.GARBLED)

    call = models.ForeignKey(Call, models.CASCADE, related_name="attempts")
    batch = models.ForeignKey(Batch, models.RESTRICT, null=True, related_name="attempts")
    number = models.PositiveIntegerField()
    request_id = models.CharField(max_length=40, unique=True, help_text="Sent to the endpoint")
    is_repair = models.BooleanField(
        default=False, help_text="Repeats a request whose answer was unusable"
    )
    request = models.JSONField(help_text="The request exactly as sent")
    prompt_hash = models.CharField(max_length=64, help_text="SHA-256 of its messages")
    outcome = models.CharField(max_length=16, choices=Outcome, default=Outcome.IN_FLIGHT)
    started_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True)
    http_status = models.PositiveIntegerField(null=True)
    raw_text = models.TextField(blank=True, help_text="What the judge wrote, or the error's body")
    error = models.TextField(blank=True, help_text="What went wrong, in words")
    returned_model = models.CharField(max_length=200, blank=True)
    cost = models.DecimalField(
        max_digits=16, decimal_places=10, null=True, help_text="US dollars; empty if not known"
    )
    cost_is_estimate = models.BooleanField(
        default=False,
        help_text="Estimated from its length or earlier calls; the endpoint gave no cost",
    )
    provenance = models.JSONField(
        default=dict, help_text="Response id, provider, fingerprint, usage, latency, versions"
    )

    class Meta:
        ordering = ["call", "number"]
        constraints = [models.UniqueConstraint(fields=["call", "number"], name="attempt_number")]

    def __str__(self) -> str:
        return f"{self.call}, attempt {self.number}: {self.outcome}"


class GoldSet(models.Model):
    """Gold scores imported from a file: another judge's, or people's."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="gold_sets")
    name = models.CharField(max_length=100)
    made_by = models.CharField(
        max_length=200, blank=True, help_text="Who made them, if the file says so"
    )
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["study", "name"]
        constraints = [
            models.UniqueConstraint(fields=["study", "name"], name="gold_set_name"),
        ]

    def __str__(self) -> str:
        return f"{self.name} (imported{f', made by {self.made_by}' if self.made_by else ''})"


class GoldScore(models.Model):
    """One score of a gold set."""

    gold_set = models.ForeignKey(GoldSet, models.CASCADE, related_name="scores")
    response = models.ForeignKey(Response, models.CASCADE, related_name="imported_gold")
    dimension = models.CharField(max_length=100)
    value = models.FloatField()
    calls = models.JSONField(default=list, help_text="The single scores it averages, if given")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["gold_set", "response", "dimension"], name="gold_score_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.response}: {self.value}"


def _one_source() -> Q:
    """That a decision is for exactly one of the kinds of sources."""
    given = {
        "judge": Q(judge__isnull=False),
        "gold_set": Q(gold_set__isnull=False),
        "jury": Q(jury__isnull=False),
        "panel": ~Q(panel=""),
    }
    alone = Q()
    for name, is_given in given.items():
        others = [~other for kind, other in given.items() if kind != name]
        alone |= is_given & reduce(and_, others)
    return alone


class GoldDecision(models.Model):
    """A decision for a gold source: a judge, a gold set, a panel or a jury.

    Never edited: the newest one applies.
    """

    study = models.ForeignKey(Study, models.CASCADE, related_name="gold_decisions")
    judge = models.ForeignKey(Judge, models.RESTRICT, null=True)
    gold_set = models.ForeignKey(GoldSet, models.RESTRICT, null=True)
    jury = models.ForeignKey(Jury, models.RESTRICT, null=True)
    panel = models.CharField(max_length=100, blank=True)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True)
    why = models.CharField(max_length=200, help_text="Its cause, in words")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["id"]
        constraints = [models.CheckConstraint(condition=_one_source(), name="gold_decision_of_one")]

    def __str__(self) -> str:
        return f"{self.study}: {self.judge or self.gold_set or self.jury or f'panel {self.panel}'}"
