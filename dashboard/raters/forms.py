"""What researchers may send about raters."""

import re
from collections.abc import Collection, Mapping
from typing import Any

from django import forms
from pydantic import ValidationError as ValidationErrors

from analysis.exclusion_rule import SettingChoices, Threshold
from analysis.manual_decisions import DecisionOptions
from analysis.quality_rules import SETTINGS, QualityRules, Setting
from dashboard.shared.forms import FilesField, NumberField
from dashboard.shared.option_forms import OptionsForm

#: Ids of participants.
IDS = re.compile(r"[0-9]{1,18}(,[0-9]{1,18})*")


class ThresholdsForm(forms.Form):
    """Other numbers for the rules in force; a field that is left empty keeps its number."""

    def __init__(self, data: Mapping[str, Any], *, rules: QualityRules, left_out: Collection[str]):
        super().__init__(data, label_suffix="")
        self.in_force = rules
        for name, setting in SETTINGS.items():
            if setting.rule in rules.order and name not in left_out:
                self.fields[name] = _field(setting, setting.of(rules))

    @property
    def thresholds(self) -> dict[str, Setting]:
        """The numbers that may be moved, by field."""
        return self._of_kind(Threshold)

    @property
    def choices(self) -> dict[str, Setting]:
        """What may be chosen, by field."""
        return self._of_kind(SettingChoices)

    def _of_kind(self, kind: type) -> dict[str, Setting]:
        settings = {name: SETTINGS[name] for name in self.fields}
        return {n: setting for n, setting in settings.items() if isinstance(setting.about, kind)}

    def clean(self) -> dict[str, Any]:
        """The numbers, checked as rules are; `rules` is what they make."""
        cleaned = super().clean() or {}
        content = self.in_force.model_dump()
        for name, value in cleaned.items():
            if value not in (None, ""):
                setting = SETTINGS[name]
                content[setting.section][setting.key] = value
        try:
            self.rules = QualityRules.model_validate(content)
        except ValidationErrors as problem:
            for error in problem.errors():
                self.add_error(None, error["msg"].removeprefix("Value error, ").capitalize() + ".")
        return cleaned

    @property
    def problems(self) -> list[str]:
        """What is wrong with the form, each with the field that it is about."""
        of_fields = [f"{field.label}: {error}" for field in self for error in field.errors]
        return [*of_fields, *map(str, self.non_field_errors())]

    @property
    def asked(self) -> QualityRules:
        """The rules that the form makes; those in force where something in it is wrong."""
        return self.rules if self.is_valid() else self.in_force


def _field(setting: Setting, initial: Any) -> forms.Field:
    """What asks for another value of a rule's setting."""
    about = setting.about
    shared: dict[str, Any] = {"label": about.label, "required": False}
    if isinstance(about, SettingChoices):
        return forms.TypedChoiceField(
            **shared,
            choices=list(about.values.items()),
            coerce={str(value): value for value in about.values}.get,
            empty_value=None,
            initial=str(initial),
        )
    kind = forms.IntegerField if setting.is_whole else NumberField
    return kind(**shared, min_value=0, initial=initial)


class SubmissionsForm(forms.Form):
    """Prolific's lists of submissions."""

    file = FilesField(
        max_length=200,
        allow_empty_file=True,  # so that what reads it says which file is empty
        error_messages={"required": "Choose the files that you exported from Prolific."},
    )


class ReasonForm(OptionsForm[DecisionOptions]):
    """A decision about raters, with its reason."""

    options = DecisionOptions

    @property
    def problem(self) -> str:
        """What is wrong with it."""
        return " ".join(error for errors in self.errors.values() for error in map(str, errors))


class ExcludeForm(ReasonForm):
    """People to exclude, in groups as a page reported them: ids with commas between."""

    without = ("excluded",)
    group = forms.MultipleChoiceField(
        error_messages=dict.fromkeys(
            ["required", "invalid_choice"], "Choose the participants to exclude."
        ),
    )

    def __init__(self, data: Any) -> None:
        super().__init__(data)
        field = self.fields["group"]
        assert isinstance(field, forms.MultipleChoiceField)
        field.choices = [(group, group) for group in data.getlist("group") if IDS.fullmatch(group)]

    def clean(self) -> dict[str, Any]:
        self.cleaned_data["excluded"] = True
        return super().clean()

    @property
    def participants(self) -> set[int]:
        """Who to exclude."""
        return {int(one) for group in self.cleaned_data["group"] for one in group.split(",")}


class DecisionForm(ReasonForm):
    """One rater to exclude, or to let count again."""

    without = ("excluded",)
    excluded = forms.TypedChoiceField(
        choices=[("true", "exclude"), ("false", "let count again")],
        coerce={"true": True, "false": False}.get,
    )
