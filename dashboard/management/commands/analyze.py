"""`manage.py analyze`: every table, every figure and one report of a study."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from analysis.models import AnalysisRun
from dashboard.analysis_files import RECIPES, write_analysis
from dashboard.management.output import OutputCommand


class Command(OutputCommand):
    help = (
        "Analyse a study as it is now: every table as CSV, every figure as JSON, one HTML report, "
        "and a manifest. The same data, rules and software give the same tables, byte for byte."
    )
    manifest = "manifest.json"
    what = "analysis"

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--recipe",
            choices=sorted(RECIPES),
            default="both",
            help="named in the manifest; none of the present tables depends on it",
        )

    def write(self, run: AnalysisRun, folder: Path, options: dict[str, Any]) -> dict[str, Any]:
        return write_analysis(run, folder, recipe=options["recipe"])
