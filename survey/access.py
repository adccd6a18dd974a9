"""Who may see which participant page. Only this module finds the person behind a browser."""

import hashlib
from contextlib import suppress
from dataclasses import replace
from datetime import datetime

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.utils.translation.trans_real import parse_accept_lang_header

from config.clients import counted_address, is_of_this_machine
from survey.arrival_counts import hash_of_address
from survey.content import content_of
from survey.models import Browser, Identity, Invitation, Participant, Refusal, Study
from survey.participants import COOKIE_DAYS, Arrival
from survey.prolific.links import is_local
from survey.prolific_arrivals import (
    PERSON,
    ArrivalRefused,
    arrival_from_prolific,
    id_is_missing,
    identifiers,
    is_from_prolific,
    seems_from_recruiter,
)
from survey.queries import StudyNotFound, find_study, study_for_arrivals
from survey.simulated import clock

PREVIEW = "preview"
#: What the dashboard's roles decide about an account and a study.
MAY_PREVIEW = "survey.preview_study"
#: The fields that every page needs; other fields are fetched on first use.
NEEDED_BY_PAGES = (
    "secret",
    "status",
    "source",
    "pages_done",
    "language",
    "study__slug",
    "study__loaded_at",
    "study__languages_at",
    "study__settings",
    "study__state",
    "study__is_rehearsal",
)


def _cookie_name(slug: str) -> str:
    return f"fivefold-{slug}"


def remember(response: HttpResponse, slug: str, secret: str, *, secure: bool) -> None:
    """Set the cookie with the secret of the participant, or of the further browser."""
    response.set_cookie(
        _cookie_name(slug),
        secret,
        max_age=COOKIE_DAYS * 24 * 3600,
        path=f"/s/{slug}/",
        secure=secure,
        httponly=True,
        samesite="Lax",
    )


def forget(response: HttpResponse, slug: str) -> None:
    """Delete this browser's cookie."""
    response.delete_cookie(_cookie_name(slug), path=f"/s/{slug}/", samesite="Lax")


def whose_page(request: HttpRequest, slug: str) -> str:
    """A token in the pages of a participant. It shows whether a form comes from a page of the
    browser's current participant, because another person may have used the browser since. It
    reveals nothing about the participant.
    """
    return hashlib.sha256(f"page of {_cookie(request, slug)}".encode()).hexdigest()[:16]


def is_page_of_this_browser(request: HttpRequest, slug: str) -> bool:
    """Whether the form or link comes from a page of the browser's current participant. A request
    without the token counts as theirs.
    """
    sent = request.POST if request.method == "POST" else request.GET
    return sent.get("whose", own := whose_page(request, slug)) == own


def language_of_stranger(request: HttpRequest, slug: str) -> str:
    """The language for a visitor without a participant: the first of the browser's languages that
    the study has, else the study's main language.
    """
    study = study_for_arrivals(slug)
    if study is None:
        return translation.get_language_from_request(request)
    offered = content_of(study).languages
    if len(offered) > 1:
        for wanted, _quality in parse_accept_lang_header(
            request.headers.get("Accept-Language", "")
        ):
            with suppress(LookupError):
                language = translation.get_supported_language_variant(wanted)
                if language in offered:
                    return language
    return offered[0]


def participant_of(request: HttpRequest, slug: str) -> Participant | None:
    """The participant of this browser, with the study. Check `is_own`: a further browser may only
    continue the survey.
    """
    participant = own_participant_of(request, slug)
    if participant is None and (browser := browser_of(request, slug)) and browser.goes_on:
        return browser.participant
    return participant


def own_participant_of(request: HttpRequest, slug: str) -> Participant | None:
    """The participant who owns this browser, with the study."""
    return _by_secret(slug, _cookie(request, slug))


def is_own(request: HttpRequest, participant: Participant) -> bool:
    """Whether this browser may see the participant's whole record, rather than only continue."""
    return _cookie(request, participant.study.slug) == participant.secret


def ended_here(request: HttpRequest, slug: str) -> bool:
    """Whether this further browser sent the survey's last page."""
    browser = browser_of(request, slug)
    return browser is not None and browser.ended_here


def browser_of(request: HttpRequest, slug: str) -> Browser | None:
    """The row of this browser, if its ID is known from another browser; with the study."""
    secret = _cookie(request, slug)
    if not PERSON.fullmatch(secret):
        return None
    browsers = Browser.objects.select_related("participant__study", "withdrawal__study")
    return browsers.filter(
        Q(participant__study__slug=slug) | Q(withdrawal__slug=slug), secret=secret
    ).first()


def _cookie(request: HttpRequest, slug: str) -> str:
    return request.COOKIES.get(_cookie_name(slug), "")


def _by_secret(slug: str, secret: str) -> Participant | None:
    if not PERSON.fullmatch(secret):  # not ours, and perhaps not storable in a database
        return None
    people = Participant.objects.select_related("study").only(*NEEDED_BY_PAGES)
    try:
        return people.get(secret=secret, study__slug=slug)
    except Participant.DoesNotExist:
        return None


def time_of(request: HttpRequest, participant: Participant) -> datetime:
    """The current time; for a simulated rater the signed time in the request.

    Raises PermissionDenied for a simulated time without a valid signature, or from another
    participant.
    """
    header = request.headers.get(clock.HEADER)
    if header is None:
        return timezone.now()
    carried = _read_clock(header)
    if participant.source != Participant.Source.SIMULATED or not (
        Identity.objects.filter(participant=participant, key=carried.person).exists()
    ):
        raise PermissionDenied("The simulated time belongs to another participant.")
    return carried.at


