"""What researchers may ask of the results."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms

from analysis.catalogue.spec import Column
from analysis.metric_choice import MetricsToCompute
from analysis.metric_labels import LABELS
from analysis.perturbation_options import PerturbingOptions
from analysis.scorer_options import TextOptions, TrainingOptions
from analysis.size import AnalysisOptions
from dashboard.shared.forms import LinesField
from dashboard.shared.option_forms import OptionsForm
from dashboard.shared.pages import OF_RESULTS
from dashboard.shared.result_tables import ALL, EVERY


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
                    (EVERY, "all rows" if ALL in values else "all"),
                ],
                initial=first,
            )

    @property
    def choice(self) -> dict[str, str]:
        """The value by column. A field with an error chooses nothing."""
        self.is_valid()
        return {name: value for name, value in self.cleaned_data.items() if value}


#: Those that show an analysis, and let people ask for a new one.
PAGES = ("agreement", "guard", "raters", "thresholds", "figures", "downloads", *OF_RESULTS)


class AnalysisForm(OptionsForm[AnalysisOptions]):
    """What a new analysis computes."""

    options = AnalysisOptions


class RecomputeForm(forms.Form):
    """The page on which a new analysis was asked for."""

    page = forms.ChoiceField(choices=[(page, page) for page in PAGES])


class MetricsForm(OptionsForm[MetricsToCompute]):
    """Which metrics are computed, and from what of the study's own."""

    options = MetricsToCompute
    metrics = forms.MultipleChoiceField(
        label="Only these metrics",
        required=False,
        choices=list(LABELS.items()),
        widget=forms.CheckboxSelectMultiple,
    )
    phrases = LinesField(label="Stock phrases, a line each", required=False)


class ScorerForm(OptionsForm[TrainingOptions]):
    """How a scorer is trained, and on what."""

    options = TrainingOptions


class TextForm(OptionsForm[TextOptions]):
    """A text to be scored."""

    options = TextOptions


class PerturbationForm(OptionsForm[PerturbingOptions]):
    """How many responses are perturbed, and which judges are asked about them."""

    options = PerturbingOptions
    without = ("all_responses", "seed", "perturbations", "metrics", "without_scorer")
