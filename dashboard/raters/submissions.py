"""What Prolific's lists of submissions change: who returned or timed out frees their place.

The lists are stored (`stored_submissions`); results name people by pseudonym.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from itertools import chain

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet

from dashboard.raters.models import SubmissionOnProlific
from dashboard.raters.stored_submissions import store_submissions
from dashboard.raters.submission_lists import (
    RETURNED,
    TIMED_OUT,
    ListedSubmission,
    SubmissionLists,
    read_submissions,
)
from dashboard.shared.stand_in import prolific_is_local
from survey.files.apart import read_apart
from survey.files.problems import DefinitionError, Problem
from survey.models import Identity, Participant, Slot, Study, StudyEvent, Submission
from survey.slots import free_slot, hold_again, locked

Status = Participant.Status


def sessions_of(people: Sequence[int]) -> dict[int, set[str]]:
    """The submissions with which people came, by participant; none where it is not known."""
    rows = Submission.objects.filter(participant__in=people)
    sessions: dict[int, set[str]] = {person: set() for person in people}
    for person, session in rows.values_list("participant_id", "session_id"):
        sessions[person].add(session)
    return sessions


def from_prolific(study: Study) -> QuerySet[Participant]:
    """Who came to a version of a study from Prolific: from a local one, simulated people too."""
    people = study.participants.filter(identity__kind=Identity.Kind.PROLIFIC)
    if prolific_is_local():
        return people
    return people.exclude(source=Participant.Source.SIMULATED)


def by_prolific_ids(study: Study, ids: Collection[str]) -> QuerySet[Participant]:
    """Those of them with these Prolific IDs, in any order."""
    # An index has identities by slug, kind and key. In an order, or without the slug, SQLite goes
    # through all people of the study.
    people = from_prolific(study).filter(identity__slug=study.slug, identity__key__in=ids)
    return people.order_by()


@dataclass(frozen=True)
class Matched:
    """Who of a study lists are about, by participant, with the rows that are about them.

    `elsewhere` came with submissions of which the lists have none, so they say nothing about them
    here. `unknown` are the rows of people whom this version does not know.
    """

    here: dict[int, list[ListedSubmission]]
    elsewhere: list[int]
    unknown: list[ListedSubmission]


def match(study: Study, by_person: Mapping[str, Sequence[ListedSubmission]]) -> Matched:
    """Find people of lists, by Prolific ID, among those who came to the study from Prolific."""
    came = by_prolific_ids(study, by_person.keys())
    people = dict(sorted(came.values_list("pk", "identity__key")))
    sessions = sessions_of(list(people))
    matched = Matched({}, [], [])
    for person, key in people.items():
        rows = list(by_person[key])
        if sessions[person] and sessions[person].isdisjoint(row.id for row in rows):
            matched.elsewhere.append(person)
        else:
            matched.here[person] = rows
    known = set(people.values())
    matched.unknown.extend(row for p, rows in by_person.items() if p not in known for row in rows)
    return matched


#: Submissions that are matched and stored at a time, so that nobody who answers waits for more.
PART = 1_000


def parts_of(
    submissions: Iterable[ListedSubmission],
) -> Iterator[dict[str, list[ListedSubmission]]]:
    """Rows of lists by person, about `PART` at a time; those of a person stay together."""
    by_person: dict[str, list[ListedSubmission]] = {}
    for submission in submissions:
        by_person.setdefault(submission.participant, []).append(submission)
    part: dict[str, list[ListedSubmission]] = {}
    size = 0
    for person, rows in by_person.items():
        if part and size + len(rows) > PART:
            yield part
            part, size = {}, 0
        part[person] = rows
        size += len(rows)
    if part:
        yield part


def read_lists(study: Study, files: Iterable[tuple[str, bytes]]) -> SubmissionLists:
    """Lists by the names of their files. Raises DefinitionError, also for submissions of another
    study here, of which nobody came to this one.
    """
    files = list(files)
    lists = read_apart(", ".join(name for name, _ in files), read_submissions, files)
    unknown = [row for part in parts_of(lists.submissions) for row in match(study, part).unknown]
    elsewhere = _submissions_elsewhere(study) if unknown else set()
    foreign = [row for row in unknown if row.id in elsewhere]
    if foreign:
        message = "this submission is of another study here"
        raise DefinitionError(Problem(row.file, row.line, 0, message) for row in foreign)
    return lists


def _submissions_elsewhere(study: Study) -> set[str]:
    stored = SubmissionOnProlific.objects.exclude(slug=study.slug)
    came = Submission.objects.exclude(participant__study__slug=study.slug)
    return {
        *stored.values_list("submission_id", flat=True).iterator(),
        *came.values_list("session_id", flat=True).iterator(),
    }


@dataclass
class Applied:
    """What a list has changed, by pseudonym, and what it has not."""

    returned: list[str] = field(default_factory=list)
    #: Marked before, and back according to this list.
    back: list[str] = field(default_factory=list)
    freed: list[str] = field(default_factory=list)
    #: Timed out on Prolific, but completed here: left as they are.
    completed: list[str] = field(default_factory=list)
    #: Completed here, and holding a place again that they had lost.
    placed: list[str] = field(default_factory=list)
    #: People of the list that this version of the study does not know.
    unknown: int = 0
    #: People who are known, but came with a submission that the list does not have.
    elsewhere: int = 0

    @property
    def changed(self) -> bool:
        """Whether anything is different from before."""
        return bool(self.returned or self.back or self.freed or self.placed)

    def add(self, more: "Applied") -> None:
        """Add what another part of the list has changed."""
        for each in fields(self):
            setattr(self, each.name, getattr(self, each.name) + getattr(more, each.name))


def apply_submissions(
    *,
    study: Study,
    submissions: Iterable[ListedSubmission],
    at: datetime,
    author: User | None = None,
) -> Applied:
    """Store the submissions, mark people who returned, and free the slots of people who returned
    or timed out.

    People with another active submission have done neither. People who completed the survey but
    timed out keep their slot. People who completed and returned lose it: their answers stay, and
    another person may come. If a person's submission is known, a list without it is of another
    study and is ignored for them. The same list again changes nothing, and goes on where an
    interrupted one ended: a long list is stored `PART` by `PART`.
    """
    applied = Applied()
    for part in parts_of(submissions):
        applied.add(_apply_part(study, part, at, author))
    return applied


@transaction.atomic
def _apply_part(
    study: Study,
    by_person: Mapping[str, Sequence[ListedSubmission]],
    at: datetime,
    author: User | None,
) -> Applied:
    matched = match(study, by_person)
    # Not so strongly locked that an analysis could not refer to them; see survey.withdrawal.
    rows = Participant.objects.select_for_update(no_key=True)
    people = list(rows.filter(pk__in=list(matched.here)).order_by("pk"))
    locked(study.pk)  # before any slot: people who begin take theirs in the same order
    store_submissions(study, chain.from_iterable(by_person.values()), at=at)
    holders = set(Slot.objects.filter(participant__in=people).values_list("participant", flat=True))
    unknown = len({submission.participant for submission in matched.unknown})
    applied = Applied(unknown=unknown, elsewhere=len(matched.elsewhere))
    for person in people:
        statuses = {submission.status for submission in matched.here[person.pk]}
        _apply(person, statuses, person.pk in holders, applied, at)
    if applied.changed:
        counts = {
            "returned": len(applied.returned),
            "back": len(applied.back),
            "places freed": len(applied.freed),
            "places held again": len(applied.placed),
            "unknown": applied.unknown,
            "with another submission": applied.elsewhere,
        }
        StudyEvent.objects.create(study=study, author=author, action="submissions", detail=counts)
    return applied


def _apply(
    person: Participant, statuses: set[str], holds_place: bool, applied: Applied, at: datetime
) -> None:
    gone = statuses <= {RETURNED, TIMED_OUT}
    if person.status == Status.COMPLETED and gone and RETURNED not in statuses:
        applied.completed.append(person.pseudonym)
        return
    if gone and RETURNED in statuses and person.returned_at is None:
        person.returned_at = at
        person.save(update_fields=["returned_at"])
        applied.returned.append(person.pseudonym)
    elif not gone and person.returned_at is not None:
        person.returned_at = None
        person.save(update_fields=["returned_at"])
        applied.back.append(person.pseudonym)
    if person.status == Status.COMPLETED and not gone:
        if not holds_place and hold_again(participant=person, at=at):
            applied.placed.append(person.pseudonym)
        return
    if gone and holds_place:
        free_slot(person)
        applied.freed.append(person.pseudonym)


def in_words(applied: Applied) -> list[str]:
    """What happened, line by line."""
    lines = [
        f"{text}: {', '.join(names)}."
        for text, names in (
            ("Marked as returned", applied.returned),
            ("No longer marked as returned", applied.back),
            ("Slots freed", applied.freed),
            ("Completed, slot given back", applied.placed),
            ("Timed out but completed here, unchanged", applied.completed),
        )
        if names
    ]
    if not applied.changed:
        lines.insert(0, "No place has changed.")
    if applied.unknown:
        lines.append(
            f"{applied.unknown} of the list {'is' if applied.unknown == 1 else 'are'} not known "
            "to this version of the study. Is it the list of another study?"
        )
    return lines
