"""Shared by all of a participant's pages: the participant, the language, and the frame."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

from django.core.exceptions import ObjectDoesNotExist
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from survey import access
from survey.answers import LastPage
from survey.content import StudyContent, content_of
from survey.models import Invitation, Participant, Study
from survey.queries import study_for_arrivals

Status = Participant.Status
View = Callable[..., HttpResponse]


def message(request: HttpRequest, slug: str, title: str, text: str, status: int) -> HttpResponse:
    """A page with one message, for a visitor who may be unknown.

    It shows the study's help, if the study exists.
    """
    language = translation.get_language()
    study = study_for_arrivals(slug)
    context = {
        "study": content_of(study).in_language(language) if study is not None else None,
        "title": title,
        "message": text,
        "language": language,
        "rehearsal": study is not None and study.is_rehearsing,
    }
    return render(request, "survey/message.html", context, status=status)


def whole_forms_only(view: View) -> View:
    """Refuse an incomplete form: missing fields would look like skipped questions."""

    @wraps(view)
    def wrapped(request: HttpRequest, slug: str, **kwargs: int | str) -> HttpResponse:
        if request.method != "POST" or _is_whole(request):
            return view(request, slug, **kwargs)
        with translation.override(access.language_of_stranger(request, slug)):
            return message(
                request,
                slug,
                _("Your answers did not arrive"),
                _("The connection was interrupted. Please go back and send the page again."),
                400,
            )

    return wrapped


def _is_whole(request: HttpRequest) -> bool:
    if request.content_type != "application/x-www-form-urlencoded":
        return True  # not from our pages
    length = request.headers.get("Content-Length", "")
    return not length.isdecimal() or len(request.body) >= int(length)


def of_participant(view: View) -> View:
    """Call the view with its participant, in their language, or explain why there is none."""

    @never_cache
    @require_http_methods(["GET", "POST"])  # no HEAD: it would start the clock of a page
    @whole_forms_only
    @wraps(view)
    def wrapped(request: HttpRequest, slug: str, **kwargs: int | str) -> HttpResponse:
        participant = access.participant_of(request, slug)
        if participant is None:
            return _no_participant(request, slug)
        if not access.is_page_of_this_browser(request, slug):
            return another_participant(request, slug)
        with translation.override(language_of(participant)):
            try:
                return view(request, participant, **kwargs)
            except ObjectDoesNotExist:
                if Participant.objects.filter(pk=participant.pk).exists():
                    raise
                return _no_participant(
                    request, slug
                )  # they withdrew on another page at this moment

    return wrapped


def way_back(slug: str) -> str:
    """How an unrecognised person can return to their survey, as paragraphs at the end of a message:
    by the personal links that the study uses.
    """
    study = study_for_arrivals(slug)
    ways_in = set(study.settings["ways_in"]) if study is not None else set()
    if Invitation.objects.filter(study__slug=slug).exclude(panel="").exists():
        ways_in.add("invitation")  # experts have personal links in any study
    told = {
        "prolific": _(
            "If you came from Prolific, open the study there again. You will continue where you "
            "left off."
        ),
        "invitation": _(
            "If you were sent a personal link, open it again. You will continue where you left off."
        ),
        "link": _(
            "If you used the public link, open the personal link that you saw on the instructions "
            "page. You will continue where you left off. Without it you can only start again as "
            "a new participant."
        ),
    }
    return "".join(f"\n\n{text}" for way, text in told.items() if way in ways_in)


def _no_participant(request: HttpRequest, slug: str) -> HttpResponse:
    with translation.override(access.language_of_stranger(request, slug)):
        return message(
            request,
            slug,
            _("Please open your study link again"),
            _(
                "We do not recognise you in this browser: its cookies were cleared or refused. "
                "Everything you sent before is saved."
            )
            + way_back(slug),
            403,
        )


def not_here(request: HttpRequest, slug: str) -> HttpResponse:
    """The page for a browser that may not see the ending: it reveals nothing about the person."""
    return message(
        request,
        slug,
        _("We cannot show you more in this browser"),
        _(
            "Each person can take part only once. If you have taken part, open the study in the "
            "browser that you used, or again from your submission on Prolific. There you will find "
            "the last page with your code."
        ),
        403,
    )


def another_participant(request: HttpRequest, slug: str) -> HttpResponse:
    with translation.override(access.language_of_stranger(request, slug)):
        return message(
            request,
            slug,
            _("Another person has opened the study in this browser"),
            _(
                "This page was shown to one participant. Then another participant opened the "
                "study in the same browser. The page was not saved for either of them. Everything "
                "sent before is saved."
            )
            + way_back(slug),
            409,
        )


def language_of(participant: Participant) -> str:
    """The language of their pages: the one they chose, or the study's main one."""
    return content_of(participant.study).in_language(participant.language).language


def to_current_page(participant: Participant) -> HttpResponse:
    """Redirect to the participant's current page."""
    slug = participant.study.slug
    if participant.status == Status.ARRIVED:
        return redirect("survey:consent", slug)
    if participant.status == Status.IN_PROGRESS:
        return redirect("survey:page", slug, participant.pages_done + 1)
    return redirect("survey:end", slug)


def frame(request: HttpRequest, participant: Participant, content: StudyContent) -> dict[str, Any]:
    """The context that every page of a participant needs."""
    test_person = participant.source in Participant.TEST_SOURCES
    slug, whose = participant.study.slug, access.whose_page(request, participant.study.slug)
    stop_address = f"{reverse('survey:stop', args=[slug])}?whose={whose}"
    return {
        "study": content.in_language(participant.language),
        "language": translation.get_language(),
        "slug": slug,
        "whose": whose,
        "test_person": participant.source if test_person else "",
        "rehearsal": participant.study.is_rehearsing,
        "stop_address": stop_address if participant.status == Status.IN_PROGRESS else "",
    }


def is_without_prolific(request: HttpRequest, source: str) -> bool:
    """Whether a person has no Prolific submission, and so no code. Simulated raters and logged-in
    researchers see the same as people from Prolific. Other test people are in a rehearsal, and must
    not see its codes.
    """
    if source == Participant.Source.PREVIEW:
        return not getattr(request.user, "is_staff", False)
    return source in Participant.WITHOUT_PROLIFIC


def resume_link(request: HttpRequest, participant: Participant) -> str:
    """The address for continuing in any browser; empty for people from Prolific, who have one."""
    if not is_without_prolific(request, participant.source):
        return ""
    address = (
        f"{reverse('survey:arrive', args=[participant.study.slug])}?resume={participant.secret}"
    )
    return request.build_absolute_uri(address)


def show_page(
    request: HttpRequest,
    template: str,
    participant: Participant,
    content: StudyContent,
    number: int,
    values: Mapping[str, Any],
) -> HttpResponse:
    """A numbered page; 422 if it was sent with errors."""
    has_previous = content.has_previous(number) and access.is_own(request, participant)
    context = {
        **frame(request, participant, content),
        "number": number,
        "total": content.total_pages,
        "previous_address": reverse("survey:page", args=[participant.study.slug, number - 1])
        if has_previous
        else "",
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
    """The last page, and the number of failed checks from which the survey ends as failed."""
    prolific = study.settings["prolific"]
    if prolific is None or prolific["failed_attention_code"] is None:
        return LastPage(content.total_pages)
    return LastPage(content.total_pages, prolific["failed_attention_from"])
