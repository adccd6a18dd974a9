"""The public keys with which Prolific signs its links."""

from django.db import models


class SigningKeys(models.Model):
    """The keys of a key server as it last gave them: they outlive an outage of it."""

    address = models.CharField(max_length=200, unique=True)
    keys = models.JSONField(default=dict, help_text="As they were given (JWKS)")
    read_at = models.DateTimeField(null=True)
    asked_at = models.DateTimeField(null=True, help_text="Also if there was no answer")

    class Meta:
        verbose_name_plural = "signing keys"

    def __str__(self) -> str:
        return f"keys of {self.address}"
