"""Steps of a study on Prolific, each asked for once and recorded once.

A step is claimed in the database, then Prolific is asked, then the claim becomes an event. If
Prolific's answer is lost, its state says whether the step was done. If this process is killed in
between, the next look at the study settles the claim. Nothing here holds a transaction open while
Prolific is asked.
"""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from dashboard.prolific.groups import filter_of, let_in
from dashboard.prolific.models import Recruitment
from dashboard.prolific.waves import Wave, WaveRefused, wave_of
from survey.models import Study, StudyEvent
from survey.prolific.errors import ProlificError
from survey.prolific.replies import ACTIVE, AWAITING_REVIEW, PAUSED, UNPUBLISHED, ProlificStudy
from survey.refusals import Conflict

if TYPE_CHECKING:
    from survey.prolific.client import ProlificClient

Step = Recruitment.Step
#: No page still waits for Prolific after this time: see `accounts.prolific.PAGE_SECONDS`.
CLAIM_TIME = timedelta(seconds=30)
#: What the study's record says; `overview.events` has the words.
ACTIONS = {step: f"prolific {step}" for step in Step}


class StepRefused(Conflict):
    """A step that was not taken; the text says why."""


class Gone(StepRefused):
    """The study on Prolific is not there any more, or the account may not see it."""


def recruitment_of(study: Study, address: str) -> Recruitment | None:
    """The version's study at this Prolific, if one was asked for."""
    return Recruitment.objects.filter(study=study, address=address).first()


def create_draft(
    *,
    study: Study,
    address: str,
    author: User,
    account: str,
    draft: dict[str, Any],
    client: "ProlificClient",
    wave: Wave | None = None,
) -> ProlificStudy:
    """Create a draft on Prolific, unless it is there: then that one. `account` is the id of the
    researcher's account there. Only the people of `wave` may take part, if it is given.

    Raises StepRefused, WaveRefused, ProlificError.
    """
    recruitment, _ = Recruitment.objects.get_or_create(
        study=study, address=address, defaults={"account": account}
    )
    if recruitment.prolific_study_id:
        return look(recruitment, client)
    sent = draft | {"internal_name": recruitment.internal_name}
    detail = {"places": draft["total_available_places"]}
    if wave is not None:
        detail["invited"] = len(wave.ids)
    _claim(recruitment, Step.CREATE, detail, author)
    _note(recruitment, wave)
    try:
        if wave is not None:
            sent["filters"] = [filter_of(let_in(recruitment, wave, client))]
        theirs = _find(recruitment, client) or client.create_study(sent)
    except WaveRefused:
        _release(recruitment)
        raise
    except ProlificError as error:
        if not error.may_have_happened:
            _release(recruitment)
        raise
    _record(recruitment, theirs)
    return theirs


def look(recruitment: Recruitment, client: "ProlificClient") -> ProlificStudy:
    """The study on Prolific; what was claimed and left is settled.

    Raises Gone if there is none, ProlificError.
    """
    if not recruitment.prolific_study_id:
        theirs = _find(recruitment, client)
        if theirs is None:
            if recruitment.step and _is_old(recruitment):
                _release(recruitment)
            raise Gone("There is no study on Prolific yet.")
        if recruitment.step:
            _record(recruitment, theirs)
        return theirs
    try:
        theirs = client.study(recruitment.prolific_study_id)
    except ProlificError as error:
        if error.is_missing:
            raise Gone(str(error)) from None
        raise
    if recruitment.step and _is_old(recruitment):
        if _is_done(recruitment.step, recruitment.step_detail, theirs):
            _record(recruitment, theirs)
        else:
            _release(recruitment)
    return theirs


def take(
    step: Step,
    recruitment: Recruitment,
    *,
    author: User,
    client: "ProlificClient",
    ask: Callable[[str], ProlificStudy],
    detail: dict[str, Any] | None = None,
) -> tuple[bool, ProlificStudy]:
    """Ask Prolific for a step of its study, given by id: whether it changed anything, and the
    study after it.

    Raises StepRefused, ProlificError.
    """
    theirs, detail = look(recruitment, client), detail or {}
    if _is_done(step, detail, theirs) and not recruitment.step:
        return False, theirs
    _claim(recruitment, step, detail, author)
    try:
        theirs = ask(theirs.id)
    except ProlificError as error:
        if not error.may_have_happened:
            _release(recruitment)
            raise
        theirs = client.study(theirs.id)  # a failure leaves the claim to the next look
        if not _is_done(step, detail, theirs):
            _release(recruitment)
            raise error from None
    _record(recruitment, theirs)
    return True, theirs


