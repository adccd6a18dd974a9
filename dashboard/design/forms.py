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
        """The pool, empty if none is chosen, and who of it; by default who has completed."""
        chosen = self.cleaned_data
        return chosen["pool"], chosen["people"] or "completed"


class VersionForm(forms.Form):
    """The version to compare with."""

    version = forms.IntegerField(required=False, min_value=1, max_value=10**9)


class PreviewForm(forms.Form):
    """Whose pages to preview: the participant's place in the design, and a language."""

    participant = forms.IntegerField(required=False, min_value=1, max_value=100_000)
    language = forms.CharField(required=False, max_length=20)

    @property
    def slot(self) -> int:
        """The slot of the participant; slots count from 0."""
        return (self.cleaned_data["participant"] or 1) - 1
