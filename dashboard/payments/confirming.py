"""Confirming what a screen has chosen, for pages and the API."""

from datetime import datetime

from django.contrib.auth.models import User

from dashboard.accounts.prolific import account_of
from dashboard.payments.models import PaymentOrder
from dashboard.payments.orders import OrderRefused, chosen_of, confirm
from dashboard.payments.screen import Screen
from dashboard.prolific.terms import check_bonus
from survey.models import Study


class NotAsShown(OrderRefused):
    """What is chosen is not what was shown, so it is shown and confirmed again."""


def confirm_screen(
    *,
    study: Study,
    screen: Screen,
    author: User,
    by_hand: bool,
    is_sure: bool,
    at: datetime,
    stamp: str | None = None,
) -> PaymentOrder:
    """Store what is chosen, all or none; by hand also where the author has no account at Prolific.
    `stamp` says what was shown (`Screen.stamp`).

    Raises NotAsShown, OrderRefused, AmountRefused; all change nothing.
    """
    for group in screen.groups:
        if group.cents is not None and group.n_picked:
            check_bonus(group.cents, screen.terms, is_sure=is_sure)
    if screen.unknown:
        raise NotAsShown("Some of it is decided already, or has changed on Prolific.")
    if screen.n and stamp is not None and stamp != screen.stamp:
        raise NotAsShown("You changed the selection. Check the new sums.")
    return confirm(
        study=study,
        decisions=chosen_of(study, screen),
        author=author,
        by_hand=by_hand or account_of(author) is None,
        at=at,
        is_sure=is_sure,
    )
