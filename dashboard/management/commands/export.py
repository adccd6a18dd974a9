"""`manage.py export`: a study's data with what the filter decided, and a codebook."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from analysis.execution import RunFailed, finished_run
from dashboard.exports import write_export
from dashboard.output_folder import OutputRefused, output_folder
from survey.models import Participant
from survey.queries import StudyNotFound, find_study
from survey.tidy import counted_sources


class Command(BaseCommand):
    help = (
        "Export a study: participants, cleaned ratings, all ratings, gold scores, ranks, and a "
        "codebook. import_ratings reads the same files."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", metavar="STUDY", help="slug or slug@version")
        parser.add_argument("--out", type=Path, required=True, metavar="DIR")
        parser.add_argument(
            "--include",
            nargs="+",
            action="extend",
            default=[],
            choices=[str(source) for source in Participant.TEST_SOURCES],
            help="test people that are to be exported as well; the files then name them",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            study = find_study(options["study"])
            with output_folder(options["out"], manifest="export.json") as output:
                run = finished_run(study=study, sources=counted_sources(options["include"]))
                output.manifest |= write_export(study, run, output.path)
        except (StudyNotFound, OutputRefused, RunFailed) as error:
            raise CommandError(str(error)) from None
        self.stdout.write(f"{study}: data written to {options['out']}")
