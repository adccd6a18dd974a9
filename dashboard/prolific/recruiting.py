"""What researchers do with a study on Prolific: pages and the API check and take each step here.

`steps` takes a step once; here is what a step needs beforehand and what follows it. All functions
raise StepRefused, WaveRefused or ProlificError, having changed nothing unless the error says so.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.contrib.auth.models import User

from dashboard.accounts.prolific import NotConnected, account_of, client_of
from dashboard.prolific.drafts import (
    DraftOptions,
    against_publishing,
    codes_of,
    draft_of,
    is_same,
    too_little,
)
from dashboard.prolific.models import Recruitment
from dashboard.prolific.money import Money, money_of
from dashboard.prolific.pay_terms import promise_reward
from dashboard.prolific.steps import (
    Gone,
    StepRefused,
    create_draft,
    drop_who_left,
    forget,
    invite_again,
    look,
    recruitment_of,
    take,
)
from dashboard.prolific.subscribing import subscribe, subscribe_if_possible, unsubscribe
from dashboard.prolific.waves import Wave, may_know_people, wave_of
from dashboard.shared.log import record
from survey.models import Study
from survey.prolific.errors import ProlificError
from survey.prolific.replies import UNPUBLISHED, ProlificStudy
from survey.refusals import RefusalKind

if TYPE_CHECKING:
    from survey.prolific.client import ProlificClient

Step = Recruitment.Step
#: What is said after a step.
SAID = {
    Step.CREATE: "The draft is on Prolific. Nothing is published or paid yet.",
    Step.CHANGE: "The draft is saved on Prolific.",
    Step.PUBLISH: "The study is published on Prolific.",
    Step.PAUSE: "The study is paused on Prolific: nobody new is sent here.",
    Step.START: "The study goes on on Prolific.",
    Step.PLACES: "The study has more places on Prolific.",
    Step.INVITE: "The people whom the study invites are changed on Prolific.",
}
EXPORT = "Prolific’s export"
NOTHING = "Nothing had to be changed: Prolific has it already."


class FieldRefused(StepRefused):
    """What is written into a field of the draft can't be."""

    kind = RefusalKind.BAD_INPUT
    unchanged = ""

    def __init__(self, field: str, why: str) -> None:
        super().__init__(why)
        self.about = field


@dataclass(frozen=True)
class StepDone:
    """What a step has changed, if anything, and the study on Prolific after it."""

    changed: bool
    said: str
    theirs: ProlificStudy
    #: What did not work that follows the step; it is done all the same.
    warning: str = ""

    @classmethod
    def of(cls, step: Step, changed: bool, theirs: ProlificStudy) -> "StepDone":
        return cls(changed, SAID[step] if changed else NOTHING, theirs)


@dataclass
class ShownOnProlific:
    """What Prolific says of the study now, as far as it answers."""

    theirs: ProlificStudy | None = None
    money: Money | None = None
    counts: dict[str, int] = field(default_factory=dict)
    #: How many people a second wave lets in.
    let_in: int | None = None
    #: Why there is less than all of it.
    problem: str = ""
    is_connected: bool = True
    is_gone: bool = False


def recruited(study: Study) -> Recruitment:
    """The version's study on Prolific."""
    recruitment = recruitment_of(study, settings.PROLIFIC_URL)
    if recruitment is None:
        raise StepRefused("There is no study on Prolific yet.")
    return recruitment


