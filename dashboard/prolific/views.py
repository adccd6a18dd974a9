"""The page on which a study is put on Prolific, published, paused and given more places."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_POST

from dashboard.accounts.prolific import NotConnected, account_of, client_of
from dashboard.prolific.drafts import (
    against_publishing,
    codes_of,
    draft_of,
    first_values,
    is_same,
    too_little,
    values_of,
)
from dashboard.prolific.forms import DraftForm, PlacesForm, StepForm, WaveForm
from dashboard.prolific.models import Recruitment
from dashboard.prolific.money import Money, money_of
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
from dashboard.prolific.subscribing import (
    gets_events,
    subscribe,
    subscribe_if_possible,
    unsubscribe,
)
from dashboard.prolific.waves import Wave, WaveRefused, wave_of
from dashboard.shared.access import ResearcherRequest, researcher_required, study_or_404
from dashboard.shared.log import record
from dashboard.shared.pages import study_page
from survey.models import Study
from survey.prolific.errors import ProlificError
from survey.prolific.replies import ACTIVE, PAUSED, UNPUBLISHED, ProlificStudy

if TYPE_CHECKING:
    from survey.prolific.client import ProlificClient

Step = Recruitment.Step
#: What a page says after a step.
DONE = {
    Step.CHANGE: "The draft is saved on Prolific.",
    Step.PUBLISH: "The study is published on Prolific.",
    Step.PAUSE: "The study is paused on Prolific: nobody new is sent here.",
    Step.START: "The study goes on on Prolific.",
    Step.PLACES: "The study has more places on Prolific.",
    Step.INVITE: "The people whom the study invites are changed on Prolific.",
}
NOTHING = "Nothing had to be changed: Prolific has it already."
CREATED = "The draft is on Prolific. Nothing is published or paid yet."


class FieldRefused(StepRefused):
    """What is written into a field of the draft can't be."""

    def __init__(self, field: str, why: str) -> None:
        super().__init__(why)
        self.field = field


@dataclass
class _Seen:
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


@require_http_methods(["GET", "POST"])
@researcher_required
def recruiting(request: ResearcherRequest, name: str) -> HttpResponse:
    """The study on Prolific: its draft, its state, its cost, and the next step."""
    study = study_or_404(name)
    if request.method == "GET":
        return _page(request, study)
    form = StepForm(request.POST)
    if not form.is_valid():
        reasons = [str(error) for errors in form.errors.values() for error in errors]
        messages.error(request, f"{' '.join(reasons)} Nothing was changed.")
        return redirect("prolific", study)
    action = form.cleaned_data["action"]
    draft = DraftForm(request.POST) if action in (Step.CREATE, Step.CHANGE) else None
    if draft is not None and not draft.is_valid():
        return _page(request, study, draft)
    try:
        with client_of(request.user) as client:
            said = _do(request, study, action, client, form=form, draft=draft)
            messages.success(request, said)
            if action == Step.PUBLISH:
                _subscribe(request, study, client)
        return redirect("prolific", study)
    except FieldRefused as refusal:
        assert draft is not None
        draft.add_error(refusal.field, str(refusal))
    except (NotConnected, StepRefused, WaveRefused) as refusal:
        messages.error(request, str(refusal))
    except ProlificError as error:
        messages.error(request, f"{error} {_what_now(error)}")
    # what was written into the form is not lost
    return redirect("prolific", study) if draft is None else _page(request, study, draft)


@require_POST
@researcher_required
def events(request: ResearcherRequest, name: str) -> HttpResponse:
    """Have Prolific send its events here, or stop it."""
    study = study_or_404(name)
    recruitment = recruitment_of(study, settings.PROLIFIC_URL)
    try:
        if recruitment is None:
            raise StepRefused("There is no study on Prolific yet.")
        with client_of(request.user) as client:
            if request.POST.get("events") == "off":
                unsubscribe(recruitment, client, author=request.user)
                messages.success(request, "Prolific sends no more events of this workspace.")
            else:
                subscribe(recruitment, client, author=request.user)
                messages.success(request, "Prolific sends its events here.")
    except (NotConnected, StepRefused, ProlificError) as error:
        messages.error(request, str(error))
    return redirect("prolific", study)


