"""How people arrive, start and come back."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.db import transaction

from survey.arrival_counts import count_new_participant, seconds_to_wait
from survey.models import (
    Browser,
    Identity,
    Participant,
    Refusal,
    Study,
    Submission,
    Withdrawal,
)
from survey.slots import is_full

#: How long a browser keeps its participant's cookie.
COOKIE_DAYS = 60


@dataclass(frozen=True)
class Arrival:
    """A person who arrives, and how. `kind` is None if only their browser identifies them; `panel`
    is the name of an expert's panel; `is_signed` means that Prolific vouches for the ids.
    """

    study: Study
    source: str
    at: datetime
    kind: str | None = None
    key: str = ""
    panel: str = ""
    prolific_study_id: str = ""
    session_id: str = ""
    is_signed: bool = False
    order_seed: int | None = None
    language: str = ""
    #: A `hash_of_address`, if new participants from there are limited.
    address: str = ""

    @property
    def proves_nothing(self) -> bool:
        """Whether anyone who knows the ID could arrive like this: Prolific's ids are not secret."""
        return self.kind == Identity.Kind.PROLIFIC and not self.is_signed


class NotAdmitted(Exception):
    """A new participant is not admitted now; `reason` says why."""

    def __init__(self, study: Study, source: str, reason: Refusal) -> None:
        self.study, self.source, self.reason = study, source, reason
        super().__init__(f"{study} is {reason}")


class TooManyArrivals(NotAdmitted):
    """Too many new participants came from one address; the next is admitted in `seconds`."""

    def __init__(self, study: Study, source: str, *, seconds: int) -> None:
        super().__init__(study, source, Refusal.TOO_MANY)
        self.seconds = seconds


class Withdrawn(Exception):
    """A participant who withdrew comes back."""

    reason = Refusal.WITHDRAWN

    def __init__(self, study: Study, source: str) -> None:
        self.study, self.source = study, source
        super().__init__(f"withdrawn from {study}")


def admits(study: Study, source: str) -> bool:
    """Whether a new person from `source` may start: drafts and rehearsals are for test people."""
    if study.state == Study.State.DRAFT or study.is_rehearsing:
        return source in Participant.TEST_SOURCES
    return study.state == Study.State.OPEN


def arrive(
    arrival: Arrival, *, own: Participant | None = None, browser: Browser | None = None
) -> Participant | Browser:
    """The participant behind an arrival: the existing one, else a new one.

    A Prolific ID known from another browser gives a Browser instead, which can open nothing until
    `open_in` allows it, unless Prolific signed the link. `own` is the participant who already owns
    this browser, `browser` its row if it is a further browser. Nothing is stored about a person who
    is not admitted. Raises NotAdmitted, Withdrawn.
    """
    known = _known(arrival)
    withdrawal = _withdrawal(arrival) if known is None else None
    if known is None and withdrawal is None:
        arrival = _rehearsing(arrival)
        _check_arrival(arrival)
        return _create(arrival)
    if arrival.proves_nothing and (known is None or known != own):
        return _in_another_browser(arrival, known, withdrawal, browser)
    if known is None:
        raise Withdrawn(arrival.study, arrival.source)
    _note_submission(known, arrival.prolific_study_id, arrival.session_id, is_theirs=True)
    return come_back(participant=known, study=arrival.study, at=arrival.at)


def _in_another_browser(
    arrival: Arrival,
    known: Participant | None,
    withdrawal: Withdrawal | None,
    browser: Browser | None,
) -> Participant | Browser:
    """The row for a browser that proves no identity: it gets what a new person would get now.

    If no new participants are admitted, a browser with a submission of theirs continues at once.
    """
    is_same = browser is not None and (
        (browser.participant, browser.withdrawal, browser.session_id)
        == (known, withdrawal, arrival.session_id)
    )
    if browser is not None and is_same and browser.goes_on:
        return browser
    try:
        _check_arrival(arrival)
    except NotAdmitted:
        if known is not None and is_submission_of(known, arrival.session_id):
            return come_back(participant=known, study=arrival.study, at=arrival.at)
        if withdrawal is not None and _is_submission_of_withdrawn(withdrawal, arrival.session_id):
            raise Withdrawn(arrival.study, arrival.source) from None
        raise
    if browser is not None and is_same:
        return browser
    count_new_participant(arrival.address, at=arrival.at)
    return Browser.objects.create(
        participant=known,
        withdrawal=withdrawal,
        prolific_study_id=arrival.prolific_study_id,
        session_id=arrival.session_id,
        language=arrival.language,
        arrived_at=arrival.at,
    )


@dataclass(frozen=True)
class Opened:
    """What a browser may do after consent or refusal on the information page.

    `participant` is None if it may not continue; `is_own` means that it may do everything.
    """

    participant: Participant | None
    is_own: bool = False


