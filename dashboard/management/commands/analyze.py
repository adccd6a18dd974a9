"""`manage.py analyze`: every table, every figure and one report of a study."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from analysis.execution import RunFailed, finished_run
from dashboard.analysis_files import RECIPES, write_analysis
from dashboard.output_folder import OutputRefused, output_folder
from survey.models import Participant
from survey.queries import StudyNotFound, find_study
from survey.tidy import counted_sources


class Command(BaseCommand):
    help = (
        "Analyse a study as it is now: every table as CSV, every figure as JSON, one HTML report, "
        "and a manifest. The same data, rules and software give the same tables, byte for byte."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", metavar="STUDY", help="slug or slug@version")
        parser.add_argument("--out", type=Path, required=True, metavar="DIR")
        parser.add_argument(
            "--recipe",
            choices=sorted(RECIPES),
            default="both",
            help="named in the manifest; none of the present tables depends on it",
        )
        parser.add_argument(
            "--include",
            nargs="+",
            action="extend",
            default=[],
            choices=[str(source) for source in Participant.TEST_SOURCES],
            help="test people that are to count as well; every table then names them",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            study = find_study(options["study"])
            with output_folder(options["out"], manifest="manifest.json") as output:
                run = finished_run(study=study, sources=counted_sources(options["include"]))
                output.manifest |= write_analysis(run, output.path, recipe=options["recipe"])
        except (StudyNotFound, OutputRefused, RunFailed) as error:
            raise CommandError(str(error)) from None
        for name, reason in run.manifest["absent"].items():
            self.stderr.write(f"Note: no {name}: {reason}")
        self.stdout.write(f"{study}: analysis written to {options['out']}")
