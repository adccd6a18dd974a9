"""Dialogues from CSV, JSON Lines and Parquet files, one after the other. Pure.

A file is never held in memory as a whole; of a Parquet file, one row group is.
"""

import csv
import json
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import IO, Any, NoReturn

from corpus.dialogues import KINDS, Dialogue, Layout, LayoutWrong
from survey.files.encoding import decode, refuse_utf_16
from survey.files.names import one_name
from survey.files.problems import DefinitionError, Problem
from survey.files.table_file import delimiter_of, separator_line

#: The longest cell of a CSV file and line of a JSON file, in characters.
LONGEST_CELL = 10_000_000
HEADER_CHARACTERS = 100_000

#: The line that a record starts on (of a Parquet file: its row), and its cells by column.
Record = tuple[int, Mapping[str, Any]]


def dialogues_of(path: Path, layout: Layout) -> Iterator[Dialogue]:
    """The dialogues of a file, whose name ends with its kind.

    Raises DefinitionError, with the line where it is known, when it comes to what can't be read.
    """
    try:
        read = READERS[path.suffix.lower()]
    except KeyError:
        kinds = ", ".join(KINDS)
        raise _wrong(path, 0, f"the name of a corpus file ends with one of {kinds}") from None
    row = 0
    try:
        for line, record in read(path, layout):
            try:
                for prompt, context, response in layout.dialogues(record):
                    row += 1
                    yield Dialogue(row, line, prompt, context, response)
            except LayoutWrong as problem:
                raise _wrong(path, line, str(problem)) from None
    except LayoutWrong as problem:
        raise _wrong(path, 0, str(problem)) from None
    except OSError as error:
        raise _wrong(path, 0, f"it can't be read: {error.strerror or error}") from None
    if row == 0:
        kept = " with these values" if layout.where else ""
        raise _wrong(path, 0, f"there are no dialogues{kept} in it")


def _csv(path: Path, layout: Layout) -> Iterator[Record]:
    csv.field_size_limit(LONGEST_CELL)
    line = 1
    with _opened(path) as file:
        try:
            start = file.read(HEADER_CHARACTERS)
            file.seek(0)
            said = separator_line(start)
            before = 1 if said else 0
            if said:
                file.readline()
            delimiter = said[-1] if said else delimiter_of(start)
            reader = csv.reader(file, delimiter=delimiter, strict=True)
            header = [one_name(name.strip()) for name in next(reader, [])]
            if not header:
                raise LayoutWrong("the file is empty")
            layout.check(header)
            line = before + reader.line_num + 1
            for cells in reader:
                if cells and len(cells) != len(header):
                    said = f"{len(cells)} cells where the header has {len(header)}"
                    raise _wrong(path, line, said)
                if cells:
                    record = dict(zip(header, cells, strict=True))
                    yield line, _with_messages(record, layout, path, line)
                line = before + reader.line_num + 1
        except csv.Error as error:
            raise _wrong(path, line, f"not valid CSV: {error}") from None
        except UnicodeDecodeError:
            _refuse_encoding(path)


def _json_lines(path: Path, layout: Layout) -> Iterator[Record]:
    with _opened(path) as file:
        is_first = True
        try:
            lines = iter(partial(file.readline, LONGEST_CELL + 1), "")
            for line, text in enumerate(lines, start=1):
                if len(text) > LONGEST_CELL:
                    said = f"the line is longer than {LONGEST_CELL:,} characters"
                    raise _wrong(path, line, said)
                if not text.strip():
                    continue
                try:
                    record = json.loads(text)
                except (ValueError, RecursionError):
                    raise _wrong(path, line, "not a JSON object on one line") from None
                if not isinstance(record, dict):
                    raise _wrong(path, line, "not a JSON object on one line")
                record = {one_name(name): value for name, value in record.items()}
                # Later objects may leave out what is optional, but not what is asked.
                asked = layout if is_first else Layout(layout.prompt, messages=layout.messages)
                asked.check(list(record))
                is_first = False
                yield line, record
        except UnicodeDecodeError:
            _refuse_encoding(path)


def _parquet(path: Path, layout: Layout) -> Iterator[Record]:
    import fastparquet

    with path.open("rb") as file:
        if file.read(4) != b"PAR1":
            raise _wrong(path, 0, "it is not a Parquet file")
    row = 0
    try:
        table = fastparquet.ParquetFile(str(path))
        written = {one_name(str(name)): name for name in table.columns}
        layout.check(list(written))
        for group in table.iter_row_groups(columns=[written[name] for name in layout.columns]):
            for cells in group.itertuples(index=False, name=None):
                row += 1
                record = dict(zip(layout.columns, cells, strict=True))
                yield row, _with_messages(record, layout, path, row)
    except (LayoutWrong, DefinitionError, MemoryError):
        raise
    except Exception as error:  # noqa: BLE001  whatever a damaged file makes of the library
        said = f"its rows after {row} can't be read as Parquet ({type(error).__name__}: {error})"
        raise _wrong(path, 0, said.splitlines()[0]) from None


def _with_messages(
    record: dict[str, Any], layout: Layout, path: Path, line: int
) -> Mapping[str, Any]:
    """A record whose messages are a list, though its file has them as JSON text."""
    value = record.get(layout.messages) if layout.messages else None
    if isinstance(value, str | bytes):
        try:
            record[layout.messages] = json.loads(value)
        except (ValueError, RecursionError):
            raise _wrong(path, line, f"{layout.messages!r} is no JSON") from None
    return record


def _opened(path: Path) -> IO[str]:
    with path.open("rb") as file:
        refuse_utf_16(file.read(200), file=str(path))
    return path.open(encoding="utf-8-sig", newline="")


def _refuse_encoding(path: Path) -> NoReturn:
    """Raise DefinitionError with the line and column of the first byte that is not UTF-8."""
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                line.decode("utf-8-sig")
            except UnicodeDecodeError:
                more = file.read(HEADER_CHARACTERS)
                decode(line + more, file=str(path), first_line=number)
    raise _wrong(path, 0, "it is not UTF-8; save it as UTF-8 and try again")


def _wrong(path: Path, line: int, message: str) -> DefinitionError:
    return DefinitionError([Problem(str(path), line, 0, message)])


READERS: dict[str, Callable[[Path, Layout], Iterator[Record]]] = dict(
    zip(KINDS, (_csv, _csv, _json_lines, _parquet), strict=True)
)