@transaction.atomic
def open_in(*, browser: Browser, study: Study, agreed: bool, at: datetime) -> Opened:
    """Apply the rules for a further browser; `study` is the current version.

    A record without consent belongs to the browser that consents or declines first, and one that
    was declined to the browser that consents. A browser whose submission is theirs gets the whole
    record. Any other one may continue, but sees no earlier answers and no ending. Raises
    NotAdmitted, Withdrawn.
    """
    if browser.withdrawal is not None:
        if _is_submission_of_withdrawn(browser.withdrawal, browser.session_id):
            raise Withdrawn(study, browser.withdrawal.source)
        return Opened(None)
    assert browser.participant_id is not None
    people = Participant.objects.select_for_update(no_key=True, of=("self",))
    person = people.select_related("study").get(pk=browser.participant_id)
    if agreed and _may_still_begin(person, browser.session_id):
        _undo_declining(person, at)
    if person.status == Participant.Status.ARRIVED:
        person = come_back(participant=person, study=study, at=at)
        _take_over(person, browser)
        return Opened(person, is_own=True)
    if is_submission_of(person, browser.session_id):
        browser.delete()
        return Opened(person, is_own=True)
    if not agreed:
        return Opened(None)
    _note_submission(person, browser.prolific_study_id, browser.session_id, is_theirs=False)
    browser.goes_on = True
    browser.save(update_fields=["goes_on"])
    return Opened(person)


def note_end(*, participant: Participant, browser: Browser) -> None:
    """Store that `browser` sent the last page, if the survey has just ended."""
    going_on = (Participant.Status.ARRIVED, Participant.Status.IN_PROGRESS)
    if not Participant.objects.filter(pk=participant.pk, status__in=going_on).exists():
        Browser.objects.filter(pk=browser.pk).update(ended_here=True)


def forget_old_browsers(*, at: datetime) -> None:
    """Delete browsers that never continued, after their cookies have expired."""
    old = Browser.objects.filter(goes_on=False, arrived_at__lt=at - timedelta(days=COOKIE_DAYS))
    old.delete()


def _take_over(person: Participant, browser: Browser) -> None:
    """Make `browser` their only own browser: earlier ones only read the information page."""
    Submission.objects.filter(participant=person).update(is_theirs=False)
    _note_submission(person, browser.prolific_study_id, browser.session_id, is_theirs=True)
    browser.delete()
    person.secret, person.language = browser.secret, browser.language
    person.save(update_fields=["secret", "language"])


def is_submission_of(person: Participant, session_id: str) -> bool:
    """Whether it is known to be theirs: their own browser brought it."""
    return (
        bool(session_id)
        and person.submissions.filter(session_id=session_id, is_theirs=True).exists()
    )


def is_known_as(person: Participant, arrival: Arrival) -> bool:
    """Whether a person came with these ids before, in a browser of their own."""
    has_id = Identity.objects.filter(participant=person, kind=arrival.kind, key=arrival.key)
    return is_submission_of(person, arrival.session_id) and has_id.exists()


def _is_submission_of_withdrawn(withdrawal: Withdrawal, session_id: str) -> bool:
    return bool(session_id) and withdrawal.prolific_session_id == session_id


def _rehearsing(arrival: Arrival) -> Arrival:
    """In a rehearsal, raters and experts without Prolific become test people, and stay so.

    A rehearsal is not paid, so people from Prolific are not admitted.
    """
    if arrival.study.is_rehearsing and arrival.source in Participant.WITHOUT_PROLIFIC:
        return replace(arrival, source=Participant.Source.PREVIEW, panel="")
    return arrival


def _check_arrival(arrival: Arrival) -> None:
    """Raise NotAdmitted if a new person would not be admitted by this link now."""
    _check_admission(arrival.study, arrival.source, arrival.at)
    if seconds := seconds_to_wait(arrival.address, at=arrival.at):
        raise TooManyArrivals(arrival.study, arrival.source, seconds=seconds)


def _check_admission(study: Study, source: str, at: datetime) -> None:
    if not admits(study, source):
        raise not_open(study, source)
    if is_full(study, source=source, at=at):
        raise NotAdmitted(study, source, Refusal.FULL)


def not_open(study: Study, source: str) -> NotAdmitted:
    reason = Refusal.REHEARSAL if study.is_rehearsing else Refusal(study.state)
    return NotAdmitted(study, source, reason)


