"""What researchers may send."""

from django import forms
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError

from survey.models import Participant, Study


class LoginForm(AuthenticationForm):
    """Lets researchers in; says to everybody else that this is not their door."""

    def confirm_login_allowed(self, user: User) -> None:
        super().confirm_login_allowed(user)
        if not user.is_staff:
            raise ValidationError("This account has no access to researchers' pages.")


class StateForm(forms.Form):
    """The state a study is to go to."""

    state = forms.ChoiceField(choices=Study.State.choices)
    confirmed = forms.BooleanField(required=False)


class IncludeForm(forms.Form):
    """Test people asked for by name: `?include=simulated`."""

    include = forms.MultipleChoiceField(
        required=False,
        choices=[(source.value, source.label) for source in Participant.TEST_SOURCES],
        error_messages={
            "invalid_choice": "include takes "
            + " or ".join(Participant.TEST_SOURCES)
            + ", not %(value)s."
        },
    )


class RecomputeForm(forms.Form):
    """The page on which a new analysis was asked for."""

    page = forms.ChoiceField(choices=[(page, page) for page in ("raters", "results", "figures")])
