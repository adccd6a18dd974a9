"""What researchers may ask of a prepared download."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms


class PackageForm(forms.Form):
    """Which recipes, and whether figures are drawn as images."""

    recipe = forms.ChoiceField(
        label="Recipe",
        error_messages={"invalid_choice": "There is no recipe %(value)s: choose one of the list."},
    )
    images = forms.BooleanField(label="Also figures as SVG and PNG", required=False)

    def __init__(
        self, data: Mapping[str, Any] | None = None, *, recipes: Sequence[tuple[str, str]]
    ) -> None:
        super().__init__(data, initial={"images": True}, label_suffix="", auto_id="package-%s")
        field = self.fields["recipe"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = recipes

    @property
    def problem(self) -> str:
        """What is wrong with it."""
        return " ".join(error for errors in self.errors.values() for error in map(str, errors))
