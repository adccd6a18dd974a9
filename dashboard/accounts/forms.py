"""How researchers log in."""

from django import forms
from django.contrib.auth.forms import AuthenticationForm, UsernameField
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError


class LoginForm(AuthenticationForm):
    """Admits researchers; tells other accounts that they have no access."""

    # Django names this limit without enforcing it; failed logins are stored in a shorter column.
    username = UsernameField(max_length=150, widget=forms.TextInput(attrs={"autofocus": True}))

    def confirm_login_allowed(self, user: User) -> None:
        super().confirm_login_allowed(user)
        if not user.is_staff:
            raise ValidationError("This account has no access to researchers' pages.")
