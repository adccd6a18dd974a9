"""Answers from Prolific's demographic export, stored with the people who came here.

Prolific's ids are looked up and forgotten: they are neither stored nor logged.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, F

from analysis.catalogue.number_text import noun
from dashboard.importing.files import ImportRefused
from dashboard.importing.mapping import known_in
from dashboard.importing.ratings import vocabulary_of
from dashboard.prolific.demographic_exports import ExportedPerson, read_export
from dashboard.shared.chunk_counts import counted_in_chunks
from survey.batched import batched
from survey.definition.mapping import StudyMap
from survey.files.apart import read_apart
from survey.models import (
    DemographicAnswer,
    Identity,
    Participant,
    Study,
    StudyEvent,
    Submission,
)
from survey.tidy import definition_of, reading

#: Answers that are written together.
AT_ONCE = 500
#: More than the id of any event: `person × MOST_EVENTS + event` tells both.
MOST_EVENTS = 1_000_000_000
#: The name of a file, and what is in it.
NamedFile = tuple[str, bytes]


@dataclass
class ImportedAnswers:
    """What an export has changed, and what it has not."""

    added: int = 0
    replaced: int = 0
    removed: int = 0
    #: As they are already.
    unchanged: int = 0
    #: Answers that people gave themselves, where the export has others: left as they are.
    own: int = 0
    people: int = 0
    #: Rows about nobody who came here; about people who did not agree to take part; and rows whose
    #: submission came here with another person.
    unknown: int = 0
    without_consent: int = 0
    contradictory: int = 0

    @property
    def counts(self) -> dict[str, int]:
        """What changed, as it is recorded."""
        return {
            "added": self.added,
            "replaced": self.replaced,
            "removed": self.removed,
        }

    @property
    def in_words(self) -> list[str]:
        """What happened, line by line."""
        changed = ", ".join(f"{n} {what}" for what, n in self.counts.items() if n)
        people = f"{self.people} {noun(self.people, 'participant')} found."
        lines = [f"{people} {f'Answers: {changed}' if changed else 'Nothing has changed'}."]
        for n, what, why in (
            (self.own, "answer", "to questions that participants answered themselves"),
            (self.unknown, "row", "of people who never came here"),
            (self.without_consent, "row", "of people who did not agree to take part"),
            (self.contradictory, "row", "with a submission that came here with another person"),
        ):
            if n:
                lines.append(f"Not stored: {n} {noun(n, what)} {why}.")
        return lines


def import_demographics(
    *,
    study: Study,
    export: NamedFile,
    at: datetime,
    author: User | None = None,
    mapping: NamedFile | None = None,
    preview: bool = False,
) -> tuple[ImportedAnswers, list[str]]:
    """Store what Prolific's export says of the people of a study; also what is worth knowing of the
    file. The same file again changes nothing. A preview says what would change, and stores nothing.

    Raises ImportRefused, and DefinitionError with every problem of the files; both change nothing.
    """
    questions = definition_of(study).prolific_demographics
    if not questions:
        raise ImportRefused(
            f"No question of {study} takes its answers from Prolific: give one "
            "`source: prolific` in study.yaml."
        )
    study_map = _map_of(study, mapping) if mapping else None
    name, data = export
    read = read_apart(name, read_export, data, file=name, questions=questions, study_map=study_map)
    return _store(study, read.people, at, author, preview=preview), read.notices


def imported_answers(study: Study) -> tuple[dict[str, int], StudyEvent | None]:
    """How many answers to each question were imported, by its name; and the newest import."""
    imports = study.events.filter(action=StudyEvent.DEMOGRAPHICS_IMPORTED)
    newest = imports.select_related("author").order_by("-id").first()
    if newest is None:
        return {}, None
    imported = DemographicAnswer.objects.filter(imported_at__isnull=False).order_by()

    def count(ids: range) -> Mapping[str, int]:
        people = study.participants.filter(id__gte=ids.start, id__lt=ids.stop)
        names = imported.filter(participant__in=people).values_list("name")
        return dict(names.annotate(n=Count("id")))

    with reading():
        counts = counted_in_chunks(
            study,
            "imported demographics",
            study.participants.all(),
            count,
            state=F("id") * MOST_EVENTS + newest.pk,
        )
    return dict(counts), newest if counts else None


def _map_of(study: Study, mapping: NamedFile) -> StudyMap:
    """A mapping file, which may also rename answers to the study's options."""
    known = known_in(vocabulary_of(study))
    options = {
        question.name: question.offered
        for question in definition_of(study).prolific_demographics
        if question.categories
    }
    name, data = mapping
    known = replace(known, names={**known.names, **options})
    return read_apart(name, StudyMap, data, file=name, known=known)


