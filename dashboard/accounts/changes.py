"""The audit log's lines about logins and second factors, from the signals that tell of them."""

from typing import Any

from allauth.mfa.models import Authenticator
from allauth.mfa.signals import authenticator_added, authenticator_removed, authenticator_reset
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in
from django.dispatch import receiver

from dashboard.shared.log import record

LABELS = {
    Authenticator.Type.TOTP: "authenticator app",
    Authenticator.Type.WEBAUTHN: "passkey",
    Authenticator.Type.RECOVERY_CODES: "recovery codes",
}


@receiver(user_logged_in)
def _logged_in(user: User, **_: Any) -> None:
    record(None, user, "logged in")


@receiver(authenticator_added)
def _added(user: User, authenticator: Authenticator, **_: Any) -> None:
    record(None, user, "second factor added", name=LABELS[authenticator.type])


@receiver(authenticator_removed)
def _removed(user: User, authenticator: Authenticator, **_: Any) -> None:
    record(None, user, "second factor removed", name=LABELS[authenticator.type])


@receiver(authenticator_reset)
def _reset(user: User, authenticator: Authenticator, **_: Any) -> None:
    record(None, user, "second factor renewed", name=LABELS[authenticator.type])
