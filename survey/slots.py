"""Slots: how many participants a study takes, and which part of its balanced design each one gets.

The next arrival gets a slot that another participant left; if there is none, that of the
participant who has been inactive longest, for longer than the study allows; and only then a new
one. So the design is filled again after dropouts, also in studies without a maximum. The inactive
participant may still finish. They get their slot back if it is free then; otherwise they are over
quota.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Q, QuerySet

from survey.content import content_of
from survey.models import Participant, Slot, Study

Status = Participant.Status


class Full(Exception):
    """Every slot of the study is taken."""


def pool_of(source: str) -> str:
    """The pool of slots for people from `source`: test people never take a real one."""
    if source in Participant.NOT_COUNTED:
        return source
    return Slot.Pool.REAL


def sources_of(pool: str) -> list[str]:
    """The sources whose people take slots of `pool`."""
    return [source for source in Participant.Source.values if pool_of(source) == pool]


def pools_used(study: Study) -> set[str]:
    """The pools in which anybody ever had a slot."""
    slots = Slot.objects.filter(study=study)
    return {pool for pool in Slot.Pool.values if slots.filter(pool=pool).exists()}


def capacity(study: Study, pool: str = Slot.Pool.REAL) -> int | None:
    """How many people the study takes into `pool`; None for any number.

    Experts are invited one by one, so the researcher who invites them sets their number.
    """
    if pool == Slot.Pool.PANEL:
        return None
    places = study.settings["places"]
    if places["ratings_per_block"] is not None:
        return content_of(study).layout.people_for_blocks(places["ratings_per_block"])
    if places.get("ratings_per_response") is not None:  # studies stored earlier lack the key
        return content_of(study).layout.people_for_responses(places["ratings_per_response"])
    maximum: int | None = places["maximum"]
    return maximum


def _inactive_since(study: Study, at: datetime) -> datetime:
    """Participants last seen before this time are inactive at `at`."""
    return at - timedelta(minutes=study.settings["places"]["stale_minutes"])


def _inactive(study: Study, pool: str, at: datetime) -> QuerySet[Participant]:
    """Who holds a slot of `pool` and is inactive at `at`, longest first."""
    return Participant.objects.filter(
        study=study,
        held_pool=pool,
        status=Status.IN_PROGRESS,
        last_seen_at__lt=_inactive_since(study, at),
    ).order_by("last_seen_at", "slot")


def _left(study: Study, pool: str) -> QuerySet[Slot]:
    """The slots of `pool` that nobody holds, lowest number first."""
    return Slot.objects.filter(study=study, pool=pool, participant=None).order_by("number")


def opened_slots(study: Study, pool: str) -> int:
    """How many slots of `pool` were ever given: their numbers are 0, 1, 2, …, none is deleted."""
    slots = Slot.objects.filter(study=study, pool=pool).order_by("-number")
    last = slots.values_list("number", flat=True).first()
    return 0 if last is None else last + 1


def locked(study_id: int) -> Study:
    """The study, its row locked until the transaction ends; others may still refer to it."""
    return Study.objects.select_for_update(no_key=True).get(pk=study_id)


def is_full(study: Study, *, source: str, at: datetime) -> bool:
    """Whether a new participant from `source` would get no slot now."""
    pool = pool_of(source)
    return not _has_room(study, pool, opened_slots(study, pool), at)


def _has_room(study: Study, pool: str, opened: int, at: datetime) -> bool:
    """Whether fewer of the `opened` slots are taken than the study allows. It counts free ones, and
    no more than decide: with tens of thousands of participants this takes no longer.
    """
    most = capacity(study, pool)
    if most is None or opened < most:
        return True
    needed = opened - most + 1
    left = _left(study, pool)[:needed].count()
    return left + _inactive(study, pool, at)[: needed - left].count() >= needed


def take_slot(*, study: Study, participant: Participant, at: datetime) -> int:
    """Give `participant` a slot and return its number in the design. Raises Full.

    Call it inside the transaction that begins their survey, with the row of `study` locked, so
    that two people never get one slot; then save `participant`. `at` is the time of their arrival.
    """
    pool = pool_of(participant.source)
    opened, most = opened_slots(study, pool), capacity(study, pool)
    if not _has_room(study, pool, opened, at):
        raise Full
    slot = _left(study, pool).first() or _taken_from(_inactive(study, pool, at))
    if slot is None:
        if most is not None and opened >= most:
            raise Full  # the inactive participant has just come back
        slot = Slot(study=study, pool=pool, number=opened)
    slot.participant, participant.held_pool = participant, pool
    slot.save()
    return slot.number


def _taken_from(inactive: QuerySet[Participant]) -> Slot | None:
    """The slot of the first of these participants, who no longer holds it.

    A participant whose row is locked is sending a page, so they are not inactive. They are skipped:
    if it is their last page, they wait for the row of the study, and we would wait for theirs.
    """
    person = inactive.select_for_update(skip_locked=True, no_key=True).first()
    if person is None:
        return None
    Participant.objects.filter(pk=person.pk).update(held_pool="")
    return Slot.objects.get(participant=person)


def hold_again(*, participant: Participant, at: datetime) -> bool:
    """Give a participant who has finished their lost slot back, if it is free.

    Call it inside the transaction that records the end. True if they got it.
    """
    finished = Participant.objects.select_related("held_slot").get(pk=participant.pk)
    if finished.slot is None or hasattr(finished, "held_slot") or finished.returned_at is not None:
        return False
    study, pool = locked(finished.study_id), pool_of(finished.source)
    holders = _inactive(study, pool, at).filter(slot=finished.slot)
    slot = _left(study, pool).filter(number=finished.slot).first() or _taken_from(holders)
    if slot is None:
        return False
    slot.participant = finished
    slot.save()
    Participant.objects.filter(pk=finished.pk).update(held_pool=pool)
    return True


def free_slot(participant: Participant) -> None:
    """Free the slot of `participant` for the next arrival, if they hold one."""
    Slot.objects.filter(participant=participant).update(participant=None)
    Participant.objects.filter(pk=participant.pk).update(held_pool="")
    participant.held_pool = ""


@dataclass(frozen=True)
class SlotCounts:
    """How many slots of a pool are in which state, at one time."""

    pool: str
    maximum: int | None
    completed: int
    #: Held by participants who are taking the survey.
    active: int
    #: Held by inactive participants; an arrival may get them.
    inactive: int
    #: Left by a participant, and not yet taken by another.
    to_refill: int
    #: Without a slot: they lost it while inactive, or returned their submission.
    over_quota_completed: int
    over_quota_in_progress: int
    withdrawn: int

    @property
    def taken(self) -> int:
        """Held by a participant."""
        return self.completed + self.active + self.inactive

    @property
    def free(self) -> int | None:
        """How many arrivals would get a slot that nobody holds; None for any number."""
        return None if self.maximum is None else max(0, self.maximum - self.taken)


def slot_counts(study: Study, *, pool: str, at: datetime) -> SlotCounts:
    """The counts of `pool` as of `at`."""
    people = Participant.objects.filter(study=study)
    holding = people.filter(held_pool=pool)
    inactive = _inactive(study, pool, at).count()
    # Only "" is `<= ""`; other than for `= ""`, databases expect few such rows and use the index.
    without = people.filter(held_pool__lte="", source__in=sources_of(pool), slot__isnull=False)
    over_quota = without.aggregate(
        over_quota_completed=Count("id", filter=Q(status=Status.COMPLETED)),
        over_quota_in_progress=Count("id", filter=Q(status=Status.IN_PROGRESS, returned_at=None)),
    )
    to_refill = _left(study, pool).count()
    withdrawn = study.withdrawals.filter(source__in=sources_of(pool)).count()
    maximum = capacity(study, pool)
    return SlotCounts(
        pool=pool,
        maximum=maximum,
        completed=holding.filter(status=Status.COMPLETED).count(),
        active=holding.filter(status=Status.IN_PROGRESS).count() - inactive,
        inactive=inactive,
        to_refill=to_refill,
        withdrawn=withdrawn,
        **over_quota,
    )
