"""The header of an export of Qualtrics: names, the texts of the questions, and import IDs.

What its columns say is explained at
https://www.qualtrics.com/support/survey-platform/data-and-analysis-module/data/download-data/understanding-your-dataset/
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from survey.files.problems import DefinitionError, Problem, listed

RESPONSE, START, END, DURATION, FINISHED, STATUS = (
    *("ResponseId", "StartDate", "EndDate", "Duration (in seconds)", "Finished", "Status"),
)
#: Under `ResponseId`, in the row of texts; a workbook has only these two rows of headers.
TEXT_OF_RESPONSE = "Response ID"
#: How `Status` calls responses that researchers made to try the survey, or robots for them: in an
#: export of texts, and in one of numbers (preview, test, preview marked as spam, offline preview).
TRIALS = {"survey preview", "survey test", "survey preview spam", "offline survey preview"}
TRIAL_NUMBERS = {"1", "2", "9", "17"}
#: What `Finished` says, in either kind of export.
IS_FINISHED = {"true": True, "1": True, "false": False, "0": False}
_IMPORT_ID = re.compile(r'\s*\{\s*"ImportId"')

Record = tuple[int, list[str]]


@dataclass(frozen=True)
class Qualtrics:
    """What the rows below the names say: in which time zone the times are (empty if they do not say
    it), and the lines of these rows.
    """

    file: str
    lines: list[int]
    time_zone: str

    @property
    def notice(self) -> str:
        """Which lines are not read as rows."""
        lines = " and ".join(map(str, self.lines))
        said = f"lines {lines} are headers" if len(self.lines) > 1 else f"line {lines} is a header"
        return f"{self.file}: this is an export of Qualtrics: {said}, not read as people"


def has_its_columns(columns: Sequence[str]) -> bool:
    """Whether a table may be an export of Qualtrics, by the names of its columns."""
    return any(name in columns for name in (RESPONSE, START, END, FINISHED))


def read_further_headers(
    records: Iterator[Record], columns: Sequence[str], *, file: str
) -> tuple[Qualtrics | None, Iterator[Record]]:
    """What the rows below the names say, None if there are no such rows; and the records after
    them. Raises DefinitionError for a row of import IDs that lacks some.
    """
    first = list(islice(records, 2))
    rest = chain(first, records)
    ids = next((n for n, (_, cells) in enumerate(first) if any(map(_IMPORT_ID.match, cells))), None)
    if ids is not None:
        line, cells = first[ids]
        _refuse_gaps(line, cells, columns, file)
        headers = [line for line, _ in first[: ids + 1]]
        return Qualtrics(file, headers, _time_zone(cells)), islice(rest, ids + 1, None)
    if first and dict(zip(columns, first[0][1], strict=False)).get(RESPONSE) == TEXT_OF_RESPONSE:
        return Qualtrics(file, [first[0][0]], ""), islice(rest, 1, None)
    return None, rest


def _refuse_gaps(line: int, cells: Sequence[str], columns: Sequence[str], file: str) -> None:
    """Below a name without an import ID may be a column that somebody added, or a row of people."""
    filled = dict(zip(columns, cells, strict=False))
    gaps = [name for name in columns if not _IMPORT_ID.match(filled.get(name, ""))]
    if gaps:
        message = (
            "this row has Qualtrics' ImportIds, but none for {}; export the file again, or fill "
            'them with {{"ImportId": ""}}'
        )
        raise DefinitionError([Problem(file, line, 0, message, (listed(gaps),))])


def _time_zone(cells: Sequence[str]) -> str:
    """The time zone that the import IDs of times name."""
    for cell in cells:
        try:
            said = json.loads(cell)
        except (ValueError, RecursionError):
            continue
        if isinstance(said, dict) and isinstance(said.get("timeZone"), str):
            return str(said["timeZone"])
    return ""
