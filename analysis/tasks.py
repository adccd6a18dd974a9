"""What workers do for analyses. Safe to run twice: the database says what is due."""

from celery import shared_task

from analysis import runs
from analysis.models import AnalysisRun
from config.celery import wake
from jobs.tasks import wake_waiting


@shared_task(name="analysis.sweep")
def sweep() -> None:
    """Wake a worker for each job that waits or was lost; ask for runs where data changed."""
    wake_waiting("analysis")
    for run_id in runs.request_overdue_runs():
        wake(AnalysisRun.TASK, run_id)