@transaction.atomic
def _store(
    study: Study,
    rows: Iterable[ExportedPerson],
    at: datetime,
    author: User | None,
    *,
    preview: bool,
) -> ImportedAnswers:
    done = ImportedAnswers()
    matched = _matched(study, rows, done)
    agreed = _agreed(study, matched)
    done.people, done.without_consent = len(agreed), len(matched) - len(agreed)
    changes = _changes(study, {person: matched[person] for person in agreed}, done, at, author)
    changes.store()
    done.added, done.replaced = len(changes.added), len(changes.replaced)
    done.removed = len(changes.removed)
    changed = {what: n for what, n in done.counts.items() if n}
    if changed:
        imported = StudyEvent.DEMOGRAPHICS_IMPORTED
        StudyEvent.objects.create(study=study, author=author, action=imported, detail=changed)
    if preview:
        transaction.set_rollback(True)  # counted as it would be stored
    return done


@dataclass(frozen=True)
class _Changes:
    """Answers to add and to replace, and the ids of those to remove."""

    added: list[DemographicAnswer] = field(default_factory=list)
    replaced: list[DemographicAnswer] = field(default_factory=list)
    removed: list[int] = field(default_factory=list)

    def store(self) -> None:
        answers = DemographicAnswer.objects
        answers.bulk_create(self.added)
        columns = ["value", "imported_at", "imported_by"]
        answers.bulk_update(self.replaced, columns, batch_size=AT_ONCE)
        for some in batched(self.removed, AT_ONCE):
            answers.filter(pk__in=some).delete()


def _changes(
    study: Study,
    rows: Mapping[int, ExportedPerson],
    done: ImportedAnswers,
    at: datetime,
    author: User | None,
) -> _Changes:
    """What the rows of people change; answers that stay as they are are counted in `done`."""
    changes = _Changes()
    known = {
        (answer.participant_id, answer.name): answer
        for answer in DemographicAnswer.objects.filter(participant__study=study)
    }
    for person, row in rows.items():
        for name, value in row.answers.items():
            before = known.get((person, name))
            new = DemographicAnswer(
                pk=before.pk if before else None,
                participant_id=person,
                name=name,
                value=value,
                imported_at=at,
                imported_by=author,
            )
            if before is None:
                changes.added.append(new)
            elif before.value == value:
                done.unchanged += 1
            elif before.imported_at is None:
                done.own += 1
            else:
                changes.replaced.append(new)
        before_revoked = (known.get((person, name)) for name in row.revoked)
        changes.removed.extend(
            one.pk for one in before_revoked if one and one.imported_at is not None
        )
    return changes


def _agreed(study: Study, matched: Collection[int]) -> list[int]:
    """Who of the people that were found agreed to take part, locked.

    The lock is weak: who withdraws waits until the new answers can be deleted too.
    """
    people = Participant.objects.select_for_update(no_key=True).filter(study=study).order_by("pk")
    return [
        person.pk
        for person in people
        if person.pk in matched
        and person.consented_at is not None
        and person.status != Participant.Status.DECLINED
    ]


def _matched(
    study: Study, rows: Iterable[ExportedPerson], done: ImportedAnswers
) -> dict[int, ExportedPerson]:
    """The row of each person, by participant. Of several rows, the last of a submission that the
    person came with counts; if there is none, the last with their id.
    """
    identities = Identity.objects.filter(participant__study=study, kind=Identity.Kind.PROLIFIC)
    keys = dict(identities.values_list("participant_id", "key"))
    people = {key: person for person, key in keys.items()}
    sessions: dict[str, set[int]] = {}
    came = Submission.objects.filter(participant__study=study).exclude(session_id="")
    for session, person in came.values_list("session_id", "participant_id"):
        sessions.setdefault(session, set()).add(person)
    by_submission: dict[int, ExportedPerson] = {}
    by_id: dict[int, ExportedPerson] = {}
    for row in rows:
        brought = sessions.get(row.submission, set())
        named = people.get(row.participant)
        theirs = {one for one in brought if row.participant in ("", keys.get(one, row.participant))}
        if len(theirs) == 1:
            by_submission[theirs.pop()] = row
        elif brought and named is None:
            done.contradictory += 1
        elif named is None:
            done.unknown += 1
        else:
            by_id[named] = row
    return by_id | by_submission
