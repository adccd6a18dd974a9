"""`manage.py draw_responses STUDY --n N --seed S --out CSV`."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from dashboard.judges.label_drawing import COLUMNS, DrawOptions, draw_responses
from dashboard.management.arguments import add_study
from dashboard.shared.log import record
from survey.files.csv_text import csv_lines
from survey.management.option_arguments import add_options, chosen_options
from survey.management.refusing import RefusingCommand
from survey.queries import find_study


class Command(RefusingCommand):
    help = (
        "Draw responses at random for labels by the authors: a CSV file without names of systems, "
        "in random order. Fill in its column gold, then import it with import_gold."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        add_study(parser)
        add_options(parser, DrawOptions)
        parser.add_argument("--out", type=Path, required=True, metavar="CSV")

    def handle(self, *, slug: str, out: Path, **options: Any) -> None:
        chosen = chosen_options(DrawOptions, options)
        if out.exists():
            raise CommandError(f"{out} is there already: choose another name")
        study = find_study(slug)
        rows = list(draw_responses(study, chosen))
        out.write_text("".join(csv_lines(COLUMNS, rows)), encoding="utf-8", newline="")
        drawn = rows[-1][0]
        record(study, None, "responses drawn", responses=drawn, seed=chosen.seed)
        self.stdout.write(
            f"{study}: {drawn} responses drawn (seed {chosen.seed}) and written to {out}"
        )
