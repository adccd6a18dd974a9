"""Who wants e-mail about a study, and what was sent."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from survey.models import Study


class Occasion(models.TextChoices):
    """What researchers may be told by e-mail."""

    FULL = "full", "All slots are completed"
    STALLED = "stalled", "The study is open, and nobody arrives"
    REFUSED = "refused", "Many people are turned away"
    JUDGE = "judge", "A judge has stopped"
    ANALYSIS = "analysis", "A requested analysis is ready, or failed"


class Follower(models.Model):
    """A researcher who gets e-mail about a study, all its versions."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="following")
    slug = models.SlugField(max_length=80)
    occasions = models.JSONField(help_text="Names of Occasion")
    looked_at = models.DateTimeField(
        null=True, help_text="When a worker last looked for something to tell"
    )

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "slug"], name="follower_once")]

    def __str__(self) -> str:
        return f"{self.user} follows {self.slug}"


class Notice(models.Model):
    """Something that one follower is told once. What was so before they followed is never sent."""

    follower = models.ForeignKey(Follower, models.CASCADE, related_name="notices")
    study = models.ForeignKey(Study, models.CASCADE, related_name="notices")
    occasion = models.CharField(max_length=10, choices=Occasion)
    key = models.CharField(max_length=200, help_text="Tells one occasion of a kind from the next")
    at = models.DateTimeField(default=timezone.now)
    subject = models.CharField(max_length=300)
    text = models.TextField()
    tried_at = models.DateTimeField(null=True)
    tries = models.PositiveSmallIntegerField(default=0)
    is_over = models.BooleanField(default=False, help_text="Sent, or not to be sent any more")

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["follower", "study", "occasion", "key"], name="notice_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.occasion} of {self.study} to {self.follower.user}"
