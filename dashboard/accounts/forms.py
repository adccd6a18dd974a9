"""How researchers log in, and change what they log in with."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from allauth.account.forms import ReauthenticateForm
from allauth.core import context
from allauth.mfa import app_settings
from allauth.mfa.base.forms import AuthenticateForm
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.forms import ActivateTOTPForm
from allauth.mfa.webauthn.forms import (
    AddWebAuthnForm,
    AuthenticateWebAuthnForm,
    EditWebAuthnForm,
)
from django import forms
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm, UsernameField
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db.models import Q

from dashboard.accounts.throttling import counted, password_of, second_factor_of


class ProlificTokenForm(forms.Form):
    """A token that was copied from Prolific."""

    token = forms.RegexField(
        r"^[A-Za-z0-9._~+/=-]{8,300}$",
        strip=True,  # what is copied often ends with a space or a line break
        error_messages={
            "required": "Paste the token that you created on Prolific.",
            "invalid": "This is no Prolific token: it has 8 or more letters, digits and signs, "
            "and no spaces.",
        },
    )


class LoginForm(AuthenticationForm):
    """Admits researchers; tells other accounts that they have no access."""

    # Django names this limit without enforcing it; failed logins are stored in a shorter column.
    username = UsernameField(max_length=150, widget=forms.TextInput(attrs={"autofocus": True}))

    def confirm_login_allowed(self, user: User) -> None:
        super().confirm_login_allowed(user)
        if not user.is_staff:
            raise ValidationError("This account has no access to researchers' pages.")


def _code(label: str) -> forms.CharField:
    hints = {"autocomplete": "one-time-code", "autofocus": True, "spellcheck": "false"}
    return forms.CharField(label=label, max_length=40, widget=forms.TextInput(attrs=hints))


class CodeForm(AuthenticateForm):  # type: ignore[misc]  # allauth has no types
    """The second step of a login: a code of the app, or a recovery code."""

    code = _code("Code of your authenticator app, or a recovery code")

    def clean_code(self) -> str:
        with counted(context.request, second_factor_of(self.user)):
            code: str = super().clean_code()
            if self.authenticator.type == Authenticator.Type.TOTP:
                use_once(self.authenticator)
            return code


def use_once(app: Authenticator) -> None:
    """Note that an app's code is used. Raises ValidationError if one of these 30 s was before.

    allauth remembers used codes in the memory of one process; the database knows of all of them.
    """
    now = time.time()
    begun = datetime.fromtimestamp(now - now % app_settings.TOTP_PERIOD, UTC)
    unused = Q(last_used_at=None) | Q(last_used_at__lt=begun)
    used_at = datetime.fromtimestamp(now, UTC)
    if not Authenticator.objects.filter(unused, pk=app.pk).update(last_used_at=used_at):
        raise ValidationError("This code was used before. Wait for the next one and try again.")


class AppForm(ActivateTOTPForm):  # type: ignore[misc]  # allauth has no types
    """Sets up an authenticator app: its first code shows that it has the secret."""

    code = _code("Code that the app shows")


@contextmanager
def _readable() -> Iterator[None]:
    """What a browser never sends is refused as a wrong passkey, not as a failure of ours."""
    try:
        yield
    except (AttributeError, IndexError, KeyError, RecursionError, TypeError, ValueError):
        raise ValidationError("This passkey can't be read. Try again.") from None


class _Credential(forms.JSONField):
    """What a browser sends of a passkey."""

    def __init__(self) -> None:
        super().__init__(widget=forms.HiddenInput)

    def to_python(self, value: Any) -> Any:
        with _readable():
            return super().to_python(value)


class PasskeyLoginForm(AuthenticateWebAuthnForm):  # type: ignore[misc]  # allauth has no types
    """The second step of a login: a passkey."""

    credential = _Credential()

    def clean_credential(self) -> Authenticator:
        with counted(context.request, second_factor_of(self.user)), _readable():
            return super().clean_credential()


class PasskeyForm(AddWebAuthnForm):  # type: ignore[misc]  # allauth has no types
    """Adds a passkey."""

    credential = _Credential()

    name = forms.CharField(label="Name", max_length=100, required=False)

    def clean(self) -> dict[str, Any]:
        with _readable():
            cleaned: dict[str, Any] = super().clean()
        return cleaned


class PasskeyNameForm(EditWebAuthnForm):  # type: ignore[misc]  # allauth has no types
    """Renames a passkey."""

    name = forms.CharField(label="Name", max_length=100)


class PasswordAgainForm(ReauthenticateForm):  # type: ignore[misc]  # allauth has no types
    """The password again, before a change of what an account logs in with."""

    password = forms.CharField(
        label="Password",
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password", "autofocus": True}),
    )


class NewPasswordForm(PasswordChangeForm):
    """A new password; wrong guesses of the old one count as failed logins."""

    def clean_old_password(self) -> str:
        with counted(context.request, password_of(self.user)):
            return super().clean_old_password()
