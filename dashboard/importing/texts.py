"""A file with a column of texts, to be scored. Pure."""

from dashboard.importing.files import Findings, TidyFile
from survey.files.table_file import Columns

COLUMNS = Columns(required=("text",))


def read_texts(data: bytes, file: str, findings: Findings) -> list[str]:
    """The texts of a file, in its order. An empty one is a problem."""
    table = TidyFile(data, file, COLUMNS, findings, kind="responses", takes_map=False)
    texts = []
    for line, row in table.rows():
        if not row["text"].strip():
            table.problem(line, "text", "is empty")
        texts.append(row["text"])
    return texts
