"""Calls of judges, the requests that were sent for them, alone or in batches, and their scores."""

from django.db import models
from django.db.models import Q
from django.utils import timezone

from judge.models.asking import QueuedCall, SentAttempt
from judge.models.judging import Judge
from survey.models import Block, Response


class Call(QueuedCall):
    """One replicate of one judge's question about a response, a block or two of its responses.

    The question is about one dimension, or about all of them together: `dimension` is then empty.

    A call about no response and no block is the judge's probe: it tests whether its endpoint
    enforces a JSON schema.
    """

    ASKER = "judge"

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


class Attempt(SentAttempt):
    """One request for a call of a judge, alone or in a batch."""

    call = models.ForeignKey(Call, models.CASCADE, related_name="attempts")
    batch = models.ForeignKey(Batch, models.RESTRICT, null=True, related_name="attempts")
    is_repair = models.BooleanField(
        default=False, help_text="Repeats a request whose answer was unusable"
    )

    class Meta:
        ordering = ["call", "number"]
        constraints = [models.UniqueConstraint(fields=["call", "number"], name="attempt_number")]

    def __str__(self) -> str:
        return f"{self.call}, attempt {self.number}: {self.outcome}"
