"""Calls of judges, the requests that were sent for them, alone or in batches, and their scores."""

from django.db import models
from django.db.models import Q
from django.utils import timezone

from judge.models.judging import Judge
from survey.models import Block, Response


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
