"""Arriving with a link, and consent before anything is asked."""

from dataclasses import replace

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from survey import access, participants
from survey.content import StudyContent, content_of
from survey.models import Participant, Study
from survey.queries import study_for_arrivals
from survey.views.ending import AGAIN, ending_page
from survey.views.participant import frame, message, of_participant, to_current_page, way_back

Status = Participant.Status


@never_cache
@require_GET
def arrive(request: HttpRequest, slug: str) -> HttpResponse:
    """The participant link: find out who comes, and lead them to where they were."""
    with translation.override(access.language_of_stranger(request, slug)):
        offered = study_for_arrivals(slug)
        if offered is None:
            return message(
                request,
                slug,
                _("There is no such study"),
                _("Please check that you used the whole link."),
                404,
            )
        try:
            who = _participant(request, offered)
        except access.Refused as refusal:
            return message(request, slug, refusal.title, refusal.message, 400)
        except participants.Withdrawn as withdrawn:
            return ending_page(request, withdrawn.study, "withdrawn", withdrawn.source)
        except participants.NotAdmitted as refusal:
            return _not_admitted(request, refusal)
        response = to_current_page(who)
        if who.status not in (Status.ARRIVED, Status.IN_PROGRESS):
            response["Location"] += f"?{AGAIN}"
        access.remember(response, who, secure=settings.HTTPS)
        return response


def _participant(request: HttpRequest, offered: Study) -> Participant:
    who = access.arrival_of(request, offered)
    if isinstance(who, participants.Arrival):
        return participants.arrive(replace(who, language=translation.get_language()))
    return participants.come_back(participant=who, study=offered, at=timezone.now())


def _not_admitted(request: HttpRequest, refusal: participants.NotAdmitted) -> HttpResponse:
    if refusal.full:
        return ending_page(request, refusal.study, "full", refusal.source, status=403)
    return _closed(request, refusal.study)


def _closed(request: HttpRequest, study: Study) -> HttpResponse:
    language = translation.get_language()
    definition = content_of(study).in_language(language)
    context = {
        "study": definition,
        "state": study.state,
        "language": language,
        "rehearsal": study.is_rehearsing,
    }
    return render(request, "survey/closed.html", context, status=403)


@of_participant
def consent(request: HttpRequest, participant: Participant) -> HttpResponse:
    """Information and consent, before anything is asked."""
    if participant.status != Status.ARRIVED:
        return to_current_page(participant)
    content = content_of(participant.study)
    at = access.time_of(request, participant)
    slug = participant.study.slug
    text = participants.consent_hash(content.in_language(participant.language))
    errors: dict[str, str] = {}
    if request.method == "POST":
        if request.POST.get("language") in content.languages:
            participants.choose_language(participant=participant, language=request.POST["language"])
            return redirect("survey:consent", slug)
        if "decline" in request.POST:
            participants.decline(participant=participant, at=at)
            return redirect("survey:end", slug)
        if request.POST.get("text", text) != text:  # in another tab, or a new version came
            errors["agree"] = _("This text has changed since you opened it. Please read it again.")
        elif request.POST.get("agree") == "yes":
            try:
                participants.give_consent(participant=participant, at=at)
            except participants.NotAdmitted as refusal:
                if refusal.full:
                    participants.turn_away(participant=participant)
                return _not_admitted(request, refusal)
            return redirect("survey:page", slug, 1)
        else:
            errors["agree"] = _("Tick the box if you agree to take part")
    context = {
        **frame(participant, content),
        "errors": errors,
        "text": text,
        "languages": _languages(content),
    }
    return render(request, "survey/consent.html", context, status=422 if errors else 200)


def _languages(content: StudyContent) -> list[tuple[str, str]]:
    """Codes and names to choose from; nothing where there is no choice."""
    if len(content.languages) == 1:
        return []
    return [(code, translation.get_language_info(code)["name_local"]) for code in content.languages]


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """A form without its token: cookies are refused, or it came from elsewhere."""
    slug = request.resolver_match.kwargs.get("slug", "") if request.resolver_match else ""
    with translation.override(access.language_of_stranger(request, slug)):
        return message(
            request,
            slug,
            _("Your browser did not send its cookie"),
            _(
                "Nothing was saved from this page, and nothing that you sent before is lost. "
                "Please allow cookies for this site: they only tell us that it is you."
            )
            + way_back(slug),
            403,
        )
