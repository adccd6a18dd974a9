"""Overview: the audit log of a study. `accounts.activity_views` shows that of accounts."""

from typing import Any

from django.http import HttpResponse, StreamingHttpResponse

from dashboard.overview.log import Lines, LogForm, LogPage, as_file, lines_of_study
from dashboard.shared.access import (
    ResearcherRequest,
    needs,
    study_or_404,
    valid_or_404,
)
from dashboard.shared.pages import study_page
from dashboard.shared.roles import Permission


@needs(Permission.MANAGE)
def log(request: ResearcherRequest, name: str) -> HttpResponse:
    """Who did what with the study, when, and from where."""
    study = study_or_404(name)
    context = log_context(request, lines_of_study(study.slug))
    return study_page(request, study, "log", "overview/log", **context)


@needs(Permission.MANAGE, is_download=True)
def log_csv(request: ResearcherRequest, name: str) -> StreamingHttpResponse:
    """The chosen lines, all of them, as CSV."""
    study = study_or_404(name)
    return log_file(request, lines_of_study(study.slug), f"{study.slug}-log.csv")


def log_context(request: ResearcherRequest, lines: Lines) -> dict[str, Any]:
    """A page of those lines that the address asks for. Raises Http404 for what there is not."""
    form = LogForm(request.GET, lines)
    valid_or_404(form)
    return {"form": form, "log": LogPage.of(form.chosen(lines))}


def log_file(request: ResearcherRequest, lines: Lines, file: str) -> StreamingHttpResponse:
    """Those of the lines that the address asks for, streamed. Raises Http404 as above."""
    form = LogForm(request.GET, lines)
    valid_or_404(form)
    return as_file(form.chosen(lines), file, for_excel=True)
