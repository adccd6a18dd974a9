"""Workers read the submissions of studies on Prolific, so slots are freed without a click.

The claim of a turn is stored before Prolific is asked: two workers do not ask for the same, and
after a failure, or a kill, the next turn comes as usual.
"""

import logging
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Q

from dashboard.accounts.models import ProlificAccount
from dashboard.accounts.prolific import NotConnected, client_of
from dashboard.prolific.models import Recruitment
from dashboard.prolific.steps import StepRefused, drop_who_left
from dashboard.prolific.submissions import submissions_of
from dashboard.prolific.waves import WaveRefused
from dashboard.raters.submissions import Applied, apply_submissions
from survey.models import Study
from survey.prolific.errors import ProlificError

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
    turn, or if it failed: the log says why.
    """
    if not Recruitment.objects.filter(_due(at), pk=recruitment_id).update(read_at=at):
        return None
    recruitment = Recruitment.objects.select_related("study").get(pk=recruitment_id)
    accounts = ProlificAccount.objects.filter(
        prolific_id=recruitment.account,
        address=recruitment.address,
        user__is_active=True,
        user__is_staff=True,
    )
    account = accounts.select_related("user").first()
    if account is None:
        return None
    try:
        with client_of(account.user, seconds=SECONDS) as client:
            lists = submissions_of(recruitment, client)
            drop_who_left(recruitment, author=account.user, client=client)
    except (NotConnected, StepRefused, WaveRefused, ProlificError) as error:
        logger.warning("%s: submissions were not read: %s", recruitment.study, error)
        return None
    return apply_submissions(
        study=recruitment.study, submissions=lists.submissions, at=at, author=account.user
    )


def _due(at: datetime) -> Q:
    return Q(read_at=None) | Q(read_at__lt=at - EVERY)
