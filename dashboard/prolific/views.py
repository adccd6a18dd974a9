"""The page on which a study is put on Prolific, published, paused and given more places."""

from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect

from dashboard.accounts.prolific import client_of
from dashboard.prolific.drafts import DraftOptions, against_publishing, first_values, values_of
from dashboard.prolific.forms import DraftForm, PlacesForm, StepForm, WaveForm
from dashboard.prolific.models import Recruitment
from dashboard.prolific.recruiting import (
    StepDone,
    add_places,
    change,
    create,
    forget_study,
    invite,
    pause,
    publish,
    resume,
    see,
    turn_events,
    wave_of_recruitment,
)
from dashboard.prolific.steps import StepRefused, recruitment_of
from dashboard.prolific.subscribing import gets_events
from dashboard.prolific.waves import Wave, WaveRefused, earlier_studies
from dashboard.shared.access import ResearcherRequest, needs, study_or_404
from dashboard.shared.pages import refusals_told, study_page, tell_refusal
from dashboard.shared.roles import Permission
from survey.models import Study
from survey.prolific.replies import ACTIVE, PAUSED, UNPUBLISHED
from survey.refusals import RequestRefused

if TYPE_CHECKING:
    from survey.prolific.client import ProlificClient

Step = Recruitment.Step


@needs(Permission.RECRUIT, Permission.RECRUIT)
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
    options = draft.chosen if draft is not None else None
    try:
        with client_of(request.user) as client:
            done = _take(request, study, client, form.cleaned_data, options)
        messages.success(request, done.said if done else "Forgotten. You can create another draft.")
        if done and done.warning:
            messages.warning(request, done.warning)
        return redirect("prolific", study)
    except RequestRefused as why:
        if draft is not None and why.about:
            draft.add_error(why.about, why.lines)
        else:
            tell_refusal(request, why)
    # what was written into the form is not lost
    return redirect("prolific", study) if draft is None else _page(request, study, draft)


def _take(
    request: ResearcherRequest,
    study: Study,
    client: "ProlificClient",
    asked: dict[str, Any],
    options: DraftOptions | None,
) -> StepDone | None:
    """Take the step that the page asks for; None if the study is forgotten.

    Raises StepRefused, WaveRefused, ProlificError.
    """
    action, author = asked["action"], request.user
    if action == "forget":
        forget_study(study, client, author=author)
        return None
    if action == Step.CREATE and options is not None:
        wave = _chosen_wave(study, request)
        return create(study, client, author=author, options=options, wave=wave)
    if action == Step.CHANGE and options is not None:
        return change(study, client, author=author, options=options)
    if action == Step.PUBLISH:
        return publish(study, client, author=author, cost=asked["cost"])
    if action == Step.PLACES:
        places = PlacesForm(request.POST)
        if not places.is_valid():
            raise StepRefused(f"Places: {places.errors['places'][0]} Nothing was changed.")
        number = places.cleaned_data["places"]
        return add_places(study, client, author=author, places=number)
    take = {Step.PAUSE: pause, Step.START: resume, Step.INVITE: invite}[action]
    return take(study, client, author=author)


def _chosen_wave(study: Study, request: ResearcherRequest) -> Wave | None:
    """Whom the draft invites; None stands for anyone. Raises StepRefused, WaveRefused."""
    form = WaveForm(study, earlier_studies(study, request.user), request.POST)
    if not form.is_valid():
        raise StepRefused(" ".join(str(each[0]) for each in form.errors.values()))
    return form.wave()


@needs(change=Permission.RECRUIT)
def events(request: ResearcherRequest, name: str) -> HttpResponse:
    """Have Prolific send its events here, or stop it."""
    study, on = study_or_404(name), request.POST.get("events") != "off"
    with refusals_told(request):
        with client_of(request.user) as client:
            turn_events(study, client, author=request.user, on=on)
        said = "sends its events here" if on else "sends no more events of this workspace"
        messages.success(request, f"Prolific {said}.")
    return redirect("prolific", study)


def _asked_wave(
    request: ResearcherRequest, study: Study, recruitment: Recruitment | None
) -> tuple[WaveForm, Wave | None]:
    """The form that asks whom to invite, and the people that it or the study on Prolific says."""
    asked = request.POST if request.method == "POST" else request.GET
    form = WaveForm(study, earlier_studies(study, request.user), asked)
    try:
        if recruitment is not None and recruitment.earlier is not None:
            return form, wave_of_recruitment(recruitment)
        return form, form.wave() if form.is_valid() else None
    except WaveRefused as refusal:
        form.add_error("who", str(refusal))
        return form, None


def _page(request: ResearcherRequest, study: Study, draft: DraftForm | None = None) -> HttpResponse:
    seen = see(study, request.user)  # it settles a step whose answer was lost
    recruitment = recruitment_of(study, settings.PROLIFIC_URL)
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
