"""The submissions of a study on Prolific by its API, as the lists that researchers upload."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from dashboard.prolific.models import Recruitment
from dashboard.prolific.steps import look
from dashboard.raters.submission_lists import NO_CODE, ListedSubmission, SubmissionLists
from survey.prolific.replies import ProlificSubmission

if TYPE_CHECKING:
    from survey.prolific.client import ProlificClient

#: In the place of a file's name; a row's line is its number.
FROM_API = "Prolific (oldest submission first)"


def submissions_of(recruitment: Recruitment, client: "ProlificClient") -> SubmissionLists:
    """All submissions in the order in which they started. Raises StepRefused, ProlificError."""
    theirs = client.submissions(look(recruitment, client).id)
    return SubmissionLists(as_listed(theirs), without_codes=[], notices=[])


def as_listed(submissions: Iterable[ProlificSubmission]) -> list[ListedSubmission]:
    """Submissions as rows of a list, in the order in which they started."""
    oldest_first = sorted(submissions, key=lambda one: (str(one.started_at), one.id))
    rows = []
    for number, one in enumerate(oldest_first, start=1):
        code = (one.code or "").strip().upper()
        rows.append(
            ListedSubmission(
                one.id,
                one.participant,
                one.status,
                "" if code == NO_CODE else code,
                FROM_API,
                number,
            )
        )
    return rows
