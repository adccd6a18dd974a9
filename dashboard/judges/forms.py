"""What researchers may send about judges."""

from django import forms


class GoldSetForm(forms.Form):
    """Gold scores from a file, and what to call them."""

    name = forms.CharField(
        max_length=60, error_messages={"required": "Give the gold scores a name."}
    )
    file = forms.FileField(
        max_length=200, error_messages={"required": "Choose a CSV file with gold scores."}
    )
