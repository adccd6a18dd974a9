"""What researchers send about submissions and payments."""

from decimal import Decimal
from typing import Any

from django import forms
from django.core.validators import RegexValidator

from dashboard.overview.events import PAY_TERMS
from dashboard.payments.case import MISMATCHES
from dashboard.payments.models import PaymentOrder
from dashboard.payments.rejections import CATEGORIES
from dashboard.payments.screen import ID
from dashboard.payments.settling import ChosenLines, open_decisions
from dashboard.prolific.terms import MOST_CENTS, AmountRefused, Terms, cents_of, check_terms
from dashboard.shared.forms import AmountField
from survey.definition.policy import SIGNS

LONGEST_TEXT = 2000


def _amount(term: str, help_text: str = "") -> AmountField:
    most = Decimal(MOST_CENTS) / 100
    label = PAY_TERMS[term]
    return AmountField(label=label, help_text=help_text, required=False, max_value=most)


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


class TermsForm(forms.Form):
    """What the study promises its participants; an empty amount promises nothing."""

    currency = forms.ChoiceField(
        choices=[(name, f"{name} ({sign})") for name, sign in SIGNS.items()]
    )
    reward = _amount("reward", "What Prolific pays for each approved submission.")
    hourly = _amount("hourly", "Prolific’s minimum holds in any case.")
    completed_bonus = _amount("completed_bonus")
    checks_bonus = _amount("checks_bonus")
    screened_out = _amount("screened_out", "Also for people who met a full study.")

    @classmethod
    def of(cls, terms: Terms) -> "TermsForm":
        """A form that shows these terms."""
        stored = terms.model_dump()
        shown = {
            name: value if name == "currency" or value is None else f"{value / 100:.2f}"
            for name, value in stored.items()
        }
        return cls(initial=shown)

    def clean(self) -> dict[str, Any]:
        """`terms` is what the form says."""
        cleaned = super().clean() or {}
        values: dict[str, Any] = {}
        for name, value in list(cleaned.items()):
            if isinstance(value, Decimal) and value <= 0:
                self.add_error(name, "Enter an amount above 0, or leave it empty.")
            values[name] = cents_of(value) if isinstance(value, Decimal) else value
        if not self.errors:
            self.terms = Terms.model_validate(values)
            try:
                check_terms(self.terms)
            except AmountRefused as error:
                self.add_error("screened_out", str(error))
        return cleaned


class DecideForm(forms.Form):
    """A decision by hand about one submission."""

    kind = forms.ChoiceField(
        choices=[(kind, kind) for kind in ("approve", "bonus", "return", "message", "reject")],
        error_messages=dict.fromkeys(["required", "invalid_choice"], "Choose what to do."),
    )
    reason = forms.CharField(
        max_length=200, error_messages={"required": "Give a reason: it is stored."}
    )
    text = forms.CharField(required=False, max_length=LONGEST_TEXT)
    category = forms.ChoiceField(
        required=False,
        choices=[("", ""), *CATEGORIES.items()],
        error_messages={"invalid_choice": "There is no category “%(value)s”."},
    )
    amount = AmountField(required=False)
    sure = forms.BooleanField(required=False)
    by_hand = forms.BooleanField(required=False)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        kind = cleaned.get("kind")
        if kind == "bonus" and cleaned.get("amount") is None and "amount" not in self.errors:
            self.add_error("amount", "Enter the amount of the bonus.")
        if kind in ("return", "message") and not cleaned.get("text"):
            self.add_error("text", "Write what the participant is told.")
        return cleaned

    @property
    def problem(self) -> str:
        """What is wrong with it."""
        return " ".join(error for errors in self.errors.values() for error in map(str, errors))


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
