"""`manage.py pay STUDY [--confirm CENTS --as USER [--by-hand] [--sure]]`."""

from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import CommandError, CommandParser
from django.utils import timezone
from kombu.exceptions import OperationalError

from config.celery import wake
from dashboard.management.arguments import add_study
from dashboard.payments.confirming import ConfirmOptions, confirm_screen
from dashboard.payments.models import PaymentOrder
from dashboard.payments.progress import orders_of, progress_of
from dashboard.payments.proposing import proposed_of
from dashboard.payments.screen import Screen
from dashboard.prolific.terms import in_money
from dashboard.shared.access import NotAllowed, role_of
from dashboard.shared.roles import Permission
from survey.management.option_arguments import add_options, chosen_options
from survey.management.refusing import RefusingCommand
from survey.models import Study
from survey.queries import find_study

#: What messages call the sum.
CALLED = {"bonus_cents": "--confirm"}


class Command(RefusingCommand):
    nothing = "Nothing was confirmed"
    help = (
        "Show what the rules propose about a study's submissions on Prolific, with sums, and what "
        "has become of earlier decisions. Nothing is decided without --confirm."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        add_study(parser)
        parser.add_argument(
            "--confirm",
            metavar="CENTS",
            type=int,
            help="confirm what is chosen by the rules; CENTS is the sum of its bonuses, as a check",
        )
        parser.add_argument("--as", dest="user", metavar="USER", help="the researcher who confirms")
        add_options(parser, ConfirmOptions, without=("bonus_cents", "texts", "amounts"))

    def handle(self, *, slug: str, confirm: int | None, user: str | None, **given: Any) -> None:
        study = find_study(slug)
        screen = proposed_of(study).screen()
        self.stdout.write("\n".join([f"{study}:", *_in_words(screen)]))
        if confirm is not None:
            asked = chosen_options(ConfirmOptions, given | {"bonus_cents": confirm}, called=CALLED)
            author = _who_confirms(study, user)
            order = confirm_screen(study, screen, asked, author, at=timezone.now())
            self.stdout.write(_confirmed(order))
        for made in progress_of(list(orders_of(study))):
            order = made.order
            self.stdout.write(
                f"Order {order.pk}, confirmed {order.confirmed_at:%Y-%m-%d %H:%M} UTC: "
                f"{made.in_words}"
            )


def _confirmed(order: PaymentOrder) -> str:
    """Wake a worker, unless it is done by hand; in words what happens next."""
    if order.by_hand:
        return f"Confirmed. Its lists are on the page Payments, order {order.pk}."
    try:
        wake("dashboard.pay", order.pk)
    except OperationalError:
        return "Confirmed. A worker finds it by itself; the broker does not answer."
    return "Confirmed. A worker carries it out."


def _who_confirms(study: Study, name: str | None) -> User:
    """The account of that name. Raises CommandError, and NotAllowed by its role in the study."""
    if not name:
        raise CommandError("--confirm needs --as with the name of a researcher.")
    author = User.objects.filter(username=name, is_staff=True, is_active=True).first()
    if author is None:
        raise CommandError(f"--as {name}: no active researcher's account. Nothing was confirmed.")
    role = role_of(author, study.slug)
    if role is None or not role.may(Permission.RECRUIT):
        needed = Permission.RECRUIT
        raise NotAllowed(
            f"{name} may not {needed.what} in {study}, which needs the role "
            f"{needed.least.label}. Nothing was confirmed."
        )
    return author


def _in_words(screen: Screen) -> list[str]:
    """Every group with its sums, and the arithmetic of the hourly pay."""
    currency = screen.terms.currency
    lines = [screen.hourly.in_words] if screen.hourly else []
    for group in screen.groups:
        each = f", {in_money(group.cents, currency)} each" if group.cents else ""
        lines.append(f"{group.heading}: {group.n_picked} of {group.n} chosen{each}")
    if not screen.groups:
        return [*lines, "Nothing to decide by the rules."]
    return [*lines, f"Bonuses in all: {screen.bonus_cents} cents."]
