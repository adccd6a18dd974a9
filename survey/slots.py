"""Slots: how many participants a study takes, and which part of its balanced design each one gets.

The next arrival gets a slot that another participant left; if there is none, that of the
participant who has been inactive longest, for longer than the study allows; and only then a new
one. So the design is filled again after dropouts, also in studies without a maximum. The inactive
participant may still finish. They get their slot back if it is free then; otherwise they are over
quota.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, F, Max, Q

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


def _inactive(study: Study, at: datetime) -> Q:
    """Held by a participant who at `at` was inactive for longer than the study allows."""
    inactive_since = at - timedelta(minutes=study.settings["places"]["stale_minutes"])
    return Q(
        participant__status=Status.IN_PROGRESS,
        participant__last_seen_at__lt=inactive_since,
    )


def _free(study: Study, at: datetime) -> Q:
    return Q(participant=None) | _inactive(study, at)


def locked(study_id: int) -> Study:
    """The study, its row locked until the transaction ends; others may still refer to it."""
    return Study.objects.select_for_update(no_key=True).get(pk=study_id)


def is_full(study: Study, *, source: str, at: datetime) -> bool:
    """Whether a new participant from `source` would get no slot now."""
    pool = pool_of(source)
    most = capacity(study, pool)
    if most is None:
        return False
    slots = Slot.objects.filter(study=study, pool=pool)
    return slots.exclude(_free(study, at)).count() >= most


def take_slot(*, study: Study, participant: Participant, at: datetime) -> int:
    """Give `participant` a slot and return its number in the design. Raises Full.

    Call it inside the transaction that begins their survey, with the row of `study` locked, so
    that two people never get one slot. `at` is the time of their arrival.
    """
    pool = pool_of(participant.source)
    slots = Slot.objects.filter(study=study, pool=pool)
    most = capacity(study, pool)
    if most is not None and slots.exclude(_free(study, at)).count() >= most:
        raise Full
    longest_left = F("participant__last_seen_at").asc(nulls_first=True)
    slot = slots.filter(_free(study, at)).order_by(longest_left, "number").first()
    if slot is None:
        last = slots.aggregate(last=Max("number"))["last"]
        slot = Slot(study=study, pool=pool, number=0 if last is None else last + 1)
    slot.participant = participant
    slot.save()
    return slot.number


def hold_again(*, participant: Participant, at: datetime) -> bool:
    """Give a participant who has finished their lost slot back, if it is free.

    Call it inside the transaction that records the end. True if they got it.
    """
    finished = Participant.objects.select_related("held_slot").get(pk=participant.pk)
    if finished.slot is None or hasattr(finished, "held_slot") or finished.returned_at is not None:
        return False
    study = locked(finished.study_id)
    lost = Slot.objects.filter(study=study, pool=pool_of(finished.source), number=finished.slot)
    slot = lost.filter(_free(study, at)).first()
    if slot is None:
        return False
    slot.participant = finished
    slot.save()
    return True


def free_slot(participant: Participant) -> None:
    """Free the slot of `participant` for the next arrival, if they hold one."""
    Slot.objects.filter(participant=participant).update(participant=None)


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
    inactive = _inactive(study, at)
    held = Slot.objects.filter(study=study, pool=pool).aggregate(
        completed=Count("id", filter=Q(participant__status=Status.COMPLETED)),
        inactive=Count("id", filter=inactive),
        active=Count("id", filter=Q(participant__status=Status.IN_PROGRESS) & ~inactive),
        to_refill=Count("id", filter=Q(participant=None)),
    )
    without = study.participants.filter(
        source__in=sources_of(pool), slot__isnull=False, held_slot=None
    ).aggregate(
        over_quota_completed=Count("id", filter=Q(status=Status.COMPLETED)),
        over_quota_in_progress=Count("id", filter=Q(status=Status.IN_PROGRESS, returned_at=None)),
    )
    withdrawn = study.withdrawals.filter(source__in=sources_of(pool)).count()
    maximum = capacity(study, pool)
    return SlotCounts(pool=pool, maximum=maximum, withdrawn=withdrawn, **held, **without)
