"""`manage.py lock_plan STUDY [--note TEXT] [--reason TEXT] [--text osf|aspredicted|json]`."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from analysis.locked_plans import LockOptions, lock_plan, locked_plan
from analysis.models import LockedPlan
from analysis.text.preregistration import TEXTS
from dashboard.design.locked_plan import text_of
from dashboard.management.arguments import add_study
from survey.management.option_arguments import add_options, chosen_options
from survey.management.refusing import RefusingCommand
from survey.models import Study
from survey.queries import find_study


class Command(RefusingCommand):
    help = (
        "Lock the plan of a study before its first participant: content, rules, recipes, contrast, "
        "margins, places and gold source, hashed with the time. Every later analysis says what it "
        "did otherwise. A plan is never unlocked."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        add_study(parser)
        add_options(parser, LockOptions)
        parser.add_argument(
            "--text",
            choices=list(TEXTS),
            help="lock nothing: print the locked plan for the forms of OSF or AsPredicted, or as "
            "the JSON that is hashed",
        )

    def handle(self, *, slug: str, text: str | None, **options: Any) -> None:
        study = find_study(slug)
        if text is not None:
            self._print(study, text, options["note"] or options["reason"])
            return
        plan = lock_plan(study, chosen_options(LockOptions, options), None)
        self.stdout.write(f"{study}: plan {plan.version} is locked\nSHA-256 {plan.sha256}")
        self.stdout.write(
            f"To register it: manage.py lock_plan {study} --text osf, or --text aspredicted"
        )

    def _print(self, study: Study, text: str, other: str) -> None:
        plan: LockedPlan | None = locked_plan(study)
        if other:
            raise CommandError("--text locks nothing: leave out --note and --reason")
        if plan is None:
            raise CommandError(f"{study} has no locked plan: manage.py lock_plan {study} locks it")
        self.stdout.write(text_of(plan, text), ending="")
