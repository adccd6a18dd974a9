"""A job that a page waits for: how far it is, and stopping it."""

from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme

from dashboard.shared.access import (
    ResearcherRequest,
    first_or_404,
    needs,
    study_or_404,
)
from dashboard.shared.pages import live_part, tell_of_stop
from dashboard.shared.roles import Permission
from dashboard.shared.stopping import jobs_called, stop_job


@needs(Permission.READ, is_about_job=True)
def job_state(request: ResearcherRequest, name: str, kind: str, job_id: int) -> HttpResponse:
    """How far a job is; a header says when to reload the page."""
    row = jobs_called(study_or_404(name), kind).filter(pk=job_id).first()
    finished = row is None or not row.is_under_way
    return live_part(request, "dashboard/_job_state.html", {"job": row}, is_finished=finished)


@needs(change=Permission.COMPUTE, is_about_job=True)
def stop(request: ResearcherRequest, name: str, kind: str, job_id: int) -> HttpResponse:
    """End a job that waits or is under way, and go `back` to the page with the button."""
    study = study_or_404(name)
    rows = jobs_called(study, kind).filter(pk=job_id)
    row = first_or_404(rows, f"{study} has no {kind} {job_id}.")
    is_stopped = stop_job(row, author=request.user, study=study)
    tell_of_stop(request, row.WHAT, is_stopped=is_stopped)
    back = request.POST.get("back", "")
    if back.startswith("/") and url_has_allowed_host_and_scheme(back, allowed_hosts=None):
        return HttpResponseRedirect(back)
    return redirect("study", study)
