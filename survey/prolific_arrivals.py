"""Arrivals by a recruiter's link: its ids, and Prolific's signature of them."""

import re
from dataclasses import replace

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from survey.definition.settings import LinkParameters, Prolific
from survey.models import Identity, Participant, Refusal, Study
from survey.participants import Arrival, is_known_as

#: An identifier from a recruiter, or one of our own tokens. An unfilled placeholder such as
#: {{%ID%}} does not match.
PERSON = re.compile(r"[A-Za-z0-9._-]{1,200}")
#: Prolific's ids of people, studies and submissions.
PROLIFIC_ID = re.compile(r"[0-9a-f]{24}")


#: What recruiters and surveys call parameters that say who comes, without `-` and `_`.
NAME_OF_AN_ID = re.compile(
    r".*prolific.*|pid|(participant|subject|worker|respondent|submission|session|study)(id)?"
)
#: A value that only a recruiter's link has: one of Prolific's ids, Prolific's name, or a
#: placeholder that nobody filled in.
OF_A_RECRUITER = re.compile(
    r"[0-9a-f]{24}|.*(prolific|\{\{|\}\}|\{%|%\}|\$\{).*", re.IGNORECASE | re.DOTALL
)


class ArrivalRefused(Exception):
    """An arrival that is refused; the participant reads `message`.

    `reason` is what it is counted as; None for test people. `status` is that of HTTP.
    """

    def __init__(self, reason: Refusal | None, title: str, message: str, status: int = 400) -> None:
        self.reason, self.title, self.message, self.status = reason, title, message, status
        super().__init__(message)


def id_is_missing(study: Study) -> ArrivalRefused:
    """The refusal of a link without an ID."""
    again = _("Please open the study again from the page where you found it.")
    if prolific_of(study).is_prolific:
        again = _("Please open the study again from its page on Prolific.")
    paragraphs = [
        _(
            "This link lacks your participant ID, so we could not pay you. That is why the study "
            "does not start. Nothing was saved."
        ),
        again,
        whom_to_tell(study),
    ]
    if "link" in study.settings["ways_in"]:
        paragraphs.append(
            _(
                "If you did not find the study there, ask the person who sent you this link for "
                "the study's public link."
            )
        )
    return ArrivalRefused(Refusal.NO_ID, _("This link is not complete"), "\n\n".join(paragraphs))


def whom_to_tell(study: Study) -> str:
    """What people do who get a wrong link again and again."""
    sentences = [
        _("If you see this page again, the study's link is wrong. That is not your fault."),
        how_to_write(study),
    ]
    if prolific_of(study).is_prolific:
        sentences.append(
            _("Please return your submission on Prolific by choosing “Stop without completing”.")
        )
    return " ".join(sentences)


def how_to_write(study: Study) -> str:
    """Whom people write to: the contact in the study's data sheet, else the researchers by
    Prolific's messages, else who recruited them.
    """
    contact = study.settings.get("datasheet", {}).get("contact", {})
    if email := contact.get("email"):
        whom = f"{contact['name']}, {email}" if contact.get("name") else email
        return _("Please write to the researchers: %(contact)s.") % {"contact": whom}
    if prolific_of(study).is_prolific:
        return _("Please send the researchers a message on Prolific.")
    return _("Please tell the person or the site that recruited you.")


def prolific_of(study: Study) -> Prolific:
    """The study's settings of Prolific, or the usual ones."""
    return Prolific.model_validate(study.settings["prolific"] or {})


def names_of_parameters(study: Study) -> dict[str, str]:
    """The recruiter's names for `participant`, `study` and `session` in its links."""
    prolific = study.settings["prolific"]
    return dict(prolific["parameters"] if prolific else LinkParameters().model_dump())


def _parameters(request: HttpRequest, study: Study) -> dict[str, str]:
    """The values of `participant`, `study` and `session` in the address; names in any case."""
    sent = {name.casefold(): request.GET[name].strip() for name in request.GET}
    return {
        part: sent[name.casefold()]
        for part, name in names_of_parameters(study).items()
        if name.casefold() in sent
    }


def is_from_prolific(request: HttpRequest, study: Study) -> bool:
    """Whether the address has any of the parameters. A person from Prolific without an ID must not
    be admitted by the open link, because they could not be paid.
    """
    return bool(_parameters(request, study))


