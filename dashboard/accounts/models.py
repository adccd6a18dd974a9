"""What a researcher's account has elsewhere."""

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
