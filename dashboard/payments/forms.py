"""What researchers send about submissions and payments."""

from typing import Any

from django import forms
from django.core.validators import RegexValidator

from dashboard.payments.case import MISMATCHES
from dashboard.payments.confirming import ConfirmOptions
from dashboard.payments.screen import ID
from dashboard.payments.settling import SAID, ChosenLines
from dashboard.payments.single import NO_KIND, DecideOptions
from dashboard.prolific.terms import Terms
from dashboard.shared.forms import CentsField
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
    messages = {
        "kind": {"invalid_choice": NO_KIND},
        "category": {"invalid_choice": "There is no category “%(value)s”."},
    }


class _InputsOfRules(forms.Widget):
    """An input for each rule, such as `text-never_came`."""

    def value_from_datadict(self, data: Any, files: Any, name: str) -> dict[str, str]:
        of_rule = f"{name.removesuffix('s')}-"
        return {key.removeprefix(of_rule): data[key] for key in data if key.startswith(of_rule)}


class ByRuleField(forms.Field):
    """What `each` makes of the input of each rule."""

    def __init__(self, each: forms.Field, label: str) -> None:
        super().__init__(required=False, widget=_InputsOfRules, label=label)
        self.each = each

    def clean(self, value: dict[str, str]) -> dict[str, Any]:
        return {rule: self.each.clean(text) for rule, text in value.items()}


class ConfirmForm(OptionsForm[ConfirmOptions]):
    """What is confirmed, with which changes. The stamp of the page stands for the sum."""

    options = ConfirmOptions
    without = ("bonus_cents",)
    texts = ByRuleField(forms.CharField(required=False), "What participants are told")
    amounts = ByRuleField(
        CentsField(error_messages={"required": "Enter an amount such as 1.50."}), "Amount for each"
    )


class RowIds(forms.TypedMultipleChoiceField):
    """Ids of rows; whether there are such rows is checked elsewhere, in one query."""

    default_error_messages = {"invalid_choice": "Choose at least one line."}

    def __init__(self, **options: Any) -> None:
        super().__init__(coerce=int, **options)

    def valid_value(self, value: Any) -> bool:
        return bool(ID.fullmatch(str(value)))


class SettleForm(forms.Form):
    """What became of decisions whose outcome is not known."""

    what = forms.ChoiceField(choices=list(SAID.items()))
    #: Those on other pages, too: all open lines but those on this page that are not ticked.
    other_pages = forms.BooleanField(required=False)
    on_this_page = forms.CharField(
        required=False, validators=[RegexValidator(rf"^(?:{ID.pattern}(?: |\Z))*\Z")]
    )
    decision = RowIds(required=False)

    @property
    def lines(self) -> ChosenLines:
        """Those that a valid form chooses."""
        chosen = frozenset[int](self.cleaned_data["decision"])
        if not self.cleaned_data["other_pages"]:
            return ChosenLines(chosen)
        here = frozenset(map(int, self.cleaned_data["on_this_page"].split()))
        return ChosenLines(here - chosen, are_excluded=True)
