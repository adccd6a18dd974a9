"""`manage.py multiverse STUDY [--include SOURCE …]`."""

from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.conf import settings

from analysis.labels import labels_of
from analysis.models import AnalysisRun
from analysis.multiverses import check_contrast
from analysis.queries import results_of
from analysis.recipe_sets import recipes_of
from analysis.text.cells import plain, read_tables, rows_of, values
from dashboard.management.arguments import add_include, add_study
from dashboard.management.progress import progress_bar
from dashboard.results.asking import multiverse_for
from jobs.runner import run_at_once
from survey.management.refusing import RefusingCommand
from survey.queries import find_study
from survey.tidy import counted_sources


class Command(RefusingCommand):
    help = (
        "Compute the study's main contrasts under every combination of exclusion rules and "
        "analyses that could be defended. The tables and the figure belong to the newest analysis."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_study(parser)
        add_include(parser, "experts or test people to count too")

    def handle(self, *, slug: str, include: list[str], **options: Any) -> None:
        from analysis.execution import finished_run

        study = find_study(slug)
        check_contrast(study)  # before anything is computed
        asked = multiverse_for(finished_run(study=study, sources=counted_sources(include)), None)
        if not asked.is_done:
            with progress_bar("analysis") as told:
                run_at_once(asked, told=told)
        for sentence in _in_words(asked.run):
            self.stdout.write(sentence)
        self.stdout.write(
            f"Specifications: {settings.SITE_URL}/studies/{study}/results/order/#multiverse"
        )


def _in_words(run: AnalysisRun) -> Iterator[str]:
    """What the multiverse says, of each dimension."""
    from analysis.text.findings.robustness import multiverse
    from analysis.text.findings.words import of_unit

    tables = read_tables(results_of(run, "table"), labels_of(run.study))
    recipe = of_unit(recipes_of(run.recipe_set), "participant")
    rows = rows_of(tables, "multiverse_summary")
    for dimension in values(rows, "dimension"):
        label = next(row.text("dimension") for row in rows if row["dimension"] == dimension)
        for sentence in multiverse(tables, recipe, dimension):
            yield f"{label}: {plain(sentence)}"
