"""How researchers log in."""

from django import forms
from django.contrib.auth.forms import AuthenticationForm, UsernameField
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError


class ProlificTokenForm(forms.Form):
    """A token that was copied from Prolific."""

    token = forms.RegexField(
        r"^[A-Za-z0-9._~+/=-]{8,300}$",
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
