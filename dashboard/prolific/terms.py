"""What a study promises its participants, and what amounts may be paid. Pure.

Amounts are in cents (pence) of the currency.
"""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from survey.definition.options import InCents, ValueLabels
from survey.definition.policy import LEAST_SCREENED_OUT, PAY_TERMS, SIGNS, least_per_hour
from survey.refusals import RequestRefused

#: A bonus of more rewards than this needs a confirmation of its own.
MOST_REWARDS = 100
#: Prolific's limit is lower; a larger number is a slip.
MOST_CENTS = 1_000_000


def _promised(term: str, description: str = "") -> Any:
    return Field(default=None, title=PAY_TERMS[term], description=description, ge=1, le=MOST_CENTS)


class Terms(BaseModel):
    """What a study promises. None: nothing is promised, and nothing is proposed."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    currency: Annotated[
        str, ValueLabels({name: f"{name} ({sign})" for name, sign in SIGNS.items()})
    ] = Field(default="GBP", title=PAY_TERMS["currency"])
    reward: Annotated[int | None, InCents()] = _promised(
        "reward", "What Prolific pays for each approved submission."
    )
    hourly: Annotated[int | None, InCents()] = _promised(
        "hourly", "Prolific’s minimum holds in any case."
    )
    completed_bonus: Annotated[int | None, InCents()] = _promised("completed_bonus")
    checks_bonus: Annotated[int | None, InCents()] = _promised("checks_bonus")
    screened_out: Annotated[int | None, InCents()] = _promised(
        "screened_out", "Also for people who met a full study."
    )

    @property
    def least_hourly(self) -> int:
        """The higher of what is promised and of Prolific's minimum, in cents."""
        return max(self.hourly or 0, 100 * least_per_hour(self.currency))


class AmountRefused(RequestRefused):
    """An amount that is not paid; the text says why."""


class TooLittlePromised(AmountRefused):
    """People who are screened out get at least what Prolific asks for."""

    about = "screened_out"


def check_bonus(cents: int, terms: Terms, *, is_sure: bool = False) -> None:
    """Raises AmountRefused for a bonus that is none, or unusually high and not confirmed."""
    if cents <= 0:
        raise AmountRefused(f"A bonus of {in_money(cents, terms.currency)} is not more than 0.")
    if cents > MOST_CENTS:
        raise AmountRefused(
            f"A bonus of {in_money(cents, terms.currency)} is more than "
            f"{in_money(MOST_CENTS, terms.currency)}."
        )
    most = MOST_REWARDS * (terms.reward or 100)
    if cents > most and not is_sure:
        what = f"{MOST_REWARDS} rewards" if terms.reward else in_money(most, terms.currency)
        raise AmountRefused(
            f"A bonus of {in_money(cents, terms.currency)} is more than {what}: confirm that it is "
            "meant."
        )


def check_terms(terms: Terms) -> None:
    """Raises TooLittlePromised for terms that Prolific's rules do not allow."""
    least = LEAST_SCREENED_OUT.get(terms.currency, min(LEAST_SCREENED_OUT.values()))
    if terms.screened_out is not None and terms.screened_out < least:
        raise TooLittlePromised(
            f"Pay for people who are screened out is at least {in_money(least, terms.currency)}."
        )


def in_money(cents: int, currency: str) -> str:
    """150 pence as £1.50."""
    sign = SIGNS.get(currency, f"{currency} " if currency else "")
    return f"{'−' if cents < 0 else ''}{sign}{abs(cents) / 100:,.2f}"