def _read_clock(header: str) -> clock.SimulatedClock:
    try:
        return clock.read(header)
    except clock.ClockError as error:
        raise PermissionDenied(str(error)) from None


def arrival_of(  # noqa: PLR0911  # one return for each way in
    request: HttpRequest, study: Study
) -> Arrival | Participant | Browser:
    """The person behind a link: an arrival to admit, or the participant of this browser.

    A Prolific ID or an invitation means one person in any browser. An invitation is secret and
    opens the person's record. A Prolific ID is not secret and does not (see `participants.arrive`).
    With an open link, only the browser's cookie identifies a person. In another browser the same
    person counts as new: to recognise them we would have to collect identifying data. A study that
    must be sure that each person takes part once, or is screened once, uses Prolific or
    invitations. An expert's link works with any `ways_in`, because `ways_in` is about raters.

    `study` is the current version; only test people may ask for another one. Raises ArrivalRefused,
    PermissionDenied.
    """
    ways_in = study.settings["ways_in"]
    header = request.headers.get(clock.HEADER)
    if header is not None:
        return _simulated(request, study, _read_clock(header))
    if PREVIEW in request.GET:
        return _preview(request, study)
    if "resume" in request.GET:
        return _resumed(study, request.GET["resume"])
    if "invite" in request.GET:
        invitation = _invitation(study, request.GET["invite"])
        if invitation.panel or "invitation" in ways_in:
            return _invited(study, invitation)
    if "prolific" in ways_in and is_from_prolific(request, study):
        own = own_participant_of(request, study.slug)
        arrival = arrival_from_prolific(request, study, own=own)
        return arrival if arrival.is_signed else _limited(request, arrival)
    remembered = own_participant_of(request, study.slug) or browser_of(request, study.slug)
    if remembered is not None:
        return remembered
    if "prolific" in ways_in and ("link" not in ways_in or seems_from_recruiter(request, study)):
        raise id_is_missing(study)
    if "link" in ways_in:
        arrival = Arrival(study=study, source=Participant.Source.LINK, at=timezone.now())
        return _limited(request, arrival)
    raise ArrivalRefused(
        Refusal.NOT_INVITED,
        _("This study is for people who were invited"),
        _("Please open the personal link that you were sent. This one is not complete."),
    )


def _limited(request: HttpRequest, arrival: Arrival) -> Arrival:
    """The arrival with its address, whose new participants are limited: of all but this machine."""
    address = counted_address(request)
    if address is None or is_of_this_machine(request):
        return arrival
    return replace(arrival, address=hash_of_address(arrival.study, address))


def _version_asked_for(request: HttpRequest, slug: str) -> Study:
    """The version that a test person asks for; by default the newest, even if it is a draft."""
    version = request.GET.get("version")
    try:
        return find_study(slug if version is None else f"{slug}@{version}")
    except StudyNotFound:
        raise ArrivalRefused(
            None,
            _("There is no such version"),
            _("This study has no version with this number. The dashboard lists its versions."),
        ) from None


def _simulated(request: HttpRequest, study: Study, carried: clock.SimulatedClock) -> Arrival:
    sent = identifiers(request, study)
    if sent.get("participant") != carried.person:
        raise PermissionDenied("The simulated time belongs to another participant.")
    if carried.from_prolific:
        if not is_local(settings.PROLIFIC_URL):
            raise PermissionDenied("Simulated people come from no Prolific but a local one.")
        own = own_participant_of(request, study.slug)
        return replace(
            arrival_from_prolific(request, study, own=own),
            study=_version_asked_for(request, study.slug),
            source=Participant.Source.SIMULATED,
            at=carried.at,
            order_seed=carried.order_seed,
        )
    return Arrival(
        study=_version_asked_for(request, study.slug),
        source=Participant.Source.SIMULATED,
        at=carried.at,
        kind=Identity.Kind.SIMULATED,
        key=carried.person,
        prolific_study_id=sent.get("study", ""),
        session_id=sent.get("session", ""),
        order_seed=carried.order_seed,
    )


def _preview(request: HttpRequest, study: Study) -> Arrival:
    if not request.user.has_perm(MAY_PREVIEW, study):
        raise ArrivalRefused(
            Refusal.PREVIEW,
            _("Previews are for researchers"),
            _("Ask an owner of this study to make you an editor.")
            if request.user.is_authenticated
            else _("Please log in to preview this study."),
        )
    return Arrival(
        study=_version_asked_for(request, study.slug),
        source=Participant.Source.PREVIEW,
        at=timezone.now(),
    )


def _invitation(study: Study, token: str) -> Invitation:
    """The invitation with this token. An incomplete token is refused and never treated as the open
    link: an expert would be counted as a rater.
    """
    if PERSON.fullmatch(token):
        with suppress(Invitation.DoesNotExist):
            return Invitation.objects.get(study__slug=study.slug, token=token)
    raise ArrivalRefused(
        Refusal.INVITATION,
        _("This invitation is not valid"),
        _("Please check that you used the whole link, or ask the person who invited you."),
    )


def _invited(study: Study, invitation: Invitation) -> Arrival:
    return Arrival(
        study=study,
        source=Participant.Source.PANEL if invitation.panel else Participant.Source.LINK,
        at=timezone.now(),
        kind=Identity.Kind.INVITATION,
        key=invitation.token,
        panel=invitation.panel,
    )


def _resumed(study: Study, secret: str) -> Participant:
    participant = _by_secret(study.slug, secret)
    if participant is None:
        raise ArrivalRefused(
            Refusal.PERSONAL_LINK,
            _("This link is not valid"),
            _("Please check that you used the whole link that the study gave you."),
        )
    return participant
