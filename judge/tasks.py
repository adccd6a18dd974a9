"""Workers' tasks for judges. Safe to run twice: the database says what is due."""

from functools import partial

from celery import shared_task

from config.celery import is_ending, wake
from judge import leases, runs


@shared_task(name="judge.run")
def run(judge_id: int) -> None:
    """Work on a judge's calls for one turn, and come back if there is more."""
    again = partial(wake, "judge.run", judge_id)
    if runs.run(judge_id, hand_over=again, is_ending=is_ending):
        again()
        return
    # Judges that waited for a slot at the same endpoint.
    for other in leases.judges_to_wake(besides=judge_id):
        wake("judge.run", other)


@shared_task(name="judge.sweep")
def sweep() -> None:
    """Take back calls of lost workers; wake a worker for due calls."""
    for judge_id in leases.judges_with_lost_calls():
        leases.recover(judge_id)
    for judge_id in leases.judges_to_wake():
        wake("judge.run", judge_id)
