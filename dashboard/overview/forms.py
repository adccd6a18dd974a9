"""What researchers may send from the overview."""

from django import forms

from survey.models import Study


class StateForm(forms.Form):
    """The state a study is to go to."""

    state = forms.ChoiceField(choices=Study.State.choices)
    confirmed = forms.BooleanField(required=False)
    rehearsal = forms.BooleanField(required=False)
    stand_in = forms.BooleanField(required=False)
