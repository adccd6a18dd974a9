"""Example studies with simulated raters, and the tables that `analyze` writes of them."""

import csv
import json
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

from django.core.management import call_command

from survey.files.yaml_file import YamlFile
from survey.models import Study
from survey.simulated.profile import SimulationProfile

EXAMPLES = Path(__file__).parents[2] / "examples"
SEED = 5
Row = dict[str, str]


@dataclass(frozen=True)
class Written:
    """What `analyze` wrote about a study."""

    folder: Path

    def rows(self, table: str, **wanted: str) -> list[Row]:
        """The rows of a table that have these values."""
        with (self.folder / f"{table}.csv").open(encoding="utf-8", newline="") as file:
            return [row for row in csv.DictReader(file) if wanted.items() <= row.items()]

    def row(self, table: str, **wanted: str) -> Row:
        [found] = self.rows(table, **wanted)
        return found

    @property
    def absent(self) -> dict[str, str]:
        manifest = json.loads((self.folder / "manifest.json").read_text(encoding="utf-8"))
        absent: dict[str, str] = manifest["absent"]
        return absent


@dataclass(frozen=True)
class Analysed(Written):
    """The same, and the profile of the study's raters."""

    profile: SimulationProfile


def profile_of(name: str) -> Path:
    return EXAMPLES / "profiles" / f"{name}.yaml"


def read_profile(name: str) -> SimulationProfile:
    file = YamlFile.read(profile_of(name))
    return file.check(SimulationProfile, file.plain())


def load(name: str, **options: Any) -> Study:
    call_command("load_study", EXAMPLES / name, verbosity=0, **options)
    call_command("set_study", name, "open", rehearsal=True, stdout=StringIO())
    return Study.objects.get(slug=name)


def analyze(name: str, folder: Path, profile: SimulationProfile) -> Analysed:
    call_command(
        "analyze",
        name,
        out=folder,
        include=["simulated"],
        images=False,
        stdout=StringIO(),
        stderr=StringIO(),
    )
    return Analysed(folder, profile)


def interval(row: Row) -> tuple[float, float]:
    return float(row["ci_low"]), float(row["ci_high"])
