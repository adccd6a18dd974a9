"""Decisions about submissions on Prolific: who decided what and why, and whether it was done.

Payment is apart from exclusion: nothing here changes an analysis, and no exclusion changes a row
here.
"""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from dashboard.raters.models import SubmissionOnProlific
from survey.models import Study


class PaymentOrder(models.Model):
    """What a researcher confirmed at once. A worker carries it out, or the researcher by hand."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="payment_orders")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True)
    confirmed_at = models.DateTimeField(default=timezone.now)
    by_hand = models.BooleanField(default=False, help_text="Carried out on Prolific by hand")
    address = models.CharField(
        max_length=200, help_text="Of the API that it was confirmed for; it is sent to no other"
    )
    currency = models.CharField(max_length=10, blank=True)
    lease_until = models.DateTimeField(
        null=True, help_text="Until then a worker has it, or it rests after a failure"
    )
    finished_at = models.DateTimeField(null=True, help_text="When workers were done with it")
    problem = models.TextField(blank=True, help_text="Why it goes no further at the moment")

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"payment order {self.pk} of {self.study}"


class BonusRequest(models.Model):
    """Bonuses that Prolific was given together. Set up, they cost nothing; paid, they do, each
    time that Prolific is asked: `asked_at` is stored once, before it is asked.
    """

    order = models.ForeignKey(PaymentOrder, models.CASCADE, related_name="bonus_requests")
    prolific_bonus_id = models.CharField(max_length=100)
    total_cents = models.PositiveIntegerField(help_text="With fees and taxes, as Prolific says")
    asked_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"bonus request {self.pk} of {self.order}"


class SubmissionDecision(models.Model):
    """What is done about a submission, and what has become of it.

    `asked` is stored before Prolific is asked, and left for `done` or `refused` when it has
    answered. A decision that stays `asked` may have been carried out or not. Nobody gets money
    twice for the same purpose: the database has one decision of a purpose that is not refused.
    Approving and rejecting have the same purpose.
    """

    class Kind(models.TextChoices):
        APPROVE = "approve", "Approve"
        BONUS = "bonus", "Bonus"
        RETURN = "return", "Ask for a return"
        MESSAGE = "message", "Ask in a message"
        REJECT = "reject", "Reject"

    class State(models.TextChoices):
        WAITING = "waiting", "waiting"
        ASKED = "asked", "not known"
        DONE = "done", "done"
        REFUSED = "refused", "refused"

    order = models.ForeignKey(PaymentOrder, models.CASCADE, related_name="decisions")
    submission = models.ForeignKey(SubmissionOnProlific, models.RESTRICT, related_name="decisions")
    kind = models.CharField(max_length=10, choices=Kind)
    purpose = models.CharField(max_length=200, help_text="One decision of a purpose is in force")
    reason = models.TextField(help_text="Why; for researchers")
    text = models.TextField(blank=True, help_text="What the participant is told")
    category = models.CharField(max_length=30, blank=True, help_text="Of a rejection")
    cents = models.PositiveIntegerField(null=True, help_text="Of a bonus")
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    asked_at = models.DateTimeField(null=True)
    accepted_at = models.DateTimeField(
        null=True, help_text="When Prolific said that it will do it, which takes minutes there"
    )
    attempts = models.PositiveSmallIntegerField(default=0)
    done_at = models.DateTimeField(null=True)
    answer = models.TextField(blank=True, help_text="What Prolific or a researcher said to it")
    bonus_request = models.ForeignKey(
        BonusRequest, models.SET_NULL, null=True, related_name="decisions"
    )
    paid_outside = models.SmallIntegerField(
        null=True,
        help_text="Bonuses of this amount on Prolific that no decision here accounts for, counted "
        "when this one was asked for; below 0 if one that is done was not listed",
    )

    class Meta:
        ordering = ["id"]
        indexes = [
            # Covers the counts of an order's decisions by state, which then read no rows.
            models.Index(fields=["order", "state", "kind", "cents"], name="decisions_of_an_order"),
            # Lists the submissions that need no decision of a purpose any more.
            models.Index(
                fields=["purpose", "submission"],
                condition=~Q(state="refused"),
                name="decisions_by_purpose",
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["submission", "purpose"],
                condition=~Q(state="refused"),
                name="decision_once_a_purpose",
            ),
            models.CheckConstraint(
                condition=Q(kind="bonus", cents__gt=0) | ~Q(kind="bonus") & Q(cents=None),
                name="decision_bonus_has_amount",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.submission}"
