"""The submissions of a study on Prolific by its API, as the lists that researchers upload."""

from typing import TYPE_CHECKING

from dashboard.prolific.models import Recruitment
from dashboard.prolific.steps import look
from dashboard.raters.submission_lists import ListedSubmission, SubmissionLists, entered
from survey.prolific.replies import ProlificSubmission

if TYPE_CHECKING:
    from survey.prolific.client import ProlificClient

#: In the place of a file's name; a row's line is its number, from the oldest on.
FROM_API = "submissions on Prolific"


def submissions_of(recruitment: Recruitment, client: "ProlificClient") -> SubmissionLists:
    """All submissions in the order in which they started. Raises StepRefused, ProlificError."""
    study = look(recruitment, client).id
    theirs = client.submissions(study)
    oldest_first = sorted(theirs, key=lambda one: (str(one.started_at), one.id))
    rows = [as_listed(one, study, number) for number, one in enumerate(oldest_first, start=1)]
    return SubmissionLists(rows, without_codes=[], notices=[])


def as_listed(one: ProlificSubmission, study: str, number: int = 0) -> ListedSubmission:
    """A submission of a study on Prolific as a row of a list."""
    return ListedSubmission(
        one.id,
        one.participant,
        one.status,
        entered(one.code),
        FROM_API,
        number,
        started_at=one.started_at,
        completed_at=one.completed_at,
        return_requested_at=one.return_requested,
        prolific_study=study,
    )
