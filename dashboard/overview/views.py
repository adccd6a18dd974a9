"""Overview: the list of studies, and the live state of one."""

from typing import Any

from django.contrib import messages
from django.http import (
    HttpRequest,
    HttpResponse,
)
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from dashboard.overview.counts import live_counts, studies_with_counts
from dashboard.overview.endings import endings, pools
from dashboard.overview.forms import StateForm
from dashboard.overview.links import participant_links
from dashboard.overview.opening import NotOpened, against, only_stand_in, open_study, refused
from dashboard.shared.access import ResearcherRequest, researcher_required, study_or_404
from dashboard.shared.newest_analysis import included
from dashboard.shared.pages import asked_for, study_page
from survey.models import Study
from survey.studies import StateError, set_state

State = Study.State


STATE_MEANINGS = {
    State.DRAFT: "Only previews and simulated raters are admitted.",
    State.OPEN: "Anybody with a link may begin.",
    State.PAUSED: "Nobody new is admitted. Those who have begun finish and get their code.",
    State.CLOSED: "Nobody new is admitted, and the data collection is over. Those who have "
    "begun can still finish.",
}


REHEARSAL = (
    "A rehearsal: anybody with an open link or an invitation may begin, as a test person who never "
    "counts. Nobody from Prolific is admitted."
)


@require_GET
@researcher_required
def studies(request: ResearcherRequest) -> HttpResponse:
    return render(request, "dashboard/overview/studies.html", {"studies": studies_with_counts()})


@require_GET
@researcher_required
def study(request: ResearcherRequest, name: str) -> HttpResponse:
    found = study_or_404(name)
    return study_page(
        request,
        found,
        "study",
        "overview/overview",
        **_live(request, found),
        endings=endings(found),
        states=State,
        state_meaning=REHEARSAL if found.is_rehearsing else STATE_MEANINGS[State(found.state)],
        links=participant_links(found),
        invites="invitation" in found.settings["ways_in"],
        events=found.events.select_related("author").order_by("-at", "-id")[:10],
    )


@require_GET
@researcher_required
def counts(request: ResearcherRequest, name: str) -> HttpResponse:
    """The overview's live part alone."""
    found = study_or_404(name)
    return render(
        request, "dashboard/overview/_counts.html", {"study": found, **_live(request, found)}
    )


def _live(request: HttpRequest, study: Study) -> dict[str, Any]:
    """What the overview shows of this moment: of test people too where the address says so, or
    where there is nobody else and their results are there.
    """
    counts, asked = live_counts(study), asked_for(request)
    include = included(study, asked)
    if asked is None and counts.real.arrived:
        include = []
    return {
        "counts": counts,
        "shown": counts.together(include),
        "include": include,
        "by_default": bool(include) and asked is None,
        "pools": pools(study),
    }


@require_POST
@researcher_required
def state(request: ResearcherRequest, name: str) -> HttpResponse:
    """Move a study to another state; opening and closing are asked twice."""
    found = study_or_404(name)
    form = StateForm(request.POST)
    if not form.is_valid():
        messages.error(request, " ".join(map(str, form.errors["state"])))
        return redirect("study", found)
    asked = form.cleaned_data["state"]
    if asked == State.CLOSED and not form.cleaned_data["confirmed"]:
        active = live_counts(found).real.active
        return study_page(request, found, "study", "overview/close", active=active)
    if asked == State.OPEN and not form.cleaned_data["confirmed"]:
        return redirect("opening", found)
    rehearsal = form.cleaned_data["rehearsal"]
    try:
        if asked == State.OPEN and not rehearsal:
            allowed = form.cleaned_data["stand_in"]
            changed, _ = open_study(study=found, author=request.user, stand_in_allowed=allowed)
        else:
            changed = set_state(study=found, state=asked, rehearsal=rehearsal, author=request.user)
    except NotOpened as refusal:
        messages.error(request, f"{refusal}: see below.")
        return redirect("opening", found)
    except StateError as error:
        messages.error(request, f"{error}.")
        return redirect("study", found)
    if changed:
        as_what = "open as a rehearsal" if rehearsal else asked
        messages.success(request, f"{found} is now {as_what}.")
    return redirect("study", found)


@require_GET
@researcher_required
def opening(request: ResearcherRequest, name: str) -> HttpResponse:
    """What speaks against opening a study, and the choice between that and a rehearsal."""
    found = study_or_404(name)
    if found.doing == State.OPEN:
        return redirect("study", found)
    findings = against(found)
    harm = refused(findings)
    return study_page(
        request,
        found,
        "study",
        "overview/open",
        harm=harm,
        rest=[finding for finding in findings if finding not in harm],
        only_stand_in=only_stand_in(findings),
    )
