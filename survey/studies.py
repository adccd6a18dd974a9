"""Changes of a study's state."""

from django.contrib.auth.models import User
from django.db import transaction

from survey.models import Study, StudyEvent
from survey.refusals import Conflict

State = Study.State


class StateError(Conflict):
    """The study can't change to this state; the message gives the reason."""


def set_state(
    *, study: Study, state: str, rehearsal: bool = False, author: User | None = None
) -> bool:
    """Move a study to draft, open, paused or closed. True if that changed anything.

    A rehearsal is open, and everyone in it is a test person. A study with real participants can't
    go back to draft or to a rehearsal: neither admits real participants, who must be able to
    finish. Raises StateError.
    """
    if state not in State.values:
        raise StateError(f"{state!r} is not a state; choose one of {', '.join(State.values)}")
    if rehearsal and state != State.OPEN:
        raise StateError(f"a rehearsal must be open, not {state}")
    with transaction.atomic():
        versions = Study.objects.select_for_update().filter(slug=study.slug).order_by("version")
        locked = next(version for version in versions if version.pk == study.pk)
        is_rehearsal = locked.is_rehearsal
        if state in (State.DRAFT, State.OPEN):
            is_rehearsal = rehearsal
        if (locked.state, locked.is_rehearsal) == (state, is_rehearsal):
            return False
        if locked.frozen_at is not None and (state == State.DRAFT or rehearsal):
            where = "a rehearsal" if rehearsal else "draft"
            raise StateError(
                f"{locked} has participants and can't go back to {where}; pause or close it instead"
            )
        if state == State.OPEN:
            _refuse_two_at_one_address(locked, list(versions), rehearsal)
        before = locked.doing
        locked.state, locked.is_rehearsal = state, is_rehearsal
        StudyEvent.objects.create(
            study=locked,
            author=author,
            action="state",
            detail={"from": before, "to": locked.doing},
        )
        locked.save(update_fields=["state", "is_rehearsal"])
    study.state, study.is_rehearsal = state, is_rehearsal
    return True


def _refuse_two_at_one_address(study: Study, versions: list[Study], rehearsal: bool) -> None:
    """New participants get the newest version that is not a draft, so a rehearsal must not replace
    an earlier version that is open.
    """
    for other in versions:
        if other.state != State.OPEN or other.is_rehearsal == rehearsal:
            continue
        if rehearsal and other.version < study.version:
            raise StateError(
                f"{other} is open, and its participants would get the rehearsal of {study}. "
                f"Pause or close {other} first"
            )
        if not rehearsal and other.version > study.version:
            raise StateError(
                f"{other} is open as a rehearsal, and new participants would get that version. "
                f"Move {other} to draft first"
            )
