"""What several pages take from researchers."""

import re
from decimal import Decimal
from typing import Any

from django import forms

from corpus.options import lines_of
from dashboard.shared.newest_analysis import NOBODY
from survey.files.digits import ascii_number
from survey.models import Participant


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
        """Who to include, of a valid form; None if it does not say."""
        if "include" not in self.data:
            return None
        return sorted(set(self.cleaned_data["include"]) - {NOBODY})


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


class LinesField(forms.CharField):
    """Texts, one a line."""

    widget = forms.Textarea(attrs={"rows": 2})

    def clean(self, value: Any) -> list[str]:
        return lines_of(super().clean(value))


class NumberField(forms.FloatField):
    """A number as any keyboard writes it."""

    def to_python(self, value: Any) -> Any:
        return super().to_python(ascii_number(value) if isinstance(value, str) else value)


class AmountField(forms.DecimalField):
    """An amount of money, with a point and at most two digits after it."""

    AMOUNT = re.compile(r"-?[0-9]{1,7}(\.[0-9]{1,2})?", re.ASCII)

    def __init__(self, **options: Any) -> None:
        super().__init__(max_digits=9, decimal_places=2, **options)

    def to_python(self, value: Any) -> Any:
        """As in other fields of numbers, which also take 1e9 and 1_0."""
        if isinstance(value, str):
            value = ascii_number(value).strip()
            if value and not self.AMOUNT.fullmatch(value):
                raise forms.ValidationError(f"“{value[:20]}” is not an amount such as 1.50.")
        return super().to_python(value)


class CentsField(AmountField):
    """An amount of money that is kept in cents; limits are in cents, too."""

    def __init__(
        self, *, min_value: int | None = None, max_value: int | None = None, **options: Any
    ) -> None:
        limits = {"min_value": min_value, "max_value": max_value}
        amounts = {
            name: Decimal(cents) / 100 for name, cents in limits.items() if cents is not None
        }
        super().__init__(**amounts, **options)

    def clean(self, value: Any) -> int | None:
        amount = super().clean(value)
        return None if amount is None else round(amount * 100)

    def prepare_value(self, value: Any) -> Any:
        return f"{value / 100:.2f}" if isinstance(value, int) else value
