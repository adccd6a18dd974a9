"""`manage.py submissions STUDY CSV`."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from dashboard.submissions import apply_submissions, in_words, read_submissions
from survey.definition import DefinitionError
from survey.queries import StudyNotFound, find_study


class Command(BaseCommand):
    help = (
        "Read the list of submissions exported from Prolific: people who returned theirs or ran "
        "out of time, and have not completed the survey, free their place."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", metavar="STUDY", help="slug or slug@version")
        parser.add_argument("csv", metavar="CSV", type=Path, help="as exported from Prolific")

    def handle(self, *, study: str, csv: Path, **options: Any) -> None:
        try:
            found = find_study(study)
            submissions = read_submissions(csv.read_bytes(), file=str(csv))
        except StudyNotFound as error:
            raise CommandError(str(error)) from None
        except OSError as error:
            raise CommandError(f"{csv}: {error.strerror}") from None
        except DefinitionError as error:
            raise CommandError(f"Nothing was changed.\n{error}") from None
        applied = apply_submissions(study=found, submissions=submissions, at=timezone.now())
        self.stdout.write("\n".join([f"{found}:", *in_words(applied)]))
