"""`manage.py set_study STUDY draft|open|paused|closed`."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from survey.models import Study
from survey.queries import StudyNotFound, find_study
from survey.studies import StateError, set_state


class Command(BaseCommand):
    help = "Move a study between draft, open, paused and closed. Started people still finish."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="slug, or slug@version (default: the newest)")
        parser.add_argument("state", choices=Study.State.values)

    def handle(self, *, study: str, state: str, **options: Any) -> None:
        try:
            found = find_study(study)
            changed = set_state(study=found, state=state)
        except (StudyNotFound, StateError) as error:
            raise CommandError(str(error)) from None
        self.stdout.write(f"{found} is {'now' if changed else 'already'} {state}")
