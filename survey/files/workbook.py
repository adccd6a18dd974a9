"""A sheet of an Excel workbook (.xlsx) as records of text.

Read with openpyxl, which is imported here alone and when it is needed.
"""

import io
import re
import warnings
import zipfile
from collections.abc import Iterable, Iterator
from datetime import date, datetime, time
from typing import Any

from survey.files.problems import DefinitionError, Problem, Problems, listed
from survey.files.workbook_parts import MOST_CELLS, MOST_ROWS, pieces, refuse_large_parts

ZIP, EMPTY_ZIP = b"PK\x03\x04", b"PK\x05\x06"
#: Of Office before 2007, and of workbooks with a password.
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
#: A cell of a sheet's XML: its attributes and content.
_FORMULA_CELL = re.compile(rb"<(?:\w+:)?c ([^<>]*)><(?:\w+:)?f[ />](?:(?!</(?:\w+:)?c>).)*", re.S)
_MERGED = re.compile(rb"<(?:\w+:)?mergeCell\b[^>]*\bref=[\"']([A-Z0-9:]+)")
_ESCAPE = re.compile(r"_x([0-9A-Fa-f]{4})_")


def is_workbook(data: bytes) -> bool:
    """Whether the bytes are a workbook, or another file that `read_workbook` explains."""
    return data.startswith((ZIP, EMPTY_ZIP, OLE))


def read_workbook(
    data: bytes, *, file: str, sheet: str = ""
) -> tuple[Iterator[tuple[int, list[str]]], list[str]]:
    """The rows of the sheet called `sheet`, else of the first visible sheet, each with its number;
    and notices about the other sheets.

    Whole numbers have no decimals, times are ISO 8601, formulas are their results. All rows are at
    least as long as the first, because a workbook does not store empty cells. Raises
    DefinitionError for a file that is no workbook or is damaged, and for cells that a table can't
    have, also while rows are read.
    """
    _refuse_other_files(data, file)
    try:
        refuse_large_parts(data, file)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of drawings and styles that are not read
            from openpyxl import load_workbook

            book = load_workbook(io.BytesIO(data), read_only=True, data_only=True)
            visible = [one for one in book.worksheets if one.sheet_state == "visible"]
            if not visible:
                raise DefinitionError([Problem(file, 0, 0, "the workbook has no sheet")])
            named = [one for one in visible if one.title.strip().casefold() == sheet.casefold()]
            chosen = (named or visible)[0]
            # in this mode, the only one that needs little memory, openpyxl knows neither merged
            # cells nor formulas
            _refuse_unreadable(pieces(book._archive, chosen._worksheet_path, file), file, chosen)
    except DefinitionError:
        raise
    except Exception as error:  # noqa: BLE001  # whatever a damaged file made openpyxl raise
        raise _damaged(file, error) from None
    chosen.reset_dimensions()  # what the file says of its size may be wrong
    unread = [one.title for one in visible if one is not chosen]
    notices = []
    if unread:
        some = listed(unread)
        notices.append(f"{file}: sheet {chosen.title!r} is read, not {some}")
    return _rows(chosen, file), notices


def _refuse_other_files(data: bytes, file: str) -> None:
    message = ""
    if data.startswith(OLE):
        message = (
            "this is a workbook with a password; save it without one"
            if "EncryptedPackage".encode("utf-16-le") in data
            else "this is a file of an old Office (.xls); save it as .xlsx"
        )
    else:
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                parts = archive.infolist()
        except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
            raise _damaged(file, error) from None
        names = {part.filename for part in parts}
        if not any(name.endswith(("xl/workbook.xml", "xl/workbook2.xml")) for name in names):
            kind = "an OpenDocument file" if "content.xml" in names else "a zip archive"
            message = f"this is {kind}, not a workbook; give a table as .csv, .tsv or .xlsx"
    if message:
        raise DefinitionError([Problem(file, 0, 0, message)])


def _damaged(file: str, error: Exception) -> DefinitionError:
    reason = str(error).splitlines()[0] if str(error) else type(error).__name__
    message = f"the workbook is damaged ({reason}); open it in Excel and save it again"
    return DefinitionError([Problem(file, 0, 0, message)])


def _refuse_unreadable(sheet: Iterable[bytes], file: str, chosen: Any) -> None:
    """Refuse merged cells, and formulas that a program wrote and no spreadsheet has computed yet:
    they would be empty cells.
    """
    merged: list[str] = []
    problems = Problems()
    for piece in sheet:
        if b"mergeCell" in piece:
            merged += [area.decode() for area in _MERGED.findall(piece)]
        if b"<f" in piece or b":f" in piece:
            problems.extend(_formulas_without_results(piece, file))
    if merged:
        line = int(re.sub(r"\D", "", merged[0].partition(":")[0]) or 0)
        others = f" and {len(merged) - 1} more areas" if len(merged) > 1 else ""
        message = f"cells {merged[0]}{others} of sheet {chosen.title!r} are merged; unmerge them"
        raise DefinitionError([Problem(file, line, 0, message)])
    if problems:
        raise DefinitionError(problems)


def _formulas_without_results(xml: bytes, file: str) -> Iterator[Problem]:
    for cell in _FORMULA_CELL.finditer(xml):
        attributes, content = cell[1], cell[0]
        if b't="str"' in attributes or re.search(rb"<(?:\w+:)?v>[^<]", content):
            continue
        place = re.search(rb'\br="([A-Z]+)([0-9]+)"', attributes)
        column, line = (place[1].decode(), int(place[2])) if place else ("", 0)
        message = "cell {} has a formula without a result; open the file in Excel and save it"
        yield Problem(file, line, 0, message, (f"{column}{line}",))


def _rows(sheet: Any, file: str) -> Iterator[tuple[int, list[str]]]:
    width = cells_seen = 0
    problems = Problems()
    try:
        for line, row in enumerate(sheet.iter_rows(), start=1):
            cells_seen += len(row) + 1
            if cells_seen > MOST_CELLS or line > MOST_ROWS:
                message = "the sheet has too many cells for a table; delete what is not needed"
                raise DefinitionError([Problem(file, line, 0, message)])
            cells = [_text(cell, file, line, problems) for cell in row]
            if problems:
                continue  # the file is refused: look only for its other wrong cells
            while cells and not cells[-1].strip():
                cells.pop()
            if not cells:
                continue
            width = width or len(cells)
            yield line, cells + [""] * (width - len(cells))
        if problems:
            raise DefinitionError(problems)
    except DefinitionError:
        raise
    except Exception as error:  # noqa: BLE001  # as above
        raise _damaged(file, error) from None


def _text(cell: Any, file: str, line: int, problems: Problems) -> str:
    """A cell as text in a CSV file. An error and a NUL are added to `problems`."""
    value = cell.value
    if value is None:
        return ""
    if cell.data_type == "e":
        message = "cell {} has the error {}; correct it"
        problems.add(Problem(file, line, 0, message, (cell.coordinate, value)))
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, date | time):
        if isinstance(value, datetime) and value.time() == time():
            value = value if "h" in str(cell.number_format).lower() else value.date()
        return str(value.isoformat())
    text = _ESCAPE.sub(lambda code: chr(int(code[1], 16)), str(value))
    if "\0" in text:
        problems.add(Problem(file, line, 0, "there is a NUL character; remove it"))
    return text
