"""What workers do for analyses. Safe to run twice: the database says what is due.

What computes is imported with the first task that needs it: a worker starts in half the time, and
one that only asks judges never loads it.
"""

from celery import shared_task

from analysis import (
    metrics_requests,
    multiverses,
    perturbation_requests,
    runs,
    scored_texts,
    scorer_requests,
)
from analysis.models import AnalysisRun
from config.celery import wake
from jobs.leases import seconds_at_most


@shared_task(name="analysis.run", time_limit=seconds_at_most(AnalysisRun))
def run(run_id: int) -> None:
    """Compute a run, unless it is done or a worker is computing it."""
    from analysis import execution

    execution.execute(run_id)


@shared_task(name="analysis.multiverse")
def multiverse(multiverse_id: int) -> None:
    """Compute the multiverse of a run, unless it is done or a worker is computing it."""
    from analysis import multiverse_making

    multiverse_making.execute_multiverse(multiverse_id)


@shared_task(name="analysis.metrics")
def metrics(request_id: int) -> None:
    """Compute the metrics that were asked for, unless it is done or a worker is computing them."""
    from analysis import metrics_making

    metrics_making.execute_metrics(request_id)


@shared_task(name="analysis.scorer")
def scorer(scorer_id: int) -> None:
    """Train a scorer, unless it is done or a worker is training it."""
    from analysis import scorer_making

    scorer_making.execute_scorer(scorer_id)


@shared_task(name="analysis.scored_text")
def scored_text(text_id: int) -> None:
    """Score a text that a researcher pasted, unless it is done or a worker is at it."""
    from analysis import scorer_making

    scorer_making.execute_scored_text(text_id)


@shared_task(name="analysis.perturbations")
def perturbations(run_id: int) -> None:
    """Perturb responses and score them again, unless it is done or a worker is doing it."""
    from analysis import perturbation_making

    perturbation_making.execute_perturbations(run_id)


@shared_task(name="analysis.sweep")
def sweep() -> None:
    """Ask for runs where data changed; wake a worker for every run, multiverse, scorer, text to
    score, and request for metrics or perturbations that waits or was lost.
    """
    runs.request_overdue_runs()
    for run_id in runs.runs_to_wake():
        wake("analysis.run", run_id)
    for multiverse_id in multiverses.multiverses_to_wake():
        wake("analysis.multiverse", multiverse_id)
    for request_id in metrics_requests.metrics_to_wake():
        wake("analysis.metrics", request_id)
    for scorer_id in scorer_requests.scorers_to_wake():
        wake("analysis.scorer", scorer_id)
    for text_id in scored_texts.texts_to_wake():
        wake("analysis.scored_text", text_id)
    for perturbation_run_id in perturbation_requests.perturbation_runs_to_wake():
        wake("analysis.perturbations", perturbation_run_id)
