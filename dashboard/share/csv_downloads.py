"""Export files over HTTP, for pages and API alike."""

from django.http import Http404, StreamingHttpResponse

from analysis.models import AnalysisRun
from dashboard.share.exports import filtered_by, stream_table
from dashboard.shared.csv_files import csv_file
from survey.models import Study


def csv_response(
    study: Study, run: AnalysisRun | None, file: str, *, for_excel: bool = False
) -> StreamingHttpResponse:
    """`file` as `run` filtered it (`csv_file`). Raises Http404 where it is not there."""
    if run is None:
        raise Http404(f"No analysis of {study} has finished yet.")
    export = filtered_by(run)
    if file in export.not_available:
        raise Http404(f"{file} is not available: {export.not_available[file]}.")
    if file not in export.tables() and file != "codebook.csv":
        raise Http404(f"There is no {file}.")
    saved_as = f"{study.slug}-{study.version}-{file}"
    return csv_file(saved_as, stream_table(run, file), for_excel=for_excel)
