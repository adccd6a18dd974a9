"""`manage.py export`: a study's data with what the filter decided, and a codebook."""

from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dashboard.management.output import OutputCommand
from dashboard.share.exports import SMALL_CELL
from survey.models import Study


class Command(OutputCommand):
    help = (
        "Export a study: participants, cleaned ratings, all ratings, gold scores, ranks, free "
        "text, what was shown and for how long, attention checks, and a codebook. "
        "import_ratings reads the same files."
    )
    manifest = "export.json"
    what = "data"

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--share",
            action="store_true",
            help="the form for sharing: without free text, exact times and window sizes",
        )
        parser.add_argument(
            "--excel",
            action="store_true",
            help="begin each file with a byte order mark, so that Excel shows all scripts",
        )

    def write(
        self, study: Study, sources: Sequence[str], folder: Path, options: dict[str, Any]
    ) -> dict[str, Any]:
        from dashboard.share.export_files import write_export

        manifest = write_export(
            study, sources, folder, sharing=options["share"], for_excel=options["excel"]
        )
        for cell in manifest.get("small_cells", []):
            self.stderr.write(f"Note: fewer than {SMALL_CELL} people answered {cell}")
        if manifest["clock_stepped"]:
            self.stderr.write(
                "Note: participants during whose survey the server's clock was set back: "
                f"{manifest['clock_stepped']} (column clock_stepped of participants.csv). Their "
                "durations are empty, and the rule duration is not applied to them."
            )
        return manifest
