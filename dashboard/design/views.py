"""Design: policy, order and pilot."""

from typing import Any

from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from analysis.labels import labels_of
from dashboard.design.certificate import COLUMNS, PEOPLE, Certificate, DesignPart, certificate_rows
from dashboard.design.forms import CertificateForm, PlanForm, VersionForm
from dashboard.design.pilot import lines, other_versions, side
from dashboard.design.plan_options import plans_of, request_plan
from dashboard.design.policy import policy_findings
from dashboard.design.shown_pages import pages_in_words
from dashboard.shared.access import (
    ResearcherRequest,
    researcher_required,
    study_or_404,
    valid_or_404,
)
from dashboard.shared.log import record
from dashboard.shared.newest_analysis import included
from dashboard.shared.pages import asked_for, study_page, wake_worker
from survey.definition.policy import on_prolific
from survey.definition.settings import Settings
from survey.files.csv_text import csv_lines
from survey.models import Participant, Slot, Study
from survey.slots import capacity
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


@require_GET
@researcher_required
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


@require_http_methods(["GET", "POST"])
@researcher_required
def planning(request: ResearcherRequest, name: str) -> HttpResponse:
    """What the study could find with other numbers of raters and scenarios, and what that costs."""
    study = study_or_404(name)
    if request.method == "POST":
        form = PlanForm(request.POST)
        if form.is_valid():
            asked = request_plan(study=study, options=form.options)
            record(study, request.user, "plan requested")
            wake_worker(request, "dashboard.plan", asked.pk)
            return redirect("planning", study)
        return study_page(request, study, "planning", "design/planning", form=form, plan=None)
    plan = plans_of(study).first()
    form = PlanForm(initial=plan.options if plan else None)
    return study_page(request, study, "planning", "design/planning", form=form, plan=plan)


@require_GET
@researcher_required
def planning_state(request: ResearcherRequest, name: str) -> HttpResponse:
    """How far the newest plan is, for a page that waits for it."""
    plan = plans_of(study_or_404(name)).first()
    shown = render(request, "dashboard/design/_plan.html", {"plan": plan})
    if plan is None or plan.state in (plan.State.DONE, plan.State.FAILED):
        shown["X-Finished"] = "1"
    return shown


@require_GET
@researcher_required
def order(request: ResearcherRequest, name: str) -> HttpResponse:
    """The counterbalance certificate."""
    study = study_or_404(name)
    form = CertificateForm(request.GET)
    valid_or_404(form)
    chosen, people = form.choice
    used = set(Slot.objects.filter(study=study).order_by().values_list("pool", flat=True))
    pools = [pool for pool in Slot.Pool.values if pool in used or pool == Slot.Pool.REAL]
    pool = chosen or _usual_pool(used)
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
            parts=[_part(study, pool, part) for part in certificate.parts],
            pools=pools,
            whom=PEOPLE,
        )


def _usual_pool(used: set[str]) -> str:
    """Real people, unless only simulated ones have come."""
    only_simulated = Slot.Pool.SIMULATED in used and Slot.Pool.REAL not in used
    return Slot.Pool.SIMULATED if only_simulated else Slot.Pool.REAL


def _is_shown(rows: list[str], columns: list[str]) -> bool:
    return len(rows) * len(columns) <= CELLS_SHOWN


def _part(study: Study, pool: str, part: DesignPart) -> dict[str, Any]:
    """A part of the design in words, with the number of people that would suit it."""
    most = capacity(study, pool)
    return {
        "title": PARTS[part.name],
        "part": part,
        "done": part.target - len(part.missing),
        "slots": part.missing[:SLOTS_SHOWN],
        "more": max(0, len(part.missing) - SLOTS_SHOWN),
        "most": most,
        "uneven": most is not None and most % part.every != 0,
    }


@require_GET
@researcher_required
def certificate(request: ResearcherRequest, name: str) -> StreamingHttpResponse:
    """Every table of the certificate of every pool, as one CSV."""
    study = study_or_404(name)
    with reading():
        text = list(csv_lines(COLUMNS, certificate_rows(study, Slot.Pool.values)))
    file = f"{study.slug}-{study.version}-certificate.csv"
    return StreamingHttpResponse(
        text,
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{file}"'},
    )


@require_GET
@researcher_required
def pilot(request: ResearcherRequest, name: str) -> HttpResponse:
    """How the protocol worked, compared with another version."""
    study = study_or_404(name)
    asked = asked_for(request)
    include = included(study, asked)
    others = other_versions(study)
    form = VersionForm(request.GET)
    if not form.is_valid():
        raise Http404("There is no such version.")
    number = form.cleaned_data["version"]
    chosen = [other for other in others if number in (None, other.version)][:1]
    if number is not None and not chosen:
        raise Http404(f"{study.slug} has no version {number} to compare with.")
    sides = [side(version, include) for version in (study, *chosen)]
    return study_page(
        request,
        study,
        "pilot",
        "design/pilot",
        sides=sides,
        lines=lines(sides),
        others=others,
        include=include,
        by_default=bool(include) and asked is None,
        not_counted=Participant.NOT_COUNTED,
    )
