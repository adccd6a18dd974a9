"""What researchers may send about judges."""

from django import forms


class BeforeForm(forms.Form):
    """The earlier analysis that another one is held against."""

    before = forms.IntegerField(required=False, min_value=1, max_value=10**18)


class GoldSetForm(forms.Form):
    """Gold scores from a file, and what to call them."""

    name = forms.CharField(
        max_length=60, error_messages={"required": "Give the gold scores a name."}
    )
    file = forms.FileField(
        max_length=200,
        allow_empty_file=True,  # so that what reads it says which file is empty
        error_messages={"required": "Choose a file with gold scores (CSV, TSV or .xlsx)."},
    )
