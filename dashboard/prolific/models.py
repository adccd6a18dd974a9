"""What is stored about studies on Prolific; their state is asked for at Prolific."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from survey.models import Study
from survey.models.ids import new_public_id, new_secret


class EventSubscription(models.Model):
    """That Prolific sends us the events of a workspace: one for each workspace and address.

    Its secret, which checks their signatures, is encrypted as the accounts' tokens are.
    """

    address = models.CharField(max_length=200, help_text="Of Prolific's API")
    workspace = models.CharField(max_length=100, help_text="Its id on Prolific")
    key = models.CharField(
        max_length=64, default=new_secret, unique=True, help_text="In the address for events"
    )
    target = models.CharField(max_length=300, help_text="The address for events, as subscribed")
    encrypted_secret = models.TextField()
    confirmed_at = models.DateTimeField(null=True, help_text="Empty until Prolific confirms it")
    last_event_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["address", "workspace"], name="event_subscription_once"
            ),
        ]

    def __str__(self) -> str:
        return f"events of workspace {self.workspace}"


class ReceivedEvent(models.Model):
    """An event that Prolific sent. It is stored before it is acknowledged; a worker follows it up.

    It names a submission or a study only until then, and no participant.
    """

    subscription = models.ForeignKey(EventSubscription, models.CASCADE, related_name="events")
    event_id = models.CharField(max_length=200, help_text="Prolific's X-Event-ID")
    event_type = models.CharField(max_length=60)
    resource = models.CharField(
        max_length=100, blank=True, help_text="Of a submission or study; empty once followed up"
    )
    received_at = models.DateTimeField(default=timezone.now)
    claimed_at = models.DateTimeField(null=True, help_text="By a worker")
    followed_up_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["subscription", "event_id"], name="received_event_once"
            ),
        ]
        indexes = [models.Index(fields=["followed_up_at", "claimed_at"], name="event_to_follow")]

    def __str__(self) -> str:
        return f"event {self.pk}"


class Recruitment(models.Model):
    """The study on Prolific that recruits for a version: one for each version and address.

    A step is stored here before Prolific is asked for it, and removed with the event that says it
    was done. So two clicks ask once, and what a process asked for that was killed meanwhile is
    found by the next look.
    """

    class Step(models.TextChoices):
        CREATE = "create"
        CHANGE = "change"
        PUBLISH = "publish"
        PAUSE = "pause"
        START = "start"
        PLACES = "places"
        INVITE = "invite"

    class Who(models.TextChoices):
        """Which people of an earlier study are invited again."""

        COMPLETED = "completed", "Everyone who completed it"
        NOT_EXCLUDED = "not_excluded", "Completed, and not excluded by a researcher’s decision"
        INCLUDED = "included", "Completed, and included by its newest analysis"

    study = models.ForeignKey(Study, models.CASCADE, related_name="recruitments")
    address = models.CharField(max_length=200, help_text="Of Prolific's API")
    key = models.CharField(
        max_length=16,
        default=new_public_id,
        unique=True,
        help_text="In the internal name on Prolific",
    )
    prolific_study_id = models.CharField(max_length=100, blank=True, help_text="Once it is known")
    account = models.CharField(max_length=100, help_text="Id of the account that asked for it")
    created_at = models.DateTimeField(default=timezone.now)
    events = models.ForeignKey(
        EventSubscription, models.SET_NULL, null=True, help_text="Those of its workspace"
    )
    read_at = models.DateTimeField(
        null=True, help_text="When a worker last asked for the submissions"
    )
    earlier = models.ForeignKey(
        Study,
        models.PROTECT,
        null=True,
        related_name="+",
        help_text="The study whose people are invited again; empty if anyone may take part",
    )
    who = models.CharField(max_length=20, choices=Who, blank=True, help_text="Of the earlier study")
    group = models.CharField(max_length=100, blank=True, help_text="Participant group on Prolific")
    step = models.CharField(max_length=10, choices=Step, blank=True, help_text="Not confirmed yet")
    step_detail = models.JSONField(default=dict)
    step_author = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )
    step_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "address"], name="recruitment_once"),
        ]

    def __str__(self) -> str:
        return f"study on Prolific for {self.study}"

    @property
    def internal_name(self) -> str:
        """What researchers see on Prolific; it finds the study again."""
        return f"Fivefold {self.study} {self.key}"


class PayTerms(models.Model):
    """What a study promises its participants; `terms.Terms` says what there may be."""

    study = models.OneToOneField(Study, models.CASCADE, related_name="pay_terms")
    terms = models.JSONField(default=dict)

    class Meta:
        verbose_name_plural = "pay terms"

    def __str__(self) -> str:
        return f"pay terms of {self.study}"
