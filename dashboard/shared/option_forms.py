"""A page's form made of a model of options (`survey.definition.options`)."""

from collections.abc import Collection, Mapping
from typing import Any, ClassVar, Generic, TypeVar

from django import forms
from pydantic import BaseModel, ValidationError

from dashboard.shared.forms import CentsField, NumberField
from survey.definition.options import (
    Option,
    OptionsRefused,
    SentFile,
    options_of,
    plain_number,
    problems_of,
)

Chosen = TypeVar("Chosen", bound=BaseModel)
KINDS: dict[type, type[forms.Field]] = {
    bool: forms.BooleanField,
    int: forms.IntegerField,
    float: NumberField,
    str: forms.CharField,
}
#: Characters of a text that is asked for in one line.
LONGEST_LINE = 1000


class SentFileField(forms.FileField):
    """A file; one that is empty is refused by what reads it, which names it."""

    def clean(self, data: Any, initial: Any = None) -> Any:
        file = super().clean(data, initial)
        return SentFile(file.name, file.read()) if file else None


class AnyTextsField(forms.MultipleChoiceField):
    """Texts of which the page offers some (`choices`); what takes them knows which there are."""

    def valid_value(self, value: Any) -> bool:
        return True


class OptionsForm(forms.Form, Generic[Chosen]):
    """The fields of `options`, which checks what is sent, beside those of the page, which may stand
    for an option. What is empty has its default, but a list of which nothing is ticked is empty.
    """

    options: ClassVar[type[BaseModel]]
    #: Options that the page does not ask for.
    without: ClassVar[Collection[str]] = ()
    #: Whether the template shows the help of each field, which inputs then refer to.
    shows_help: ClassVar[bool] = False
    #: Messages by field and code of Django's, in place of Django's.
    messages: ClassVar[Mapping[str, Mapping[str, str]]] = {}
    chosen: Chosen

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"label_suffix": "", **kwargs})
        for option in options_of(self.options):
            if option.name not in self.without and option.name not in self.fields:
                field = self.fields[option.name] = form_field(option)
                field.help_text = field.help_text if self.shows_help else ""
        for name, said in self.messages.items():
            self.fields[name].error_messages |= said

    def clean(self) -> dict[str, Any]:
        """`chosen` is what they make."""
        cleaned = super().clean() or {}
        sent = {name: cleaned.get(name) for name in self.options.model_fields}
        given = {name: value for name, value in sent.items() if value not in (None, "")}
        refused = set(self.errors)
        try:
            self.chosen = self.options.model_validate(given)  # type: ignore[assignment]  # a Chosen
        except ValidationError as wrong:
            for name, problems in problems_of(wrong, self.options).items():
                place = name if name in self.fields else None  # of the page as a whole
                if name not in refused and (place or not refused):
                    self.add_error(place, problems)
        return cleaned

    @property
    def asked(self) -> Chosen:
        """What is chosen. Raises OptionsRefused."""
        if self.is_valid():
            return self.chosen
        raise OptionsRefused(
            {
                name: [self._said(name, str(problem)) for problem in problems]
                for name, problems in self.errors.items()
            }
        )

    def _said(self, name: str, problem: str) -> str:
        """A problem under the label of its option, unless the option itself words it."""
        own = {option.name: option.when_missing for option in options_of(self.options)}
        is_complete = name not in own or problem == own[name]
        return problem if is_complete else f"{self.fields[name].label}: {problem}"


def form_field(option: Option) -> forms.Field:
    """What asks for an option."""
    shared: dict[str, Any] = {
        "label": option.label,
        "help_text": option.help,
        "required": option.is_required or option.fewest > 0,
        "initial": plain_number(option.default),
    }
    if option.when_missing:
        shared["error_messages"] = {"required": option.when_missing}
    if option.kind is SentFile:
        field = SentFileField(max_length=200, allow_empty_file=True, **shared)
        field.widget.attrs |= {"accept": option.endings} if option.endings else {}
        return field
    if option.values is not None:
        choices = [(str(value), label) for value, label in option.values.items()]
        known = {str(value): value for value in option.values}
        if option.many:
            return forms.TypedMultipleChoiceField(
                choices=choices, coerce=known.get, widget=forms.CheckboxSelectMultiple, **shared
            )
        return forms.TypedChoiceField(choices=choices, coerce=known.get, empty_value=None, **shared)
    if option.many:
        return AnyTextsField(widget=forms.CheckboxSelectMultiple, **shared)
    limits: dict[str, Any] = {"min_value": option.least, "max_value": option.most}
    if option.is_money:
        return CentsField(**shared, **limits)
    if option.kind is str:
        limits = {"max_length": option.longest}
        if (option.longest or 0) > LONGEST_LINE:
            limits["widget"] = forms.Textarea(attrs={"rows": 2})
    return KINDS[option.kind](**shared, **(limits if option.kind is not bool else {}))
