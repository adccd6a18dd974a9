"""What is stored about studies on Prolific; their state is asked for at Prolific."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from survey.models import Study
from survey.models.ids import new_public_id


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
