"""Asking for what workers compute, whom callers wake. The log says who asked."""

from collections.abc import Sequence

from django.contrib.auth.models import User

from analysis.models import AnalysisRun, Multiverse
from analysis.multiverses import check_contrast, request_multiverse
from analysis.runs import request_run
from analysis.size import AnalysisOptions
from dashboard.shared.log import record
from dashboard.shared.newest_analysis import REMOVED, newest_analysis
from survey.models import Study
from survey.refusals import Conflict
from survey.tidy import counted_sources


def ask_for_analysis(
    study: Study, options: AnalysisOptions, author: User, *, include: Sequence[str]
) -> AnalysisRun:
    """The analysis of the data as they are now, of those who count and those to `include`: done
    already where nothing has changed, else waiting for a worker or under way.
    """
    run = request_run(study=study, sources=counted_sources(include), everything=options.everything)
    if not run.is_done:
        record(study, author, "analysis requested", run=run.pk)
    return run


def ask_for_multiverse(study: Study, include: list[str] | None, *, author: User) -> Multiverse:
    """The multiverse of the newest analysis: done already, else waiting or under way. Raises
    Conflict.
    """
    return multiverse_for(newest_analysis(study, include).finished_run, author)


def multiverse_for(run: AnalysisRun, author: User | None) -> Multiverse:
    """The same, of a finished analysis."""
    check_contrast(run.study)
    try:
        multiverse = request_multiverse(run)
    except AnalysisRun.DoesNotExist:
        raise Conflict(REMOVED) from None
    if not multiverse.is_done:
        record(run.study, author, "multiverse requested", run=run.pk)
    return multiverse
