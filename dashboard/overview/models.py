"""Invitations of colleagues to a study. Participants' are in `survey`."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from dashboard.shared.roles import Role


class MemberInvitation(models.Model):
    """A link that makes the first person who opens it a member. Only its hash is stored."""

    slug = models.SlugField(max_length=80, help_text="Of the study")
    role = models.CharField(max_length=10, choices=Role)
    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the link's secret")
    note = models.CharField(max_length=200, blank=True, help_text="Whom it is for")
    created_at = models.DateTimeField(default=timezone.now)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"invitation to {self.slug} as {self.role}"
