"""What the page about rehearsals takes."""

from typing import Any

from django import forms

from dashboard.rehearsal.profiles import shipped
from dashboard.rehearsal.sending import is_at_local_prolific
from dashboard.rehearsal.simulations import CrowdOptions
from dashboard.shared.option_forms import OptionsForm
from survey.models import Study


class SimulationForm(OptionsForm[CrowdOptions]):
    """Simulated raters to be sent."""

    options = CrowdOptions

    def __init__(self, *args: Any, study: Study, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["participants"].initial = 40
        self.fields["profile"].widget = forms.Select(choices=[(name, name) for name in shipped()])
        #: Whether the study can have people from the local Prolific.
        self.at_prolific = is_at_local_prolific(study)
