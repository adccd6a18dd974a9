"""`manage.py import_demographics STUDY CSV [--map YAML] [--preview]`."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from dashboard.management.arguments import add_study
from dashboard.management.mapping import add_map_option
from dashboard.prolific.demographics_asking import (
    IS_PREVIEW,
    DemographicsOptions,
    ask_for_demographics,
)
from survey.management.option_arguments import add_options, chosen_options
from survey.management.refusing import RefusingCommand
from survey.queries import find_study


class Command(RefusingCommand):
    help = (
        "Import the answers to questions with `source: prolific` from Prolific's demographic "
        "export. If a line is wrong, nothing is imported. No Prolific ID is stored."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        add_study(parser)
        parser.add_argument("csv", metavar="CSV", type=Path, help="the export of Prolific")
        add_map_option(parser)
        add_options(parser, DemographicsOptions, without={"file", "map", "from_prolific"})

    def handle(self, *, slug: str, csv: Path, map_file: Path | None, **options: Any) -> None:
        study = find_study(slug)
        given = options | {"file": csv, "map": map_file}
        chosen = chosen_options(DemographicsOptions, given)
        done, notices = ask_for_demographics(study, chosen, None)
        self.note(notices)
        said = [IS_PREVIEW] if chosen.preview else []
        self.stdout.write("\n".join([f"{study}:", *said, *done.in_words]))