@transaction.atomic
def _create(arrival: Arrival) -> Participant | Browser:
    participant = Participant(
        study=arrival.study,
        source=arrival.source,
        panel=arrival.panel,
        way_in=_way_in(arrival),
        language=arrival.language,
        arrived_at=arrival.at,
        last_seen_at=arrival.at,
    )
    if arrival.order_seed is not None:
        participant.order_seed = arrival.order_seed
    participant.save()
    count_new_participant(arrival.address, at=arrival.at)
    if arrival.kind is None:
        return participant
    identity = Identity(
        participant=participant,
        slug=arrival.study.slug,
        kind=arrival.kind,
        key=arrival.key,
    )
    # Conflicts are ignored: PostgreSQL would log an error with the person's ID.
    Identity.objects.bulk_create([identity], ignore_conflicts=True)
    known = _known(arrival)
    assert known is not None
    if known == participant:
        _note_submission(known, arrival.prolific_study_id, arrival.session_id, is_theirs=True)
        return known
    # Another request with the same ID (a double click, a second tab) was first.
    participant.delete()
    if arrival.proves_nothing:
        return _in_another_browser(arrival, known, None, None)
    return known


def _way_in(arrival: Arrival) -> str:
    if arrival.source in Participant.TEST_SOURCES:
        return ""
    return arrival.kind or Participant.WayIn.LINK


def _note_submission(
    person: Participant, prolific_study_id: str, session_id: str, *, is_theirs: bool
) -> None:
    """Store one more submission; earlier ones are unchanged.

    A participant with a new submission no longer counts as returned.
    """
    if not session_id:
        return
    submission, is_new = Submission.objects.get_or_create(
        participant=person,
        session_id=session_id,
        defaults={"prolific_study_id": prolific_study_id, "is_theirs": is_theirs},
    )
    if is_theirs and not submission.is_theirs:
        submission.is_theirs = True
        submission.save(update_fields=["is_theirs"])
    if is_new and (person.finished_at is None or person.status == Participant.Status.DECLINED):
        Participant.objects.filter(pk=person.pk).update(returned_at=None)


def come_back(*, participant: Participant, study: Study, at: datetime) -> Participant:
    """Let a known participant continue in the version they started, whatever its state.

    A participant who has only read the information counts as new: they get the current version
    (`study`), if there is a place. Test people stay in the version they came for. Raises
    NotAdmitted.
    """
    if participant.status != Participant.Status.ARRIVED:
        return participant
    version = _version_for(participant, study)
    if participant.study_id != version.pk and Participant.objects.filter(
        pk=participant.pk, status=Participant.Status.ARRIVED
    ).update(study=version):
        participant.study = version
    _check_admission(participant.study, participant.source, at)
    return participant


def _version_for(participant: Participant, study: Study) -> Study:
    """The version for somebody who has not consented yet; `study` is the current one."""
    is_test_person = participant.source in Participant.TEST_SOURCES
    if is_test_person or not admits(study, participant.source):
        return participant.study
    return study


def _known(arrival: Arrival) -> Participant | None:
    if arrival.kind is None:
        return None
    return (
        Participant.objects.select_related("study")
        .filter(
            identity__slug=arrival.study.slug,
            identity__kind=arrival.kind,
            identity__key=arrival.key,
        )
        .first()
    )


def _withdrawal(arrival: Arrival) -> Withdrawal | None:
    if arrival.kind is None:
        return None
    return Withdrawal.objects.filter(
        slug=arrival.study.slug, kind=arrival.kind, key=arrival.key
    ).first()


def choose_language(*, participant: Participant, language: str) -> None:
    """Show the pages in `language` from now on."""
    Participant.objects.filter(pk=participant.pk).update(language=language)


def may_reconsider(*, participant: Participant, study: Study, at: datetime) -> bool:
    """Whether somebody who declined could begin now after all; `study` is the current version."""
    if not _may_still_begin(participant):
        return False
    try:
        _check_admission(_version_for(participant, study), participant.source, at)
    except NotAdmitted:
        return False
    return True


@transaction.atomic
def reconsider(*, participant: Participant, study: Study, at: datetime) -> Participant:
    """Undo declining, so that the person can read the information again; they answered nothing.

    No effect for others, and for people who returned their submission: they could not be paid.
    `study` is the current version. Raises NotAdmitted, and has changed nothing then.
    """
    people = Participant.objects.select_for_update(no_key=True, of=("self",))
    person = people.select_related("study").get(pk=participant.pk)
    if not _may_still_begin(person):
        return person
    _undo_declining(person, at)
    return come_back(participant=person, study=study, at=at)


def _may_still_begin(person: Participant, session_id: str = "") -> bool:
    """Whether they declined, and have not returned their submission or have come with another."""
    has_returned = person.returned_at is not None and (
        not session_id or is_submission_of(person, session_id)
    )
    return person.status == Participant.Status.DECLINED and not has_returned


def _undo_declining(person: Participant, at: datetime) -> None:
    person.status, person.ending = Participant.Status.ARRIVED, ""
    person.finished_at = person.returned_at = None
    person.last_seen_at = at
    person.save(update_fields=["status", "ending", "finished_at", "returned_at", "last_seen_at"])
