"""What django-allauth asks us: its words, where second factors are kept, how to log in again."""

from base64 import urlsafe_b64encode
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from cryptography.fernet import Fernet, InvalidToken
from django.contrib import messages
from django.contrib.auth.models import AnonymousUser, User
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.urls import reverse
from django.utils.crypto import salted_hmac

#: What a page says after a change; nothing after a login or a logout.
MESSAGES = {
    "mfa/messages/totp_activated.txt": "Your authenticator app is set up.",
    "mfa/messages/totp_deactivated.txt": "Your authenticator app is removed.",
    "mfa/messages/webauthn_added.txt": "The passkey is added.",
    "mfa/messages/webauthn_removed.txt": "The passkey is removed.",
}


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth has no types
    """Accounts have a name and a password, and no e-mail address."""

    error_messages = {
        **DefaultAccountAdapter.error_messages,
        "incorrect_password": "This password is wrong.",
    }

    def add_message(
        self, request: HttpRequest, level: int, message_template: str = "", *_: Any, **__: Any
    ) -> None:
        if message_template in MESSAGES:
            messages.add_message(request, level, MESSAGES[message_template])

    def get_reauthentication_methods(self, user: User | AnonymousUser) -> list[dict[str, Any]]:
        """Only the password: who found an unlocked phone does not have it."""
        if not user.is_authenticated:
            return []
        return [{"id": "reauthenticate", "url": reverse("account_reauthenticate")}]


class SecondFactorAdapter(DefaultMFAAdapter):  # type: ignore[misc]  # allauth has no types
    """Second factors, whose secrets are encrypted with a key made from SECRET_KEY."""

    error_messages = {
        **DefaultMFAAdapter.error_messages,
        "incorrect_code": "This code is wrong or was used before. Wait for the next code of your "
        "app and try again.",
    }

    def encrypt(self, text: str) -> str:
        return _cipher().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        """Raises ValidationError if SECRET_KEY has changed since."""
        try:
            return _cipher().decrypt(encrypted_text.encode()).decode()
        except InvalidToken:
            raise ValidationError(
                "This site can no longer read your second factor. Ask its operator to reset it."
            ) from None

    def get_public_key_credential_rp_entity(self) -> dict[str, str]:
        return {**super().get_public_key_credential_rp_entity(), "name": self.get_totp_issuer()}

    def generate_authenticator_name(self, user: User, type: str) -> str:  # noqa: A002  # allauth's
        count = Authenticator.objects.filter(user=user, type=type).count()
        return f"Passkey {count + 1}"

    def _get_user_identifier(self, user: User) -> str:
        return user.get_username()


def _cipher() -> Fernet:
    key = salted_hmac("fivefold.second_factor", "", algorithm="sha256").digest()
    return Fernet(urlsafe_b64encode(key))