def _subscribe(request: ResearcherRequest, study: Study, client: "ProlificClient") -> None:
    """Publishing is done whether or not this works."""
    recruitment = recruitment_of(study, settings.PROLIFIC_URL)
    assert recruitment is not None  # it was just published
    if why := subscribe_if_possible(recruitment, client, request.user):
        messages.warning(request, f"Events are not subscribed: {why}")


def _what_now(error: ProlificError) -> str:
    if error.may_have_happened:
        return "Whether it was done is not known: this page asks again. Nothing is done twice."
    return "Nothing was changed."


def _do(
    request: ResearcherRequest,
    study: Study,
    action: str,
    client: "ProlificClient",
    *,
    form: StepForm,
    draft: DraftForm | None,
) -> str:
    """Take a step; what to say after it. Raises StepRefused, WaveRefused, ProlificError."""
    account = account_of(request.user)
    assert account is not None  # the client has its token
    if draft is not None:
        values = _affordable(study, draft, client)
    if action == Step.CREATE:
        wave = _invited(study, request, values)
        create_draft(
            study=study,
            address=settings.PROLIFIC_URL,
            author=request.user,
            account=account.prolific_id,
            draft=values,
            client=client,
            wave=wave,
        )
        return CREATED
    recruitment = recruitment_of(study, settings.PROLIFIC_URL)
    if recruitment is None:
        raise StepRefused("There is no study on Prolific yet.")
    if action == "forget":
        forget(recruitment, client, account=account.prolific_id)
        record(study, request.user, "prolific forgotten")
        return "Forgotten. You can create another draft."
    step, detail = Step(action), {}
    if step == Step.INVITE:
        wave = _wave_again(recruitment)
        changed = invite_again(recruitment, wave, author=request.user, client=client)
        return DONE[step] if changed else NOTHING
    ask: Callable[[str], ProlificStudy]
    if step == Step.CHANGE:
        theirs = look(recruitment, client)
        if theirs.status != UNPUBLISHED:
            raise StepRefused("The study is published: only its places can be changed here.")
        if is_same(theirs, values):
            return NOTHING
        ask = partial(client.change_study, **values)
    elif step == Step.PLACES:
        places = _more_places(request, look(recruitment, client))
        detail = {"places": places}
        ask = partial(client.change_study, total_available_places=places)
    else:
        if step in (Step.PUBLISH, Step.START):
            _may_send_people(recruitment, look(recruitment, client), client, form, step)
            drop_who_left(recruitment, author=request.user, client=client)
        ask = partial(client.move_study, action=step.upper())
    changed, _ = take(step, recruitment, author=request.user, client=client, ask=ask, detail=detail)
    return DONE[step] if changed else NOTHING


def _affordable(study: Study, draft: DraftForm, client: "ProlificClient") -> dict[str, Any]:
    """The draft as Prolific takes it. Raises StepRefused for too little pay or no codes."""
    values = draft.cleaned_data
    money = money_of(client, None)
    reward, minutes = float(values["reward"]), values["minutes"]
    if why := too_little(reward=reward, minutes=minutes, currency=money.currency if money else ""):
        raise FieldRefused("reward", why)
    if "prolific" not in study.settings["ways_in"]:
        raise StepRefused("This study has no way in for people from Prolific.")
    if not codes_of(study):
        raise StepRefused("The study has no completion codes: load its folder again.")
    return draft_of(study, values)


