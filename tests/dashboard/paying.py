"""People and submissions for tests of reconciling and paying."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from dashboard.payments.case import Case
from dashboard.payments.cases import cases_of
from dashboard.raters.models import SubmissionOnProlific
from dashboard.raters.submission_lists import ListedSubmission
from dashboard.raters.submissions import apply_submissions
from survey.consent import give_consent
from survey.models import Participant, Study
from survey.participants import Arrival
from tests.factories import newcomer
from tests.prolific import prolific_id

AT = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
#: The completion code of the small study.
DONE = "DONE1"


def came(
    study: Study,
    name: str,
    *,
    status: str = "completed",
    ending: str = "",
    session: str = "session",
) -> Participant:
    """Somebody from Prolific, called by name; their session is that of their submission."""
    person = newcomer(
        Arrival(
            study=study,
            source="prolific",
            at=AT,
            kind="prolific",
            key=prolific_id(name),
            session_id=prolific_id(f"{session} of {name}"),
            prolific_study_id=prolific_id("study"),
        )
    )
    if status != "arrived":
        give_consent(participant=person, at=AT)
    is_done = status == "completed"
    Participant.objects.filter(pk=person.pk).update(
        pseudonym=name,
        status=status,
        ending=ending or ("" if status in ("arrived", "in_progress") else status),
        started_at=AT,
        finished_at=AT + timedelta(minutes=12) if is_done else None,
    )
    person.refresh_from_db()
    return person


def listed(
    name: str, status: str = "AWAITING REVIEW", code: str = DONE, **more: Any
) -> ListedSubmission:
    """The submission of somebody, as a list has it."""
    session = f"{more.pop('session', 'session')} of {name}"
    times = {"started_at": AT, "completed_at": AT + timedelta(minutes=more.pop("minutes", 12))}
    return ListedSubmission(
        prolific_id(session), prolific_id(name), status, code, **{**times, **more}
    )


def read(study: Study, *submissions: ListedSubmission) -> list[Case]:
    """Take lists in, and all cases."""
    apply_submissions(study=study, submissions=submissions, at=AT)
    return cases_of(study)


def mismatches(cases: Sequence[Case]) -> dict[str, list[str]]:
    """Who has each mismatch, by pseudonym; submissions without a person by their status."""
    found: dict[str, list[str]] = {}
    for case in cases:
        for name in case.mismatches:
            found.setdefault(name, []).append(case.pseudonym or case.status)
    return found


def stored(name: str) -> SubmissionOnProlific:
    """The stored submission of somebody."""
    return SubmissionOnProlific.objects.get(prolific_id=prolific_id(name))
