"""The parts of a workbook, looked over before a library reads them into memory.

openpyxl needs a kilobyte for each element of a row until the row ends, and a few bytes of a zip
archive may unpack to millions of them. So limits are checked on the unpacked bytes, some of which
are in memory at a time. Excel's own limits are at
https://support.microsoft.com/en-us/office/excel-specifications-and-limits-1672b34d-7043-467e-8e27-269d656771c3
"""

import io
import re
import zipfile
from collections.abc import Iterator

from survey.files.problems import DefinitionError, Problem

#: Excel's own.
MOST_ROWS, MOST_COLUMNS = 2**20, 2**14
#: Parts and sheets of a workbook, bytes of all unpacked parts, and cells of a sheet: far more than
#: any study has.
MOST_PARTS = 5_000
MOST_SHEETS = 1_000
LARGEST_UNPACKED = 200 * 1000 * 1000
MOST_CELLS = 10_000_000
#: Texts that cells share.
MOST_TEXTS = 2**20
#: Tags of a row: a cell with a formula has six. Of a text, and of what is around rows and texts.
MOST_TAGS_OF_ROW, MOST_TAGS = 120_000, 50_000
LONGEST_PIECE = 10_000_000
CHUNK = 2**20
#: What keeps little in memory while it is unpacked.
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_START = re.compile(rb"<(?:\w+:)?(row|si)\b")
_SHEET = re.compile(rb"<(?:\w+:)?sheet\b")
_CELL = re.compile(rb"<(?:\w+:)?c[ >/]")
#: A column after ZZ.
_FAR_RIGHT = re.compile(rb"\br=[\"']([A-Z]{3,})[0-9]")
INSTEAD = "save its table as .csv instead"


def refuse_large_parts(data: bytes, file: str) -> None:
    """Raise DefinitionError for a workbook that is larger than any study, or than Excel allows."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = archive.infolist()
        if len(parts) > MOST_PARTS:
            raise _refused(file, f"the workbook has more than {MOST_PARTS:,} parts; {INSTEAD}")
        if sum(part.file_size for part in parts) > LARGEST_UNPACKED:
            size = LARGEST_UNPACKED // 10**6
            raise _refused(file, f"the workbook has more than {size} MB; {INSTEAD}")
        for part in parts:
            if part.compress_type not in METHODS:
                message = f"{part.filename} is packed as Excel packs nothing; save the file again"
                raise _refused(file, message)
            if _is_xml(archive, part.filename, file):
                for _ in pieces(archive, part.filename, file):
                    pass


def _is_xml(archive: zipfile.ZipFile, part: str, file: str) -> bool:
    """Whether a part is XML, whatever its name. Raises DefinitionError for XML in UTF-16, in which
    tags could not be found.
    """
    with archive.open(part) as opened:
        start = opened.read(64)
    if start.startswith((b"\xff\xfe", b"\xfe\xff", b"<\0", b"\0<")):
        raise _refused(file, f"{part} is not in UTF-8; open the file in Excel and save it again")
    return start.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<")


def pieces(archive: zipfile.ZipFile, part: str, file: str) -> Iterator[bytes]:
    """The XML of a part, piece by piece: each row of a sheet or text of the shared ones by itself,
    the last one with all after it. Raises DefinitionError.
    """
    rest, kind, started, cells = b"", b"", {b"row": 0, b"si": 0}, 0
    with archive.open(part) as opened:
        while chunk := opened.read(CHUNK):
            first, *others = _START.split(rest + chunk)
            whole = [(kind, first), *zip(others[::2], others[1::2], strict=True)]
            kind, rest = whole.pop()
            for each, piece in whole:
                cells += _checked(each, piece, started, part, file)
                if cells > MOST_CELLS or started[b"row"] > MOST_ROWS:
                    message = "the sheet has too many cells for a table; delete what is not needed"
                    raise _refused(file, message, started[b"row"])
                if started[b"si"] > MOST_TEXTS:
                    message = f"the workbook has more than {MOST_TEXTS:,} texts; {INSTEAD}"
                    raise _refused(file, message)
                yield piece
            _checked(kind, rest, dict(started), part, file)
    _checked(kind, rest, started, part, file)
    yield rest


def _checked(kind: bytes, piece: bytes, started: dict[bytes, int], part: str, file: str) -> int:
    """Count a piece, and its cells. Raises DefinitionError."""
    cells = 0
    if kind:
        started[kind] += 1
    if kind == b"row":
        line = started[kind]
        cells = len(_CELL.findall(piece))
        if cells > MOST_COLUMNS or any(map(_is_beyond, _FAR_RIGHT.findall(piece))):
            message = f"this row has more than {MOST_COLUMNS:,} columns, the most of Excel; "
            raise _refused(file, message + "give each row the columns of the header", line)
    elif len(_SHEET.findall(piece)) > MOST_SHEETS:
        raise _refused(file, f"the workbook has more than {MOST_SHEETS:,} sheets; {INSTEAD}")
    most = MOST_TAGS_OF_ROW if kind == b"row" else MOST_TAGS
    if len(piece) > LONGEST_PIECE or piece.count(b"<") > most:
        what = {b"row": f"row {started[b'row']}", b"si": "a text"}.get(kind, part)
        raise _refused(file, f"{what} of the workbook is too large to be read; {INSTEAD}")
    return cells


def _is_beyond(column: bytes) -> bool:
    """Whether Excel has no such column."""
    return len(column) > 3 or column > b"XFD"


def _refused(file: str, message: str, line: int = 0) -> DefinitionError:
    return DefinitionError([Problem(file, line, 0, message)])
