"""What researchers may ask of the results."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms

from analysis.catalogue.spec import Column
from analysis.catalogue.subjects import MAIN, SUBJECTS
from dashboard.shared.result_tables import EVERY


class ResultsForm(forms.Form):
    """Which rows of results to show: one recipe or all, and values of columns."""

    recipe = forms.ChoiceField(required=False, widget=forms.HiddenInput)

    def __init__(
        self,
        data: Mapping[str, Any],
        *,
        recipes: Sequence[str],
        choices: Mapping[Column, Sequence[str]],
    ) -> None:
        super().__init__(data, label_suffix="")
        recipe = self.fields["recipe"]
        assert isinstance(recipe, forms.ChoiceField)
        recipe.choices = [("", "all"), *((name, name) for name in recipes)]
        for column, values in choices.items():
            first = column.first if column.first in values else EVERY
            self.fields[column.name] = forms.ChoiceField(
                label=column.heading,
                required=False,
                choices=[
                    *((value, column.text(value)) for value in values),
                    (EVERY, "every one"),
                ],
                initial=first,
            )

    @property
    def choice(self) -> dict[str, str]:
        """The value by column. A field with an error chooses nothing."""
        self.is_valid()
        return {name: value for name, value in self.cleaned_data.items() if value}


#: Those that show an analysis, and let people ask for a new one.
PAGES = ("agreement", "raters", "thresholds", "results", "figures", "downloads")


class RecomputeForm(forms.Form):
    """The page on which a new analysis was asked for."""

    page = forms.ChoiceField(choices=[(page, page) for page in PAGES])
    subject = forms.ChoiceField(required=False, choices=[(name, name) for name in SUBJECTS])

    @property
    def page_and_subject(self) -> tuple[str, str]:
        """The page, and of results the subject, where it is not the main one."""
        page, subject = self.cleaned_data["page"], self.cleaned_data["subject"]
        return page, subject if page == "results" and subject != MAIN else ""
