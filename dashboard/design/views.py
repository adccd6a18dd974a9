"""Design: policy, order and pilot."""

from typing import Any

from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect

from analysis.labels import labels_of
from dashboard.design.certificate import (
    PEOPLE,
    Certificate,
    DesignPart,
    usual_pool,
)
from dashboard.design.downloads import certificate_response
from dashboard.design.forms import CertificateForm, PlanForm, VersionForm
from dashboard.design.pilot import lines, other_versions, sides_of
from dashboard.design.plan_options import plans_of, request_plan
from dashboard.design.policy import policy_findings
from dashboard.design.shown_pages import pages_in_words
from dashboard.shared.access import (
    ResearcherRequest,
    needs,
    study_or_404,
    valid_or_404,
)
from dashboard.shared.newest_analysis import included
from dashboard.shared.pages import asked_for, study_page, wake_worker
from dashboard.shared.roles import Permission
from survey.definition.policy import on_prolific
from survey.definition.settings import Settings
from survey.models import Participant, Slot
from survey.slots import capacity, pools_used
from survey.tidy import reading

#: Larger tables are in the CSV alone.
CELLS_SHOWN = 3000


SLOTS_SHOWN = 40


PARTS = {
    "blocks": "Order of the blocks",
    "choice": "Choice of the blocks",
    "systems": "Choice of the systems",
    "responses": "Order of the responses",
}


@needs(Permission.READ)
def policy(request: ResearcherRequest, name: str) -> HttpResponse:
    """What Prolific's rules say about the study, and what to change."""
    study = study_or_404(name)
    results = policy_findings(study)
    to_change = [finding for finding in results if finding.state == "change"]
    return study_page(
        request,
        study,
        "policy",
        "design/policy",
        findings=results,
        to_change=to_change,
        on_prolific=on_prolific(Settings.model_validate(study.settings)) is not None,
    )


@needs(Permission.READ, Permission.COMPUTE)
def planning(request: ResearcherRequest, name: str) -> HttpResponse:
    """What the study could find with other numbers of raters and scenarios, and what that costs."""
    study = study_or_404(name)
    if request.method == "POST":
        form = PlanForm(request.POST)
        if form.is_valid():
            asked = request_plan(study=study, options=form.chosen, author=request.user)
            wake_worker(request, asked.TASK, asked.pk)
            return redirect("planning", study)
        return study_page(request, study, "planning", "design/planning", form=form, plan=None)
    plan = plans_of(study).first()
    form = PlanForm(initial=plan.options if plan else None)
    return study_page(request, study, "planning", "design/planning", form=form, plan=plan)


@needs(Permission.READ)
def order(request: ResearcherRequest, name: str) -> HttpResponse:
    """The counterbalance certificate."""
    study = study_or_404(name)
    form = CertificateForm(request.GET)
    valid_or_404(form)
    chosen, people = form.choice
    used = pools_used(study)
    pools = [pool for pool in Slot.Pool.values if pool in used or pool == Slot.Pool.REAL]
    pool = chosen or usual_pool(used)
    certificate = Certificate(study, pool, people, labels_of(study))
    with reading():
        return study_page(
            request,
            study,
            "order",
            "design/order",
            certificate=certificate,
            grids=[(grid, _is_shown(grid.rows, grid.columns)) for grid in certificate.coarse_grids],
            fine=certificate.fine_grids,
            pages=pages_in_words(study),
            parts=[_part(certificate, part) for part in certificate.parts],
            pools=pools,
            whom=PEOPLE,
        )


def _is_shown(rows: list[str], columns: list[str]) -> bool:
    return len(rows) * len(columns) <= CELLS_SHOWN


def _part(certificate: Certificate, part: DesignPart) -> dict[str, Any]:
    """A part of the design in words, with the number of people that would suit it."""
    most = capacity(certificate.study, certificate.pool)
    missing = certificate.missing(part)
    return {
        "title": PARTS[part.name],
        "part": part,
        "missing": len(missing),
        "done": part.target - len(missing),
        "slots": missing[:SLOTS_SHOWN],
        "more": max(0, len(missing) - SLOTS_SHOWN),
        "most": most,
        "uneven": most is not None and most % part.every != 0,
    }


@needs(Permission.READ, is_download=True)
def certificate(request: ResearcherRequest, name: str) -> StreamingHttpResponse:
    """Every table of the certificate of every pool, as one CSV."""
    return certificate_response(study_or_404(name), for_excel=True)


@needs(Permission.READ)
def pilot(request: ResearcherRequest, name: str) -> HttpResponse:
    """How the protocol worked, compared with another version."""
    study = study_or_404(name)
    asked = asked_for(request)
    include = included(study, asked)
    form = VersionForm(request.GET)
    if not form.is_valid():
        raise Http404("There is no such version.")
    sides = sides_of(study, include, other=form.cleaned_data["version"])
    return study_page(
        request,
        study,
        "pilot",
        "design/pilot",
        sides=sides,
        lines=lines(sides),
        others=other_versions(study),
        include=include,
        by_default=bool(include) and asked is None,
        not_counted=Participant.NOT_COUNTED,
    )
