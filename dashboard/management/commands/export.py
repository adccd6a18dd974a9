"""`manage.py export`: a study's data with what the filter decided, and a codebook."""

from pathlib import Path
from typing import Any

from analysis.models import AnalysisRun
from dashboard.exports import write_export
from dashboard.management.output import OutputCommand


class Command(OutputCommand):
    help = (
        "Export a study: participants, cleaned ratings, all ratings, gold scores, ranks, and a "
        "codebook. import_ratings reads the same files."
    )
    manifest = "export.json"
    what = "data"

    def write(self, run: AnalysisRun, folder: Path, options: dict[str, Any]) -> dict[str, Any]:
        return write_export(run.study, run, folder)
