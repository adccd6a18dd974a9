"""Confirming what a screen has chosen, for pages, the API and the command."""

from datetime import datetime
from typing import Annotated, Self

from annotated_types import MaxLen
from django.contrib.auth.models import User
from pydantic import Field, model_validator

from dashboard.accounts.prolific import account_of
from dashboard.payments.models import PaymentOrder
from dashboard.payments.orders import BY_HAND, LONGEST_TEXT, SURE, OrderRefused, chosen_of, confirm
from dashboard.payments.proposals import RULES
from dashboard.payments.screen import Screen, is_bonus
from dashboard.prolific.terms import check_bonus
from survey.definition.parts import Part, wrong
from survey.models import Study


class ConfirmOptions(Part):
    """What is changed of the proposals that are confirmed, and how they are carried out."""

    bonus_cents: int | None = Field(default=None, ge=0)
    #: By rule, as `amounts`, which are in cents.
    texts: dict[str, Annotated[str, MaxLen(LONGEST_TEXT)]] = {}
    amounts: dict[str, int] = {}
    sure: bool = SURE
    by_hand: bool = BY_HAND

    @model_validator(mode="after")
    def _are_of_rules(self) -> Self:
        for name, rules in (("texts", self.texts), ("amounts", self.amounts)):
            for rule in rules:
                if rule not in RULES or (name == "amounts" and not is_bonus(rule)):
                    raise wrong((name,), f"There is no such rule: {rule[:80]}.")
        return self


class NotAsShown(OrderRefused):
    """What is chosen is not what was shown, so it is shown and confirmed again."""

    about = "decisions"


class OtherSum(OrderRefused):
    """The bonuses that are chosen are not those that were meant."""

    about = "bonus_cents"


def confirm_screen(
    study: Study,
    screen: Screen,
    options: ConfirmOptions,
    author: User,
    *,
    at: datetime,
    stamp: str | None = None,
) -> PaymentOrder:
    """Store what is chosen, all or none; by hand also where the author has no account at Prolific.
    `stamp` says what was shown (`Screen.stamp`).

    Raises NotAsShown, OtherSum, OrderRefused, AmountRefused; all change nothing.
    """
    for group in screen.groups:
        if group.cents is not None and group.n_picked:
            check_bonus(group.cents, screen.terms, is_sure=options.sure)
    if screen.unknown:
        first = ", ".join(screen.unknown[:10])
        raise NotAsShown(f"Some of it is decided already, or has changed on Prolific: {first}.")
    if screen.n and stamp is not None and stamp != screen.stamp:
        raise NotAsShown("You changed the selection. Check the new sums.")
    if options.bonus_cents not in (None, screen.bonus_cents):
        raise OtherSum(f"The bonuses are {screen.bonus_cents} cents, not {options.bonus_cents}.")
    return confirm(
        study=study,
        decisions=chosen_of(study, screen),
        author=author,
        by_hand=options.by_hand or account_of(author) is None,
        at=at,
        is_sure=options.sure,
    )