def see(study: Study, user: User) -> ShownOnProlific:
    """Ask Prolific for everything that is shown of the study. Raises nothing."""
    seen, recruitment = ShownOnProlific(), recruitment_of(study, settings.PROLIFIC_URL)
    try:
        with client_of(user) as client:
            if recruitment is not None:
                try:
                    seen.theirs = look(recruitment, client)
                except Gone as gone:
                    seen.is_gone = bool(recruitment.prolific_study_id)
                    seen.problem = str(gone) if seen.is_gone else ""
            if seen.theirs is not None and recruitment is not None and recruitment.earlier:
                seen.let_in = len(client.group_members(recruitment.group))
            seen.money = money_of(client, seen.theirs)
            if seen.theirs is not None and seen.theirs.status != UNPUBLISHED:
                seen.counts = client.counts(seen.theirs.id)
    except NotConnected as why:
        seen.problem, seen.is_connected = str(why), False
    except ProlificError as error:
        seen.problem = str(error)
    return seen


# ── Steps ────────────────────────────────────────────────────────────────────────────────────────


def create(
    study: Study,
    client: "ProlificClient",
    *,
    author: User,
    options: DraftOptions,
    wave: Wave | None,
) -> StepDone:
    """Create a draft, unless there is one: then that one.

    Only the people of `wave` may take part; None stands for anyone.
    """
    sent, currency = _affordable(study, options, client)
    if wave is not None and not wave.ids:
        raise StepRefused(f"Nobody of {wave.earlier} can be invited. Nothing was changed.")
    if wave is not None and options.places > len(wave.ids):
        raise FieldRefused("places", f"At most {len(wave.ids)}: so many people are invited.")
    account = account_of(author)
    assert account is not None  # the client has its token
    before = recruitment_of(study, settings.PROLIFIC_URL)
    if before is not None and before.step:
        with suppress(Gone):
            look(before, client)  # it settles an earlier request whose answer was lost
    theirs = create_draft(
        study=study,
        address=settings.PROLIFIC_URL,
        author=author,
        account=account.prolific_id,
        draft=sent,
        client=client,
        wave=wave,
    )
    is_new = before is None or not before.prolific_study_id
    return _promised(study, StepDone.of(Step.CREATE, is_new, theirs), currency, author)


def change(
    study: Study, client: "ProlificClient", *, author: User, options: DraftOptions
) -> StepDone:
    """Save other values in the draft."""
    (sent, currency), recruitment = _affordable(study, options, client), recruited(study)
    theirs = look(recruitment, client)
    if theirs.status != UNPUBLISHED:
        raise StepRefused("The study is published: only its places can be changed here.")
    done = StepDone.of(Step.CHANGE, False, theirs)
    if not is_same(theirs, sent):
        ask = partial(client.change_study, **sent)
        done = _taken(Step.CHANGE, recruitment, client, author, ask)
    return _promised(study, done, currency, author)


def publish(study: Study, client: "ProlificClient", *, author: User, cost: int | None) -> StepDone:
    """Publish the draft, if it costs `cost` cents, the amount that was shown; then subscribe to
    events. Publishing is done whether or not these can be had.
    """
    recruitment = recruited(study)
    theirs = look(recruitment, client)
    _may_send_people(recruitment, theirs)
    if theirs.status == UNPUBLISHED:
        money = money_of(client, theirs)
        if money is None or money.cost != cost:
            raise StepRefused("The cost has changed since it was shown: look at it again.")
    done = _moved(Step.PUBLISH, recruitment, client, author)
    why = subscribe_if_possible(recruitment, client, author)
    return replace(done, warning=f"Events are not subscribed: {why}" if why else "")


def pause(study: Study, client: "ProlificClient", *, author: User) -> StepDone:
    """Have Prolific send nobody new."""
    recruitment = recruited(study)
    ask = partial(client.move_study, action=Step.PAUSE.upper())
    return _taken(Step.PAUSE, recruitment, client, author, ask)


def resume(study: Study, client: "ProlificClient", *, author: User) -> StepDone:
    """Have Prolific send people again."""
    recruitment = recruited(study)
    _may_send_people(recruitment, look(recruitment, client))
    return _moved(Step.START, recruitment, client, author)


