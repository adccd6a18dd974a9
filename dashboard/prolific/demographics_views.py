"""The page on which Prolific's demographic export is imported."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from dashboard.accounts.prolific import client_of
from dashboard.prolific.demographics import NamedFile, import_demographics, imported_answers
from dashboard.prolific.forms import DemographicsForm
from dashboard.prolific.recruiting import demographic_export
from dashboard.prolific.steps import recruitment_of
from dashboard.shared.access import ResearcherRequest, needs, study_or_404
from dashboard.shared.pages import refusals_told, study_page
from dashboard.shared.roles import Permission
from survey.models import Study
from survey.tidy import definition_of


@needs(Permission.IDENTIFY, Permission.IDENTIFY)
def demographics(request: ResearcherRequest, name: str) -> HttpResponse:
    """Import the export that is uploaded, or read it from Prolific; all of it, or nothing."""
    study = study_or_404(name)
    if request.method == "GET":
        return _page(request, study)
    form = DemographicsForm(request.POST, request.FILES)
    if not form.is_valid():
        for errors in form.errors.values():
            messages.error(request, " ".join(map(str, errors)))
        return redirect("demographics", study)
    preview = form.cleaned_data["preview"]
    with refusals_told(request):
        done, notices = import_demographics(
            study=study,
            export=form.export or _from_prolific(request.user, study),
            mapping=form.mapping,
            at=timezone.now(),
            author=request.user,
            preview=preview,
        )
        if preview:
            messages.info(
                request, "This is a preview: nothing is stored. The import would do this:"
            )
        for line in notices:
            messages.warning(request, line)
        for line in done.in_words:
            messages.success(request, line)
    return redirect("demographics", study)


def _from_prolific(user: User, study: Study) -> NamedFile:
    """The study's export. Raises NotConnected, StepRefused, ProlificError."""
    with client_of(user) as client:
        return demographic_export(study, client)


def _page(request: ResearcherRequest, study: Study) -> HttpResponse:
    counts, newest = imported_answers(study)
    questions = definition_of(study).prolific_demographics
    return study_page(
        request,
        study,
        "demographics",
        "prolific/demographics",
        rows=[(question, counts.get(question.name, 0)) for question in questions],
        newest=newest,
        may_read=recruitment_of(study, settings.PROLIFIC_URL) is not None,
    )
