"""What researchers may ask of the design."""

from django import forms

from analysis.locked_plans import LockOptions
from dashboard.design.certificate import PEOPLE
from dashboard.design.plan_options import PlanOptions
from dashboard.shared.option_forms import OptionsForm
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
    """The version to compare with, and the line before which changes are listed."""

    version = forms.IntegerField(required=False, min_value=1, max_value=10**9)
    before = forms.IntegerField(required=False, min_value=1, max_value=10**18)


class PlanForm(OptionsForm[PlanOptions]):
    """What a plan is asked for; what is empty comes from the study."""

    options = PlanOptions
    without = ("power", "include")


class PreviewForm(forms.Form):
    """Whose pages to preview: the participant's place in the design, and a language."""

    participant = forms.IntegerField(required=False, min_value=1, max_value=100_000)
    language = forms.CharField(required=False, max_length=20)

    @property
    def slot(self) -> int:
        """The slot of the participant; slots count from 0."""
        return (self.cleaned_data["participant"] or 1) - 1


class LockForm(OptionsForm[LockOptions]):
    """To lock a plan, which can't be undone."""

    options = LockOptions

    confirmed = forms.BooleanField(
        error_messages={"required": "Tick the box: a locked plan can't be unlocked."}
    )
