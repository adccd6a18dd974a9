"""What all of a participant's pages share: whose page it is, in which language, and its frame."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from survey import access
from survey.answers import LastPage
from survey.content import StudyContent, content_of
from survey.models import Participant, Study

Status = Participant.Status


def message(request: HttpRequest, title: str, text: str, status: int) -> HttpResponse:
    """A page that says one thing, to somebody who may be nobody to us yet."""
    context = {"title": title, "message": text, "language": translation.get_language()}
    return render(request, "survey/message.html", context, status=status)


def of_participant(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Give the view its participant, in their language, or explain why there is none."""

    @never_cache
    @require_http_methods(["GET", "POST"])  # no HEAD: it would start the clock of a page
    @wraps(view)
    def wrapped(request: HttpRequest, slug: str, **kwargs: int | str) -> HttpResponse:
        participant = access.participant_of(request, slug)
        if participant is not None:
            language = participant.language or content_of(participant.study).definition.language
            with translation.override(language):
                return view(request, participant, **kwargs)
        with translation.override(access.language_of_stranger(request, slug)):
            return message(
                request,
                _("Please open your study link again"),
                _(
                    "This browser does not know you, or not any more: its cookies were cleared "
                    "or refused. Nothing that you sent before is lost. Open the link of the "
                    "study again, for example from Prolific, and you will continue where you "
                    "were."
                ),
                403,
            )

    return wrapped


def to_current_page(participant: Participant) -> HttpResponse:
    """Lead somebody to where they are."""
    slug = participant.study.slug
    if participant.status == Status.ARRIVED:
        return redirect("survey:consent", slug)
    if participant.status == Status.IN_PROGRESS:
        return redirect("survey:page", slug, participant.pages_done + 1)
    return redirect("survey:end", slug)


def frame(participant: Participant, content: StudyContent) -> dict[str, Any]:
    """What every page of a participant shows around its own part."""
    test_person = participant.source in Participant.TEST_SOURCES
    return {
        "study": content.in_language(participant.language),
        "language": translation.get_language(),
        "slug": participant.study.slug,
        "test_person": participant.source if test_person else "",
        "may_stop": participant.status == Status.IN_PROGRESS,
    }


def show_page(
    request: HttpRequest,
    template: str,
    participant: Participant,
    content: StudyContent,
    number: int,
    values: Mapping[str, Any],
) -> HttpResponse:
    """A numbered page; 422 where something that was sent is wrong."""
    context = {
        **frame(participant, content),
        "number": number,
        "total": content.total_pages,
        "previous": number - 1 if number > content.instructions_page else None,
        **values,
    }
    return render(request, template, context, status=422 if values.get("errors") else 200)


def to_next_page(participant: Participant, content: StudyContent, number: int) -> HttpResponse:
    """After page `number` was recorded."""
    slug = participant.study.slug
    if number == content.total_pages:
        return redirect("survey:end", slug)
    return redirect("survey:page", slug, number + 1)


def last_page(study: Study, content: StudyContent) -> LastPage:
    """Where the survey ends, and from how many failed checks on it ends as failed."""
    prolific = study.settings["prolific"]
    if prolific is None or prolific["failed_attention_code"] is None:
        return LastPage(content.total_pages)
    return LastPage(content.total_pages, prolific["failed_attention_from"])
