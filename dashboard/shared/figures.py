"""The figures of a run, and where their numbers and those of sentences are."""

from django.urls import reverse

from analysis import catalogue
from analysis.catalogue.spec import FigureSpec
from analysis.catalogue.subjects import FIRST_PAGE
from dashboard.shared.newest_analysis import NewestAnalysis
from survey.definition.labels import Labels
from survey.models import Study

#: Pages of tables that have no page of results, by the section of the report.
PAGES = {"Participants": "raters", "Wins": "results", "Judges": "agreement"}


def figures_of(analysis: NewestAnalysis, labels: Labels) -> list[FigureSpec]:
    """The figures of a run, in the order in which they are read."""
    there = set(analysis.figure_names())
    return [
        figure.labelled(labels) for figure in catalogue.figures().values() if figure.name in there
    ]


def by_table(figures: list[FigureSpec]) -> dict[str, list[FigureSpec]]:
    """The figures that show the numbers of each table."""
    grouped: dict[str, list[FigureSpec]] = {}
    for figure in figures:
        grouped.setdefault(figure.table, []).append(figure)
    return grouped


def address_of(study: Study, analysis: NewestAnalysis, table: str) -> str:
    """Where the numbers of a table are: its place on a page, or else its CSV."""
    about = catalogue.table(table)
    if about.subject:
        more = [about.subject] if about.subject != FIRST_PAGE else []
        return f"{reverse('results', args=[study, *more])}{analysis.query}#{table}"
    if table.startswith("guard_"):
        return f"{reverse('guard', args=[study])}{analysis.query}#{table}"
    if about.section in PAGES:
        return f"{reverse(PAGES[about.section], args=[study])}{analysis.query}#{table}"
    assert analysis.run
    return reverse("table", args=[study, analysis.run.pk, table])
