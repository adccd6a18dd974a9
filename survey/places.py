"""Places: how many people a study takes, and who stands where in its balanced design.

The lowest free slot goes to the next person, so slots that somebody abandoned are filled again
before new ones are opened. A place is free when nobody holds it, or when its holder has fallen
silent for longer than the study allows; that person may still finish, beyond the places.
"""

from datetime import datetime, timedelta

from django.db.models import Q

from survey.content import content_of
from survey.models import Participant, Place, Study

Status = Participant.Status


class Full(Exception):
    """Every place of the study is taken."""


def pool_of(source: str) -> str:
    """The pool of places of people from `source`: test people never take a real place."""
    if source in Participant.TEST_SOURCES:
        return source
    return Place.Pool.REAL


def capacity(study: Study) -> int | None:
    """How many people the study takes; None for any number."""
    places = study.settings["places"]
    if places["ratings_per_block"] is not None:
        design = content_of(study).layout.design
        return int(-(-places["ratings_per_block"] * design.total // design.per_participant))
    maximum: int | None = places["maximum"]
    return maximum


def _free(study: Study, at: datetime) -> Q:
    silent_since = at - timedelta(minutes=study.settings["places"]["stale_minutes"])
    return Q(participant=None) | Q(
        participant__status=Status.IN_PROGRESS, participant__last_seen_at__lt=silent_since
    )


def is_full(study: Study, *, source: str, at: datetime) -> bool:
    """Whether somebody new from `source` would find no place now."""
    most = capacity(study)
    if most is None:
        return False
    places = Place.objects.filter(study=study, pool=pool_of(source))
    return places.exclude(_free(study, at)).count() >= most


def take_place(*, study: Study, participant: Participant, at: datetime) -> int:
    """Give `participant` the lowest free slot and return it. Raises Full.

    Call it inside the transaction that begins their survey: the study's row stays locked until
    then, so that two people never get one slot.
    """
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    pool = pool_of(participant.source)
    places = Place.objects.filter(study=study, pool=pool)
    most = capacity(study)
    if most is not None and places.exclude(_free(study, at)).count() >= most:
        raise Full
    place = places.filter(_free(study, at)).order_by("slot").first()
    if place is None:
        place = Place(study=study, pool=pool, slot=places.count())
    place.participant = participant
    place.save()
    return place.slot


def free_place(participant: Participant) -> None:
    """Let somebody else have the place of `participant`, if they hold one."""
    Place.objects.filter(participant=participant).update(participant=None)
