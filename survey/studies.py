"""What happens to a study as a whole."""

from django.contrib.auth.models import User
from django.db import transaction

from survey.models import Study, StudyEvent


class StateError(ValueError):
    """A study can't go to the asked state; the message says why."""


def set_state(*, study: Study, state: str, author: User | None = None) -> bool:
    """Move a study to draft, open, paused or closed. True if that changed anything.

    A study that real people have begun can't go back to draft: draft admits nobody real, and
    they must be able to finish. Raises StateError.
    """
    if state not in Study.State.values:
        raise StateError(f"{state!r} is no state; choose one of {', '.join(Study.State.values)}")
    with transaction.atomic():
        locked = Study.objects.select_for_update().get(pk=study.pk)
        if locked.state == state:
            return False
        if state == Study.State.DRAFT and locked.frozen_at is not None:
            raise StateError(
                f"{locked} has participants and can't go back to draft; pause or close it instead"
            )
        StudyEvent.objects.create(
            study=locked,
            author=author,
            action="state",
            detail={"from": locked.state, "to": state},
        )
        locked.state = state
        locked.save(update_fields=["state"])
    study.state = state
    return True
