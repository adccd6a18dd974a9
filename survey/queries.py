"""Finding studies, and rows about their people."""

import re
from typing import TypeVar

from django.db.models import Count, Exists, Max, Model, OuterRef, Q, QuerySet

from survey.files.suggestions import did_you_mean
from survey.interface import INTERFACE
from survey.models import Participant, Study
from survey.refusals import RefusalKind, RequestRefused

#: `slug`, or `slug@version`.
STUDY_NAME = re.compile(r"([A-Za-z0-9_-]+)(?:@([1-9][0-9]{0,8}))?")

#: Sources of real participants: no previews, simulations or imports.
REAL = (Participant.Source.PROLIFIC, Participant.Source.LINK, Participant.Source.PANEL)


Row = TypeVar("Row", bound=Model)


class StudyNotFound(RequestRefused):
    """No study has this name; the message lists the studies."""

    kind = RefusalKind.NOT_FOUND
    unchanged = ""


def find_study(text: str, among: QuerySet[Study] | None = None) -> Study:
    """The study called `slug` (its newest version) or `slug@version`, among all studies or some.

    Raises StudyNotFound.
    """
    name = STUDY_NAME.fullmatch(text)
    studies = Study.objects.all() if among is None else among
    versions = studies.order_by("-version")
    if name is not None and name[2]:
        versions = versions.filter(version=int(name[2]))
    study = versions.filter(slug=name[1]).first() if name is not None else None
    if study is None:
        known = sorted({str(study) for study in studies})
        near = did_you_mean(text, [*known, *(one.partition("@")[0] for one in known)])
        here = ", ".join(known) or "none"
        raise StudyNotFound(f"there is no study {text!r}; studies here: {here}{near}")
    return study


def study_for_arrivals(slug: str) -> Study | None:
    """The version for new people: the newest that is not a draft, else the newest."""
    versions = Study.objects.filter(slug=slug).order_by("-version")
    return versions.exclude(state=Study.State.DRAFT).first() or versions.first()


def studies_with_changed_pages() -> list[tuple[Study, int, int]]:
    """Open studies with real participants who saw an earlier version of the interface, with their
    number and the newest version that they saw.
    """
    seen = Q(participants__presentations__interface__lt=INTERFACE)
    real = Q(participants__source__in=REAL, participants__consented_at__isnull=False)
    people = Count("participants", filter=seen & real, distinct=True)
    newest = Max("participants__presentations__interface", filter=seen & real)
    studies = Study.objects.filter(state__in=(Study.State.OPEN, Study.State.PAUSED))
    counted = studies.annotate(people=people, newest=newest).filter(people__gt=0)
    return [(one, one.people, one.newest) for one in counted.order_by("slug", "version")]


def about_people(rows: QuerySet[Row], study: Study, **which: object) -> QuerySet[Row]:
    """The rows whose `participant` took part in a study, and is such a one.

    With EXISTS, the database goes through the rows; with a join, it would go through all people.
    """
    people = Participant.objects.filter(pk=OuterRef("participant"), study=study, **which)
    return rows.filter(Exists(people))
