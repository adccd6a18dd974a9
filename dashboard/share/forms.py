"""What researchers may ask of a prepared download."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms

from dashboard.share.packages import PackageOptions
from dashboard.shared.option_forms import OptionsForm


class PackageForm(OptionsForm[PackageOptions]):
    """Which recipes, and whether figures are drawn as images."""

    options = PackageOptions

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        *,
        recipes: Sequence[tuple[str, str]] = (),
    ) -> None:
        super().__init__(data, auto_id="package-%s")
        self.fields["recipe"].widget = forms.Select(choices=recipes)
