"""What researchers may send."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.contrib.auth.forms import AuthenticationForm, UsernameField
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError

from dashboard.certificate import PEOPLE
from dashboard.raters import NUMBERS, TEXTS
from survey.models import Participant, Place, Study


class LoginForm(AuthenticationForm):
    """Lets researchers in; says to everybody else that this is not their door."""

    # Django names this limit without enforcing it; failed logins are stored in a shorter column.
    username = UsernameField(max_length=150, widget=forms.TextInput(attrs={"autofocus": True}))

    def confirm_login_allowed(self, user: User) -> None:
        super().confirm_login_allowed(user)
        if not user.is_staff:
            raise ValidationError("This account has no access to researchers' pages.")


class StateForm(forms.Form):
    """The state a study is to go to."""

    state = forms.ChoiceField(choices=Study.State.choices)
    confirmed = forms.BooleanField(required=False)


class IncludeForm(forms.Form):
    """Experts or test people asked for by name: `?include=simulated`."""

    include = forms.MultipleChoiceField(
        required=False,
        choices=[(source.value, source.label) for source in Participant.NOT_COUNTED],
        error_messages={
            "invalid_choice": "include takes "
            + " or ".join(Participant.NOT_COUNTED)
            + ", not %(value)s."
        },
    )


class RatersForm(forms.Form):
    """Which raters to show, and in which order."""

    included = forms.ChoiceField(
        label="Kept", required=False, choices=[("", "all"), ("true", "kept"), ("false", "not kept")]
    )
    rule = forms.ChoiceField(label="Excluded by", required=False)
    status = forms.ChoiceField(
        label="Status",
        required=False,
        choices=[("", "any"), ("completed", "completed"), ("in_progress", "in progress")],
    )
    sort = forms.ChoiceField(
        required=False,
        widget=forms.HiddenInput,
        choices=[(sign + name, name) for name in (*TEXTS, *NUMBERS) for sign in ("", "-")],
    )

    def __init__(self, data: Mapping[str, Any], *, rules: Sequence[str]) -> None:
        super().__init__(data, label_suffix="")
        field = self.fields["rule"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [("", "any rule or none"), *((rule, rule) for rule in rules)]

    @property
    def choice(self) -> dict[str, Any]:
        """What `raters_of` takes. A field with an error chooses nothing."""
        self.is_valid()
        given = {name: value for name, value in self.cleaned_data.items() if value}
        if "included" in given:
            given["included"] = given["included"] == "true"
        return given


#: Those that show an analysis, and let people ask for a new one.
PAGES = ("agreement", "raters", "results", "figures", "downloads")


class RecomputeForm(forms.Form):
    """The page on which a new analysis was asked for."""

    page = forms.ChoiceField(choices=[(page, page) for page in PAGES])


class SubmissionsForm(forms.Form):
    """Prolific's list of submissions."""

    file = forms.FileField(
        max_length=200,
        error_messages={"required": "Choose the CSV file that you exported from Prolific."},
    )


class GoldSetForm(forms.Form):
    """Gold scores from a file, and what to call them."""

    name = forms.CharField(
        max_length=60, error_messages={"required": "Give the gold scores a name."}
    )
    file = forms.FileField(
        max_length=200, error_messages={"required": "Choose a CSV file with gold scores."}
    )


class CertificateForm(forms.Form):
    """Whose order to certify."""

    pool = forms.ChoiceField(required=False, choices=Place.Pool.choices)
    people = forms.ChoiceField(required=False, choices=list(PEOPLE.items()))

    @property
    def choice(self) -> tuple[str, str]:
        """The pool and whom of it; by default real people who have completed."""
        chosen = self.cleaned_data
        return chosen["pool"] or Place.Pool.REAL, chosen["people"] or "completed"


class VersionForm(forms.Form):
    """The version to compare with."""

    version = forms.IntegerField(required=False, min_value=1, max_value=10**9)
