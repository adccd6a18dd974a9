"""`manage.py exclude STUDY PARTICIPANT … --reason TEXT [--undo]`."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from analysis.manual_decisions import DecisionOptions
from dashboard.management.arguments import add_study
from dashboard.management.deciding import decide_and_wake
from survey.files.names import one_name
from survey.management.option_arguments import add_options, chosen_options
from survey.management.refusing import RefusingCommand
from survey.queries import find_study


class Command(RefusingCommand):
    nothing = "Nothing was changed"
    help = (
        "Exclude participants from every analysis of a study, whatever the quality rules say, or "
        "undo it. The decision is recorded and their answers stay."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        add_study(parser)
        parser.add_argument(
            "participants", metavar="PARTICIPANT", nargs="+", help="their pseudonyms"
        )
        add_options(parser, DecisionOptions, without={"excluded"})
        parser.add_argument("--undo", action="store_true", help="let them count again")

    def handle(
        self, *, slug: str, participants: list[str], reason: str, undo: bool, **options: Any
    ) -> None:
        decision = chosen_options(DecisionOptions, {"excluded": not undo, "reason": reason})
        study = find_study(slug)
        names = [*participants, *map(one_name, participants)]
        people = {
            one_name(person.pseudonym): person
            for person in study.participants.filter(pseudonym__in=names)
        }
        missing = [name for name in participants if one_name(name) not in people]
        if missing:
            some = ", ".join(repr(name) for name in missing[:5])
            more = ", …" if len(missing) > 5 else ""
            raise CommandError(
                f"Nothing was changed: {study} has no participant {some}{more}. Give pseudonyms, "
                "as on the page Raters."
            )
        done = decide_and_wake(study, list(people.values()), decision)
        self.stdout.write(f"{study}: {done}")