def invite_again(
    recruitment: Recruitment, wave: Wave, *, author: User, client: "ProlificClient"
) -> bool:
    """Make the people of `wave` those whom the study on Prolific lets in: whether that changed
    anything.

    Raises StepRefused, WaveRefused, ProlificError.
    """
    if client.group_members(recruitment.group) == set(wave.ids):
        return False

    def ask(study: str) -> ProlificStudy:
        let_in(recruitment, wave, client)
        return client.study(study)

    detail = {"invited": len(wave.ids)}
    take(Step.INVITE, recruitment, author=author, client=client, ask=ask, detail=detail)
    return True


def drop_who_left(recruitment: Recruitment, *, author: User, client: "ProlificClient") -> None:
    """Take people out of the group of a second wave who withdrew from either study since.

    Raises StepRefused, WaveRefused, ProlificError.
    """
    if recruitment.earlier is None:
        return
    members = client.group_members(recruitment.group)
    wave = wave_of(recruitment.earlier, recruitment.study, Recruitment.Who.COMPLETED)
    still = [one for one in wave.ids if one in members]
    if len(still) < len(members):
        invite_again(recruitment, replace(wave, ids=still), author=author, client=client)


def forget(recruitment: Recruitment, client: "ProlificClient", *, account: str) -> None:
    """Forget a study that is not on Prolific any more. Raises StepRefused if it is there, and for
    another account than the one that created it, which may just not see it.
    """
    if account != recruitment.account:
        raise StepRefused("Another account created it, and this one may just not see it.")
    try:
        look(recruitment, client)
    except Gone:
        recruitment.delete()
        return
    raise StepRefused("The study is still on Prolific: delete the draft there first.")


def _find(recruitment: Recruitment, client: "ProlificClient") -> ProlificStudy | None:
    """The study on Prolific that has our key, if it was created after all."""
    for listed in client.studies():
        if (listed.internal_name or "").endswith(recruitment.key):
            return client.study(listed.id)
    return None


def _is_done(step: str, detail: dict[str, Any], theirs: ProlificStudy) -> bool:
    """Whether the study on Prolific is as the step makes it."""
    if step == Step.PUBLISH:
        return theirs.status != UNPUBLISHED
    if step == Step.PAUSE:
        return theirs.status == PAUSED
    if step == Step.START:
        return theirs.status in (ACTIVE, AWAITING_REVIEW)
    if step == Step.PLACES:
        return theirs.total_available_places >= int(detail["places"])
    return step == Step.CREATE


def _is_old(recruitment: Recruitment) -> bool:
    return recruitment.step_at is not None and recruitment.step_at < timezone.now() - CLAIM_TIME


def _claim(recruitment: Recruitment, step: Step, detail: dict[str, Any], author: User) -> None:
    """Reserve the study for this step. Raises StepRefused while another step is under way."""
    at = timezone.now()
    free = Q(step="") | Q(step_at__lt=at - CLAIM_TIME)
    claimed = Recruitment.objects.filter(free, pk=recruitment.pk).update(
        step=step, step_detail=detail, step_author=author, step_at=at
    )
    if not claimed:
        raise StepRefused(
            "A step is being taken already, and Prolific's answer is not known yet. Look again in "
            f"{CLAIM_TIME.total_seconds():.0f} s."
        )
    recruitment.refresh_from_db()


def _note(recruitment: Recruitment, wave: Wave | None) -> None:
    """Store whom the claimed draft invites; None stands for everybody."""
    recruitment.earlier = wave.earlier if wave else None
    recruitment.who = wave.who if wave else ""
    recruitment.save(update_fields=["earlier", "who"])


def _release(recruitment: Recruitment) -> None:
    """Forget what was claimed: it was not done."""
    Recruitment.objects.filter(pk=recruitment.pk, step_at=recruitment.step_at).update(step="")
    recruitment.step = ""


@transaction.atomic
def _record(recruitment: Recruitment, theirs: ProlificStudy) -> None:
    """Turn the claim into an event of the study, once."""
    ours = Recruitment.objects.filter(pk=recruitment.pk, step_at=recruitment.step_at)
    if ours.exclude(step="").update(step="", prolific_study_id=theirs.id):
        StudyEvent.objects.create(
            study=recruitment.study,
            author=recruitment.step_author,
            action=ACTIONS[Step(recruitment.step)],
            detail={**recruitment.step_detail, "study_on_prolific": theirs.id},
        )
    recruitment.refresh_from_db()
