"""`manage.py gold STUDY [SOURCE]`."""

from typing import Any

from django.core.management.base import CommandParser

from dashboard.judges.gold_choice import why_not_gold
from dashboard.judges.sources import sources_of
from dashboard.management.arguments import add_include, add_study
from dashboard.management.gold import choose
from survey.management.refusing import RefusingCommand
from survey.models import Study
from survey.queries import find_study
from survey.tidy import definition_of


class Command(RefusingCommand):
    help = (
        "List the sources of gold scores; * marks the current one. With SOURCE, use its scores as "
        "gold and request an analysis."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        add_study(parser)
        parser.add_argument(
            "source", metavar="SOURCE", nargs="?", help="as listed, such as llama@2 or 'file mine'"
        )
        add_include(parser, "with SOURCE: experts or test people in the analysis, too")

    def handle(self, *, slug: str, source: str | None, include: list[str], **options: Any) -> None:
        study = find_study(slug)
        if source is None:
            self.list(study)
        else:
            choose(self, study, source, include)

    def list(self, study: Study) -> None:
        """List the sources, and why some can't be gold."""
        sources = sources_of(study, definition_of(study))
        rests_on = {
            **{s.source: f"{s.valid} of {s.total} valid calls, {s.state}" for s in sources.judges},
            **{f.source: f"{f.scores} scores" for f in sources.files},
            **{p.source: f"{p.experts} completed" for p in sources.panels},
            **{
                j.source: f"{j.scores} scores of {', '.join(judge.key for judge in j.judges)}"
                for j in sources.juries
            },
        }
        gold = sources.gold.key if sources.gold else ""
        for source, what in rests_on.items():
            mark = "*" if source.key == gold else " "
            why_not = "" if source.key == gold else why_not_gold(study, source)
            self.stdout.write(f"{mark} {source.name}: {what}{why_not and f' ({why_not})'}")
        if not rests_on:
            self.stdout.write(f"{study} has no source of gold scores.")