def _more_places(request: ResearcherRequest, theirs: ProlificStudy) -> int:
    form = PlacesForm(request.POST)
    if not form.is_valid():
        raise StepRefused(f"{form.errors['places'][0]} Nothing was changed.")
    places: int = form.cleaned_data["places"]
    if places < theirs.total_available_places:
        raise StepRefused(
            f"The study has {theirs.total_available_places} places on Prolific, and there can only "
            "be more. Nothing was changed."
        )
    return places


def _invited(study: Study, request: ResearcherRequest, values: dict[str, Any]) -> Wave | None:
    """Whom the draft invites; None stands for anyone. Raises StepRefused, WaveRefused."""
    form = WaveForm(study, request.POST)
    if not form.is_valid():
        raise StepRefused(" ".join(str(each[0]) for each in form.errors.values()))
    wave = form.wave()
    if wave is not None and not wave.ids:
        raise StepRefused(f"Nobody of {wave.earlier} can be invited. Nothing was changed.")
    if wave is not None and values["total_available_places"] > len(wave.ids):
        raise FieldRefused("places", f"At most {len(wave.ids)}: so many people are invited.")
    return wave


def _wave_again(recruitment: Recruitment) -> Wave:
    """Whom the study would invite now. Raises StepRefused, WaveRefused."""
    if recruitment.earlier is None:
        raise StepRefused("This study on Prolific invites nobody of an earlier study.")
    return wave_of(recruitment.earlier, recruitment.study, recruitment.who)


def _may_send_people(
    recruitment: Recruitment,
    theirs: ProlificStudy,
    client: "ProlificClient",
    form: StepForm,
    step: Step,
) -> None:
    """Raises StepRefused if the study here takes nobody, or costs another amount than was shown."""
    reasons = list(against_publishing(recruitment, theirs))
    if reasons:
        raise StepRefused(" ".join(reasons))
    if step == Step.PUBLISH and theirs.status == UNPUBLISHED:
        money = money_of(client, theirs)
        if money is None or money.cost != form.cleaned_data["cost"]:
            raise StepRefused("The cost has changed since the page was shown: look at it again.")


def _see(request: ResearcherRequest, recruitment: Recruitment | None) -> _Seen:
    """Ask Prolific for everything that the page shows."""
    seen = _Seen()
    try:
        with client_of(request.user) as client:
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


def _asked_wave(
    request: ResearcherRequest, study: Study, recruitment: Recruitment | None
) -> tuple[WaveForm, Wave | None]:
    """The form that asks whom to invite, and the people that it or the study on Prolific says."""
    form = WaveForm(study, request.POST if request.method == "POST" else request.GET)
    try:
        if recruitment is not None and recruitment.earlier is not None:
            return form, _wave_again(recruitment)
        return form, form.wave() if form.is_valid() else None
    except WaveRefused as refusal:
        form.add_error("who", str(refusal))
        return form, None


def _page(request: ResearcherRequest, study: Study, draft: DraftForm | None = None) -> HttpResponse:
    recruitment = recruitment_of(study, settings.PROLIFIC_URL)
    seen = _see(request, recruitment)
    theirs = seen.theirs
    asked, wave = _asked_wave(request, study, recruitment)
    if draft is None:
        draft = DraftForm(initial=values_of(theirs) if theirs else first_values(study, wave))
    is_draft = theirs is not None and theirs.status == UNPUBLISHED
    return study_page(
        request,
        study,
        "prolific",
        "prolific/recruiting",
        recruitment=recruitment,
        seen=seen,
        theirs=theirs,
        money=seen.money,
        form=draft,
        is_draft=is_draft,
        gets_events=gets_events(recruitment),
        may_pause=theirs is not None and theirs.status == ACTIVE,
        may_start=theirs is not None and theirs.status == PAUSED,
        against=list(against_publishing(recruitment, theirs)) if recruitment and theirs else [],
        wave_form=asked,
        wave=wave,
        on_prolific="prolific" in study.settings["ways_in"],
        counts=[(status, n) for status, n in seen.counts.items() if n and status != "TOTAL"],
    )
