"""What researchers may send about judges."""

from django import forms

from dashboard.judges.gold_sets import GoldFileOptions
from dashboard.judges.label_drawing import DrawOptions
from dashboard.shared.option_forms import OptionsForm
from judge.queueing import RetryOptions


class BeforeForm(forms.Form):
    """The earlier analysis that another one is held against."""

    before = forms.IntegerField(required=False, min_value=1, max_value=10**18)


class GoldFileForm(OptionsForm[GoldFileOptions]):
    """Gold scores from a file, and what to call them."""

    options = GoldFileOptions


class RetryForm(OptionsForm[RetryOptions]):
    """What to ask a judge again."""

    options = RetryOptions


class DrawForm(OptionsForm[DrawOptions]):
    """How many responses to draw, and the seed."""

    options = DrawOptions