def seems_from_recruiter(request: HttpRequest, study: Study) -> bool:
    """Whether a link without the study's parameters seems to come from its recruiter all the same:
    by the page before, or by the name or value of a parameter. Its people could not be paid.
    """
    return prolific_of(study).is_recruiters(request.headers.get("Referer", "")) or any(
        NAME_OF_AN_ID.fullmatch(re.sub(r"[^a-z0-9]", "", name.casefold()))
        or any(OF_A_RECRUITER.fullmatch(text.strip()) for text in (name, *values))
        for name, values in request.GET.lists()
    )


def identifiers(request: HttpRequest, study: Study) -> dict[str, str]:
    """The identifiers in the address, without those that no recruiter would give."""
    sent = _parameters(request, study)
    return {part: text for part, text in sent.items() if PERSON.fullmatch(text)}


def arrival_from_prolific(
    request: HttpRequest, study: Study, *, own: Participant | None
) -> Arrival:
    """The arrival of a person with the ids in the address; `own` is who owns this browser.

    Raises ArrivalRefused if the address has no ID, or one that the recruiter would not give, or if
    Prolific should have signed it and did not.
    """
    sent = {part: text for part, text in _parameters(request, study).items() if text}
    if "participant" not in sent:
        raise id_is_missing(study)
    form, prolific = PERSON, prolific_of(study)
    if prolific.is_prolific:
        form = PROLIFIC_ID
        sent = {part: text.lower() for part, text in sent.items()}
    if not all(form.fullmatch(text) for text in sent.values()):
        wrong = _(
            "An ID in this link is not a Prolific ID. Please open the study again from Prolific, "
            "and do not change the link."
        )
        raise ArrivalRefused(
            Refusal.WRONG_ID, _("This link is not complete"), f"{wrong}\n\n{whom_to_tell(study)}"
        )
    arrival = Arrival(
        study=study,
        source=Participant.Source.PROLIFIC,
        at=timezone.now(),
        kind=Identity.Kind.PROLIFIC,
        key=sent["participant"],
        prolific_study_id=sent.get("study", ""),
        session_id=sent.get("session", ""),
    )
    is_known = own is not None and is_known_as(own, arrival)  # checked when they came first
    if not prolific.signed_links or is_known:
        return arrival
    _check_signature(request, arrival)
    return replace(arrival, is_signed=True)


def _check_signature(request: HttpRequest, arrival: Arrival) -> None:
    """Raises ArrivalRefused unless Prolific signed the link, with these ids, just now."""
    from survey.prolific import signed_links  # loads `requests` and cryptography
    from survey.signing_keys import NoKeys, key_named

    study, sent = arrival.study, {name.casefold(): request.GET[name] for name in request.GET}
    token = sent.get(signed_links.PARAMETER, "")
    names = names_of_parameters(study)
    try:
        named = signed_links.key_id(token)
        server = signed_links.key_server(settings.PROLIFIC_URL)
        signed_links.verify(
            token,
            key_named(named, server=server, at=arrival.at),
            address=settings.SITE_URL + reverse("survey:arrive", args=[study.slug]),
            ids={
                names["participant"]: arrival.key,
                names["study"]: arrival.prolific_study_id,
                names["session"]: arrival.session_id,
            },
            session=arrival.session_id,
        )
    except NoKeys:
        raise ArrivalRefused(
            Refusal.UNCHECKED,
            _("We could not check your link"),
            _(
                "Prolific does not answer at the moment. Nothing was saved. Please wait a minute, "
                "and open the study again from Prolific."
            ),
            503,
        ) from None
    except signed_links.LinkFault as wrong:
        if wrong.fault == signed_links.Fault.EXPIRED:
            raise ArrivalRefused(
                Refusal.EXPIRED,
                _("This link is too old"),
                _(
                    "A link from Prolific is valid for two minutes. Please open the study again "
                    "from Prolific."
                ),
            ) from None
        changed = _(
            "It lacks Prolific's signature, or was changed. Please open the study again from "
            "Prolific, and do not change the link."
        )
        raise ArrivalRefused(
            Refusal(wrong.fault),
            _("This link does not come from Prolific"),
            f"{changed}\n\n{whom_to_tell(study)}",
        ) from None
