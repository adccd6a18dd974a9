"""`manage.py import_gold STUDY --gold CSV --name NAME [--use]`."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from dashboard.judges.gold_sets import GoldFileOptions, import_gold_set
from dashboard.management.arguments import add_include, add_study
from dashboard.management.gold import choose
from dashboard.management.mapping import add_map_option
from judge.queries import GoldSource
from survey.management.option_arguments import add_options, chosen_options
from survey.management.refusing import RefusingCommand
from survey.queries import find_study


class Command(RefusingCommand):
    help = (
        "Import gold scores from a CSV file as another source. If a line is wrong, nothing is "
        "imported. The scores are not gold until you choose them, or add --use."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        add_study(parser)
        about = GoldFileOptions.model_fields["file"].description
        parser.add_argument("--gold", type=Path, required=True, metavar="CSV", help=about)
        add_options(parser, GoldFileOptions, without={"file", "map"})
        add_map_option(parser)
        parser.add_argument("--use", action="store_true", help="use them as gold at once")
        add_include(parser, "with --use: experts or test people in the analysis, too")

    def handle(self, *, slug: str, use: bool, include: list[str], **options: Any) -> None:
        study = find_study(slug)
        given = options | {"file": options["gold"], "map": options["map_file"]}
        sent = chosen_options(GoldFileOptions, given)
        added, notices = import_gold_set(study, sent, None)
        self.note(notices)
        source = GoldSource(gold_set=added)
        self.stdout.write(f"{study}: imported {added.scores.count()} gold scores as {source.key!r}")
        if use:
            choose(self, study, source.key, include)
