"""Design: locking the plan, and its texts."""

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_GET, require_http_methods

from analysis.locked_plans import PlanRefused, first_consent, lock_plan
from analysis.text.preregistration import TEXTS
from dashboard.design.forms import LockForm
from dashboard.design.locked_plan import FORMS, compared, file_of, text_of
from dashboard.shared.access import ResearcherRequest, researcher_required, study_or_404
from dashboard.shared.pages import study_page


@require_http_methods(["GET", "POST"])
@researcher_required
def locked_plan(request: ResearcherRequest, name: str) -> HttpResponse:
    """What is locked, what differs since, and locking."""
    study = study_or_404(name)
    if request.method == "POST":
        form = LockForm(request.POST)
        if not form.is_valid():
            messages.error(request, form.problem)
            return redirect("locked-plan", study)
        note, reason = form.cleaned_data["note"], form.cleaned_data["reason"]
        try:
            plan = lock_plan(study=study, author=request.user, note=note, reason=reason)
        except PlanRefused as refusal:
            messages.error(request, f"{refusal}.")
        else:
            messages.success(request, f"Plan {plan.version} is locked.")
        return redirect("locked-plan", study)
    return study_page(
        request,
        study,
        "locked-plan",
        "design/locked_plan",
        compared=compared(study),
        plans=study.locked_plans.select_related("author").order_by("-version"),
        began=first_consent(study),
        forms=FORMS,
    )


@require_GET
@researcher_required
def plan_text(request: ResearcherRequest, name: str, version: int, form: str) -> HttpResponse:
    """A locked plan for a form, as a file."""
    study = study_or_404(name)
    if form not in TEXTS:
        raise Http404(f"There is no text {form!r} of a plan.")
    plan = get_object_or_404(study.locked_plans, version=version)
    kind = "application/json" if form == "json" else "text/plain; charset=utf-8"
    disposition = f'attachment; filename="{file_of(plan, form)}"'
    return HttpResponse(
        text_of(plan, form), content_type=kind, headers={"Content-Disposition": disposition}
    )
