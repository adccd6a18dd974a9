"""What workers do for judges. Safe to run twice: the database says what is due."""

from celery import shared_task

from config.celery import wake
from judge import calls, runs


@shared_task(name="judge.run")
def run(judge_id: int) -> None:
    """Work on a judge's calls for one turn, and come back if there is more."""
    if runs.run(judge_id):
        wake("judge.run", judge_id)


@shared_task(name="judge.sweep")
def sweep() -> None:
    """Take back what lost workers left behind; wake a worker for whatever is due."""
    for judge_id in calls.judges_with_lost_calls():
        calls.recover(judge_id)
    for judge_id in calls.judges_to_wake():
        wake("judge.run", judge_id)
