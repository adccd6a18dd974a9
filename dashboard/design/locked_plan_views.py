"""Design: locking the plan, and its texts."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect

from analysis.locked_plans import first_consent, lock_plan
from dashboard.design.downloads import plan_response
from dashboard.design.forms import LockForm
from dashboard.design.locked_plan import FORMS, compared
from dashboard.shared.access import ResearcherRequest, needs, study_or_404
from dashboard.shared.pages import refusals_told, study_page
from dashboard.shared.roles import Permission


@needs(Permission.READ, Permission.CHANGE)
def locked_plan(request: ResearcherRequest, name: str) -> HttpResponse:
    """What is locked, what differs since, and locking."""
    study = study_or_404(name)
    if request.method == "POST":
        with refusals_told(request):
            plan = lock_plan(study, LockForm(request.POST).asked, request.user)
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


@needs(Permission.READ, is_download=True)
def plan_text(request: ResearcherRequest, name: str, version: int, form: str) -> HttpResponse:
    """A locked plan for a form, as a file."""
    return plan_response(study_or_404(name), version, form)
