"""CSV as we write it: UTF-8, `\\n`, ISO 8601 times, shortest exact numbers. Pure.

A spreadsheet would run a text that begins like a formula. So such a text is written with an
apostrophe in front, which is removed on reading; every text is read back unchanged.
"""

import csv
import io
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

_SIGNS = "=+-@\t\r\n＝＋－＠"
#: Texts that a spreadsheet treats as a formula, with apostrophes that are already in front.
FORMULA = re.compile(f"'*[{re.escape(_SIGNS)}]")
#: First characters of such texts. Looking one up is quicker than the pattern, and enough for most.
FIRST_CHARACTERS = frozenset("'" + _SIGNS)

#: The last row of a codebook: file, column, meaning and nothing more.
ALL = "*"
ABOUT_TEXTS = (
    *(ALL, ALL),
    "A text that begins with =, +, -, @ (also full-width), a tab or a line break has an apostrophe "
    "in front, so that a spreadsheet runs no formula. Without it you have the text itself; "
    "load_study and import_ratings remove it",
    "",
)
#: At the beginning of a file it tells Excel that the text is UTF-8.
BYTE_ORDER_MARK = "\ufeff"

Row = Sequence[Any]


def to_text(value: object) -> str:
    """A value as a cell: None and NaN are empty, booleans are `true` and `false`."""
    if value is None:
        return ""
    if isinstance(value, str):
        return "'" + value if value[:1] in FIRST_CHARACTERS and FORMULA.match(value) else value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return "" if math.isnan(value) else repr(value)
    return str(value)


def from_text(cell: str) -> str:
    """The text that `to_text` wrote, without the spaces around it."""
    return without_apostrophe(cell.strip())


def without_apostrophe(text: str) -> str:
    """The text that `to_text` wrote."""
    return text[1:] if text.startswith("'") and FORMULA.match(text) else text


def time_text(time: datetime | None) -> str | None:
    """ISO 8601 in UTC, with microseconds if there are any."""
    return None if time is None else time.astimezone(UTC).isoformat().replace("+00:00", "Z")


def marked(lines: Iterable[str]) -> Iterator[str]:
    """A file's text with a byte order mark: without one, Excel garbles all that is not ASCII."""
    yield BYTE_ORDER_MARK
    yield from lines


def csv_lines(columns: Sequence[str], rows: Iterable[Row], *, at_once: int = 500) -> Iterator[str]:
    """A table as text, a few hundred lines at a time, so that a large one can be streamed."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(columns)
    for number, row in enumerate(rows, start=1):
        writer.writerow(map(to_text, row))
        if number % at_once == 0:
            yield buffer.getvalue()
            buffer.seek(0)
            buffer.truncate()
    yield buffer.getvalue()
