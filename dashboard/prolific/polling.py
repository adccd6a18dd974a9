"""Workers read the submissions of studies on Prolific, so slots are freed without a click.

The claim of a turn is stored before Prolific is asked: two workers do not ask for the same, and
after a failure, or a kill, the next turn comes as usual.
"""

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import Q

from dashboard.accounts.models import ProlificAccount
from dashboard.accounts.prolific import NotConnected, client_of
from dashboard.prolific.models import Recruitment
from dashboard.prolific.steps import StepRefused, drop_who_left
from dashboard.prolific.submissions import submissions_of
from dashboard.prolific.waves import WaveRefused
from dashboard.raters.submissions import Applied, apply_submissions
from dashboard.shared.access import role_of
from dashboard.shared.roles import Permission
from survey.models import Study
from survey.prolific.errors import ProlificError

if TYPE_CHECKING:
    from survey.prolific.client import ProlificClient

EVERY = timedelta(minutes=10)
#: A worker may wait longer for Prolific than a page.
SECONDS = 120.0
#: Where people may be taking part.
STATES = (Study.State.OPEN, Study.State.PAUSED)

logger = logging.getLogger(__name__)


def recruitments_to_read(*, at: datetime) -> list[int]:
    """The studies on Prolific whose turn it is."""
    there = Recruitment.objects.filter(address=settings.PROLIFIC_URL, study__state__in=STATES)
    return list(there.exclude(prolific_study_id="").filter(_due(at)).values_list("pk", flat=True))


def read_submissions_of(recruitment_id: int, *, at: datetime) -> Applied | None:
    """Read the submissions of a study on Prolific with the token of who created it, free the slots
    of people who returned or timed out, and invite nobody again who withdrew. None if it is not its
    turn, if they have lost the role for it, or if it failed: the log says why.
    """
    if not Recruitment.objects.filter(_due(at), pk=recruitment_id).update(read_at=at):
        return None
    recruitment = Recruitment.objects.select_related("study").get(pk=recruitment_id)
    try:
        return read_submissions(reader_of(recruitment), at=at)
    except (NotConnected, StepRefused, WaveRefused, ProlificError) as error:
        logger.warning("%s: submissions were not read: %s", recruitment.study, in_log(error))
        return None


@dataclass(frozen=True)
class Reader:
    """The researcher with whose token a worker reads a study on Prolific."""

    recruitment: Recruitment
    user: User

    def client(self) -> "ProlificClient":
        """A client with their token, to be used in a `with` block. Raises NotConnected."""
        return client_of(self.user, seconds=SECONDS)


def reader_of(recruitment: Recruitment) -> Reader:
    """Raises NotConnected if the account that created the study is not connected any more, or no
    longer has the role for it.
    """
    accounts = ProlificAccount.objects.filter(
        prolific_id=recruitment.account,
        address=recruitment.address,
        user__is_active=True,
        user__is_staff=True,
    )
    slug = recruitment.study.slug
    may = (one for one in accounts.select_related("user") if _may_read(one.user, slug))
    account = next(may, None)
    if account is None:
        raise NotConnected(
            "The account that created the study on Prolific is not connected here, or may no "
            "longer read its submissions."
        )
    return Reader(recruitment, account.user)


def read_submissions(reader: Reader, *, at: datetime) -> Applied:
    """Read all submissions of the study, free the slots of people who returned or timed out, and
    have Prolific let in nobody who withdrew.

    Raises NotConnected, StepRefused, WaveRefused, ProlificError.
    """
    with reader.client() as client:
        lists = submissions_of(reader.recruitment, client)
        applied = apply_submissions(
            study=reader.recruitment.study,
            submissions=lists.submissions,
            at=at,
            author=reader.user,
        )
        drop_who_left(reader.recruitment, author=reader.user, client=client)
    return applied


def in_log(error: Exception) -> str:
    """What a log says of a failure: the text of an answer may have the id of a submission."""
    if not isinstance(error, ProlificError):
        return str(error)
    return f"Prolific answered {error.status}" if error.status else "Prolific did not answer"


def _may_read(user: User, slug: str) -> bool:
    """Whether the account still has the role for it."""
    role = role_of(user, slug)
    return role is not None and role.may(Permission.IDENTIFY)


def _due(at: datetime) -> Q:
    return Q(read_at=None) | Q(read_at__lt=at - EVERY)
