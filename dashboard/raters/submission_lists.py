"""Prolific's lists of submissions as they are exported: read and checked. Pure.

A study that several studies on Prolific recruit for has several lists.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from survey.files.problems import DefinitionError, Problem, Problems
from survey.files.suggestions import did_you_mean
from survey.files.table_file import Columns, TableFile

NAMES = {"submission": "Submission id", "participant": "Participant id", "status": "Status"}
#: May be absent: what people entered at the end, and Prolific's times.
CODE, STARTED, COMPLETED = "Completion code", "Started at", "Completed at"
#: Of a list; capitals make no difference, and whatever else Prolific tells is not read.
SUBMISSIONS = Columns(required=tuple(NAMES.values()), optional=(CODE, STARTED, COMPLETED))
#: What Prolific writes for people who entered no code.
NO_CODE = "NOCODE"
RETURNED, TIMED_OUT = "RETURNED", "TIMED-OUT"
STATUSES = {
    "RESERVED", "ACTIVE", TIMED_OUT, "AWAITING REVIEW", "APPROVED", "PARTIALLY APPROVED",
    "REJECTED", RETURNED, "SCREENED OUT", "UNKNOWN",
}  # fmt: skip


@dataclass(frozen=True)
class ListedSubmission:
    """One row of a list with its file and line. `code` is empty if none was entered, or if the
    list has no codes (`has_code`).
    """

    id: str
    participant: str
    status: str
    code: str = ""
    file: str = ""
    line: int = 0
    has_code: bool = True
    started_at: datetime | None = None
    completed_at: datetime | None = None
    return_requested_at: datetime | None = None
    #: The study on Prolific; lists do not name it.
    prolific_study: str = ""

    def agrees_with(self, other: "ListedSubmission") -> bool:
        """Whether both say the same about a submission."""
        return (self.participant, self.status, self.code) == (
            other.participant,
            other.status,
            other.code,
        )


@dataclass(frozen=True)
class SubmissionLists:
    """All rows, each submission once, the files that have no column of codes, and what is worth
    knowing of the files.
    """

    submissions: list[ListedSubmission]
    without_codes: list[str]
    notices: list[str]


def read_submissions(files: Iterable[tuple[str, bytes]]) -> SubmissionLists:
    """The rows of lists by the names of their files, whatever further columns they have.

    A submission may be in two lists that say the same of it. Raises DefinitionError with every
    problem of every file, each with its line and column.
    """
    problems = Problems()
    without_codes: list[str] = []
    notices: list[str] = []
    submissions: dict[str, ListedSubmission] = {}
    for file, data in files:
        try:
            table = TableFile(data, file=file, sheet="submissions")
            rows = _read_list(table)
        except DefinitionError as error:
            problems.extend(error.problems)
            continue
        notices += table.notices
        if CODE not in table.columns:
            without_codes.append(file)
        for row, column in rows:
            before = submissions.setdefault(row.id, row)
            if not before.agrees_with(row):
                message = (
                    "this submission differs from {}, line {}: "
                    "upload only the newest list of each study on Prolific"
                )
                values = (before.file, before.line)
                problems.add(Problem(file, row.line, column, message, values))
    if problems:
        raise DefinitionError(problems)
    return SubmissionLists(list(submissions.values()), without_codes, notices)


def _read_list(table: TableFile) -> list[tuple[ListedSubmission, int]]:
    """The rows of one list, each with the column of its id."""
    file = table.file
    table.rename({name: name for name in (*SUBMISSIONS.required, *SUBMISSIONS.optional)})
    header_problems, _ = table.header_problems(SUBMISSIONS)
    if header_problems:
        raise DefinitionError(header_problems)
    at = {part: table.columns.index(name) for part, name in NAMES.items()}
    maybe_at = {
        name: table.columns.index(name) for name in SUBMISSIONS.optional if name in table.columns
    }
    problems, unknown = Problems(), Problems()
    rows: list[tuple[ListedSubmission, int]] = []
    first_line: dict[str, int] = {}
    for line, cells in table.records(problems):
        row = {part: cells[place].strip() for part, place in at.items()}
        status = row["status"].upper().replace("_", " ").replace("TIMED OUT", TIMED_OUT)
        problems.extend(
            Problem(file, line, at[part] + 1, f"{NAMES[part]} is empty")
            for part in ("submission", "participant")
            if not row[part]
        )
        if status not in STATUSES:
            near = did_you_mean(row["status"], sorted(STATUSES))
            message = "{!r} is none of Prolific's statuses" + near
            unknown.add(Problem(file, line, at["status"] + 1, message, (row["status"],)))
            continue
        before = first_line.setdefault(row["submission"], line)
        if row["submission"] and before != line:
            message = "submission {!r} is on line {} already"
            values = (row["submission"], before)
            problems.add(Problem(file, line, at["submission"] + 1, message, values))
        maybe = {name: cells[place].strip() for name, place in maybe_at.items()}
        submission = ListedSubmission(
            row["submission"],
            row["participant"],
            status,
            entered(maybe.get(CODE)),
            file,
            line,
            has_code=CODE in maybe,
            started_at=_time(maybe.get(STARTED, "")),
            completed_at=_time(maybe.get(COMPLETED, "")),
        )
        rows.append((submission, at["submission"] + 1))
    if not rows:
        problems.extend(unknown)
    if not rows and not problems:
        message = "there are no submissions below the header; leave this list out"
        problems.add(Problem(file, table.header_line, 0, message))
    if problems:
        raise DefinitionError(problems)
    table.notices += [f"{problem}: left as it was" for problem in unknown]
    return rows


def entered(code: str | None) -> str:
    """A completion code in capitals; empty if none was entered."""
    code = (code or "").strip().upper()
    return "" if code == NO_CODE else code


def _time(text: str) -> datetime | None:
    """A time of a list. None for what is none, such as DATA_EXPIRED, or a spreadsheet's own form:
    a comparison does not depend on times.
    """
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return None
    return at if at.tzinfo else at.replace(tzinfo=UTC)
