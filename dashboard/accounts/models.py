"""What a researcher's account has: tokens for our API, and an account at Prolific."""

from django.conf import settings
from django.db import models
from django.utils import timezone


class ProlificAccount(models.Model):
    """A researcher's account at Prolific: one for each account here. Its token is encrypted."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="prolific_account"
    )
    encrypted_token = models.TextField()
    address = models.CharField(
        max_length=200, help_text="The API that it was verified at; it is sent to no other"
    )
    prolific_id = models.CharField(max_length=100)
    email = models.CharField(max_length=300, blank=True)
    connected_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"Prolific account of {self.user}"


class ApiToken(models.Model):
    """A token for the API: what it may do, in which studies, until when. Only its hash is stored.

    It never does more than the account may.
    """

    class Scope(models.TextChoices):
        READ = "read", "read"
        CHANGE = "change", "read and change"

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=100)
    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the token")
    scope = models.CharField(max_length=10, choices=Scope, default=Scope.READ)
    studies = models.JSONField(
        default=list, blank=True, help_text="Slugs; without one, for all studies of the account"
    )
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField(null=True, help_text="Null: never")
    last_used_on = models.DateField(null=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"token {self.name} of {self.user}"

    @property
    def may_change(self) -> bool:
        return self.scope == self.Scope.CHANGE

    @property
    def is_expired(self) -> bool:
        return self.expires_at is not None and self.expires_at <= timezone.now()

    def is_for(self, slug: str) -> bool:
        """Whether it may be used for a study."""
        return not self.studies or slug in self.studies
