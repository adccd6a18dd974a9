"""What tells others what a package is: dataset_description.json, and what tools shall ignore."""

import csv
import json
from collections.abc import Collection
from pathlib import Path

from analysis.models import AnalysisRun
from dashboard.share.exports import ABOUT
from dashboard.share.psych_ds import IGNORED, Described, data_name, dataset_description
from survey.definition.settings import Settings
from survey.files.csv_text import ALL
from survey.models import Study
from survey.tidy import definition_of, not_counted_among


def write_description(run: AnalysisRun, folder: Path) -> None:
    """Write dataset_description.json and .psychds-ignore into a package's folder, whose `data/` is
    complete.
    """
    study = run.study
    with (folder / "data" / "codebook.csv").open(encoding="utf-8", newline="") as file:
        codebook = [Described(**row) for row in csv.DictReader(file) if row["column"] != ALL]
    about = dataset_description(
        name=study.title,
        description=_description(run),
        identifier=f"{study} {run.snapshot_hash}",
        languages=[definition_of(study).language, *study.translations],
        share=Settings.model_validate(study.settings).share,
        codebook=codebook,
    )
    text = json.dumps(about, indent=2, ensure_ascii=False)
    (folder / "dataset_description.json").write_text(text + "\n", encoding="utf-8")
    (folder / ".psychds-ignore").write_text("\n".join(IGNORED) + "\n", encoding="utf-8")


def _description(run: AnalysisRun) -> str:
    study, not_counted = run.study, not_counted_among(run.sources)
    said = (
        f"A human evaluation of {study.systems.count()} systems on {study.scenarios.count()} "
        f"scenarios by {run.manifest['n_participants']} participants, with the analysis of these "
        f"data. Study {study}; SHA-256 of the data: {run.snapshot_hash}. Prepared by Fivefold."
    )
    if not_counted:
        said += f" These numbers include {' and '.join(not_counted)} participants."
    return said


def names_of(study: Study, files: Collection[str]) -> dict[str, str]:
    """What a package calls those files of the export that it has, by their name before `.csv`."""
    names = {name.removesuffix(".csv"): data_name(study.slug, name) for name in ABOUT}
    return {name: called for name, called in names.items() if called in files}
