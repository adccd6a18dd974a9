"""CSV files over HTTP, for pages and API alike."""

from collections.abc import Iterable

from django.http import StreamingHttpResponse

from survey.files.csv_text import marked


def csv_file(file: str, lines: Iterable[str], *, for_excel: bool = False) -> StreamingHttpResponse:
    """A CSV file of this name as a download, streamed. Pages say `for_excel`, because people open
    what they click on in a spreadsheet; programs that call the API get the text alone.
    """
    return StreamingHttpResponse(
        marked(lines) if for_excel else lines,
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{file}"'},
    )
