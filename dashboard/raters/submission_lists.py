"""Prolific's lists of submissions as they are exported: read and checked. Pure.

A study that several studies on Prolific recruit for has several lists.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from survey.definition.csv_file import CsvFile
from survey.definition.problems import DefinitionError, Problem

COLUMNS = {"submission": "Submission id", "participant": "Participant id", "status": "Status"}
#: May be absent: what people entered at the end.
CODE = "Completion code"
#: What Prolific writes where somebody entered no code.
NO_CODE = "NOCODE"
RETURNED, TIMED_OUT = "RETURNED", "TIMED-OUT"
STATUSES = {
    "RESERVED", "ACTIVE", TIMED_OUT, "AWAITING REVIEW", "APPROVED", "PARTIALLY APPROVED",
    "REJECTED", RETURNED, "SCREENED OUT", "UNKNOWN",
}  # fmt: skip


@dataclass(frozen=True)
class ListedSubmission:
    """One row of a list, and where it stands. `code` is empty where none was entered."""

    id: str
    participant: str
    status: str
    code: str = ""
    file: str = ""
    line: int = 0

    def agrees_with(self, other: "ListedSubmission") -> bool:
        """Whether both say the same about a submission."""
        return (self.participant, self.status, self.code) == (
            other.participant,
            other.status,
            other.code,
        )


@dataclass(frozen=True)
class SubmissionLists:
    """All rows, each submission once, and the files that have no column of codes."""

    submissions: list[ListedSubmission]
    without_codes: list[str]


def read_submissions(files: Iterable[tuple[str, bytes]]) -> SubmissionLists:
    """The rows of lists by the names of their files, whatever further columns they have.

    A submission may be in two lists that say the same of it. Raises DefinitionError with every
    problem of every file, each with its line and column.
    """
    problems: list[Problem] = []
    without_codes: list[str] = []
    found: dict[str, ListedSubmission] = {}
    for file, data in files:
        try:
            rows, has_codes = _read_list(data, file)
        except DefinitionError as error:
            problems += error.problems
            continue
        if not has_codes:
            without_codes.append(file)
        for row, column in rows:
            before = found.setdefault(row.id, row)
            if not before.agrees_with(row):
                message = (
                    f"{before.file}, line {before.line} says something else of this submission: "
                    "give the newest list of each study on Prolific alone"
                )
                problems.append(Problem(file, row.line, column, message))
    if problems:
        raise DefinitionError(problems)
    return SubmissionLists(list(found.values()), without_codes)


def _read_list(data: bytes, file: str) -> tuple[list[tuple[ListedSubmission, int]], bool]:
    """The rows of one list, each with the column of its id, and whether it has codes."""
    csv = CsvFile(data, file=file)
    places = {name.casefold(): number for number, name in enumerate(csv.columns)}
    missing = [name for name in COLUMNS.values() if name.casefold() not in places]
    if missing:
        raise DefinitionError(
            Problem(file, 1, 0, f"column {name!r} is missing") for name in missing
        )
    at = {part: places[name.casefold()] for part, name in COLUMNS.items()}
    code_at = places.get(CODE.casefold())
    problems: list[Problem] = []
    rows: list[tuple[ListedSubmission, int]] = []
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
        code = "" if code_at is None else cells[code_at].strip().upper()
        submission = ListedSubmission(
            row["submission"],
            row["participant"],
            status,
            "" if code == NO_CODE else code,
            file,
            line,
        )
        rows.append((submission, at["submission"] + 1))
    if problems:
        raise DefinitionError(problems)
    return rows, code_at is not None
