"""What calls of judges share with other questions to endpoints.

Someone asks (`Asker`), a question waits in the queue (`QueuedCall`), and each request for it is
committed before it is sent (`SentAttempt`). Apps above have tables of these kinds, too.
"""

from typing import Any, ClassVar

from django.apps import apps
from django.db import models
from django.utils import timezone


class Endpoint(models.Model):
    """An endpoint's address. Its row is locked while requests in flight are counted."""

    base_url = models.CharField(max_length=500, unique=True)
    not_before = models.DateTimeField(
        null=True, help_text="The endpoint asked for no requests before then"
    )

    def __str__(self) -> str:
        return self.base_url


class Asker(models.Model):
    """Someone whose calls are asked at one endpoint: `endpoint` and `calls` are theirs."""

    #: The calls, as the key of a `QueuedCall` names them.
    calls: Any

    stopped = models.TextField(blank=True, help_text="Why its calls are stopped, or empty")
    not_before = models.DateTimeField(null=True, help_text="Backoff: no calls before then")
    failures_in_a_row = models.PositiveIntegerField(
        default=0, help_text="Failures since the last answer"
    )
    woken_at = models.DateTimeField(
        null=True, help_text="A worker was woken then and has not started yet"
    )

    class Meta:
        abstract = True


class QueuedCall(models.Model):
    """A question with a state and a lease. `attempts` are the requests for it."""

    #: The name of the foreign key to its asker.
    ASKER: ClassVar[str]

    class State(models.TextChoices):
        WAITING = "waiting"
        RUNNING = "running"
        ANSWERED = "answered"
        FAILED = "failed"

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
        abstract = True

    @staticmethod
    def kinds() -> "list[type[Any]]":
        """All tables of such calls, of every app."""
        return [model for model in apps.get_models() if issubclass(model, QueuedCall)]


class SentAttempt(models.Model):
    """One request. It is committed before it is sent, so a killed worker leaves a trace."""

    class Outcome(models.TextChoices):
        IN_FLIGHT = "in_flight", "in flight"
        ANSWERED = "answered", "answered"
        UNUSABLE = "unusable", "answered, but with no usable score"
        CUT_OFF = "cut_off", "cut off at the limit on its length"
        REFUSED = "refused", "the model refused, as its endpoint says"
        FILTERED = "filtered", "kept back by a filter of the endpoint"
        GARBLED = "garbled", "answered with something that is no completion"
        HTTP_ERROR = "http_error", "refused or failed with an HTTP status"
        TIMEOUT = "timeout", "no answer in time: possibly answered and paid"
        NOT_CONNECTED = "not_connected", "the request was not sent"
        BROKEN_OFF = "broken_off", "the connection broke: possibly answered and paid"
        UNKNOWN = "unknown", "worker or batch lost: possibly answered and paid"
        NOT_PROCESSED = "not_processed", "its batch ended without it: not billed"

    #: A completion came back.
    CAME_BACK = (
        *(Outcome.ANSWERED, Outcome.UNUSABLE),
        *(Outcome.CUT_OFF, Outcome.REFUSED, Outcome.FILTERED),
    )
    #: Sent, and possibly answered and billed.
    POSSIBLY_PAID = (Outcome.TIMEOUT, Outcome.BROKEN_OFF, Outcome.UNKNOWN, Outcome.GARBLED)

    number = models.PositiveIntegerField()
    request_id = models.CharField(max_length=40, unique=True, help_text="Sent to the endpoint")
    request = models.JSONField(help_text="The request exactly as sent")
    prompt_hash = models.CharField(max_length=64, help_text="SHA-256 of its messages")
    outcome = models.CharField(max_length=16, choices=Outcome, default=Outcome.IN_FLIGHT)
    started_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True)
    http_status = models.PositiveIntegerField(null=True)
    raw_text = models.TextField(blank=True, help_text="What the judge wrote, or the error's body")
    thinking = models.TextField(
        blank=True, help_text="The model's thinking, which is no part of its answer"
    )
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
        abstract = True
