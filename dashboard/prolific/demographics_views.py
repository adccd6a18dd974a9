"""The page on which Prolific's demographic export is imported."""

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from dashboard.accounts.prolific import NotConnected, client_of
from dashboard.importing.files import ImportRefused
from dashboard.prolific.demographics import NamedFile, import_demographics
from dashboard.prolific.forms import DemographicsForm
from dashboard.prolific.steps import StepRefused, look, recruitment_of
from dashboard.shared.access import ResearcherRequest, researcher_required, study_or_404
from dashboard.shared.pages import study_page
from survey.models import DemographicAnswer, Study
from survey.prolific.errors import ProlificError
from survey.tidy import definition_of

#: In the place of a file's name.
EXPORT = "Prolific’s export"


@require_http_methods(["GET", "POST"])
@researcher_required
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
    try:
        done, notices = import_demographics(
            study=study,
            export=form.export or _from_prolific(request, study),
            mapping=form.mapping,
            at=timezone.now(),
            author=request.user,
        )
    except ImportRefused as refusal:
        for line in str(refusal).splitlines():
            messages.error(request, line)
        messages.error(request, "Nothing was changed.")
    except (NotConnected, StepRefused, ProlificError) as error:
        messages.error(request, f"{error} Nothing was changed.")
    else:
        for line in notices:
            messages.warning(request, line)
        for line in done.in_words:
            messages.success(request, line)
    return redirect("demographics", study)


def _from_prolific(request: ResearcherRequest, study: Study) -> NamedFile:
    """The study's export. Raises NotConnected, StepRefused, ProlificError."""
    recruitment = recruitment_of(study, settings.PROLIFIC_URL)
    if recruitment is None:
        raise StepRefused("There is no study on Prolific yet.")
    with client_of(request.user) as client:
        return EXPORT, client.demographics(look(recruitment, client).id)


def _page(request: ResearcherRequest, study: Study) -> HttpResponse:
    imported = DemographicAnswer.objects.filter(participant__study=study, imported_at__isnull=False)
    counts = dict[str, int]()
    for name in imported.values_list("name", flat=True):
        counts[name] = counts.get(name, 0) + 1
    questions = definition_of(study).prolific_demographics
    newest = imported.order_by("-imported_at").select_related("imported_by").first()
    return study_page(
        request,
        study,
        "demographics",
        "prolific/demographics",
        rows=[(question, counts.get(question.name, 0)) for question in questions],
        newest=newest,
        may_read=recruitment_of(study, settings.PROLIFIC_URL) is not None,
    )
