"""Files of few bytes that ask for much work, and what is said about each. Pure."""

import io
import zipfile
from collections.abc import Callable

from tests.workbooks import book

MAIN = b'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'

COLUMNS = b"Submission id,Participant id,Status\n"


def aliases(levels: int) -> bytes:
    """YAML of some hundred bytes that stands for nine to the power of `levels` values."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, levels)]
    return "\n".join(lines).encode()


def workbook(**parts: bytes) -> bytes:
    """A workbook with other parts, by their names with `__` for a slash."""
    given = {name.replace("__", "/") + ".xml": content for name, content in parts.items()}
    out = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(book([["a", "b"], ["1", "2"]]))) as old,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for name in {*old.namelist(), *given}:
            new.writestr(name, given.get(name) or old.read(name))
    return out.getvalue()


def sheet(rows: bytes) -> bytes:
    return workbook(
        xl__worksheets__sheet1=b"<worksheet %s><sheetData>%s</sheetData></worksheet>" % (MAIN, rows)
    )


def shared(texts: bytes) -> bytes:
    return workbook(xl__sharedStrings=b"<sst %s>%s</sst>" % (MAIN, texts))


#: By name: what makes the file, and what is said of it after its name. The names end with the kind.
HOSTILE: dict[str, tuple[Callable[[], bytes], str]] = {
    "aliases.yaml": (lambda: aliases(9), ", line 4, column 50: more than 8,000 keys and values"),
    "itself.yaml": (
        lambda: b"a: &a [*a]\n",
        ", line 1, column 8: *a stands for something that it is in itself",
    ),
    "keys.yaml": (
        lambda: b"? " * 40,
        ", line 1, column 79: a key is a list or has keys itself; write a text",
    ),
    "sexagesimal.yaml": (
        lambda: b"%YAML 1.1\n---\na: " + b":".join([b"59"] * 200_000),
        ", line 3, column 4: a number has at most 100 characters, not 599,999; put a text in "
        "quotes",
    ),
    "digits.yaml": (
        lambda: b"a: " + b"9" * 5000,
        ", line 1, column 4: a number has at most 100 characters, not 5,000; put a text in quotes",
    ),
    "date.yaml": (
        lambda: b"a: 1\nb: 2026-99-99\n",
        ", line 2, column 4: no timestamp (month must be in 1..12); put a text in quotes",
    ),
    "values.yaml": (
        lambda: b"a: [" + b"1," * 450_000 + b"]",
        ", line 1, column 15999: more than 8,000 keys and values",
    ),
    "long.yaml": (
        lambda: b"a: " + b"x" * 40_000_000,
        ": the file has more than 1 MB; it should be a few pages of YAML",
    ),
    "comments.yaml": (
        lambda: b"#\n" * 400_000,
        ": the file has more than 20,000 lines; remove what is not needed",
    ),
    "wide.xlsx": (
        lambda: sheet(b"<row>" + b"<c/>" * 4_000_000 + b"</row>"),
        ", line 1: this row has more than 16,384 columns, the most of Excel; give each row the "
        "columns of the header",
    ),
    "far.xlsx": (
        lambda: sheet(b'<row r="1"><c r="XFE1"><v>1</v></c></row>'),
        ", line 1: this row has more than 16,384 columns, the most of Excel; give each row the "
        "columns of the header",
    ),
    "row.xlsx": (
        lambda: sheet(b"<row><c><v>1</v></c>" + b"<z/>" * 4_000_000 + b"</row>"),
        ": row 1 of the workbook is too large to be read; save its table as .csv instead",
    ),
    "cell.xlsx": (
        lambda: sheet(b'<row><c t="str"><v>' + b"x" * 100_000_000 + b"</v></c></row>"),
        ": row 1 of the workbook is too large to be read; save its table as .csv instead",
    ),
    "gap.xlsx": (
        lambda: sheet(b'<row r="1"><c><v>1</v></c></row><row r="99999999999"><c/></row>'),
        ", line 1048577: the sheet has too many cells for a table; delete what is not needed",
    ),
    "runs.xlsx": (
        lambda: shared(b"<si>" + b"<r><t>x</t></r>" * 1_000_000 + b"</si>"),
        ": a text of the workbook is too large to be read; save its table as .csv instead",
    ),
    "styles.xlsx": (
        lambda: workbook(
            xl__styles=b"<styleSheet %s><cellXfs>%s</cellXfs></styleSheet>"
            % (MAIN, b'<xf numFmtId="0"/>' * 5_000_000)
        ),
        ": xl/styles.xml of the workbook is too large to be read; save its table as .csv instead",
    ),
    "zeros.xlsx": (
        lambda: workbook(xl__media=bytes(300_000_000)),
        ": the workbook has more than 200 MB; save its table as .csv instead",
    ),
    "cell.csv": (
        lambda: COLUMNS + b'"' + b"x" * 45_000_000 + b'",p,APPROVED\n',
        ", line 2: the line has more than 5,000,000 characters; is the file a table?",
    ),
    "columns.csv": (
        lambda: b"," * 45_000_000,
        ", line 1: the line has more than 5,000,000 characters; is the file a table?",
    ),
    "header.csv": (
        lambda: b",".join(b"c%d" % n for n in range(20_000)) + b"\n",
        ", line 1: the header has 20,000 columns, more than 16,384",
    ),
    "lines.csv": (
        lambda: COLUMNS + b"\n" * 45_000_000,
        ": the file has more than 10,000,000 lines; give it in several files",
    ),
}
