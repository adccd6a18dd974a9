"""The facts of a case as one text that the database computes: lists are filtered and counted by it,
and every case is made from it, so that the database and the rules never disagree.

Many cases have the same facts: `case_with` makes one case for all of them, without names or times.
In it, 2 means two or more.
"""

from collections.abc import Sequence
from typing import Any

from django.db import models
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Cast, Coalesce, Least, NullIf

from dashboard.payments.case import NOT_STORED, Case
from dashboard.raters.models import SubmissionOnProlific
from dashboard.raters.submissions import from_prolific
from dashboard.shared.listed import Joined
from survey.definition.settings import ENDINGS, Prolific
from survey.models import AttentionCheck, Browser, Identity, Participant, Study, Withdrawal
from survey.models import Submission as Session

#: In place of a code that the study never had.
UNKNOWN = "?"
Codes = dict[str, list[str]]


def endings_by_code(study: Study) -> Codes:
    """The endings at which people see or saw each code, in capitals; nothing without Prolific.

    Codes may change while a study runs; its record of changes has those from before.
    """
    changes = study.events.filter(action="settings").values_list("detail", flat=True)
    settings = [study.settings, *(detail["from"] for detail in changes)]
    shown = [Prolific.model_validate(each["prolific"]) for each in settings if each.get("prolific")]
    endings: Codes = {}
    for ending in ENDINGS:
        for code in sorted(
            {(prolific.code_shown(ending) or "").strip().upper() for prolific in shown}
        ):
            if code:
                endings.setdefault(code, []).append(ending)
    return endings


def submissions_of_study(study: Study) -> QuerySet[SubmissionOnProlific]:
    """The submissions that were read and not erased since."""
    return SubmissionOnProlific.objects.filter(study=study, erased_at=None).order_by("id")


# ── Made by the database ─────────────────────────────────────────────────────────────────────────


def submissions_with_facts(study: Study, codes: Codes) -> QuerySet[SubmissionOnProlific]:
    """The submissions of a study with their `facts`."""
    key = {"slug": study.slug, "kind": Identity.Kind.PROLIFIC, "key": OuterRef("prolific_id")}
    person = from_prolific(study).filter(**{f"identity__{name}": of for name, of in key.items()})
    submissions = submissions_of_study(study)
    others = submissions.filter(slug=study.slug, prolific_id=OuterRef("prolific_id"))
    here = Subquery(person.annotate(facts=_of_person(study, is_listed=True)).values("facts")[:1])
    withdrawals = Withdrawal.objects.filter(**key).exclude(key="")
    withdrew = models.Case(
        models.When(Exists(withdrawals), then=Value("withdrawn")),
        default=Value(""),
    )
    facts = (
        _code(codes),
        _flag(Q(has_code=True)),
        _flag(Q(return_requested_at__isnull=False)),
        _flag(Exists(others.exclude(pk=OuterRef("pk")))),
        Coalesce(here, withdrew, output_field=models.CharField()),
        F("status"),  # the last: it is Prolific's, and may be any text
    )
    return submissions.annotate(facts=_joined(facts, "|"))


def people_with_facts(study: Study) -> QuerySet[Participant]:
    """People from Prolific without a submission, with their `facts`, in the order of arrival."""
    listed = submissions_of_study(study).filter(
        slug=study.slug, prolific_id=OuterRef("identity__key")
    )
    people = from_prolific(study).filter(~Exists(listed)).order_by("arrived_at", "id")
    return people.annotate(facts=_of_person(study, is_listed=False))


def _of_person(study: Study, *, is_listed: bool) -> models.Expression:
    """Facts of a row of Participant; `is_listed` within a row of SubmissionOnProlific."""
    sessions = Session.objects.filter(participant=OuterRef("pk"))
    goes_on = Browser.objects.filter(participant=OuterRef("pk"), goes_on=True)
    failed = AttentionCheck.objects.filter(participant=OuterRef("pk"), passed=False)
    came: list[models.Expression] = [Value("1"), Value("1")]
    if is_listed:
        # The row of the submission is outside of that of the person, and that of the session.
        with_it = Exists(sessions.filter(session_id=OuterRef(OuterRef("submission_id"))))
        listed = submissions_of_study(study).filter(
            slug=study.slug,
            submission_id=OuterRef("session_id"),
            prolific_id=OuterRef(OuterRef(OuterRef("prolific_id"))),
        )
        came = [_flag(with_it), _flag(with_it | Q(Exists(sessions.filter(Exists(listed)))))]
    here = Coalesce(NullIf("ending", Value("")), "status", output_field=models.CharField())
    facts = (here, _two_at_most(sessions), _flag(Exists(goes_on)), _two_at_most(failed), *came)
    return _joined(facts, ",")


def _code(codes: Codes) -> models.Expression:
    """Empty for no code; the place of a code among those of the study, or UNKNOWN."""
    known = [models.When(code=code, then=Value(str(n))) for n, code in enumerate(codes)]
    return models.Case(models.When(code="", then=Value("")), *known, default=Value(UNKNOWN))


def _flag(condition: Any) -> models.Expression:
    return models.Case(models.When(condition, then=Value("1")), default=Value("0"))


def _two_at_most(rows: QuerySet[Any]) -> models.Expression:
    counted = rows.order_by().values("participant").annotate(n=Count("pk")).values("n")
    number = Least(Coalesce(Subquery(counted), 0), 2)
    return Cast(number, models.CharField())


def _joined(facts: Sequence[Any], mark: str) -> models.Expression:
    """Texts with a mark between them. `Concat` would nest deeper than SQLite reads."""
    first, *others = facts
    return Joined(first, *(each for fact in others for each in (Value(mark), fact)))


# ── Read by the rules ────────────────────────────────────────────────────────────────────────────


def case_with(facts: str, codes: Codes, **details: Any) -> Case:
    """The case that facts tell of, with `details` in place of what they leave open."""
    if "|" not in facts:
        return Case(**_person(facts) | details)
    place, has_code, is_asked, several, person, status = facts.split("|", 5)
    code = list(codes)[int(place)] if place.isdigit() else place
    known = _person(person) if "," in person else {"here": person}
    here = known.pop("here")
    endings = codes.get(code, [])
    code_of = here if here in endings else next(iter(endings), "")
    if not here and code_of in NOT_STORED:
        here = code_of
    of_submission = {
        "submission": 0,
        "status": status,
        "code": code,
        "has_code": has_code == "1" and bool(codes),
        "code_of": code_of,
        # People who met a full study may have come back with another submission.
        "code_is_right": not codes or here in endings or "full" in endings,
        "return_requested": is_asked == "1",
        "submissions": 2 if several == "1" else 1,
    }
    return Case(**known | {"here": here} | of_submission | details)


def _person(facts: str) -> dict[str, Any]:
    here, sessions, goes_on, failed, with_it, with_any = facts.split(",")
    return {
        "person": 0,
        "here": here,
        "sessions": int(sessions),
        "other_browser": goes_on == "1",
        "checks_failed": int(failed),
        "came_with_it": sessions == "0" or with_it == "1",
        "came_with_any": sessions == "0" or with_any == "1",
    }
