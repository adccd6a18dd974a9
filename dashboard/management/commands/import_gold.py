"""`manage.py import_gold STUDY --gold CSV --name NAME [--use]`."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from dashboard.importing.files import read_file
from dashboard.judges.gold_sets import import_gold_set
from dashboard.management.gold import choose
from dashboard.management.mapping import add_map_option
from judge.queries import GoldSource
from survey.management.refusing import RefusingCommand
from survey.queries import find_study


class Command(RefusingCommand):
    help = (
        "Import gold scores from a CSV file as another source. If a line is wrong, nothing is "
        "imported. The scores are not gold until you choose them, or add --use."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", metavar="STUDY", help="slug or slug@version")
        parser.add_argument(
            "--gold", type=Path, required=True, metavar="CSV", help="with the columns of gold.csv"
        )
        add_map_option(parser)
        parser.add_argument("--name", required=True, help="the name of the new source")
        parser.add_argument("--use", action="store_true", help="use them as gold at once")

    def handle(
        self, *, slug: str, gold: Path, name: str, use: bool, map_file: Path | None, **options: Any
    ) -> None:
        study = find_study(slug)
        added, notices = import_gold_set(
            study, read_file(gold), file=str(gold), name=name, map_file=map_file
        )
        for notice in notices:
            self.stderr.write(f"Note: {notice}")
        source = GoldSource(gold_set=added)
        self.stdout.write(f"{study}: imported {added.scores.count()} gold scores as {source.key!r}")
        if use:
            choose(self, study, source)
