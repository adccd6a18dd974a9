"""The figures of a run."""

from analysis import catalogue
from analysis.catalogue.spec import FigureSpec
from dashboard.shared.newest_analysis import Analysis
from survey.definition.labels import Labels


def _figures(analysis: Analysis, labels: Labels, *, of_judges: bool) -> list[FigureSpec]:
    """The figures of a run, those about judges or all others."""
    there = set(analysis.figure_names())
    return [
        figure.labelled(labels)
        for figure in catalogue.figures().values()
        if figure.name in there and (figure.section == "Judges") == of_judges
    ]
