"""Cases and proposals as plain Python makes them from all rows of a study, for comparison with
those that pages count and list by the database.
"""

from collections.abc import Sequence
from statistics import median
from typing import Any

from django.db.models import Count, Q, QuerySet

from analysis.labels import labels_of
from analysis.manual_decisions import exclusions_in_force
from dashboard.payments.case import NOT_STORED, Case, Made
from dashboard.payments.models import SubmissionDecision
from dashboard.payments.proposals import (
    RULES,
    HourlyPay,
    Proposal,
    hourly_pay,
    is_paid,
    propose,
    rules_for,
    settled_by,
)
from dashboard.prolific.terms import Terms
from dashboard.raters.models import SubmissionOnProlific
from dashboard.raters.rater_list import raters_of
from dashboard.raters.submissions import from_prolific, sessions_of
from dashboard.shared.newest_analysis import newest_analysis
from survey.definition.settings import ENDINGS, Prolific
from survey.models import AttentionCheck, Browser, Identity, Participant, Study, Withdrawal
from survey.tidy import seconds_between

Kind = Identity.Kind
#: What a case needs of a submission.
READ = (
    *("pk", "submission_id", "prolific_id", "status", "code", "has_code"),
    *("started_at", "completed_at", "return_requested_at"),
)


def cases_of(study: Study) -> list[Case]:
    """All cases, each with its mismatches: submissions in the order in which they were read, then
    people without one in the order of arrival. None before any submission was read.
    """
    return _cases(study, submissions_of_study(study), from_prolific(study))


def _cases(
    study: Study, submissions: QuerySet[SubmissionOnProlific], came: QuerySet[Participant]
) -> list[Case]:
    rows = list(submissions.values_list(*READ, named=True))
    if not rows:
        return []
    people = _Everybody(study, came)
    codes = endings_by_code(study)
    made = _decisions(study)
    listed = {row.prolific_id: set[str]() for row in rows}
    for row in rows:
        listed[row.prolific_id].add(row.submission_id)
    cases = [
        _of_submission(row, people, codes, listed[row.prolific_id], made.get(row.pk, ()))
        for row in rows
    ]
    return cases + [Case(**people.known(key)) for key in people.by_key if key not in listed]


def submissions_of_study(study: Study) -> QuerySet[SubmissionOnProlific]:
    """The submissions that were read and not erased since."""
    return SubmissionOnProlific.objects.filter(study=study, erased_at=None).order_by("id")


def endings_by_code(study: Study) -> dict[str, list[str]]:
    """The endings at which people see or saw each code, in capitals; nothing without Prolific.

    Codes may change while a study runs; its record of changes has those from before.
    """
    changes = study.events.filter(action="settings").values_list("detail", flat=True)
    settings = [study.settings, *(detail["from"] for detail in changes)]
    shown = [Prolific.model_validate(each["prolific"]) for each in settings if each.get("prolific")]
    endings: dict[str, list[str]] = {}
    for ending in ENDINGS:
        for code in {(prolific.code_shown(ending) or "").strip().upper() for prolific in shown}:
            if code:
                endings.setdefault(code, []).append(ending)
    return endings


def proposals(cases: Sequence[Case], terms: Terms) -> list[Proposal]:
    """Everything that the rules propose and nobody has decided yet, in the order of the rules."""
    hourly = hourly_of(cases, terms)
    found = [
        propose(case, rule, cents, hourly)
        for case in cases
        for rule, cents in rules_for(case, terms, hourly).items()
        if not any(made.purpose in settled_by(rule) for made in case.made)
    ]
    order = list(RULES)
    return sorted(found, key=lambda one: (order.index(one.rule), one.submission))


def hourly_of(cases: Sequence[Case], terms: Terms) -> HourlyPay | None:
    """The pay per hour at the median time."""
    minutes = [each for case in cases if is_paid(case) and (each := case.minutes)]
    return hourly_pay(len(minutes), median(minutes) if minutes else None, terms)


