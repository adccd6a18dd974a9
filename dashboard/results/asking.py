"""Asking for what workers compute, whom callers wake. The log says who asked."""

from collections.abc import Sequence

from django.contrib.auth.models import User

from analysis.models import AnalysisRun, Multiverse
from analysis.multiverses import check_contrast, request_multiverse
from analysis.runs import request_run
from analysis.size import AnalysisOptions
from dashboard.shared.log import record
from dashboard.shared.newest_analysis import NONE_YET, REMOVED, NoAnalysis, newest_analysis
from survey.models import Study
from survey.tidy import counted_sources


def ask_for_analysis(
    study: Study, options: AnalysisOptions, author: User, *, include: Sequence[str]
) -> AnalysisRun:
    """The analysis of the data as they are now, of those who count and those to `include`: done
    already where nothing has changed, else waiting for a worker or under way.
    """
    run = request_run(study=study, sources=counted_sources(include), everything=options.everything)
    if run.state != AnalysisRun.State.DONE:
        record(study, author, "analysis requested", run=run.pk)
    return run


def ask_for_multiverse(study: Study, include: list[str] | None, *, author: User) -> Multiverse:
    """The multiverse of the newest analysis: done already, else waiting or under way. Raises
    NoAnalysis, and NoMultiverse.
    """
    run = newest_analysis(study, include).run
    if run is None:
        raise NoAnalysis(NONE_YET)
    return multiverse_for(run, author)


def multiverse_for(run: AnalysisRun, author: User | None) -> Multiverse:
    """The same, of a finished analysis."""
    check_contrast(run.study)
    try:
        multiverse = request_multiverse(run)
    except AnalysisRun.DoesNotExist:
        raise NoAnalysis(REMOVED) from None
    if multiverse.state != Multiverse.State.DONE:
        record(run.study, author, "multiverse requested", run=run.pk)
    return multiverse
