"""`manage.py reset_second_factor NAME`: for a researcher who has lost phone, passkeys and codes."""

from typing import Any

from allauth.mfa.models import Authenticator
from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db.models import Count

from dashboard.accounts.sessions import end_sessions
from dashboard.shared.log import record


class Command(BaseCommand):
    help = "Remove an account's authenticator app, passkeys and recovery codes."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", metavar="NAME", help="the account's user name")

    def handle(self, *, name: str, **options: Any) -> None:
        user = User.objects.filter(username=name).first()
        if user is None:
            raise CommandError(f"There is no account {name!r}")
        factors = Authenticator.objects.filter(user=user)
        counts = dict(factors.values_list("type").annotate(Count("pk")).order_by())
        if not counts:
            raise CommandError(f"{name} has no second factor. Nothing was changed")
        factors.delete()
        record(None, None, "second factor removed", person=name)
        end_sessions(user, author=None)
        labels = {"totp": "authenticator app", "webauthn": "passkeys", "recovery_codes": "codes"}
        removed = ", ".join(f"{labels[kind]} ({count})" for kind, count in sorted(counts.items()))
        self.stdout.write(
            f"Removed from {name}: {removed}. All sessions are logged out, and the password alone "
            f"logs in. If others may know it, run `manage.py changepassword {name}`."
        )
