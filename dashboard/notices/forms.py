"""What a researcher may ask to be told."""

from django import forms

from dashboard.notices.models import Occasion


class NoticesForm(forms.Form):
    """Where to, and of what."""

    email = forms.EmailField(max_length=254, required=False, label="E-mail address")
    occasions = forms.MultipleChoiceField(
        choices=Occasion.choices,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label="Tell me when",
    )

    def clean(self) -> dict[str, object]:
        given = super().clean() or {}
        if given.get("occasions") and not given.get("email") and "email" not in self.errors:
            self.add_error("email", "Enter the address to which the e-mail goes.")
        return given
