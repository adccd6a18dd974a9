"""`manage.py datasheet`: HEDS 3.0 and the ARR checklist, filled in from a study."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dashboard.management.output import OutputCommand
from dashboard.share.heds import FIELDS
from survey.models import Study


class Command(OutputCommand):
    help = (
        "Fill in the Human Evaluation Datasheet (HEDS 3.0, as Markdown and as the JSON that its "
        "form uploads) and the ARR responsible-NLP checklist from a study as it is now. Each "
        "answer has its source; drafts are marked; study.yaml answers what a platform cannot know."
    )
    manifest = "datasheet.json"
    what = "datasheets"

    def write(
        self, study: Study, sources: Sequence[str], folder: Path, options: dict[str, Any]
    ) -> dict[str, Any]:
        from analysis.execution import finished_run
        from dashboard.share.datasheet_files import write_datasheets

        run = finished_run(study=study, sources=sources)
        answered, drafts = write_datasheets(run, folder)
        self.stdout.write(
            f"HEDS 3.0: {answered} of {len(FIELDS)} fields answered, {drafts} of them as drafts"
        )
        about = {"study": str(study), "snapshot_hash": run.snapshot_hash, "sources": list(sources)}
        return about | {"absent": {}}
