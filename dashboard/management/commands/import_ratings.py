"""`manage.py import_ratings`: import ratings collected elsewhere."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from dashboard.importing.ratings import import_ratings
from dashboard.management.arguments import add_study
from dashboard.management.mapping import add_map_option
from survey.management.refusing import RefusingCommand
from survey.queries import find_study


class Command(RefusingCommand):
    unread = ""
    help = (
        "Import participants and ratings (and gold scores and ranks) from tables: CSV or .xlsx, "
        "tidy, wide with --map, or exported from Qualtrics. If a line is wrong, nothing is "
        "imported. The same import twice is refused."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_study(parser)
        parser.add_argument(
            "--participants",
            type=Path,
            metavar="CSV",
            help="without it, everybody whom the ratings or ranks name",
        )
        parser.add_argument(
            "--ratings", type=Path, metavar="CSV", help="required if the study has ratings"
        )
        parser.add_argument("--gold", type=Path, metavar="CSV")
        parser.add_argument("--ranks", type=Path, metavar="CSV")
        add_map_option(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        names = ("participants", "ratings", "gold", "ranks")
        files = {name: options[name] for name in names if options[name] is not None}
        study = find_study(options["slug"])
        done = import_ratings(study=study, files=files, map_file=options["map_file"])
        self.note(done.notices)
        self.stdout.write(
            f"Imported into {study}: {done.participants} participants, {done.ratings} ratings, "
            f"{done.ranks} ranks, {done.gold} gold scores"
        )
