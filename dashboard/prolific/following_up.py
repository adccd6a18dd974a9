"""Workers follow up Prolific's events: they ask Prolific for the present state, which wins.

So events may come late, twice and out of order. A row is claimed before Prolific is asked; if the
worker is killed or Prolific does not answer, the claim runs out and the next sweep wakes another.
"""

import logging
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from django.conf import settings
from django.db.models import Q

from dashboard.accounts.prolific import NotConnected
from dashboard.prolific.models import ReceivedEvent, Recruitment
from dashboard.prolific.polling import Reader, in_log, read_submissions, reader_of
from dashboard.prolific.steps import StepRefused
from dashboard.prolific.submissions import as_listed
from dashboard.prolific.waves import WaveRefused
from dashboard.raters.submissions import apply_submissions, sessions_of
from survey.models import Submission
from survey.prolific.errors import ProlificError, is_temporary
from survey.prolific.events import STUDY_CHANGED, SUBMISSION_CHANGED
from survey.prolific.replies import ProlificSubmission

if TYPE_CHECKING:
    from survey.prolific.client import ProlificClient

#: Longer than a worker may wait for Prolific (`polling.SECONDS`).
CLAIM_TIME = timedelta(minutes=3)
#: Prolific repeats an event for a day: so long its id is kept. What could not be followed up by
#: then was read every ten minutes.
KEPT = timedelta(days=2)

logger = logging.getLogger(__name__)


def events_to_follow_up(*, at: datetime) -> list[int]:
    """The events that no worker follows up, the oldest first."""
    due = ReceivedEvent.objects.filter(_free(at), followed_up_at=None)
    return list(due.order_by("pk").values_list("pk", flat=True)[:1000])


def remove_old_events(*, at: datetime) -> None:
    """Delete events that Prolific does not repeat any more."""
    ReceivedEvent.objects.filter(received_at__lt=at - KEPT).delete()


def follow_up_all(*, now: Callable[[], datetime]) -> None:
    """Follow up all events that are due, until Prolific is too busy or does not answer."""
    for event in events_to_follow_up(at=now()):
        if not follow_up(event, at=now()):
            return


def follow_up(event_id: int, *, at: datetime) -> bool:
    """Read what the event is about from Prolific, and free the slots of people who returned or
    timed out. Nothing if another worker does so. If that can't be read, the event stays due; False
    if Prolific answers nobody now.
    """
    mine = ReceivedEvent.objects.filter(_free(at), pk=event_id, followed_up_at=None)
    if not mine.update(claimed_at=at):
        return True
    event = ReceivedEvent.objects.select_related("subscription").get(pk=event_id)
    # What came before Prolific is asked is answered by the same reading.
    same = ReceivedEvent.objects.filter(
        subscription=event.subscription_id, event_type=event.event_type, resource=event.resource
    )
    answered = list(same.filter(followed_up_at=None).values_list("pk", flat=True))
    for recruitment in _recruitments(event):
        try:
            _read(recruitment, event, at)
        except (NotConnected, StepRefused, WaveRefused, ProlificError) as error:
            study = recruitment.study
            logger.warning("%s: an event is not followed up yet: %s", study, in_log(error))
            return not (isinstance(error, ProlificError) and is_temporary(error.status))
    done = ReceivedEvent.objects.filter(pk__in=answered)
    done.update(followed_up_at=at, resource="")
    return True


def _free(at: datetime) -> Q:
    return Q(claimed_at=None) | Q(claimed_at__lt=at - CLAIM_TIME)


def _recruitments(event: ReceivedEvent) -> Iterable[Recruitment]:
    """The studies on Prolific that an event is about; none if nobody came with the submission."""
    ours = Recruitment.objects.select_related("study").filter(address=settings.PROLIFIC_URL)
    if event.event_type == STUDY_CHANGED:
        return ours.filter(prolific_study_id=event.resource)
    if event.event_type == SUBMISSION_CHANGED:
        came = Submission.objects.filter(session_id=event.resource)
        return ours.filter(study__in=came.values("participant__study"))
    return []


def _read(recruitment: Recruitment, event: ReceivedEvent, at: datetime) -> None:
    """Raises NotConnected, StepRefused, ProlificError."""
    reader = reader_of(recruitment)
    if event.event_type == STUDY_CHANGED:
        read_submissions(reader, at=at)
        return
    with reader.client() as client:
        submissions = list(_of_same_people(reader, event.resource, client))
    apply_submissions(
        study=recruitment.study,
        submissions=[
            as_listed(one, one.study or recruitment.prolific_study_id) for one in submissions
        ],
        at=at,
        author=reader.user,
    )


def _of_same_people(
    reader: Reader, session: str, client: "ProlificClient"
) -> Iterator[ProlificSubmission]:
    """The submission, and the others that its people came with: one that is active counts."""
    study = reader.recruitment.study
    people = Submission.objects.filter(session_id=session, participant__study=study)
    sessions = sessions_of(list(people.values_list("participant", flat=True)))
    for known in sorted({session}.union(*sessions.values())):
        try:
            one = client.submission(known)
        except ProlificError as error:
            if not error.is_missing:
                raise
            continue  # a forged id, or a submission of another account
        if one.study == reader.recruitment.prolific_study_id:
            yield one
