"""Counts of arrivals in short intervals. They tell nothing about any person."""

from datetime import datetime, timedelta

from django.db import models

from survey.models.study import Study

#: Arrivals are counted in intervals of this length.
INTERVAL = timedelta(minutes=10)


def interval_of(at: datetime) -> datetime:
    """The start of the interval that `at` is in."""
    return at - (at - datetime.fromtimestamp(0, tz=at.tzinfo)) % INTERVAL


class Refusal(models.TextChoices):
    """Why somebody who opened a study's link did not get into the survey."""

    NO_ID = "no_id", "The link had no participant ID"
    WRONG_ID = "wrong_id", "An ID in the link was not one of Prolific’s"
    UNSIGNED = "unsigned", "The link lacked Prolific’s signature"
    OTHER_LINK = "other_link", "The signature was for another link"
    EXPIRED = "expired", "The signed link was too old"
    UNCHECKED = "unchecked", "Prolific’s signature could not be checked"
    NOT_INVITED = "not_invited", "The link was not a personal one"
    INVITATION = "invitation", "The invitation in the link was unknown"
    PERSONAL_LINK = "personal_link", "The personal link was unknown"
    PREVIEW = "preview", "The link was for a preview by editors"
    DRAFT = "draft", "The study was a draft"
    REHEARSAL = "rehearsal", "The study was a rehearsal"
    PAUSED = "paused", "The study was paused"
    CLOSED = "closed", "The study was closed"
    FULL = "full", "The study was full"
    TOO_MANY = "too_many", "Too many new participants came from one address"
    TOOK_PART = "took_part", "They had taken part before"
    WITHDRAWN = "withdrawn", "They had withdrawn"


class RefusedArrivals(models.Model):
    """How many arrivals were refused for one reason in one interval."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="refused_arrivals")
    reason = models.CharField(max_length=20, choices=Refusal)
    start = models.DateTimeField()
    n = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["study", "start"]
        constraints = [
            models.UniqueConstraint(fields=["study", "reason", "start"], name="refused_once")
        ]

    def __str__(self) -> str:
        return f"{self.study}: {self.n} refused, {self.reason}"


class AddressArrivals(models.Model):
    """How many new participants a study took from one address in one interval, for an hour."""

    address = models.CharField(max_length=64, help_text="Keyed hash of the study and the address")
    start = models.DateTimeField()
    n = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["address", "start"], name="address_arrivals_once")
        ]

    def __str__(self) -> str:
        return f"{self.n} from an address"
