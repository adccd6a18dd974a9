"""What researchers may ask of the design."""

from django import forms

from dashboard.design.certificate import PEOPLE
from survey.models import Slot


class CertificateForm(forms.Form):
    """Whose order to certify."""

    pool = forms.ChoiceField(required=False, choices=Slot.Pool.choices)
    people = forms.ChoiceField(required=False, choices=list(PEOPLE.items()))

    @property
    def choice(self) -> tuple[str, str]:
        """The pool and whom of it; by default real people who have completed."""
        chosen = self.cleaned_data
        return chosen["pool"] or Slot.Pool.REAL, chosen["people"] or "completed"


class VersionForm(forms.Form):
    """The version to compare with."""

    version = forms.IntegerField(required=False, min_value=1, max_value=10**9)
