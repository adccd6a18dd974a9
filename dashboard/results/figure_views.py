"""Results: the figures, and asking for a new analysis."""

from django.contrib import messages
from django.http import (
    HttpResponse,
    JsonResponse,
)
from django.shortcuts import redirect, render

from analysis.labels import labels_of
from analysis.models import AnalysisRun, Result
from dashboard.results.asking import ask_for_analysis
from dashboard.results.forms import AnalysisForm, RecomputeForm
from dashboard.results.stored import result_or_404
from dashboard.results.wins import mean_tables
from dashboard.shared.access import (
    ResearcherRequest,
    needs,
    study_or_404,
)
from dashboard.shared.figures import address_of, figures_of
from dashboard.shared.newest_analysis import (
    include_query,
    included,
    newest_analysis,
    newest_of_ratings,
)
from dashboard.shared.pages import (
    address,
    analysis_page,
    asked_for,
    wake_worker,
)
from dashboard.shared.roles import Permission
from survey.models import Study


@needs(Permission.READ)
def figures(request: ResearcherRequest, name: str) -> HttpResponse:
    study = study_or_404(name)
    analysis = newest_of_ratings(study, asked_for(request))
    labels = labels_of(study)
    return analysis_page(
        request,
        study,
        "figures",
        "results/figures",
        analysis,
        labels=labels,
        figures=[
            (figure, address_of(study, analysis, figure.table))
            for figure in figures_of(analysis, labels)
            if figure.section != "Judges"
        ],
        means=mean_tables(analysis.tables("items")["items"].labelled(labels, "items")),
    )


@needs(Permission.READ)
def analysis_state(request: ResearcherRequest, name: str) -> HttpResponse:
    """The state of the running analysis; a header says when to reload the page."""
    study = study_or_404(name)
    analysis = newest_analysis(study, asked_for(request))
    response = render(request, "dashboard/_pending.html", {"analysis": analysis})
    if analysis.pending is None:
        response["X-Finished"] = "1"
    return response


@needs(change=Permission.COMPUTE)
def recompute(request: ResearcherRequest, name: str) -> HttpResponse:
    """Ask for an analysis of the data as they are now, and wake a worker for it."""
    study = study_or_404(name)
    include = included(study, asked_for(request))
    options = AnalysisForm(request.POST).asked
    run = ask_for_analysis(study, options, request.user, include=include)
    if run.state == AnalysisRun.State.DONE:
        messages.success(request, "Nothing was computed: the results are up to date.")
    else:
        wake_worker(request, run.TASK, run.pk)
    return _back(request, study)


def _back(request: ResearcherRequest, study: Study) -> HttpResponse:
    """To the page on which the button is."""
    form = RecomputeForm(request.POST)
    page = form.cleaned_data["page"] if form.is_valid() else "raters"
    return redirect(address(page, study) + include_query(asked_for(request)))


@needs(Permission.READ)
def figure(request: ResearcherRequest, name: str, run: int, figure: str) -> HttpResponse:
    """A stored figure as Plotly's JSON."""
    study = study_or_404(name)
    return JsonResponse(result_or_404(study, run, Result.Kind.FIGURE, figure).content)
