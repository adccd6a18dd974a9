"""A CSV file whose records know their lines."""

import csv
import io
from collections.abc import Iterator

from survey.definition.problems import DefinitionError, Problem, decode


class CsvFile:
    """A CSV file's header and records, read from bytes.

    Raises DefinitionError when it is not UTF-8, holds a NUL, has no header, or has a column
    without a name or twice.
    """

    def __init__(self, data: bytes, *, file: str) -> None:
        self.file = file
        text = decode(data, file=file)
        self._records = csv_records(text, file)
        header_line, header = next(self._records, (1, []))
        self.columns = [name.strip() for name in header]
        if not any(self.columns):
            raise DefinitionError([Problem(file, header_line, 0, "there is no header")])
        twice = sorted({name for name in self.columns if self.columns.count(name) > 1})
        if twice:
            raise DefinitionError(
                Problem(file, header_line, 0, f"column {name!r} stands twice") for name in twice
            )

    def records(self) -> Iterator[tuple[int, list[str]]]:
        """Records that hold anything, each with the line it starts on. Can be read once.

        Raises DefinitionError where it is not valid CSV.
        """
        return ((line, cells) for line, cells in self._records if any(map(str.strip, cells)))


def csv_records(text: str, file: str) -> Iterator[tuple[int, list[str]]]:
    """Records with the line each starts on (a quoted cell may span lines).

    Raises DefinitionError where it is not valid CSV.
    """
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    start = 1
    try:
        for cells in reader:
            yield start, cells
            start = reader.line_num + 1
    except csv.Error as error:
        raise DefinitionError([Problem(file, start, 0, f"not valid CSV: {error}")]) from None
