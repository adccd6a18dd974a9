"""`manage.py import_demographics STUDY CSV [--map YAML]`."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from dashboard.importing.files import read_file
from dashboard.management.mapping import add_map_option
from dashboard.prolific.demographics import import_demographics
from survey.management.refusing import RefusingCommand
from survey.queries import find_study


class Command(RefusingCommand):
    help = (
        "Import the answers to questions with `source: prolific` from Prolific's demographic "
        "export. If a line is wrong, nothing is imported. No Prolific ID is stored."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", metavar="STUDY", help="slug or slug@version")
        parser.add_argument("csv", metavar="CSV", type=Path, help="the export of Prolific")
        add_map_option(parser)

    def handle(self, *, slug: str, csv: Path, map_file: Path | None, **options: Any) -> None:
        study = find_study(slug)
        done, notices = import_demographics(
            study=study,
            export=(str(csv), read_file(csv)),
            mapping=(str(map_file), read_file(map_file)) if map_file else None,
            at=timezone.now(),
        )
        for notice in notices:
            self.stderr.write(f"Note: {notice}")
        self.stdout.write("\n".join([f"{study}:", *done.in_words]))