def add_places(study: Study, client: "ProlificClient", *, author: User, places: int) -> StepDone:
    """Give the study `places` places in total."""
    recruitment = recruited(study)
    there = look(recruitment, client).total_available_places
    if places < there:
        raise StepRefused(
            f"The study has {there} places on Prolific, and there can only be more. Nothing was "
            "changed."
        )
    ask = partial(client.change_study, total_available_places=places)
    return _taken(Step.PLACES, recruitment, client, author, ask, places=places)


def invite(study: Study, client: "ProlificClient", *, author: User) -> StepDone:
    """Let in the people whom the study's second wave would invite now, if the author's role in the
    earlier study still lets them know who they are.
    """
    recruitment = recruited(study)
    earlier = recruitment.earlier
    if earlier is not None and not may_know_people(author, earlier.slug):
        raise StepRefused(f"Your role in {earlier} does not let you invite its people.")
    wave = wave_of_recruitment(recruitment)
    changed = invite_again(recruitment, wave, author=author, client=client)
    return StepDone.of(Step.INVITE, changed, look(recruitment, client))


def forget_study(study: Study, client: "ProlificClient", *, author: User) -> None:
    """Forget a study that is not on Prolific any more."""
    account = account_of(author)
    assert account is not None  # the client has its token
    forget(recruited(study), client, account=account.prolific_id)
    record(study, author, "prolific forgotten")


def turn_events(study: Study, client: "ProlificClient", *, author: User, on: bool) -> None:
    """Have Prolific send the events of the study's workspace here, or stop it."""
    turn = subscribe if on else unsubscribe
    turn(recruited(study), client, author=author)


def demographic_export(study: Study, client: "ProlificClient") -> tuple[str, bytes]:
    """The study's demographic export, with a name in place of a file's."""
    return EXPORT, client.demographics(look(recruited(study), client).id)


def wave_of_recruitment(recruitment: Recruitment) -> Wave:
    """Whom the study on Prolific would invite now."""
    if recruitment.earlier is None:
        raise StepRefused("This study on Prolific invites nobody of an earlier study.")
    return wave_of(recruitment.earlier, recruitment.study, recruitment.who)


def _taken(
    step: Step,
    recruitment: Recruitment,
    client: "ProlificClient",
    author: User,
    ask: Callable[[str], ProlificStudy],
    **detail: Any,
) -> StepDone:
    changed, theirs = take(step, recruitment, author=author, client=client, ask=ask, detail=detail)
    return StepDone.of(step, changed, theirs)


def _moved(
    step: Step, recruitment: Recruitment, client: "ProlificClient", author: User
) -> StepDone:
    """Publish or resume: people who withdrew meanwhile are not let in."""
    drop_who_left(recruitment, author=author, client=client)
    ask = partial(client.move_study, action=step.upper())
    return _taken(step, recruitment, client, author, ask)


def _affordable(
    study: Study, options: DraftOptions, client: "ProlificClient"
) -> tuple[dict[str, Any], str]:
    """The draft as Prolific takes it, if it pays enough and the study has codes; and the currency
    of the workspace, empty if the account has none.
    """
    money = money_of(client, None)
    currency = money.currency if money else ""
    reward = options.reward / 100
    if why := too_little(reward=reward, minutes=options.minutes, currency=currency):
        raise FieldRefused("reward", why)
    if "prolific" not in study.settings["ways_in"]:
        raise StepRefused("This study has no way in for people from Prolific.")
    if not codes_of(study):
        raise StepRefused("The study has no completion codes: load its folder again.")
    return draft_of(study, options), currency


def _promised(study: Study, done: StepDone, currency: str, author: User) -> StepDone:
    """What the draft pays is what the study promises."""
    warning = promise_reward(
        study=study, cents=done.theirs.reward, currency=currency, author=author
    )
    return replace(done, warning=warning)


def _may_send_people(recruitment: Recruitment, theirs: ProlificStudy) -> None:
    if reasons := list(against_publishing(recruitment, theirs)):
        raise StepRefused(" ".join(reasons))
