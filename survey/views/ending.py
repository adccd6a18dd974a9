"""How a survey ends: thanks and code, goodbye, stopping, and withdrawing."""

from contextlib import suppress
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods
from kombu.exceptions import OperationalError

from config.celery import wake
from survey import access, participants, withdrawal
from survey.content import content_of
from survey.definition.settings import Prolific
from survey.models import Participant, Study
from survey.prolific.links import way_back
from survey.queries import study_for_arrivals
from survey.views.participant import (
    frame,
    is_without_prolific,
    language_of,
    message,
    not_here,
    of_participant,
    resume_link,
    to_current_page,
    whole_forms_only,
)

Status = Participant.Status
#: In the end page's address if a person comes who has already taken part.
AGAIN = "again"
#: The button of people who declined, and want to take part after all.
RECONSIDER = "reconsider"


def ending_page(
    request: HttpRequest,
    study: Study,
    ending: str,
    source: str,
    *,
    status: int = 200,
    may_reconsider: bool = False,
) -> HttpResponse:
    """The ending's text and code, for a person without a row in the database."""
    language = translation.get_language()
    context = {
        "study": content_of(study).in_language(language),
        "language": language,
        "slug": study.slug,
        "whose": access.whose_page(request, study.slug),
        "reconsider": may_reconsider and RECONSIDER,
        "test_person": source if source in Participant.TEST_SOURCES else "",
        "rehearsal": study.is_rehearsing,
        **ending_context(request, study, ending, source),
    }
    return render(request, "survey/end.html", context, status=status)


def ending_context(request: HttpRequest, study: Study, ending: str, source: str) -> dict[str, Any]:
    """Text and code of an ending. Codes are for people who may have come from Prolific."""
    values: dict[str, Any] = {"ending": ending}
    if is_without_prolific(request, source) or study.settings["prolific"] is None:
        return values
    prolific = Prolific.model_validate(study.settings["prolific"])
    code = prolific.code_shown(ending)
    if code is None:
        return values | {"return_without_code": True}
    return values | {"code": code, "return_url": way_back(prolific.return_url, code)}


def _withdraw_address(participant: Participant) -> str:
    token = withdrawal.token_of(participant)
    return reverse("survey:withdraw", args=[participant.study.slug, token])


@of_participant
def end(request: HttpRequest, participant: Participant) -> HttpResponse:
    """Thanks and the completion code, or a goodbye."""
    if participant.status in (Status.ARRIVED, Status.IN_PROGRESS):
        return to_current_page(participant)
    study = participant.study
    is_own = access.is_own(request, participant)
    if not is_own and not access.ended_here(request, study.slug):
        return not_here(request, study.slug)
    address = _withdraw_address(participant) if is_own else ""
    context = {
        **frame(request, participant, content_of(study)),
        **ending_context(
            request, study, participant.ending or participant.status, participant.source
        ),
        "again": AGAIN in request.GET,
        "reconsider": _may_reconsider(request, participant, is_own=is_own) and RECONSIDER,
        "withdraw_link": address and request.build_absolute_uri(address),
        "is_own": is_own,
    }
    return render(request, "survey/end.html", context)


def _may_reconsider(request: HttpRequest, participant: Participant, *, is_own: bool) -> bool:
    offered = study_for_arrivals(participant.study.slug)
    return (
        is_own
        and offered is not None
        and participants.may_reconsider(
            participant=participant, study=offered, at=access.time_of(request, participant)
        )
    )


@of_participant
def stop(request: HttpRequest, participant: Participant) -> HttpResponse:
    """Stopping midway: come back later, or delete everything."""
    if participant.status != Status.IN_PROGRESS:
        return to_current_page(participant)
    is_own = access.is_own(request, participant)
    context = {
        **frame(request, participant, content_of(participant.study)),
        "stop_address": "",
        "resume_link": resume_link(request, participant),
        "current_address": reverse(
            "survey:page", args=[participant.study.slug, participant.pages_done + 1]
        ),
        "withdraw_link": _withdraw_address(participant) if is_own else "",
        "is_own": is_own,
        "return_without_code": not is_without_prolific(request, participant.source)
        and participant.study.settings["prolific"] is not None,
    }
    return render(request, "survey/stop.html", context)


@never_cache
@require_http_methods(["GET", "POST"])
@whole_forms_only
def withdraw(request: HttpRequest, slug: str, token: str) -> HttpResponse:
    """The private link that deletes everything about a person, after confirmation.

    Afterwards it shows the ending for withdrawals.
    """
    link = withdrawal.read_token(token)
    study = Study.objects.filter(pk=link.study, slug=slug).first() if link else None
    if link is None or study is None:
        with translation.override(access.language_of_stranger(request, slug)):
            return message(
                request,
                slug,
                _("This link is not valid"),
                _("Please check that you used the whole link that the study gave you."),
                404,
            )
    people = Participant.objects.select_related("study")
    participant = people.filter(pk=link.participant).first()
    if participant is None:
        with translation.override(content_of(study).in_language(link.language).language):
            response = ending_page(request, study, "withdrawn", link.source)
            if access.participant_of(request, slug) is None:
                access.forget(response, slug)
            return response
    if request.method == "POST" and request.POST.get("delete") == "yes":
        withdrawal.withdraw(participant=participant, at=timezone.now())
        with suppress(OperationalError):  # the broker does not answer: workers look for work anyway
            wake("analysis.sweep")
            wake("survey.sweep")
        return redirect("survey:withdraw", slug, token)
    with translation.override(language_of(participant)):
        context = {
            **frame(request, participant, content_of(participant.study)),
            "stop_address": "",
            "is_here": access.own_participant_of(request, slug) == participant,
            "has_code": participant.finished_at is not None
            and "code" in ending_context(request, study, participant.ending, participant.source),
        }
        return render(request, "survey/withdraw.html", context)
