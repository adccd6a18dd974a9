"""`manage.py submissions STUDY CSV [CSV …] [--exclude FINDING …] [--reason TEXT]`."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from analysis.manual_decisions import DecisionRefused
from dashboard.management.deciding import decide
from dashboard.raters.reconciliation import FINDINGS, reconcile, reconciled_in_words
from dashboard.raters.submission_lists import read_submissions
from dashboard.raters.submissions import apply_submissions, in_words
from survey.files.problems import DefinitionError, read_bytes
from survey.queries import StudyNotFound, find_study


class Command(BaseCommand):
    help = (
        "Read the lists of submissions exported from Prolific, and free the slots of people who "
        "returned or timed out before finishing. Then report participants who are not in the "
        "lists or whose completion code does not match. --exclude excludes them."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", metavar="STUDY", help="slug or slug@version")
        parser.add_argument(
            "csv",
            metavar="CSV",
            type=Path,
            nargs="+",
            help="the exported list of each study on Prolific that recruits for this one",
        )
        parser.add_argument(
            "--exclude",
            action="append",
            default=[],
            choices=list(FINDINGS),
            help="exclude participants with this finding; may be given several times",
        )
        parser.add_argument("--reason", default="", help="why; stored with each decision")

    def handle(
        self, *, slug: str, csv: list[Path], exclude: list[str], reason: str, **options: Any
    ) -> None:
        if exclude and not reason.strip():
            raise CommandError("--exclude needs --reason. Nothing was changed.")
        if reason and not exclude:
            raise CommandError("--reason is given without --exclude. Nothing was changed.")
        try:
            study = find_study(slug)
            lists = read_submissions([(str(path), read_bytes(path)) for path in csv])
        except StudyNotFound as error:
            raise CommandError(str(error)) from None
        except DefinitionError as error:
            raise CommandError(f"Nothing was changed.\n{error}") from None
        applied = apply_submissions(study=study, submissions=lists.submissions, at=timezone.now())
        reconciliation = reconcile(study, lists)
        for notice in lists.notices:
            self.stderr.write(f"Note: {notice}")
        report = [*in_words(applied), *reconciled_in_words(reconciliation)]
        self.stdout.write("\n".join([f"{study}:", *report]))
        if exclude:
            people = reconciliation.people_with(exclude)
            try:
                self.stdout.write(decide(study, people, excluded=True, reason=reason))
            except DecisionRefused as refusal:
                raise CommandError(str(refusal)) from None
