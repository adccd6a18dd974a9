"""What researchers may ask of the design."""

from django import forms

from analysis.locked_plans import LONGEST_NOTE
from dashboard.design.certificate import PEOPLE
from dashboard.design.plan_options import PILOT, PlanOptions
from dashboard.shared.forms import NumberField
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


class PlanForm(forms.Form):
    """What a plan is asked for; what is empty comes from the study."""

    raters = forms.IntegerField(required=False, min_value=1, max_value=10_000, label="Raters")
    scenarios = forms.IntegerField(required=False, min_value=1, max_value=2_000, label="Scenarios")
    difference = NumberField(
        required=False, min_value=0.001, max_value=1000, label="Difference that matters (points)"
    )
    components = forms.ChoiceField(
        required=False,
        choices=[("typical", "Typical variances"), (PILOT, "Variances of the ratings so far")],
        label="How much ratings differ",
    )
    pay_per_hour = NumberField(required=False, min_value=0, max_value=1000, label="Pay per hour")
    fee_percent = NumberField(required=False, min_value=0, max_value=200, label="Fee (%)")

    @property
    def options(self) -> PlanOptions:
        """What was sent, without what was left empty."""
        given = {
            name: value for name, value in self.cleaned_data.items() if value not in (None, "")
        }
        return PlanOptions(**given)


class PreviewForm(forms.Form):
    """Whose pages to preview: the participant's place in the design, and a language."""

    participant = forms.IntegerField(required=False, min_value=1, max_value=100_000)
    language = forms.CharField(required=False, max_length=20)

    @property
    def slot(self) -> int:
        """The slot of the participant; slots count from 0."""
        return (self.cleaned_data["participant"] or 1) - 1


class LockForm(forms.Form):
    """To lock a plan, which can't be undone."""

    confirmed = forms.BooleanField(
        error_messages={"required": "Tick the box: a locked plan can't be unlocked."}
    )
    note = forms.CharField(required=False, max_length=LONGEST_NOTE)
    reason = forms.CharField(required=False, max_length=LONGEST_NOTE)

    @property
    def problem(self) -> str:
        """The first thing that is wrong."""
        return str(next(iter(self.errors.values()))[0])
