"""The cases of a study: every submission that was read, and every person from Prolific.

`case_index` says which there are; here they are made, those of one page at a time.
"""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any

from django.db.models import Count

from analysis.labels import labels_of
from analysis.manual_decisions import exclusions_in_force
from analysis.queries import latest_run
from dashboard.payments.case import Case, Made
from dashboard.payments.case_index import PERSON, SUBMISSION, Place, index_of
from dashboard.payments.facts import (
    Codes,
    case_with,
    endings_by_code,
    people_with_facts,
    submissions_of_study,
    submissions_with_facts,
)
from dashboard.payments.models import SubmissionDecision
from dashboard.raters.models import SubmissionOnProlific
from dashboard.raters.rater_list import raters_of
from dashboard.raters.submissions import by_prolific_ids, sessions_of
from dashboard.shared.access import first_or_404
from survey.batched import batched
from survey.models import AttentionCheck, Participant, Study
from survey.tidy import counted_sources, reading, seconds_between

#: So many are made at once.
AT_ONCE = 1000
#: What a case needs of a submission besides its facts.
READ = ("pk", "prolific_id", "code", "started_at", "completed_at", "facts")


def cases_of(study: Study) -> list[Case]:
    """All cases, each with its mismatches: submissions in the order in which they were read, then
    people without one in the order of arrival. None before any submission was read.
    """
    return cases_at(study, index_of(study).places(lambda _: True))


def cases_at(study: Study, places: Sequence[Place]) -> list[Case]:
    """Some cases, in the order of their places; none of one that is gone."""
    codes = endings_by_code(study)
    found: dict[Place, Case] = {}
    with reading():
        for some in batched(places, AT_ONCE):
            found |= _cases(study, codes, some)
    return [found[place] for place in places if place in found]


def cases_by_submission(study: Study, submissions: Iterable[int]) -> dict[int, Case]:
    """The cases of these submissions, by submission."""
    places = [(SUBMISSION, pk) for pk in dict.fromkeys(submissions)]
    return {case.submission: case for case in cases_at(study, places) if case.submission}


def case_or_404(study: Study, submission: int) -> Case:
    """The case of a submission. Raises Http404."""
    row_or_404(study, submission)
    return cases_by_submission(study, [submission])[submission]


def row_or_404(study: Study, submission: int) -> SubmissionOnProlific:
    """A submission as it is stored. Raises Http404."""
    rows = submissions_of_study(study).filter(pk=submission)
    return first_or_404(rows, f"{study} has no such submission.")


def minutes_here(
    started: datetime | None, finished: datetime | None, *, clock_stepped: bool
) -> float | None:
    """From start to end by our clock, unless that was set back."""
    seconds = seconds_between(started, finished)
    return None if seconds is None or clock_stepped else seconds / 60


def _cases(study: Study, codes: Codes, places: Sequence[Place]) -> dict[Place, Case]:
    ids: dict[int, list[int]] = {SUBMISSION: [], PERSON: []}
    for kind, pk in places:
        ids[kind].append(pk)
    with_facts = submissions_with_facts(study, codes).filter(pk__in=ids[SUBMISSION])
    rows = list(with_facts.values_list(*READ, named=True))
    people = by_prolific_ids(study, {row.prolific_id for row in rows})
    came = list(people.select_related("identity"))
    alone: list[Any] = []
    if ids[PERSON]:
        alone = list(people_with_facts(study).filter(pk__in=ids[PERSON]))
    details = _Details(study, [*came, *alone])
    made = _decisions(ids[SUBMISSION])
    by_key = {person.identity.key: details.of(person) for person in came}
    cases: dict[Place, Case] = {
        (SUBMISSION, row.pk): case_with(
            row.facts,
            codes,
            **by_key.get(row.prolific_id, {}),
            submission=row.pk,
            code=row.code,
            started_at=row.started_at,
            completed_at=row.completed_at,
            made=made.get(row.pk, ()),
        )
        for row in rows
    }
    for person in alone:
        cases[PERSON, person.pk] = case_with(person.facts, codes, **details.of(person))
    return cases


class _Details:
    """What a case says of people beyond its facts."""

    def __init__(self, study: Study, people: Sequence[Participant]) -> None:
        ids = [person.pk for person in people]
        self.sessions = sessions_of(ids)
        self.failed = _checks_failed(ids)
        self.excluded = _exclusions(study, ids)

    def of(self, person: Participant) -> dict[str, Any]:
        return {
            "person": person.pk,
            "pseudonym": person.pseudonym,
            "arrived_at": person.arrived_at,
            "finished_at": person.finished_at,
            "minutes_here": minutes_here(
                person.started_at, person.finished_at, clock_stepped=person.clock_stepped
            ),
            "checks_failed": self.failed.get(person.pk, 0),
            "excluded": self.excluded.get(person.pk, ""),
            "sessions": len(self.sessions[person.pk]),
        }


def _checks_failed(people: Collection[int]) -> dict[int, int]:
    checks = AttentionCheck.objects.filter(participant__in=people, passed=False).order_by()
    return dict(checks.values_list("participant_id").annotate(failed=Count("id")))


def _exclusions(study: Study, people: Collection[int]) -> dict[int, str]:
    """Why the newest analysis excludes people, in words; a decision says so without one."""
    labels = labels_of(study)
    run = latest_run(study, counted_sources())
    reasons: dict[int, str] = {}
    if run is not None:
        # SQLite reads all raters of a run where some are asked for in an order.
        for rater in raters_of(run).filter(participant__in=people).order_by():
            if rater["rule"]:
                reasons[rater["participant_id"]] = labels.text("rules", rater["rule"])
    for decision in exclusions_in_force(study, among=people):
        reasons[decision.participant_id] = f"by decision: {decision.reason}"
    return reasons


def _decisions(submissions: Collection[int]) -> dict[int, tuple[Made, ...]]:
    in_force = SubmissionDecision.objects.filter(submission__in=submissions)
    in_force = in_force.exclude(state=SubmissionDecision.State.REFUSED).order_by("id")
    made: dict[int, tuple[Made, ...]] = {}
    for one in in_force:
        of = Made(one.kind, one.purpose, one.state, one.cents)
        made[one.submission_id] = (*made.get(one.submission_id, ()), of)
    return made
