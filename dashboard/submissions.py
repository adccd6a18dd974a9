"""Prolific's list of submissions: whoever returned theirs, or ran out of time, frees their place.

Prolific's ids are looked up and forgotten: results name people by pseudonym.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction

from survey import models
from survey.definition import DefinitionError, Problem
from survey.definition.csv_file import CsvFile
from survey.models import Identity, Participant, Place, Study, StudyEvent
from survey.places import hold_again, locked

Status = Participant.Status

COLUMNS = {"submission": "Submission id", "participant": "Participant id", "status": "Status"}
RETURNED, TIMED_OUT = "RETURNED", "TIMED-OUT"
STATUSES = {
    "RESERVED", "ACTIVE", TIMED_OUT, "AWAITING REVIEW", "APPROVED", "PARTIALLY APPROVED",
    "REJECTED", RETURNED, "SCREENED OUT", "UNKNOWN",
}  # fmt: skip


@dataclass(frozen=True)
class Submission:
    """One row of the list."""

    id: str
    participant: str
    status: str


def read_submissions(data: bytes, *, file: str) -> list[Submission]:
    """The rows of a list as Prolific exports it, whatever further columns it has.

    Raises DefinitionError with every problem, each with its line and column.
    """
    csv = CsvFile(data, file=file)
    places = {name.casefold(): number for number, name in enumerate(csv.columns)}
    missing = [name for name in COLUMNS.values() if name.casefold() not in places]
    if missing:
        raise DefinitionError(
            Problem(file, 1, 0, f"column {name!r} is missing") for name in missing
        )
    at = {part: places[name.casefold()] for part, name in COLUMNS.items()}
    problems: list[Problem] = []
    submissions: list[Submission] = []
    first_line: dict[str, int] = {}
    for line, cells in csv.records():
        if len(cells) != len(csv.columns):
            found = f"{len(cells)} cells where the header has {len(csv.columns)}"
            problems.append(Problem(file, line, 0, found))
            continue
        row = {part: cells[place].strip() for part, place in at.items()}
        status = row["status"].upper().replace("_", " ").replace("TIMED OUT", TIMED_OUT)
        problems += [
            Problem(file, line, at[part] + 1, f"{COLUMNS[part]} is empty")
            for part in ("submission", "participant")
            if not row[part]
        ]
        if status not in STATUSES:
            message = f"{row['status']!r} is none of Prolific's statuses"
            problems.append(Problem(file, line, at["status"] + 1, message))
        before = first_line.setdefault(row["submission"], line)
        if row["submission"] and before != line:
            message = f"this submission stands on line {before} already"
            problems.append(Problem(file, line, at["submission"] + 1, message))
        submissions.append(Submission(row["submission"], row["participant"], status))
    if problems:
        raise DefinitionError(problems)
    return submissions


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
    #: People of the list whom this version of the study does not know.
    unknown: int = 0
    #: People who are known, but came with a submission that the list does not have.
    elsewhere: int = 0

    @property
    def changed(self) -> bool:
        """Whether anything is different from before."""
        return bool(self.returned or self.back or self.freed or self.placed)


@transaction.atomic
def apply_submissions(
    *,
    study: Study,
    submissions: Iterable[Submission],
    at: datetime,
    author: User | None = None,
) -> Applied:
    """Mark who returned, and free the places of those who returned or timed out.

    Somebody with another submission that goes on has done neither. Who has completed the survey
    and timed out all the same keeps their place; who has completed and returned does not: their
    answers stay, and somebody else may come. Where it is known with which submission somebody
    came, a list without it is that of another study, and says nothing about them here. The same
    list again changes nothing.
    """
    by_person: dict[str, dict[str, str]] = {}
    for submission in submissions:
        by_person.setdefault(submission.participant, {})[submission.id] = submission.status
    identities = Identity.objects.filter(participant__study=study, kind=Identity.Kind.PROLIFIC)
    known = [identity for identity in identities if identity.key in by_person]
    sessions = sessions_of(identity.participant_id for identity in known)
    statuses = {
        identity.participant_id: set(by_person[identity.key].values())
        for identity in known
        if not (came := sessions[identity.participant_id]) or came & by_person[identity.key].keys()
    }
    # Not so strongly locked that an analysis could not refer to them; see survey.withdrawal.
    rows = Participant.objects.select_for_update(no_key=True)
    people = list(rows.filter(pk__in=statuses).order_by("pk"))
    locked(study.pk)  # before any place: whoever begins takes theirs in the same order
    holders = set(
        Place.objects.filter(participant__in=people).values_list("participant", flat=True)
    )
    applied = Applied(unknown=len(by_person) - len(known), elsewhere=len(known) - len(people))
    for person in people:
        _apply(person, statuses[person.pk], person.pk in holders, applied, at)
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


def sessions_of(participants: Iterable[int]) -> defaultdict[int, set[str]]:
    """The submissions with which participants came, as far as they are known."""
    sessions: defaultdict[int, set[str]] = defaultdict(set)
    came = models.Submission.objects.filter(participant__in=list(participants))
    for participant, session in came.values_list("participant", "session_id"):
        sessions[participant].add(session)
    return sessions


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
        Place.objects.filter(participant=person).update(participant=None)
        applied.freed.append(person.pseudonym)


def in_words(applied: Applied) -> list[str]:
    """What happened, line by line."""
    lines = [
        f"{text}: {', '.join(names)}."
        for text, names in (
            ("Marked as returned", applied.returned),
            ("No longer marked as returned", applied.back),
            ("Places freed", applied.freed),
            ("Completed, and hold a place again", applied.placed),
            ("Timed out but completed here, left as they are", applied.completed),
        )
        if names
    ]
    if not applied.changed:
        lines.insert(0, "Nothing has changed.")
    if applied.unknown:
        lines.append(
            f"{applied.unknown} of the list {'is' if applied.unknown == 1 else 'are'} not known "
            "to this version of the study."
        )
    if applied.elsewhere:
        lines.append(
            f"{applied.elsewhere} of the list came here with a submission that the list does not "
            "have, and stay as they are: is it the list of another study?"
        )
    return lines
