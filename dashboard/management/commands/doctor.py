"""`manage.py doctor`: whether the data keep the rules that everything relies on."""

from itertools import islice
from typing import Any

from django.core.checks import Tags
from django.core.management.base import BaseCommand, CommandError, CommandParser

from dashboard.management.doctor import INVARIANTS, Check
from survey.tidy import reading

#: More rows of one kind say nothing more.
SHOWN = 10


class Command(BaseCommand):
    help = (
        "Check the data of this installation: orders, answers, withdrawals, versions, test people, "
        "analyses, money. Names each row that breaks a rule, and what to do. Changes nothing."
    )
    requires_system_checks = (Tags.models,)

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--rules", action="store_true", help="only list what is checked")

    def handle(self, *, rules: bool, **options: Any) -> None:
        broken = 0
        with reading():
            for number, rule in enumerate(INVARIANTS, start=1):
                self.stdout.write(f"{number}. {rule.title}")
                for check in rule.checks:
                    broken += self.report(check, only_name=rules)
                if rule.not_checked:
                    self.stdout.write(f"   not checked  {rule.not_checked}")
        if broken:
            raise CommandError(
                f"{broken} rows break a rule; see above. Make a backup before you change anything"
            )

    def report(self, check: Check, *, only_name: bool) -> int:
        """Say what a check found. Returns the number of rows."""
        sentence = " ".join((check.__doc__ or "").split()).rstrip(".")
        if only_name:
            self.stdout.write(f"   {sentence}")
            return 0
        violations = check()
        shown = list(islice(violations, SHOWN))
        more = sum(1 for _ in violations)
        self.stdout.write(f"   {'BROKEN' if shown else 'ok    '}  {sentence}")
        for violation in shown:
            self.stdout.write(f"           {violation}")
        if more:
            self.stdout.write(f"           … and {more} rows more")
        return len(shown) + more
