"""Share: everything about a study in one zip, its report to read, and single files."""

from django.contrib import messages
from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse

from analysis.locked_plans import locked_plan
from dashboard.design.locked_plan import FORMS
from dashboard.share import packages
from dashboard.share.csv_downloads import csv_response
from dashboard.share.exports import filtered_by
from dashboard.share.forms import PackageForm
from dashboard.share.latex_files import latex_response
from dashboard.share.models import Package
from dashboard.share.package_files import (
    file_response,
    package_or_404,
    zip_response,
)
from dashboard.shared.access import (
    ResearcherRequest,
    needs,
    study_or_404,
)
from dashboard.shared.newest_analysis import include_query, newest_analysis
from dashboard.shared.pages import analysis_page, asked_for, refusals_told, wake_worker
from dashboard.shared.roles import Permission
from survey.models import Study
from survey.tidy import not_counted_among


@needs(Permission.READ)
def downloads(request: ResearcherRequest, name: str) -> HttpResponse:
    study = study_or_404(name)
    analysis = newest_analysis(study, asked_for(request))
    run = analysis.run
    return analysis_page(
        request,
        study,
        "downloads",
        "share/downloads",
        analysis,
        files=sorted(filtered_by(run).files, key=lambda file: bool(file[2])) if run else [],
        form=PackageForm(recipes=packages.recipe_choices(run)) if run else None,
        packages=[_shown(package) for package in packages.packages_of(study)],
        plan=locked_plan(study),
        forms=FORMS,
    )


def _shown(package: Package) -> dict[str, object]:
    """A package as the page lists it."""
    is_there = packages.has_file(package)
    return {
        "package": package,
        "is_there": is_there,
        "included": not_counted_among(package.run.sources),
        "kept_until": packages.kept_until(package) if is_there else None,
        "recipe": dict(packages.recipe_choices(package.run)).get(package.recipe, package.recipe),
    }


@needs(change=Permission.COMPUTE)
def prepare(request: ResearcherRequest, name: str) -> HttpResponse:
    """Ask for a package of the newest analysis, and wake a worker for it."""
    study, include = study_or_404(name), asked_for(request)
    with refusals_told(request):
        asked = PackageForm(request.POST).asked
        package = packages.ask_for_package(study, asked, request.user, include=include)
        if package.is_done:
            messages.success(request, "This download is already prepared.")
        else:
            wake_worker(request, package.TASK, package.pk)
    return redirect(reverse("downloads", args=[study]) + include_query(include) + "#prepared")


@needs(Permission.READ, is_download=True)
def package(request: ResearcherRequest, name: str, package: int) -> HttpResponseBase:
    """The zip."""
    study = study_or_404(name)
    with refusals_told(request):
        return zip_response(package_or_404(study, package))
    return _downloads(study)


@needs(Permission.READ, is_download=True)
def package_file(
    request: ResearcherRequest, name: str, package: int, file: str
) -> HttpResponseBase:
    """A file of the analysis in a package: its report to be read, others to be saved."""
    study = study_or_404(name)
    with refusals_told(request):
        return file_response(package_or_404(study, package), file)
    return _downloads(study)


@needs(Permission.READ, is_download=True)
def table_latex(request: ResearcherRequest, name: str, run: int, table: str) -> HttpResponse:
    """A table of a run as LaTeX."""
    return latex_response(study_or_404(name), run, table)


def _downloads(study: Study) -> HttpResponse:
    return redirect(reverse("downloads", args=[study]) + "#prepared")


@needs(Permission.ROWS, is_download=True)
def download(request: ResearcherRequest, name: str, file: str) -> StreamingHttpResponse:
    """One CSV file, streamed."""
    study = study_or_404(name)
    # A file is not labelled as a page is, so only its address puts test people in it.
    analysis = newest_analysis(study, asked_for(request) or [])
    return csv_response(study, analysis.run, file, for_excel=True)
