"""What gold.csv says, checked against a study. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from statistics import fmean

from dashboard.importing.checks import CELL, MADE_FROM, TEXTS, CellReader, needed_in
from dashboard.importing.files import Findings, Row, TidyFile
from dashboard.importing.people import Vocabulary
from survey.definition.mapping import StudyMap
from survey.files.problems import DefinitionError
from survey.files.table_file import Columns, TableFile

CALL = "call_"
GOLD = Columns(
    required=(*CELL, "dimension", "gold"),
    optional=("gold_by", *TEXTS),
    numbered=CALL,
    made_from=MADE_FROM,
)

#: A file of drawn responses (`dashboard.judges.label_drawing`): by their ids, blind.
RESPONSE_ID = "response_id"
DRAWN = Columns(
    required=(RESPONSE_ID, "dimension", "gold"),
    optional=("gold_by",),
    ignored=("number", "context", "prompt", "response"),
    numbered=CALL,
)

#: Of who made the scores, as far as the database keeps it.
LONGEST_NAME = 200


@dataclass(frozen=True)
class GoldValue:
    """A row of gold.csv."""

    line: int
    response: int
    dimension: str
    value: float
    #: By call; None where that one has no score.
    calls: list[float | None]
    gold_by: str


def read_gold(
    data: bytes,
    file: str,
    vocabulary: Vocabulary,
    findings: Findings,
    *,
    study_map: StudyMap | None = None,
) -> list[GoldValue]:
    """Each response's gold score once, however often the response is shown. Rows name their
    response, or have its `response_id`.

    All of them have one maker, named in `gold_by` or in no row.
    """
    by_id = study_map is None and RESPONSE_ID in _header(data, file)
    columns = needed_in(vocabulary, DRAWN if by_id else GOLD)
    table = TidyFile(data, file, columns, findings, kind="gold", study_map=study_map)
    calls = [name for name in table.columns if re.fullmatch(f"{CALL}[0-9]+", name)]
    if not vocabulary.scale:
        table.problem(1, "", "the study has no ratings, so it has no gold scores")
        return []
    cells = CellReader(table, vocabulary)
    by_response: dict[tuple[int, str], GoldValue] = {}
    places: set[tuple[tuple[int, int], str]] = set()
    first_maker: str | None = None
    # a file of drawn responses is not filled in yet where it has no score
    for line, row in table.rows(of=() if by_id else ["gold", *calls]):
        gold_by = row.get("gold_by", "")
        first_maker = gold_by if first_maker is None else first_maker
        if gold_by != first_maker:
            reason = "{!r} where the first row has {!r}; a study has one source"
            table.problem(line, "gold_by", reason, gold_by, first_maker)
        elif len(gold_by) > LONGEST_NAME:
            table.problem(line, "gold_by", f"is longer than {LONGEST_NAME} characters")
        cell = _drawn_cell(table, line, row, vocabulary) if by_id else cells.cell(line, row)
        dimension = cells.dimension(line, row)
        value, single = _scores(table, line, row, calls, vocabulary.scale)
        if cell is None or dimension is None or value is None:
            continue
        if (cell, dimension) in places:
            table.problem(line, "", "this response has a gold score in this set already")
        places.add((cell, dimension))
        gold = GoldValue(line, cell[1], dimension, value, single, gold_by)
        first = by_response.setdefault((cell[1], dimension), gold)
        if first.value != value:
            reason = "{} differs from line {}, where the same response has {}"
            table.problem(line, "gold", reason, row["gold"], first.line, first.value)
    return list(by_response.values())


def _header(data: bytes, file: str) -> list[str]:
    """The names of a file's columns; none of one that is no table, which TidyFile says."""
    try:
        return TableFile(data, file=file, sheet="gold").columns
    except DefinitionError:
        return []


def _drawn_cell(
    table: TidyFile, line: int, row: Row, vocabulary: Vocabulary
) -> tuple[int, int] | None:
    """(block, response) of an id; an unknown one is noted as a problem."""
    cell = vocabulary.public_ids.get(row[RESPONSE_ID])
    if cell is None:
        reason = "{!r} is not the id of a response of this version of the study"
        table.problem(line, RESPONSE_ID, reason, row[RESPONSE_ID])
    return cell


def _scores(
    table: TidyFile, line: int, row: Row, calls: Sequence[str], scale: Sequence[float]
) -> tuple[float | None, list[float | None]]:
    """A row's gold score, and the single scores behind it, whole ones as such."""
    low, high = min(scale), max(scale)
    value = table.number(line, row, "gold", least=low, most=high)
    if not row["gold"]:
        table.problem(line, "gold", "is empty")
    each = [table.number(line, row, name, least=low, most=high) for name in calls]
    single = [int(s) if s is not None and s.is_integer() else s for s in each]
    while single and single[-1] is None:
        single.pop()
    known = [score for score in single if score is not None]
    if value is not None and known and not _is_mean(table.with_point(row["gold"]), fmean(known)):
        reason = "{} is not the mean of its single scores, {:.6g}"
        table.problem(line, "gold", reason, row["gold"], fmean(known))
    return value, single


def _is_mean(text: str, mean: float) -> bool:
    """Whether a number is this mean, as far as its decimals go."""
    digits = Decimal(text).as_tuple().exponent
    assert isinstance(digits, int)  # it is finite
    return abs(float(text) - mean) <= 0.5 * 10.0**digits + 1e-9