class _Everybody:
    """People who came to a version from Prolific, by Prolific ID, and who withdrew."""

    def __init__(self, study: Study, came: QuerySet[Participant]) -> None:
        came = came.select_related("identity").order_by("arrived_at", "id")
        self.by_key = {person.identity.key: person for person in came}
        ids = [person.pk for person in self.by_key.values()]
        self.sessions = sessions_of(ids)
        others = Browser.objects.filter(participant__study=study, goes_on=True)
        self.other_browsers = set(others.values_list("participant_id", flat=True))
        self.failed = _checks_failed(study)
        self.excluded = _exclusions(study)
        withdrew = Withdrawal.objects.filter(slug=study.slug, kind=Kind.PROLIFIC).exclude(key="")
        self.withdrawn = set(withdrew.values_list("key", flat=True))

    def known(self, key: str) -> dict[str, Any]:
        """What a case says of a person here; `here` is empty for nobody."""
        person = self.by_key.get(key)
        if person is None:
            return {"here": "withdrawn" if key in self.withdrawn else ""}
        seconds = seconds_between(person.started_at, person.finished_at)
        return {
            "person": person.pk,
            "pseudonym": person.pseudonym,
            "here": person.ending or person.status,
            "arrived_at": person.arrived_at,
            "finished_at": person.finished_at,
            "minutes_here": None if seconds is None or person.clock_stepped else seconds / 60,
            "checks_failed": self.failed.get(person.pk, 0),
            "excluded": self.excluded.get(person.pk, ""),
            "sessions": len(self.sessions[person.pk]),
            "other_browser": person.pk in self.other_browsers,
        }


def _of_submission(
    row: Any,
    people: _Everybody,
    codes: dict[str, list[str]],
    listed: set[str],
    made: tuple[Made, ...],
) -> Case:
    """The case of a row of READ; `listed` are all submissions of the same person."""
    known = people.known(row.prolific_id)
    here = known.pop("here")
    sessions = people.sessions.get(known.get("person", 0), set())
    endings = codes.get(row.code, [])
    code_of = here if here in endings else next(iter(endings), "")
    if not here and code_of in NOT_STORED:
        here = code_of
    # People who met a full study may have come back with another submission.
    return Case(
        **known,
        here=here,
        submissions=len(listed),
        made=made,
        submission=row.pk,
        status=row.status,
        code=row.code,
        has_code=row.has_code and bool(codes),
        code_of=code_of,
        code_is_right=not codes or here in endings or "full" in endings,
        started_at=row.started_at,
        completed_at=row.completed_at,
        return_requested=row.return_requested_at is not None,
        came_with_it=not sessions or row.submission_id in sessions,
        came_with_any=not sessions or not sessions.isdisjoint(listed),
    )


def _checks_failed(study: Study) -> dict[int, int]:
    checks = AttentionCheck.objects.filter(participant__study=study, passed=False).order_by()
    return dict(checks.values_list("participant_id").annotate(failed=Count("id")))


def _exclusions(study: Study) -> dict[int, str]:
    """Why the newest analysis excludes people, in words; a decision says so without one."""
    labels = labels_of(study)
    run = newest_analysis(study, []).run
    reasons: dict[int, str] = {}
    for rater in raters_of(run).exclude(Q(rule=None) | Q(rule="")) if run else ():
        reasons[rater["participant_id"]] = labels.text("rules", rater["rule"])
    for decision in exclusions_in_force(study):
        reasons[decision.participant_id] = f"by decision: {decision.reason}"
    return reasons


def _decisions(study: Study) -> dict[int, tuple[Made, ...]]:
    in_force = SubmissionDecision.objects.filter(submission__study=study)
    in_force = in_force.exclude(state=SubmissionDecision.State.REFUSED).order_by("id")
    made: dict[int, tuple[Made, ...]] = {}
    for one in in_force:
        of = Made(one.kind, one.purpose, one.state, one.cents)
        made[one.submission_id] = (*made.get(one.submission_id, ()), of)
    return made
