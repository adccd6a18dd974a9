"""Arriving with a link, and consent before anything is asked."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from math import ceil

from django.conf import settings
from django.core.exceptions import ObjectDoesNotExist
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from survey import access, participants
from survey.arrival_counts import count_refusal
from survey.consent import consent_hash, decline, give_consent, turn_away
from survey.content import StudyContent, content_of
from survey.models import Browser, Participant, Refusal, Study
from survey.notices import ai_policy, writing_notice
from survey.prolific_arrivals import ArrivalRefused, how_to_write
from survey.queries import study_for_arrivals
from survey.simulated import clock
from survey.views.ending import AGAIN, RECONSIDER, ending_page
from survey.views.participant import (
    another_participant,
    message,
    not_here,
    of_participant,
    to_current_page,
    way_back,
    whole_forms_only,
)

Status = Participant.Status
#: Possible decisions on the information page, besides a language.
AGREES, DECLINES = "agree", "decline"


@never_cache
@require_GET
def arrive(request: HttpRequest, slug: str) -> HttpResponse:
    """The participant link: identify the person, and redirect them to their current page."""
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
            who = _who(request, offered)
        except ArrivalRefused as refusal:
            _count(request, offered, refusal.reason)
            return message(request, slug, refusal.title, refusal.message, refusal.status)
        except (participants.NotAdmitted, participants.Withdrawn) as refusal:
            return _turned_away(request, refusal)
        response = _way_of(request, who, slug)
        access.remember(response, slug, who.secret, secure=settings.HTTPS)
        return response


def _who(request: HttpRequest, offered: Study) -> Participant | Browser:
    who = access.arrival_of(request, offered)
    if isinstance(who, participants.Arrival):
        return participants.arrive(
            replace(who, language=translation.get_language()),
            own=access.own_participant_of(request, offered.slug),
            browser=access.browser_of(request, offered.slug),
        )
    if isinstance(who, Browser):
        return who
    return participants.come_back(participant=who, study=offered, at=timezone.now())


def _way_of(request: HttpRequest, who: Participant | Browser, slug: str) -> HttpResponse:
    """The redirect after an arrival."""
    participant = who.participant if isinstance(who, Browser) and who.goes_on else who
    if not isinstance(participant, Participant):
        return redirect("survey:consent", slug)
    response = to_current_page(participant)
    if participant.status not in (Status.ARRIVED, Status.IN_PROGRESS):
        response["Location"] += f"?{AGAIN}"
        if participant.status != Status.DECLINED:  # they may still begin
            _count(request, participant.study, Refusal.TOOK_PART, participant.source)
    return response


def _count(request: HttpRequest, study: Study, reason: Refusal | None, source: str = "") -> None:
    """Count an arrival that was refused; test people do not count."""
    is_test_person = source in Participant.TEST_SOURCES or clock.HEADER in request.headers
    if reason is not None and not is_test_person:
        count_refusal(study, reason, at=timezone.now())


def _turned_away(
    request: HttpRequest, refusal: participants.NotAdmitted | participants.Withdrawn
) -> HttpResponse:
    _count(request, refusal.study, refusal.reason, refusal.source)
    if isinstance(refusal, participants.TooManyArrivals):
        return _later(request, refusal)
    if isinstance(refusal, participants.Withdrawn):
        return ending_page(request, refusal.study, "withdrawn", refusal.source)
    if refusal.reason == Refusal.FULL:
        return ending_page(request, refusal.study, "full", refusal.source, status=403)
    return _closed(request, refusal.study)


def _later(request: HttpRequest, refusal: participants.TooManyArrivals) -> HttpResponse:
    """The page for somebody whose address had too many new participants."""
    study = refusal.study
    minutes = ceil(refusal.seconds / 60)
    paragraphs = [
        _(
            "In the last hour many people have started this study from the network that you use, "
            "for example that of a university. To protect the study, new participants from there "
            "have to wait. This is not your fault, and nothing was saved."
        ),
        ngettext(
            "Please open your link again in %(minutes)d minute, or use another connection, such as "
            "mobile data.",
            "Please open your link again in %(minutes)d minutes, or use another connection, such "
            "as mobile data.",
            minutes,
        )
        % {"minutes": minutes},
        _(
            "If you have started already, open your link in the browser that you used. You can "
            "continue there at once."
        ),
        " ".join([_("If you still see this page then:"), how_to_write(study)]),
    ]
    title, text = _("Please try again later"), "\n\n".join(paragraphs)
    response = message(request, study.slug, title, text, 429)
    response["Retry-After"] = str(refusal.seconds)
    return response


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


@never_cache
@require_http_methods(["GET", "POST"])
@whole_forms_only
def consent(request: HttpRequest, slug: str) -> HttpResponse:
    """Information and consent, before anything is asked: the first page in every browser."""
    browser = access.browser_of(request, slug)
    if browser is None or browser.goes_on:
        return _consent_of_participant(request, slug)
    return _consent_in_another_browser(request, slug, browser)


@of_participant
def _consent_of_participant(request: HttpRequest, participant: Participant) -> HttpResponse:
    if participant.status == Status.DECLINED and request.method == "POST":
        return _reconsidered(request, participant)
    if participant.status != Status.ARRIVED:
        return to_current_page(participant)
    page = _InformationPage(request, participant.study, participant.language)
    at = access.time_of(request, participant)
    decision = page.decision()
    if decision is None:
        return page.show(test_person=participant.source)
    if decision in page.content.languages:
        participants.choose_language(participant=participant, language=decision)
        return redirect("survey:consent", page.slug)
    return _decided(request, participant, decision, at)


def _reconsidered(request: HttpRequest, participant: Participant) -> HttpResponse:
    """Undo declining: by the button on the last page, or by agreeing on this one after all."""
    agreed = "decline" not in request.POST and request.POST.get("agree") == "yes"
    if not agreed and RECONSIDER not in request.POST:
        return to_current_page(participant)
    offered = study_for_arrivals(participant.study.slug)
    assert offered is not None  # their own version is one
    at = access.time_of(request, participant)
    try:
        person = participants.reconsider(participant=participant, study=offered, at=at)
    except participants.NotAdmitted as refusal:
        return _turned_away(request, refusal)
    if agreed and person.status == Status.ARRIVED:
        return _consent_of_participant(request, participant.study.slug)
    return to_current_page(person)


def _decided(
    request: HttpRequest, participant: Participant, decision: str, at: datetime
) -> HttpResponse:
    """Record consent or refusal, the first time."""
    slug = participant.study.slug
    if decision == DECLINES:
        decline(participant=participant, at=at)
        return redirect("survey:end", slug)
    try:
        give_consent(participant=participant, at=at)
    except participants.NotAdmitted as refusal:
        if refusal.reason == Refusal.FULL:
            turn_away(participant=participant)
        return _turned_away(request, refusal)
    return redirect("survey:page", slug, 1)


def _consent_in_another_browser(request: HttpRequest, slug: str, browser: Browser) -> HttpResponse:
    """The same page and form, whatever is known about the ID."""
    offered = study_for_arrivals(slug)
    assert offered is not None  # the browser's own study is one
    page = _InformationPage(request, offered, browser.language)
    with translation.override(page.language):
        if not access.is_page_of_this_browser(request, slug):
            return another_participant(request, slug)
        decision = page.decision()
        if decision is None:
            return page.show()
        if decision in page.content.languages:
            browser.language = decision
            browser.save(update_fields=["language"])
            return redirect("survey:consent", slug)
        try:
            return _opened(request, browser, offered, decision)
        except (participants.NotAdmitted, participants.Withdrawn) as refusal:
            return _turned_away(request, refusal)
        except ObjectDoesNotExist:  # they withdrew at this moment
            return redirect("survey:arrive", slug)


def _opened(request: HttpRequest, browser: Browser, offered: Study, decision: str) -> HttpResponse:
    """The page after consent or refusal in a further browser."""
    slug, at = offered.slug, timezone.now()
    agreed = decision == AGREES
    opened = participants.open_in(browser=browser, study=offered, agreed=agreed, at=at)
    person = opened.participant
    if person is None:
        if agreed:
            _count(request, offered, Refusal.TOOK_PART)
            return not_here(request, slug)
        source = Participant.Source.PROLIFIC
        return ending_page(request, offered, "declined", source, may_reconsider=True)
    if person.status == Status.ARRIVED:
        response = _decided(request, person, decision, at)
    elif person.status == Status.IN_PROGRESS and not agreed:
        response = redirect("survey:stop", slug)
    else:
        response = _way_of(request, person, slug)
    if opened.is_own:
        access.remember(response, slug, person.secret, secure=settings.HTTPS)
    return response


@dataclass
class _InformationPage:
    """The information page, and the decision on it."""

    request: HttpRequest
    study: Study
    chosen_language: str
    errors: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.slug = self.study.slug
        self.content = content_of(self.study)
        self.definition = self.content.in_language(self.chosen_language)
        self.language = self.definition.language
        self.text = consent_hash(self.definition)

    def decision(self) -> str | None:
        """A language, AGREES or DECLINES; None if the page should be shown, with `errors`."""
        sent = self.request.POST
        if self.request.method != "POST" or RECONSIDER in sent:
            return None
        if sent.get("language") in self.content.languages:
            return sent["language"]
        if "decline" in sent:
            return DECLINES
        if sent.get("text", self.text) != self.text:  # in another tab, or a new version came
            self.errors["agree"] = _(
                "This text has changed since you opened it. Please read it again."
            )
        elif sent.get("agree") == "yes":
            return AGREES
        else:
            self.errors["agree"] = _("Tick the box if you agree to take part")
        return None

    def show(self, *, test_person: str = "") -> HttpResponse:
        """The page; 422 if it was sent without a decision."""
        context = {
            "study": self.definition,
            "language": self.language,
            "slug": self.slug,
            "whose": access.whose_page(self.request, self.slug),
            "test_person": test_person if test_person in Participant.TEST_SOURCES else "",
            "rehearsal": self.study.is_rehearsing,
            "errors": self.errors,
            "text": self.text,
            "ai_policy": ai_policy(self.definition),
            "writing_notice": writing_notice(self.definition),
            "languages": language_choices(self.content),
        }
        status = 422 if self.errors else 200
        return render(self.request, "survey/consent.html", context, status=status)


def language_choices(content: StudyContent) -> list[tuple[str, str]]:
    """Codes and names to choose from; empty if there is no choice."""
    if len(content.languages) == 1:
        return []
    return [(code, translation.get_language_info(code)["name_local"]) for code in content.languages]


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """A form without its token: cookies are refused, or it came from another site."""
    slug = request.resolver_match.kwargs.get("slug", "") if request.resolver_match else ""
    with translation.override(access.language_of_stranger(request, slug)):
        return message(
            request,
            slug,
            _("Your browser did not send its cookie"),
            _(
                "This page was not saved. Everything you sent before is saved. Please allow "
                "cookies for this site: we use them only to recognise you."
            )
            + way_back(slug),
            403,
        )
