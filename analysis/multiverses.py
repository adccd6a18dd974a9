"""Multiverses of finished runs: asked for, found again. `multiverse_making` computes them.

Nothing here loads what computing needs, so web processes may ask for them.
"""

from django.db import transaction

from analysis.models import AnalysisRun, Multiverse
from survey.models import Study
from survey.refusals import Conflict
from survey.tidy import definition_of


def check_contrast(study: Study) -> None:
    """Raise Conflict for a study that names no contrast to vary choices of."""
    if definition_of(study).condition_a is None:
        why = "the study names no two conditions to compare (condition_a, condition_b)"
        raise Conflict(f"{study}: no multiverse, because {why}")


@transaction.atomic
def request_multiverse(run: AnalysisRun) -> Multiverse:
    """The multiverse of a finished run: done or under way already, else a waiting one.

    The caller wakes a worker, or executes it. Raises AnalysisRun.DoesNotExist where the run was
    removed.
    """
    # One request at a time, and none while a participant of the run withdraws.
    Study.objects.select_for_update(no_key=True).get(pk=run.study_id)
    run = AnalysisRun.objects.get(pk=run.pk, state=AnalysisRun.State.DONE)
    if run.is_automatic:
        run.is_automatic = False  # the next automatic run would remove it, and the multiverse too
        run.save(update_fields=["is_automatic"])
    multiverse, is_new = Multiverse.objects.get_or_create(run=run)
    if not is_new and multiverse.state in Multiverse.WITHOUT_RESULT:
        multiverse.delete()
        multiverse = Multiverse.objects.create(run=run)
    return multiverse


def multiverse_of(run: AnalysisRun | None) -> Multiverse | None:
    """The multiverse of a run, if it was requested."""
    return Multiverse.objects.filter(run=run).first() if run else None
