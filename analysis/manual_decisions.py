"""Which raters researchers exclude, whatever the rules say: decided, recorded, never edited."""

from collections.abc import Collection
from datetime import datetime
from typing import Annotated

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from pydantic import Field, field_validator

from analysis.models import ManualDecision
from analysis.quality_rules import LONGEST_REASON
from survey.definition.options import WhenMissing
from survey.definition.parts import Part
from survey.models import Participant, Study, StudyEvent
from survey.queries import about_people
from survey.refusals import RequestRefused

Source = Participant.Source
NO_REASON = "Give a reason: it is stored with the decision."


class DecisionOptions(Part):
    """What is decided about raters, and why."""

    excluded: bool
    reason: Annotated[str, WhenMissing(NO_REASON)] = Field(
        max_length=LONGEST_REASON, description="why; stored with each decision"
    )

    @field_validator("reason")
    @classmethod
    def _has_words(cls, reason: str) -> str:
        if not reason.strip():
            raise ValueError(NO_REASON)
        return reason.strip()


def in_force(study: Study, **which: object) -> QuerySet[ManualDecision]:
    """The newest decision about each person, or about `which`, where it excludes them; in the order
    of people.
    """
    about = ManualDecision.objects.filter(participant=OuterRef("participant"))
    later = about.filter(pk__gt=OuterRef("pk"))
    newest = ManualDecision.objects.filter(~Exists(later), excluded=True)
    return about_people(newest, study, **which).order_by("participant_id")


def exclusions_in_force(
    study: Study, *, among: Collection[int] | None = None
) -> list[ManualDecision]:
    """The decisions in force with people and authors, of all or `among` these participant ids."""
    decided = in_force(study).select_related("participant", "author")
    return list(decided if among is None else decided.filter(participant__in=among))


def decided_in_words(changed: Collection[Participant], *, excluded: bool) -> str:
    """What a decision changed: "Excluded 2 participants."."""
    n = len(changed)
    people = "participant" if n == 1 else "participants"
    if not n:
        return "They are excluded already." if excluded else "No decision excludes them."
    if excluded:
        return f"Excluded {n} {people}."
    return f"{n} {people} count{'s' if n == 1 else ''} again."


@transaction.atomic
def decide_on(
    *,
    study: Study,
    participants: Collection[Participant],
    excluded: bool,
    reason: str,
    at: datetime,
    author: User | None = None,
) -> list[Participant]:
    """Exclude people of the study from its analyses, or let them count again.
    Returns those it changed.

    Their answers stay. Raises RequestRefused, having changed nothing, where one of them is an
    expert, whose ratings make gold scores.
    """
    experts = sorted(person.pseudonym for person in participants if person.source == Source.PANEL)
    if experts:
        raise RequestRefused(
            f"{experts[0]} is an expert of a panel and no rater, so there is nothing to exclude "
            "them from."
        )
    # One decides at a time, and who withdraws meanwhile is gone, or waits for us.
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    out = set(in_force(study).values_list("participant_id", flat=True))
    asked = study.participants.filter(pk__in=[person.pk for person in participants])
    changed = [person for person in asked if (person.pk in out) != excluded]
    ManualDecision.objects.bulk_create(
        ManualDecision(participant=person, excluded=excluded, reason=reason, author=author, at=at)
        for person in changed
    )
    if changed:
        action = "excluded" if excluded else "exclusion taken back"
        detail = {"participants": len(changed)}
        StudyEvent.objects.create(study=study, author=author, action=action, detail=detail)
    return changed
