"""Design: what participants read, every page as they see it, and how versions differ."""

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils import translation

from config.headers import POLICY
from dashboard.design.forms import PreviewForm, VersionForm
from dashboard.design.preview import Preview, preview_or_404
from dashboard.design.texts import texts_of
from dashboard.design.versions import compared_version, differences, versions_of
from dashboard.overview.events import changes_of
from dashboard.overview.log import LogPage
from dashboard.shared.access import (
    ResearcherRequest,
    needs,
    study_or_404,
    valid_or_404,
)
from dashboard.shared.pages import study_page
from dashboard.shared.roles import Permission
from survey.models import Study

#: No form can be sent from a preview, not even to this site.
PREVIEW_POLICY = POLICY.replace("form-action 'self'", "form-action 'none'")


def _preview(request: ResearcherRequest, study: Study) -> Preview:
    """The preview that an address asks for. Raises Http404 for what cannot be."""
    form = PreviewForm(request.GET)
    valid_or_404(form)
    return preview_or_404(study, request, slot=form.slot, language=form.cleaned_data["language"])


@needs(Permission.READ)
def texts(request: ResearcherRequest, name: str) -> HttpResponse:
    """All that participants read, on one page."""
    study = study_or_404(name)
    preview = _preview(request, study)
    return study_page(
        request,
        study,
        "texts",
        "design/texts",
        preview=preview,
        definition=preview.definition,
        sections=texts_of(preview),
        loaded=study.events.filter(action="loaded").select_related("author").last(),
    )


@needs(Permission.READ)
def preview(request: ResearcherRequest, name: str, page: str = "") -> HttpResponse:
    """A page as participants see it, or the list of all pages. Read-only."""
    study = study_or_404(name)
    shown = _preview(request, study)
    if not page:
        return study_page(
            request,
            study,
            "preview",
            "design/preview",
            preview=shown,
            elsewhere=shown.elsewhere(),
        )
    with translation.override(shown.definition.language):
        place = shown.find(page)
        if place is None:
            raise Http404(f"{study} has no page {page!r}.")
        template = f"survey/{shown.pages[place].template}.html"
        response = render(request, template, shown.context(place))
    response["Content-Security-Policy"] = PREVIEW_POLICY
    return response


@needs(Permission.READ)
def versions(request: ResearcherRequest, name: str) -> HttpResponse:
    """The study's versions, what was done with each, and how this one differs from another."""
    study = study_or_404(name)
    form = VersionForm(request.GET)
    if not form.is_valid():
        raise Http404("version and before in the address are whole numbers.")
    others = versions_of(study)
    changes = changes_of(others).order_by("-pk")
    if before := form.cleaned_data["before"]:
        changes = changes.filter(pk__lt=before)
    compared = compared_version(study, form.cleaned_data["version"])
    return study_page(
        request,
        study,
        "versions",
        "design/versions",
        versions=others,
        compared=compared,
        differences=differences(compared, study) if compared else [],
        log=LogPage.of(changes),
    )
