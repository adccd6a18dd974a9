"""What follows from logins and changes of accounts, from the signals that tell of them.

Lines of the audit log, and the end of sessions.
"""

from typing import Any

from allauth.mfa.models import Authenticator
from allauth.mfa.signals import authenticator_added, authenticator_removed, authenticator_reset
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in
from django.db.models.signals import post_save
from django.dispatch import receiver
from django.http import HttpRequest

from dashboard.accounts.sessions import BROWSER, end_sessions
from dashboard.shared.log import record

LABELS = {
    Authenticator.Type.TOTP: "authenticator app",
    Authenticator.Type.WEBAUTHN: "passkey",
    Authenticator.Type.RECOVERY_CODES: "recovery codes",
}


@receiver(user_logged_in)
def _logged_in(user: User, request: HttpRequest, **_: Any) -> None:
    request.session[BROWSER] = request.headers.get("User-Agent", "")[:300]
    record(None, user, "logged in")


@receiver(post_save, sender=User)
def _deactivated(instance: User, created: bool, **_: Any) -> None:
    """Sessions of who may not log in end, so that they do not come back with the account."""
    if not instance.is_active and not created:
        end_sessions(instance, author=None)


@receiver(authenticator_added)
def _added(user: User, authenticator: Authenticator, **_: Any) -> None:
    record(None, user, "second factor added", name=LABELS[authenticator.type])


@receiver(authenticator_removed)
def _removed(user: User, authenticator: Authenticator, **_: Any) -> None:
    record(None, user, "second factor removed", name=LABELS[authenticator.type])


@receiver(authenticator_reset)
def _reset(user: User, authenticator: Authenticator, **_: Any) -> None:
    record(None, user, "second factor renewed", name=LABELS[authenticator.type])
