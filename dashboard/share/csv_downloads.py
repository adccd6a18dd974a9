"""Export files over HTTP, for pages and API alike."""

from django.http import Http404, StreamingHttpResponse

from analysis.models import AnalysisRun
from dashboard.share.exports import filtered_by, stream_table
from survey.models import Study


def csv_response(study: Study, run: AnalysisRun | None, file: str) -> StreamingHttpResponse:
    """`file` as `run` filtered it, streamed. Raises Http404 where it is not there."""
    if run is None:
        raise Http404(f"No analysis of {study} has finished yet.")
    export = filtered_by(run)
    if file in export.not_available:
        raise Http404(f"{file} is not available: {export.not_available[file]}.")
    if file not in export.tables() and file != "codebook.csv":
        raise Http404(f"There is no {file}.")
    return StreamingHttpResponse(
        stream_table(run, file),
        content_type="text/csv; charset=utf-8",
        headers={
            "Content-Disposition": f'attachment; filename="{study.slug}-{study.version}-{file}"'
        },
    )
