"""Overview: the list of studies, and the live state of one."""

from dataclasses import replace
from functools import partial
from typing import Any

from django.contrib import messages
from django.http import (
    HttpRequest,
    HttpResponse,
)
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET

from analysis.catalogue.subjects import FIRST_TABLE
from analysis.labels import labels_of
from dashboard.overview.counts import listed_studies, live_counts, with_counts
from dashboard.overview.endings import endings, slots_in_words
from dashboard.overview.events import events
from dashboard.overview.forms import StateForm
from dashboard.overview.links import participant_links
from dashboard.overview.live import LiveState, live_state
from dashboard.overview.opening import NotOpened, against, change_state, only_stand_in, refused
from dashboard.shared.access import (
    ResearcherRequest,
    needs,
    researcher_required,
    sees_codes,
    study_or_404,
    visible_to,
)
from dashboard.shared.fieldwork import is_imported, state_in_words, state_meaning
from dashboard.shared.figures import address_of
from dashboard.shared.findings import answers_of
from dashboard.shared.newest_analysis import (
    ANY_RULE,
    include_query,
    newest_of_ratings,
    only_not_counted,
)
from dashboard.shared.pages import asked_for, may_open, refusals_told, study_page
from dashboard.shared.roles import Permission
from survey.models import Study
from survey.tidy import definition_of

State = Study.State


#: The tables of the answers that a study is run for, and of who counts, in this order.
MAIN_ANSWERS = (
    *(FIRST_TABLE, "mixed_contrasts", "reference_contrasts", "system_groups"),
    *("rankings", "choices", "strengths", "funnel"),
)


@require_GET
@researcher_required
def studies(request: ResearcherRequest) -> HttpResponse:
    mine = with_counts(visible_to(request.user, listed_studies()))
    studies = [(each, state_in_words(each)) for each in mine]
    return render(request, "dashboard/overview/studies.html", {"studies": studies})


@needs(Permission.READ)
def study(request: ResearcherRequest, name: str) -> HttpResponse:
    study = study_or_404(name)
    live = live_state(study, asked_for(request))
    return study_page(
        request,
        study,
        "study",
        "overview/overview",
        **_live(request, study, live),
        **_results(study, asked_for(request)),
        endings=[]
        if is_imported(study)
        else endings(
            study,
            with_codes=sees_codes(request.user, study),
            completed=live.visits.by_source,
        ),
        states=State,
        state_meaning=state_meaning(study),
        links=participant_links(
            study, preview=request.role is not None and request.role.may(Permission.CHANGE)
        ),
        invites="invitation" in study.settings["ways_in"],
        events=events([study], most=10),
    )


def _results(study: Study, include: list[str] | None) -> dict[str, Any]:
    """What the newest analysis says of what the study is about."""
    analysis = newest_of_ratings(study, include)
    every = answers_of(analysis, partial(address_of, study, analysis))
    main = [answer for answer in every if answer.table in MAIN_ANSWERS]
    return {
        "analysis": analysis,
        # While raters may still come, how many there are is asked before what they say.
        "in_the_field": study.doing in (State.OPEN, State.PAUSED),
        "answers": sorted(main, key=lambda answer: MAIN_ANSWERS.index(answer.table)),
        "only_not_counted": only_not_counted(study),
        "rated": definition_of(study).rating is not None,
    }


@needs(Permission.READ)
def counts(request: ResearcherRequest, name: str) -> HttpResponse:
    """The overview's live part alone."""
    study = study_or_404(name)
    live = live_state(study, asked_for(request))
    context = {"study": study, "labels": labels_of(study), **_live(request, study, live)}
    return render(request, "dashboard/overview/_counts.html", context)


def _live(request: HttpRequest, study: Study, live: LiveState) -> dict[str, Any]:
    """What the overview shows of this moment."""
    return {
        "counts": live.counts,
        "shown": live.shown,
        "include": live.include,
        "excluded_raters": f"{include_query(live.include)}&rule={ANY_RULE}#raters-heading",
        "by_default": bool(live.include) and asked_for(request) is None,
        "not_counted": [one.source for one in live.counts.not_counted],
        "pools": live.slots,
        "in_words": [(one.pool, slots_in_words(one)) for one in live.slots_shown],
        "warnings": [
            warned if may_open(request, warned.address) else replace(warned, address="")
            for warned in live.warnings
        ],
        "is_imported": is_imported(study),
        "refused": live.refused,
        "over_time": live.over_time,
        "pages": live.pages,
        "times": live.times,
    }


@needs(change=Permission.CHANGE)
def state(request: ResearcherRequest, name: str) -> HttpResponse:
    """Move a study to another state; opening and closing are asked twice."""
    study, form = study_or_404(name), StateForm(request.POST)
    with refusals_told(request):
        asked = form.asked
        if asked.state == "closed" and not form.cleaned_data["confirmed"]:
            return _ask_twice(request, study)
        if asked.state == "open" and not form.cleaned_data["confirmed"]:
            return redirect("opening", study)
        try:
            changed, _ = change_state(study, asked, request.user)
        except NotOpened as refusal:
            messages.error(request, f"{refusal}: see below.")
            return redirect("opening", study)
        if changed:
            as_what = "open as a rehearsal" if asked.rehearsal else asked.state
            messages.success(request, f"{study} is now {as_what}.")
    return redirect("study", study)


def _ask_twice(request: ResearcherRequest, study: Study) -> HttpResponse:
    """Whether to close the study, while people are in it."""
    active = live_counts(study).real.active
    instead = reverse("study", args=[study])
    return study_page(request, study, "study", "overview/close", active=active, instead=instead)


@needs(Permission.CHANGE)
def opening(request: ResearcherRequest, name: str) -> HttpResponse:
    """Problems before opening a study, and the choice between opening and a rehearsal."""
    study = study_or_404(name)
    if study.doing == State.OPEN:
        return redirect("study", study)
    findings = against(study)
    harm = refused(findings)
    return study_page(
        request,
        study,
        "study",
        "overview/open",
        harm=harm,
        rest=[finding for finding in findings if finding not in harm],
        only_stand_in=only_stand_in(findings),
    )
