"""The page on which Prolific's demographic export is imported."""

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect

from dashboard.prolific.demographics import imported_answers
from dashboard.prolific.demographics_asking import IS_PREVIEW, ask_for_demographics
from dashboard.prolific.forms import DemographicsForm
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
    with refusals_told(request):
        options = form.asked
        done, notices = ask_for_demographics(study, options, request.user)
        if options.preview:
            messages.info(request, IS_PREVIEW)
        for line in notices:
            messages.warning(request, line)
        for line in done.in_words:
            messages.success(request, line)
    return redirect("demographics", study)


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
