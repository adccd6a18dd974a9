"""Prolific's demographic export, read and checked against a study's questions. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from dashboard.importing.options import EXPIRED, REVOKED
from dashboard.raters.submission_lists import NAMES
from survey.definition.mapping import MappedTable, StudyMap
from survey.definition.questions import Answer, Question
from survey.files.csv_text import from_text
from survey.files.problems import DefinitionError, Problem, Problems
from survey.files.suggestions import did_you_mean
from survey.files.table_file import Columns, TableFile

SUBMISSION, PARTICIPANT = NAMES["submission"], NAMES["participant"]


@dataclass(frozen=True)
class ExportedPerson:
    """A row: the ids that find the person, their answers by question, and those taken back."""

    submission: str = field(repr=False)
    participant: str = field(repr=False)
    answers: dict[str, Answer]
    revoked: list[str]


@dataclass(frozen=True)
class DemographicExport:
    """All rows in file order, and what is worth knowing of the file."""

    people: list[ExportedPerson]
    notices: list[str]


def read_export(
    data: bytes, *, file: str, questions: Sequence[Question], study_map: StudyMap | None = None
) -> DemographicExport:
    """The answers to `questions`, whatever further columns the file has.

    Columns go by name, and capitals make no difference. Raises DefinitionError with every problem,
    each with its line and column.
    """
    table = TableFile(data, file=file, sheet="participants")
    called = _rename(table, questions, study_map)
    names = [question.name for question in questions]
    ids = [name for name in (SUBMISSION, PARTICIPANT) if name in table.columns]
    unread = [name for name in table.columns if name not in (SUBMISSION, PARTICIPANT, *names)]
    columns = Columns(required=ids or (SUBMISSION,), optional=names, ignored=unread)
    rows = MappedTable(table, columns, section="participants", study_map=study_map)
    there = [question for question in questions if question.name in rows.columns]
    absent = _absent(questions, there, unread)
    if not there:
        raise DefinitionError([Problem(file, table.header_line, 0, say) for say in absent])
    notices = [*rows.notices, *(f"{file}: {say}" for say in absent)]
    problems, people = Problems(), list[ExportedPerson]()
    first_line: dict[str, int] = {}
    for line, row in rows.rows(problems, from_text):
        person = ExportedPerson(row.get(SUBMISSION, ""), row.get(PARTICIPANT, ""), {}, [])
        id_ = person.submission or person.participant
        if not id_:
            message = f"{SUBMISSION} and {PARTICIPANT} are empty"
            problems.add(Problem(file, line, 0, message))
        elif (before := first_line.setdefault(id_, line)) != line:
            what = SUBMISSION if person.submission else PARTICIPANT
            problems.add(Problem(file, line, 0, f"{what} is that of line {{}}", (before,)))
        for question in there:
            text = row.get(question.name, "")
            if text == REVOKED:
                person.revoked.append(question.name)
            elif text not in ("", EXPIRED):
                try:
                    plain = table.with_point(text) if question.number else text
                    person.answers[question.name] = question.exported(plain)
                except ValueError as error:
                    where = f"column {called.get(question.name, rows.called(question.name))!r}: "
                    reason, about = str(error), question.name
                    problems.add(Problem(file, line, 0, reason, (text,), about, where=where))
        people.append(person)
    if not people and not problems:
        problems.add(Problem(file, table.header_line, 0, "there are no rows below the header"))
    if problems:
        raise DefinitionError(problems)
    return DemographicExport(people, notices)


def _rename(
    table: TableFile, questions: Sequence[Question], study_map: StudyMap | None
) -> dict[str, str]:
    """Call the table's columns as ours; what it called each question. A mapping file goes first."""
    mapped = study_map.sections.get("participants") if study_map else None
    by_map = mapped.columns if mapped else {}
    ours = {name: name for name in (SUBMISSION, PARTICIPANT)}
    ours |= {
        question.column or question.name: question.name
        for question in questions
        if question.name not in by_map
    }
    theirs = list(table.columns)
    table.rename(ours)
    return dict(zip(table.columns, theirs, strict=True))


def _absent(
    questions: Sequence[Question], there: Sequence[Question], columns: Sequence[str]
) -> list[str]:
    """The questions that the file has no column for."""
    return [
        f"there is no column {name!r}, so question {question.name!r} gets no answers"
        + did_you_mean(name, columns)
        for question in questions
        if question not in there
        for name in [question.column or question.name]
    ]
