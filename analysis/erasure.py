"""Erasing stored results that count a participant who withdraws."""

from analysis.models import AnalysisRun
from analysis.recipe_sets import current_recipe_set
from analysis.rule_sets import current_rule_set
from analysis.scorer_requests import erase_scorers
from survey.models import Participant


def erase_results(participant: Participant) -> None:
    """Delete every run that counted the person; one for the same sources waits in their place.

    What an expert rated is in every run of the study: raters are held against the panels.
    So is every scorer that learned from the person's ratings. Registered in
    `survey.withdrawal.erasers`; the caller wakes `analysis.sweep`.
    """
    erase_scorers(participant)
    study = participant.study
    runs = study.analysis_runs.all()
    counted = [run for run in runs if participant.panel or participant.source in run.sources]
    AnalysisRun.objects.filter(pk__in=[run.pk for run in counted]).delete()
    automatic: dict[tuple[str, ...], bool] = {}
    for run in counted:
        sources = tuple(run.sources)
        automatic[sources] = automatic.get(sources, True) and run.is_automatic
    for sources, is_automatic in automatic.items():
        AnalysisRun.objects.create(
            study=study,
            rule_set=current_rule_set(study),
            recipe_set=current_recipe_set(study),
            sources=list(sources),
            is_automatic=is_automatic,
        )
