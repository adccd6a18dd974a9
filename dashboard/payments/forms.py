"""What researchers send about submissions and payments."""

from typing import Any

from django import forms
from django.core.validators import RegexValidator

from dashboard.payments.case import MISMATCHES
from dashboard.payments.models import PaymentOrder
from dashboard.payments.screen import ID
from dashboard.payments.settling import ChosenLines, open_decisions
from dashboard.payments.single import NO_KIND, DecideOptions
from dashboard.prolific.terms import Terms
from dashboard.shared.option_forms import OptionsForm


class SubmissionFilter(forms.Form):
    """Which cases a page shows."""

    mismatch = forms.ChoiceField(
        required=False,
        choices=[
            ("", "all"),
            ("any", "any mismatch"),
            ("none", "no mismatch"),
            *((name, heading) for name, (heading, _) in MISMATCHES.items()),
        ],
    )
    status = forms.CharField(required=False, max_length=40)


class TermsForm(OptionsForm[Terms]):
    """What the study promises its participants; an empty amount promises nothing."""

    options = Terms
    shows_help = True


class DecideForm(OptionsForm[DecideOptions]):
    """A decision by hand about one submission."""

    options = DecideOptions

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["kind"].error_messages["invalid_choice"] = NO_KIND
        none = "There is no category “%(value)s”."
        self.fields["category"].error_messages["invalid_choice"] = none


class RowIds(forms.TypedMultipleChoiceField):
    """Ids of rows; whether there are such rows is checked elsewhere, in one query."""

    default_error_messages = {"invalid_choice": "Choose at least one line."}

    def __init__(self, **options: Any) -> None:
        super().__init__(coerce=int, **options)

    def valid_value(self, value: Any) -> bool:
        return bool(ID.fullmatch(str(value)))


class SettleForm(forms.Form):
    """What became of decisions whose outcome is not known."""

    WHAT = {"done": "done", "not_done": "not done", "cancel": "cancelled"}

    what = forms.ChoiceField(choices=list(WHAT.items()))
    #: Those on other pages, too: all open lines but those on this page that are not ticked.
    other_pages = forms.BooleanField(required=False)
    on_this_page = forms.CharField(
        required=False, validators=[RegexValidator(rf"^(?:{ID.pattern}(?: |\Z))*\Z")]
    )
    decision = RowIds(required=False)

    def __init__(self, data: Any, *, order: PaymentOrder) -> None:
        super().__init__(data)
        self.order = order

    def clean(self) -> dict[str, Any]:
        """`lines` are those that were chosen."""
        cleaned = super().clean() or {}
        if self.errors:
            return cleaned
        chosen = frozenset[int](cleaned["decision"])
        self.lines = ChosenLines(chosen)
        is_known = open_decisions(self.order).filter(pk__in=chosen).count() == len(chosen)
        if cleaned["other_pages"]:
            here = frozenset(map(int, cleaned["on_this_page"].split()))
            self.lines = ChosenLines(here - chosen, are_excluded=True)
        elif not chosen or not is_known:
            self.add_error("decision", "Choose at least one line.")
        return cleaned
