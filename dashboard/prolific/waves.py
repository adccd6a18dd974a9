"""A second wave: which people of an earlier study can be invited again, and why others can't.

Prolific's ids are read to be sent to Prolific; what is shown and recorded are counts.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef

from analysis.manual_decisions import exclusions_in_force
from analysis.queries import latest_run, rater_decisions
from dashboard.prolific.models import Recruitment
from dashboard.shared.access import role_of, visible_to
from dashboard.shared.roles import Permission
from survey.models import Identity, Participant, Study, Withdrawal
from survey.refusals import Conflict
from survey.tidy import counted_sources

Status = Participant.Status
Who = Recruitment.Who
#: Why people are not invited, in the order in which reasons are looked for.
WITHDREW, DECLINED, NOT_COMPLETED = "withdrew", "declined", "did not complete the study"
UNKNOWN_ID = "completed, but did not come from Prolific: their id there is not known"
EXCLUDED = "completed, but excluded by a researcher’s decision"
NOT_INCLUDED = "completed, but not included by the newest analysis"
LEFT_THIS = "completed, but withdrew from this study"
REASONS = (WITHDREW, DECLINED, NOT_COMPLETED, UNKNOWN_ID, EXCLUDED, NOT_INCLUDED, LEFT_THIS)


class WaveRefused(Conflict):
    """A wave that can't be invited; the text says why."""


@dataclass(frozen=True)
class Wave:
    """The people of an earlier study who are invited to a later one, and why others are not."""

    earlier: Study
    who: str
    #: Of participants on Prolific: never shown, stored or logged.
    ids: list[str] = field(repr=False)
    left_out: list[tuple[str, int]]
    #: When the analysis that decides who is included was finished; None if none decides.
    analysed_at: datetime | None = None


def earlier_studies(study: Study, user: User) -> list[Study]:
    """The versions of other studies that people from Prolific took part in, the newest first: of
    those in which the role of `user` lets them know who the people are.

    A person is one participant in all versions of a study, so they can't take part in a later
    version of the same one.
    """
    others = visible_to(user, Study.objects.exclude(slug=study.slug))
    of_prolific = Identity.objects.filter(kind=Identity.Kind.PROLIFIC)
    came = Exists(of_prolific.filter(participant__study=OuterRef("pk")))
    there = others.filter(came).order_by("-loaded_at", "-pk")
    known = {slug for slug in {one.slug for one in there} if may_know_people(user, slug)}
    return [one for one in there if one.slug in known]


def may_know_people(user: User, slug: str) -> bool:
    """Whether the role of `user` in a study lets them know who its people are."""
    role = role_of(user, slug)
    return role is not None and role.may(Permission.IDENTIFY)


def wave_of(earlier: Study, later: Study, who: str) -> Wave:
    """Who of `earlier` can be invited to `later`.

    Raises WaveRefused if an analysis is to decide, and there is none yet.
    """
    included: set[str] | None = None
    analysed_at = None
    if who == Who.INCLUDED:
        run = latest_run(earlier, counted_sources())
        if run is None:
            raise WaveRefused(
                f"{earlier} has no finished analysis, which decides who is included. Wait for it, "
                "or choose other people."
            )
        included = {name for name, one in rater_decisions(run).items() if one.included}
        analysed_at = run.finished_at
    excluded = set[int]()
    if who in (Who.NOT_EXCLUDED, Who.INCLUDED):
        excluded = {decision.participant_id for decision in exclusions_in_force(earlier)}
    withdrew = Withdrawal.objects.filter(slug=later.slug, kind=Identity.Kind.PROLIFIC)
    left = set(withdrew.exclude(key="").values_list("key", flat=True))
    counts, ids = Counter[str](), list[str]()
    for person, key in _people(earlier):
        reason = _why_not(person, key, excluded=excluded, included=included, left=left)
        if reason:
            counts[reason] += 1
        else:
            ids.append(key)
    withdrawals = earlier.withdrawals.exclude(source__in=Participant.NOT_COUNTED)
    counts[WITHDREW] += withdrawals.count()
    left_out = [(reason, counts[reason]) for reason in REASONS if counts[reason]]
    return Wave(earlier, who, ids, left_out, analysed_at)


def _people(study: Study) -> Iterator[tuple[Participant, str]]:
    """Raters in order of arrival, each with their id on Prolific; it is empty if unknown."""
    people = study.participants.exclude(source__in=Participant.NOT_COUNTED).order_by("pk")
    for person in people.select_related("identity").iterator():
        identity: Identity | None = getattr(person, "identity", None)
        is_known = identity is not None and identity.kind == Identity.Kind.PROLIFIC
        yield person, identity.key if identity is not None and is_known else ""


def _why_not(
    person: Participant,
    key: str,
    *,
    excluded: set[int],
    included: set[str] | None,
    left: set[str],
) -> str:
    """Why a person is not invited; empty if they are."""
    reasons = {
        WITHDREW: person.status == Status.WITHDRAWN,
        DECLINED: person.status == Status.DECLINED,
        NOT_COMPLETED: person.status != Status.COMPLETED,
        UNKNOWN_ID: not key,
        EXCLUDED: person.pk in excluded,
        NOT_INCLUDED: included is not None and person.pseudonym not in included,
        LEFT_THIS: key in left,
    }
    return next((reason for reason in REASONS if reasons[reason]), "")
