"""Share: the files of a study."""

from django.http import (
    HttpResponse,
    StreamingHttpResponse,
)
from django.views.decorators.http import require_GET

from dashboard.share.downloads import csv_response
from dashboard.share.exports import filtered_by
from dashboard.shared.access import ResearcherRequest, researcher_required, study_or_404
from dashboard.shared.newest_analysis import newest_analysis
from dashboard.shared.pages import analysis_page, asked_for


@require_GET
@researcher_required
def downloads(request: ResearcherRequest, name: str) -> HttpResponse:
    found = study_or_404(name)
    analysis = newest_analysis(found, asked_for(request))
    return analysis_page(
        request,
        found,
        "downloads",
        "share/downloads",
        analysis,
        files=filtered_by(analysis.run).files if analysis.run else [],
    )


@require_GET
@researcher_required
def download(request: ResearcherRequest, name: str, file: str) -> StreamingHttpResponse:
    """One CSV file, streamed."""
    found = study_or_404(name)
    # A file is not labelled as a page is, so only its address puts test people in it.
    analysis = newest_analysis(found, asked_for(request) or [])
    return csv_response(found, analysis.run, file)
