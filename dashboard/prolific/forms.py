"""What researchers may say of a study on Prolific."""

from collections.abc import Iterable
from typing import Any

from django import forms

from dashboard.prolific.demographics_asking import DemographicsOptions
from dashboard.prolific.drafts import DEVICES
from dashboard.prolific.models import Recruitment
from dashboard.prolific.waves import Wave, wave_of
from dashboard.shared.forms import AmountField
from dashboard.shared.option_forms import OptionsForm
from survey.models import Study

MOST_PLACES = 100_000


class DraftForm(forms.Form):
    """A study on Prolific; links and codes come from ours."""

    name = forms.CharField(max_length=200, label="Title")
    description = forms.CharField(
        max_length=5000, label="Description", widget=forms.Textarea(attrs={"rows": 5})
    )
    places = forms.IntegerField(min_value=1, max_value=MOST_PLACES, label="Places")
    reward = AmountField(min_value=0, max_value=1000, label="Reward per participant")
    minutes = forms.IntegerField(min_value=1, max_value=1440, label="Estimated minutes")
    devices = forms.MultipleChoiceField(
        choices=list(DEVICES.items()),
        widget=forms.CheckboxSelectMultiple,
        label="Devices",
        error_messages={"required": "Choose at least one device."},
    )
    review = forms.ChoiceField(
        choices=[
            ("automatic", "Approve and pay who enters the completion code"),
            ("all", "I review every submission before it is paid"),
        ],
        label="Completed submissions",
    )
    sensitive = forms.BooleanField(
        required=False, label="Content warning: the study has sensitive content"
    )
    warning = forms.CharField(
        required=False,
        max_length=2000,
        label="What the content is",
        widget=forms.Textarea(attrs={"rows": 4}),
    )

    def clean(self) -> dict[str, object]:
        """A warning says what it warns of."""
        cleaned = super().clean() or {}
        if cleaned.get("sensitive") and not cleaned.get("warning"):
            self.add_error("warning", "Describe the sensitive content.")
        return cleaned


class WaveForm(forms.Form):
    """Who may take part: anyone on Prolific, or people of one of the `earlier` studies."""

    earlier = forms.ChoiceField(
        required=False,
        label="Study",
        error_messages={"invalid_choice": "No such study with people from Prolific: %(value)s."},
    )
    who = forms.ChoiceField(required=False, choices=Recruitment.Who.choices, label="Who of them")

    def __init__(self, study: Study, earlier: Iterable[Study], data: Any = None) -> None:
        super().__init__(data)
        self.study = study
        self.studies = {str(one): one for one in earlier}
        field = self.fields["earlier"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [
            ("", "Anyone on Prolific"),
            *((name, f"{earlier.title} ({name})") for name, earlier in self.studies.items()),
        ]

    def wave(self) -> Wave | None:
        """The people of a valid form; None stands for anyone. Raises WaveRefused."""
        earlier = self.studies.get(self.cleaned_data["earlier"])
        if earlier is None:
            return None
        return wave_of(earlier, self.study, self.cleaned_data["who"] or Recruitment.Who.COMPLETED)


class PlacesForm(forms.Form):
    """A new total of places."""

    places = forms.IntegerField(
        min_value=1,
        max_value=MOST_PLACES,
        error_messages={"required": "Enter the new number of places."},
    )


class StepForm(forms.Form):
    """A step of a study that is on Prolific."""

    action = forms.ChoiceField(
        choices=[*Recruitment.Step.choices, ("forget", "forget")],
        error_messages={"required": "No action was chosen.", "invalid_choice": "No such action."},
    )
    #: The cost that the page showed, in cents: publishing spends no other.
    cost = forms.IntegerField(required=False, min_value=0)


class DemographicsForm(OptionsForm[DemographicsOptions]):
    """Prolific's demographic export, and a mapping file for answers in other words."""

    options = DemographicsOptions
