"""Files about a study's design over HTTP, for pages and API alike."""

from django.http import Http404, HttpResponse, StreamingHttpResponse

from analysis.text.preregistration import TEXTS
from dashboard.design.certificate import COLUMNS, certificate_rows
from dashboard.design.locked_plan import file_of, text_of
from dashboard.shared.access import first_or_404
from dashboard.shared.csv_files import csv_file
from survey.files.csv_text import csv_lines
from survey.models import Slot, Study
from survey.tidy import reading


def certificate_response(study: Study, *, for_excel: bool = False) -> StreamingHttpResponse:
    """Every table of the certificate of every pool, as one CSV (`csv_file`)."""
    with reading():
        text = list(csv_lines(COLUMNS, certificate_rows(study, Slot.Pool.values)))
    return csv_file(f"{study.slug}-{study.version}-certificate.csv", text, for_excel=for_excel)


def plan_response(study: Study, version: int, form: str) -> HttpResponse:
    """A locked plan for one of TEXTS. Raises Http404."""
    if form not in TEXTS:
        raise Http404(f"There is no text {form!r} of a plan.")
    there = study.locked_plans.filter(version=version)
    plan = first_or_404(there, f"{study} has no locked plan {version}.")
    kind = "application/json" if form == "json" else "text/plain; charset=utf-8"
    return HttpResponse(
        text_of(plan, form), content_type=kind, headers=_saved_as(file_of(plan, form))
    )


def _saved_as(file: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{file}"'}
