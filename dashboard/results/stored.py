"""Tables and figures of a run, as they are stored, for pages and API alike."""

from collections.abc import Mapping

from django.http import Http404, StreamingHttpResponse

from analysis.models import Result
from dashboard.shared import result_tables
from dashboard.shared.access import first_or_404
from dashboard.shared.csv_files import csv_file
from dashboard.shared.stored_tables import StoredTable
from survey.files.csv_text import csv_lines
from survey.models import Study


def result_or_404(study: Study, run: int, kind: Result.Kind, name: str) -> Result:
    """A table or figure of one of the study's analyses."""
    rows = Result.objects.filter(run__study=study, run=run, kind=kind, name=name)
    return first_or_404(rows, f"{study} has no {kind} {name} of an analysis {run}.")


def table_response(
    study: Study, run: int, table: str, asked: Mapping[str, str], *, for_excel: bool = False
) -> StreamingHttpResponse:
    """A table of a run as CSV (`csv_file`): the rows in which each column `asked` for has its
    value, or all. Raises Http404.
    """
    stored = result_or_404(study, run, Result.Kind.TABLE, table)
    whole = StoredTable.from_content(stored.content)
    if unknown := sorted(set(asked) - set(whole.columns)):
        raise Http404(f"{table}.csv has no column {unknown[0]}.")
    rows = (tuple(row.values()) for row in result_tables.rows_with(whole, asked))
    file = f"{study.slug}-{study.version}-{table}.csv"
    return csv_file(file, csv_lines(whole.columns, rows), for_excel=for_excel)
