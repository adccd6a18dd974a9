"""What researchers may send."""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django import forms
from django.contrib.auth.forms import AuthenticationForm, UsernameField
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from pydantic import ValidationError as ValidationErrors

from analysis.catalogue.spec import Column
from analysis.catalogue.subjects import MAIN, SUBJECTS
from analysis.exclusion_rule import Choice, Threshold
from analysis.quality_rules import LONGEST_REASON, SETTINGS, QualityRules, Setting
from dashboard.certificate import PEOPLE
from dashboard.queries import NOBODY
from dashboard.result_tables import EVERY
from survey.models import Participant, Slot, Study

#: Ids of participants.
IDS = re.compile(r"[0-9]{1,18}(,[0-9]{1,18})*")


class LoginForm(AuthenticationForm):
    """Lets researchers in; says to everybody else that this is not their door."""

    # Django names this limit without enforcing it; failed logins are stored in a shorter column.
    username = UsernameField(max_length=150, widget=forms.TextInput(attrs={"autofocus": True}))

    def confirm_login_allowed(self, user: User) -> None:
        super().confirm_login_allowed(user)
        if not user.is_staff:
            raise ValidationError("This account has no access to researchers' pages.")


class StateForm(forms.Form):
    """The state a study is to go to."""

    state = forms.ChoiceField(choices=Study.State.choices)
    confirmed = forms.BooleanField(required=False)
    rehearsal = forms.BooleanField(required=False)
    stand_in = forms.BooleanField(required=False)


class IncludeForm(forms.Form):
    """Experts or test people asked for by name: `?include=simulated`, or `?include=none`."""

    include = forms.MultipleChoiceField(
        required=False,
        choices=[
            *((source.value, source.label) for source in Participant.NOT_COUNTED),
            (NOBODY, NOBODY),
        ],
        error_messages={
            "invalid_choice": "include takes "
            + " or ".join([*Participant.NOT_COUNTED, NOBODY])
            + ", not %(value)s."
        },
    )

    @property
    def chosen(self) -> list[str] | None:
        """Whom to include, of a valid form; None where nothing is said of it."""
        if "include" not in self.data:
            return None
        return sorted(set(self.cleaned_data["include"]) - {NOBODY})


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
                    *((value, value.replace("_", " ")) for value in values),
                    (EVERY, "every one"),
                ],
                initial=first,
            )

    @property
    def choice(self) -> dict[str, str]:
        """The value by column. A field with an error chooses nothing."""
        self.is_valid()
        return {name: value for name, value in self.cleaned_data.items() if value}


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
        return self._of_kind(Choice)

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
    def asked(self) -> QualityRules:
        """The rules that the form makes; those in force where something in it is wrong."""
        return self.rules if self.is_valid() else self.in_force


def _field(setting: Setting, initial: Any) -> forms.Field:
    """What asks for another value of a rule's setting."""
    about = setting.about
    shared: dict[str, Any] = {"label": about.label, "required": False}
    if isinstance(about, Choice):
        return forms.TypedChoiceField(
            **shared,
            choices=list(about.values.items()),
            coerce={str(value): value for value in about.values}.get,
            empty_value=None,
            initial=str(initial),
        )
    kind = forms.IntegerField if setting.is_whole else forms.FloatField
    return kind(**shared, min_value=0, initial=initial)


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


class FilesInput(forms.ClearableFileInput):
    """Takes several files."""

    allow_multiple_selected = True


class FilesField(forms.FileField):
    """One file or more, each of them checked."""

    widget = FilesInput

    def clean(self, data: Any, initial: Any = None) -> list[Any]:
        files = data if isinstance(data, list | tuple) else [data]
        clean = super().clean
        return [clean(file, initial) for file in files or [None]]


class SubmissionsForm(forms.Form):
    """Prolific's lists of submissions."""

    file = FilesField(
        max_length=200,
        error_messages={"required": "Choose the CSV files that you exported from Prolific."},
    )


class ReasonForm(forms.Form):
    """Why researchers decide what they decide about raters."""

    reason = forms.CharField(
        max_length=LONGEST_REASON,
        error_messages={"required": "Give a reason: it is kept with the decision."},
    )

    @property
    def problem(self) -> str:
        """What is wrong with it."""
        return " ".join(error for errors in self.errors.values() for error in map(str, errors))


class ExcludeForm(ReasonForm):
    """People to exclude, in groups as a page reported them: ids with commas between."""

    group = forms.MultipleChoiceField(
        error_messages=dict.fromkeys(["required", "invalid_choice"], "Choose whom to exclude."),
    )

    def __init__(self, data: Any) -> None:
        super().__init__(data)
        field = self.fields["group"]
        assert isinstance(field, forms.MultipleChoiceField)
        field.choices = [(group, group) for group in data.getlist("group") if IDS.fullmatch(group)]

    @property
    def participants(self) -> set[int]:
        """Whom to exclude."""
        return {int(one) for group in self.cleaned_data["group"] for one in group.split(",")}


class DecisionForm(ReasonForm):
    """One rater to exclude, or to let count again."""

    excluded = forms.ChoiceField(choices=[("true", "exclude"), ("false", "let count again")])


class GoldSetForm(forms.Form):
    """Gold scores from a file, and what to call them."""

    name = forms.CharField(
        max_length=60, error_messages={"required": "Give the gold scores a name."}
    )
    file = forms.FileField(
        max_length=200, error_messages={"required": "Choose a CSV file with gold scores."}
    )


class CertificateForm(forms.Form):
    """Whose order to certify."""

    pool = forms.ChoiceField(required=False, choices=Slot.Pool.choices)
    people = forms.ChoiceField(required=False, choices=list(PEOPLE.items()))

    @property
    def choice(self) -> tuple[str, str]:
        """The pool and whom of it; by default real people who have completed."""
        chosen = self.cleaned_data
        return chosen["pool"] or Slot.Pool.REAL, chosen["people"] or "completed"


class VersionForm(forms.Form):
    """The version to compare with."""

    version = forms.IntegerField(required=False, min_value=1, max_value=10**9)
