"""`manage.py end_sessions NAME`: log an account out everywhere; `--all`: every account."""

from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser

from analysis.catalogue.number_text import noun
from dashboard.accounts.sessions import end_sessions


class Command(BaseCommand):
    help = "End the sessions of an account, or of all accounts. API tokens stay valid."

    def add_arguments(self, parser: CommandParser) -> None:
        whose = parser.add_mutually_exclusive_group(required=True)
        whose.add_argument("name", metavar="NAME", nargs="?", help="the account's user name")
        whose.add_argument("--all", action="store_true", help="of every account")

    def handle(self, *, name: str | None, **options: Any) -> None:
        users = User.objects.all() if options["all"] else User.objects.filter(username=name)
        if not users:
            raise CommandError(f"There is no account {name!r}")
        ended = sum(end_sessions(user, author=None) for user in users)
        self.stdout.write(f"{ended} {noun(ended, 'session')} ended.")
