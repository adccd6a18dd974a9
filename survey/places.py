"""Places: how many people a study takes, and who stands where in its balanced design.

A place that somebody left goes to the next person before a new one is opened, so abandoned slots
of the design are filled again. A holder who has fallen silent for longer than the study allows
loses their place when somebody else comes and nobody has left one. They may still finish, and
hold it again if it is free by then; otherwise they stand beyond the places.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, F, Max, Q

from survey.content import content_of
from survey.models import Participant, Place, Study

Status = Participant.Status


class Full(Exception):
    """Every place of the study is taken."""


def pool_of(source: str) -> str:
    """The pool of places of people from `source`: who does not count never takes a real place."""
    if source in Participant.NOT_COUNTED:
        return source
    return Place.Pool.REAL


def sources_of(pool: str) -> list[str]:
    """The sources whose people take places of `pool`."""
    return [source for source in Participant.Source.values if pool_of(source) == pool]


def capacity(study: Study, pool: str = Place.Pool.REAL) -> int | None:
    """How many people the study takes into `pool`; None for any number.

    Experts are invited one by one, so whoever invites them sets their number.
    """
    if pool == Place.Pool.PANEL:
        return None
    places = study.settings["places"]
    if places["ratings_per_block"] is not None:
        design = content_of(study).layout.design
        return int(-(-places["ratings_per_block"] * design.total // design.per_participant))
    maximum: int | None = places["maximum"]
    return maximum


def _silent(study: Study, at: datetime) -> Q:
    """Held by somebody who was not seen for longer than the study allows, as of `at`."""
    silent_since = at - timedelta(minutes=study.settings["places"]["stale_minutes"])
    return Q(
        participant__status=Status.IN_PROGRESS,
        participant__last_seen_at__lt=silent_since,
    )


def _free(study: Study, at: datetime) -> Q:
    return Q(participant=None) | _silent(study, at)


def locked(study_id: int) -> Study:
    """The study, its row held until the transaction ends; it may still be referred to."""
    return Study.objects.select_for_update(no_key=True).get(pk=study_id)


def is_full(study: Study, *, source: str, at: datetime) -> bool:
    """Whether somebody new from `source` would find no place now."""
    pool = pool_of(source)
    most = capacity(study, pool)
    if most is None:
        return False
    places = Place.objects.filter(study=study, pool=pool)
    return places.exclude(_free(study, at)).count() >= most


def take_place(*, study: Study, participant: Participant, at: datetime) -> int:
    """Give `participant` a place and return its slot in the design. Raises Full.

    Call it inside the transaction that begins their survey, with the row of `study` locked, so
    that two people never get one slot. `at` is their time, by which silence is judged.
    """
    pool = pool_of(participant.source)
    places = Place.objects.filter(study=study, pool=pool)
    most = capacity(study, pool)
    if most is not None and places.exclude(_free(study, at)).count() >= most:
        raise Full
    longest_left = F("participant__last_seen_at").asc(nulls_first=True)
    place = places.filter(_free(study, at)).order_by(longest_left, "slot").first()
    if place is None:
        last = places.aggregate(last=Max("slot"))["last"]
        place = Place(study=study, pool=pool, slot=0 if last is None else last + 1)
    place.participant = participant
    place.save()
    return place.slot


def hold_again(*, participant: Participant, at: datetime) -> bool:
    """Give somebody who has finished the place back that they had lost, if it is free by now.

    Call it inside the transaction that records the end. True if they got it.
    """
    finished = Participant.objects.select_related("place").get(pk=participant.pk)
    if finished.slot is None or hasattr(finished, "place") or finished.returned_at is not None:
        return False
    study = locked(finished.study_id)
    lost = Place.objects.filter(study=study, pool=pool_of(finished.source), slot=finished.slot)
    place = lost.filter(_free(study, at)).first()
    if place is None:
        return False
    place.participant = finished
    place.save()
    return True


def free_place(participant: Participant) -> None:
    """Let somebody else have the place of `participant`, if they hold one."""
    Place.objects.filter(participant=participant).update(participant=None)


@dataclass(frozen=True)
class PlaceCounts:
    """Where the places of a pool stand at a moment."""

    pool: str
    maximum: int | None
    completed: int
    #: Held by somebody who is taking the survey.
    active: int
    #: Held by somebody silent; the next person takes it over where nobody has left one.
    stale: int
    #: Left by somebody, and not taken again yet.
    left: int
    #: Completed, or still at it, without a place: they lost it while silent, or returned.
    beyond_completed: int
    beyond_in_progress: int
    withdrawn: int

    @property
    def taken(self) -> int:
        """Held by anybody."""
        return self.completed + self.active + self.stale

    @property
    def free(self) -> int | None:
        """How many people who come now find a place that nobody holds; None for any number."""
        return None if self.maximum is None else max(0, self.maximum - self.taken)


def place_counts(study: Study, *, pool: str, at: datetime) -> PlaceCounts:
    """Where the places of `pool` stand as of `at`."""
    silent = _silent(study, at)
    held = Place.objects.filter(study=study, pool=pool).aggregate(
        completed=Count("id", filter=Q(participant__status=Status.COMPLETED)),
        stale=Count("id", filter=silent),
        active=Count("id", filter=Q(participant__status=Status.IN_PROGRESS) & ~silent),
        left=Count("id", filter=Q(participant=None)),
    )
    without = study.participants.filter(
        source__in=sources_of(pool), slot__isnull=False, place=None
    ).aggregate(
        beyond_completed=Count("id", filter=Q(status=Status.COMPLETED)),
        beyond_in_progress=Count("id", filter=Q(status=Status.IN_PROGRESS, returned_at=None)),
    )
    withdrawn = study.withdrawals.filter(source__in=sources_of(pool)).count()
    maximum = capacity(study, pool)
    return PlaceCounts(pool=pool, maximum=maximum, withdrawn=withdrawn, **held, **without)
