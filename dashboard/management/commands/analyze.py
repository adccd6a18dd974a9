"""`manage.py analyze`: every table, every figure and one report of a study."""

from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from analysis.size import AnalysisOptions, AnalysisSize
from dashboard.management.output import OutputCommand
from survey.management.option_arguments import add_options
from survey.models import Study


class Command(OutputCommand):
    help = (
        "Analyse a study as it is now: every table as CSV, every figure as JSON, SVG and PNG, one "
        "HTML report, and a manifest. The same data, rules, recipes and software give the "
        "same tables, byte for byte."
    )
    manifest = "manifest.json"
    what = "analysis"

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--recipe",
            default="both",
            help="both (paper and sound), or one of the study's recipes",
        )
        parser.add_argument(
            "--latex",
            nargs="?",
            choices=["main", "all"],
            const="main",
            default="none",
            help="write tables as LaTeX, too: those that a paper may print (--latex at the end, or "
            "--latex main), or all",
        )
        parser.add_argument(
            "--no-images",
            action="store_false",
            dest="images",
            help="skip SVG and PNG, which need Chrome or Chromium and some seconds",
        )
        add_options(parser, AnalysisOptions, called={"everything": "--all"})

    def write(
        self, study: Study, sources: Sequence[str], folder: Path, options: dict[str, Any]
    ) -> dict[str, Any]:
        from analysis.execution import finished_run
        from analysis.figures.images import write_images
        from analysis.recipe_sets import recipes_in_force
        from analysis.runs import size_of
        from dashboard.share.analysis_files import write_analysis
        from dashboard.share.packages import chosen_recipes

        chosen_recipes(recipes_in_force(study), options["recipe"])  # before anything is computed
        self._say_what_it_takes(size_of(study, sources, everything=options["everything"]))
        run = finished_run(study=study, sources=sources, everything=options["everything"])
        draw = write_images if options["images"] else None
        manifest = write_analysis(
            run, folder, recipe=options["recipe"], latex=options["latex"], write_images=draw
        )
        if options["images"] and manifest["images"]:
            self.stderr.write(f"Note: {manifest['images']}")
        return manifest

    def _say_what_it_takes(self, size: AnalysisSize) -> None:
        if size.is_large:
            left = "; some tables are left for later (--all makes them)"
            self.stderr.write(f"Note: {size}{left if size.leaves_some else ''}")
