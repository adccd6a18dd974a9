"""A file with the perplexity of each response, checked against a study. Pure."""

from dashboard.importing.checks import CELL, MADE_FROM, TEXTS, CellReader, needed_in
from dashboard.importing.files import Findings, TidyFile
from dashboard.importing.people import Vocabulary
from survey.files.table_file import Columns

PERPLEXITY = "perplexity"
COLUMNS = Columns(required=(*CELL, PERPLEXITY), optional=TEXTS, made_from=MADE_FROM)


def read_perplexities(
    data: bytes, file: str, vocabulary: Vocabulary, findings: Findings
) -> dict[int, float]:
    """The perplexity of responses, by the database's id; a response that is shown in several sets
    may have several rows, all of which say the same. Responses without a value are left out.

    A responses.csv with a column `perplexity` is such a file.
    """
    columns = needed_in(vocabulary, COLUMNS)
    table = TidyFile(data, file, columns, findings, kind="responses", takes_map=False)
    cells = CellReader(table, vocabulary)
    values: dict[int, float] = {}
    lines: dict[int, int] = {}
    places: set[tuple[int, int]] = set()
    for line, row in table.rows():
        cell = cells.cell(line, row)
        value = table.number(line, row, PERPLEXITY, least=1)
        if cell is None:
            continue
        if cell in places:
            table.problem(line, "", "this response has a row in this set already")
        places.add(cell)
        if value is None:
            continue
        first = lines.setdefault(cell[1], line)
        if values.setdefault(cell[1], value) != value:
            reason = "{} differs from line {}, where the same response has {:g}"
            table.problem(line, PERPLEXITY, reason, row[PERPLEXITY], first, values[cell[1]])
    return values
