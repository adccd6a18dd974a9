"""What researchers may say of a study on Prolific."""

from collections.abc import Iterable
from typing import Any

from django import forms

from dashboard.prolific.demographics_asking import DemographicsOptions
from dashboard.prolific.drafts import DraftOptions, PlacesOptions
from dashboard.prolific.models import Recruitment
from dashboard.prolific.waves import Wave, wave_of
from dashboard.shared.option_forms import OptionsForm
from survey.models import Study


class DraftForm(OptionsForm[DraftOptions]):
    """A study on Prolific; links and codes come from ours."""

    options = DraftOptions

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, rows in (("description", 5), ("warning", 4)):
            self.fields[name].widget.attrs["rows"] = rows


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


class PlacesForm(OptionsForm[PlacesOptions]):
    """A new total of places."""

    options = PlacesOptions


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
