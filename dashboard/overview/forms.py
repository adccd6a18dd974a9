"""What researchers may send from the overview."""

from django import forms

from dashboard.overview.opening import StateOptions
from dashboard.shared.option_forms import OptionsForm


class StateForm(OptionsForm[StateOptions]):
    """The state a study is to go to, and whether it was asked twice."""

    options = StateOptions
    confirmed = forms.BooleanField(required=False)
