"""Tables are read from CSV, semicolons, tabs and workbooks alike, or refused by what they are."""

import io
import subprocess
import sys
import zipfile
from datetime import date, datetime
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from survey.files import workbook, workbook_parts
from survey.files.problems import ENOUGH, DefinitionError, Problems
from survey.files.table_file import Columns, TableFile
from tests.workbooks import book, saved

ROWS = [["scenario", "response"], ["S1", 'Tea, or; "coffee"?\nBoth.'], ["S2", "3,5"]]
TEXT = 'scenario,response\nS1,"Tea, or; ""coffee""?\nBoth."\nS2,"3,5"\n'


def table(data: bytes | str, **options: str) -> tuple[list[str], list[tuple[int, list[str]]]]:
    raw = data.encode() if isinstance(data, str) else data
    file = TableFile(raw, file="t.csv", **options)
    problems = Problems()
    records = list(file.records(problems))
    if problems:
        raise DefinitionError(problems)
    return file.columns, records


def refusal(data: bytes | str) -> list[str]:
    with pytest.raises(DefinitionError) as caught:
        table(data)
    return caught.value.lines


# ── Text ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_delimiter_is_that_of_the_header(delimiter: str, end: str, mark: bytes) -> None:
    text = TEXT.replace("scenario,", f"scenario{delimiter}").replace("S1,", f"S1{delimiter}")
    text = text.replace("S2,", f"S2{delimiter}")
    columns, records = table(mark + text.replace("\n", end).encode())
    assert columns == ["scenario", "response"]
    assert records == [
        (2, ["S1", f'Tea, or; "coffee"?{end}Both.']),
        (4, ["S2", "3,5"]),
    ]


def test_quoted_names_do_not_decide_what_the_delimiter_is() -> None:
    assert table('"a, b, c";d\n1;2\n') == (["a, b, c", "d"], [(2, ["1", "2"])])


def test_file_is_not_read_further_once_it_has_enough_problems() -> None:
    reason = "3 cells where the header has 2"
    assert refusal("a,b\n" + "1,2,3\n" * (ENOUGH + 1)) == [
        f"t.csv: line {ENOUGH + 2} and all after it were not read, after {ENOUGH:,} problems",
        f"t.csv, line 2: {reason} (and {ENOUGH - 1} more up to line {ENOUGH + 1})",
    ]
    assert refusal("a,b\n" + "1,2,3\n" * ENOUGH) == [
        f"t.csv, line 2: {reason} (and {ENOUGH - 1} more up to line {ENOUGH + 1})"
    ]


@pytest.mark.parametrize("row", ["1", "1,", "1,,", "1,, ,"])
def test_empty_cells_at_the_end_of_a_row_may_be_missing_or_too_many(row: str) -> None:
    assert table(f"a,b\n{row}\n2,3\n") == (["a", "b"], [(2, ["1", ""]), (3, ["2", "3"])])


@pytest.mark.parametrize("line", ["sep=;", '"sep=;"', "\ufeffsep=;", "SEP=;;"])
def test_first_line_may_say_what_is_between_columns(line: str) -> None:
    read = TableFile(f"{line}\r\na,b;c\r\n1;2\r\n".encode(), file="t.csv")
    assert (read.header_line, read.columns, read.has_decimal_commas) == (2, ["a,b", "c"], True)
    assert list(read.records(Problems())) == [(3, ["1", "2"])]
    assert refusal(f"{line}\na;b\n1;2;3\n") == ["t.csv, line 3: 3 cells where the header has 2"]


def test_columns_without_a_name_may_follow_where_they_are_empty() -> None:
    assert table("a,b,,\n1,2,,\n") == (["a", "b"], [(2, ["1", "2"])])
    assert refusal("a,b,,\n1,2,3,\n") == ["t.csv, line 2: '3' is in a column without a name"]


def test_empty_rows_above_the_header_are_skipped() -> None:
    assert table("\r\n;;\r\na;b;c\r\n1;2;3\r\n") == (["a", "b", "c"], [(4, ["1", "2", "3"])])


JPEG, LATIN = b"\xff\xd8\xff\xe0\x00\x10JFIF", "scenario,response\nS1,café\n".encode("latin-1")
SAVE = "save it as UTF-8 (in Excel: “CSV UTF-8”) and try again"
QUOTE = "in a cell in quotation marks, double those within, and close the last"
NOT_A_TABLE = "give a table as .csv, .tsv or .xlsx"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "t.csv: the file is empty"),
        (b"\n \n", "t.csv: the file is empty"),
        (b",,\n", "t.csv, line 1: there is no header"),
        (b"a,b,a\n1,2,3\n", "t.csv, line 1: column 'a' appears twice"),
        (b"a,,,b\n1,2,3,4\n", "t.csv, line 1: several columns have no name"),
        (b"a,b\n1,2,3\n", "t.csv, line 2: 3 cells where the header has 2"),
        (b'a,b\n1,"2\n', f"t.csv, line 2: not valid CSV: unexpected end of data; {QUOTE}"),
        (b'a,b\n1,"2"x"\n', f"t.csv, line 2: not valid CSV: ',' expected after '\"'; {QUOTE}"),
        (b"a,b\n1,\x00\n", "t.csv, line 2: there is a NUL character; remove it"),
        (b"%PDF-1.7\n", f"t.csv: this is a PDF document; {NOT_A_TABLE}"),
        (b"\x89PNG\r\n\x1a\n", f"t.csv: this is a PNG image; {NOT_A_TABLE}"),
        (b"PAR1\x15\x04\x80\xff", f"t.csv: this is a Parquet file; {NOT_A_TABLE}"),
        (JPEG, f"t.csv: this is a JPEG image; {NOT_A_TABLE}"),
        (b'{"response": 1}\n', f"t.csv: this is a JSON file; {NOT_A_TABLE}"),
        (TEXT.encode("utf-16"), f"t.csv: the text is in UTF-16; {SAVE}"),
        (TEXT.encode("utf-16-le"), f"t.csv: the text is in UTF-16; {SAVE}"),
        (
            LATIN,
            "t.csv, line 2, column 7: byte 0xe9 is not UTF-8; the text seems to be in Latin-1 "
            f"(Windows-1252): {SAVE}",
        ),
    ],
)
def test_what_is_no_table_is_named_for_what_it_is(data: bytes, said: str) -> None:
    assert refusal(data) == [said]


# ── Names of columns ─────────────────────────────────────────────────────────────────────────

COLUMNS = Columns(("prompt", "model", "response"), optional=("context",), numbered="call_")


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ("Prompt,model,response", "column 'Prompt' is unknown; did you mean 'prompt'?"),
        ("prompt,model,output", "column 'output' is unknown; did you mean 'response'?"),
        ("prompt,model,Response ", "column 'Response' is unknown; did you mean 'response'?"),
        ("prompt,LLM,response", "column 'LLM' is unknown; did you mean 'model'?"),
        ("prompt,model,reponse", "column 'reponse' is unknown; did you mean 'response'?"),
        ("prompt,model", "column 'response' is missing"),
        (
            "context",
            "columns 'prompt', 'model', 'response' are missing; the file has one column, "
            "'context'; put commas, semicolons, tabs or | between columns",
        ),
    ],
)
def test_wrong_name_of_a_column_is_named_with_what_may_be_meant(header: str, said: str) -> None:
    problems, unread = TableFile(header.encode(), file="t.csv").header_problems(COLUMNS)
    assert [problem.message for problem in problems] == [said]
    assert unread == []


def test_column_of_the_very_name_goes_before_one_with_capitals() -> None:
    file = TableFile(b"Prompt,prompt,model,response", file="t.csv")
    assert file.header_problems(COLUMNS) == ([], ["Prompt"])
    file = TableFile(b"Status,STATUS,Participant ID", file="t.csv")
    file.rename({"Status": "Status", "Participant id": "Participant id"})
    assert file.columns == ["Status", "STATUS", "Participant id"]


@pytest.mark.parametrize(
    ("header", "alike", "name"),
    [
        ("STATUS,status", "'STATUS', 'status'", "Status"),
        ("Sex,sex", "'Sex', 'sex'", "Sex"),
    ],
)
def test_columns_that_differ_in_capitals_alone_are_not_guessed(
    header: str, alike: str, name: str
) -> None:
    file = TableFile(header.encode(), file="t.csv")
    with pytest.raises(DefinitionError) as caught:
        file.rename({"Status": "Status", "Sex": "sex"})
    said = f"t.csv, line 1: {alike} may each be {name!r}; remove or rename one"
    assert str(caught.value) == said


def test_further_columns_are_ignored_in_one_notice() -> None:
    header = b"prompt,model,response,call_1,input,temperature"
    file = TableFile(header, file="t.csv")
    problems, unread = file.header_problems(COLUMNS)
    assert problems == []
    assert file.notice_of_unread(unread) == (
        "t.csv, line 1: 2 columns are ignored: 'input', 'temperature'"
    )


@pytest.mark.parametrize("name", ["contexts", "model2", "Prompts", "responses_"])
def test_further_column_is_ignored_whatever_its_name_resembles(name: str) -> None:
    file = TableFile(f"prompt,model,response,{name}".encode(), file="t.csv")
    assert file.header_problems(COLUMNS) == ([], [name])
    assert file.notice_of_unread([name]) == f"t.csv, line 1: column {name!r} is ignored" + (
        "; did you mean 'context'?" if name == "contexts" else ""
    )


# ── Workbooks ────────────────────────────────────────────────────────────────────────────────


def test_workbook_reads_as_the_same_table_would_as_text() -> None:
    assert table(book(ROWS)) == (
        ["scenario", "response"],
        [(2, ROWS[1]), (3, ROWS[2])],
    )


def test_texts_that_excel_keeps_apart_from_their_cells_are_read() -> None:
    strings = b'<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">' + (
        b"<si><t>Tea</t></si><si><r><t>Two </t></r><r><rPr><b/></rPr><t>runs</t></r></si></sst>"
    )
    data = changed(
        book([["a", "b"], ["@", "@"]]),
        "xl/worksheets/sheet1.xml",
        (b'<c r="A2" t="inlineStr"><is><t>@</t></is>', b'<c r="A2" t="s"><v>0</v>'),
        (b'<c r="B2" t="inlineStr"><is><t>@</t></is>', b'<c r="B2" t="s"><v>1</v>'),
    )
    kind = b"application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
    named = b'<Override PartName="/xl/sharedStrings.xml" ContentType="%s"/></Types>' % kind
    data = changed(data, "[Content_Types].xml", (b"</Types>", named))
    data = changed(data, "xl/sharedStrings.xml", whole=strings)
    assert table(data)[1] == [(2, ["Tea", "Two runs"])]


def test_cells_are_written_as_a_table_of_text_would_have_them() -> None:
    rows: list[list[Any]] = [
        ["a", "b", "c", "d", "e"],
        [3, 3.0, 2.5, True, None],
        [],
        [
            datetime.fromisoformat("2026-03-01T09:20"),
            date(2026, 3, 1),
            "007",
            "two_x000D_lines",
            "=1+1",
        ],
    ]
    made = openpyxl.load_workbook(io.BytesIO(book(rows)))
    made.active["E4"] = "x"
    _, records = table(saved(made))
    assert records == [
        (2, ["3", "3", "2.5", "true", ""]),
        (4, ["2026-03-01T09:20:00", "2026-03-01", "007", "two\rlines", "x"]),
    ]


def test_formula_is_its_result_and_one_that_nobody_computed_is_refused() -> None:
    data = book([["a", "b"], [1, "=A2+1"], [2, "=A3+1"]])
    assert refusal(data) == [
        "t.csv, line 2: cell B2 has a formula without a result; open the file in Excel and save "
        "it (and 1 more up to line 3, such as 'B3')"
    ]
    empty = (b"<v />", b"<v/>", b"<v></v>")  # as openpyxl writes it with one library or another
    computed = changed(
        data, "xl/worksheets/sheet1.xml", *((written, b"<v>7</v>") for written in empty)
    )
    assert table(computed)[1] == [(2, ["1", "7"]), (3, ["2", "7"])]


def test_sheet_of_the_right_name_is_read_else_the_first_that_is_seen() -> None:
    data = book(ROWS, Ratings=[["rating"], [5]])
    file = TableFile(data, file="t.xlsx", sheet="ratings")
    assert file.columns == ["rating"]
    assert file.notices == ["t.xlsx: sheet 'Ratings' is read, not 'Sheet'"]
    assert TableFile(data, file="t.xlsx", sheet="gold").columns == ["scenario", "response"]
    made = openpyxl.load_workbook(io.BytesIO(data))
    made["Sheet"].sheet_state = "hidden"
    made.active = made["Ratings"]
    hidden = TableFile(saved(made), file="t.xlsx")
    assert (hidden.columns, hidden.notices) == (["rating"], [])


def test_merged_cells_are_refused() -> None:
    made = openpyxl.load_workbook(io.BytesIO(book(ROWS)))
    made.active.merge_cells("A2:A3")
    assert refusal(saved(made)) == [
        "t.csv, line 2: cells A2:A3 of sheet 'Sheet' are merged; unmerge them"
    ]


def test_errors_in_cells_are_refused_in_one_line() -> None:
    assert refusal(book([["a", "b"], ["#N/A", "1"], ["2", "3"], ["4", "#DIV/0!"]])) == [
        "t.csv, line 2: cell A2 has the error #N/A; correct it "
        "(and 1 more up to line 4, such as 'B4')"
    ]


def changed(data: bytes, part: str, *replaced: tuple[bytes, bytes], whole: bytes = b"") -> bytes:
    """A workbook with other content in a part."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        for name in {*old.namelist(), part}:
            content = whole if name == part and whole else old.read(name)
            if name == part:
                for before, after in replaced:
                    content = content.replace(before, after)
            new.writestr(name, content)
    return out.getvalue()


def zipped(**parts: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return out.getvalue()


PASSWORD = workbook.OLE + bytes(500) + "EncryptedPackage".encode("utf-16-le")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (zipped(note=b"x"), f"this is a zip archive, not a workbook; {NOT_A_TABLE}"),
        (
            zipped(**{"content.xml": b"x"}),
            f"this is an OpenDocument file, not a workbook; {NOT_A_TABLE}",
        ),
        (PASSWORD, "this is a workbook with a password; save it without one"),
        (workbook.OLE + bytes(500), "this is a file of an old Office (.xls); save it as .xlsx"),
    ],
)
def test_other_files_are_named_for_what_they_are(data: bytes, said: str) -> None:
    assert refusal(data) == [f"t.csv: {said}"]


@pytest.mark.slow
def test_workbook_that_would_fill_the_memory_is_refused() -> None:
    bomb = zipped(**{"xl/workbook.xml": bytes(workbook_parts.LARGEST_UNPACKED + 1)})
    said = "the workbook has more than 200 MB; save its table as .csv instead"
    assert refusal(bomb) == [f"t.csv: {said}"]


def test_damaged_workbooks_are_refused_in_one_line() -> None:
    whole = book(ROWS)
    sheet = "xl/worksheets/sheet1.xml"
    damaged = [
        *(whole[: len(whole) * part // 10] for part in range(1, 10)),
        changed(whole, sheet, (b"<row", b"<rwo")),
        changed(whole, sheet, (b'r="A2"', b'r="2A"')),
        changed(whole, "xl/workbook.xml", (b"<sheets>", b"<x>"), (b"</sheets>", b"</x>")),
        zipped(**{"xl/workbook.xml": b"<x/>"}),
    ]
    for data in damaged:
        (line,) = refusal(data)
        assert line.startswith("t.csv: the workbook "), line


@pytest.mark.parametrize("far", [(b'r="B2"', b'r="XFD2"'), (b'<row r="2"', b'<row r="99999999"')])
def test_sheet_without_an_end_is_refused_before_it_is_read(
    far: tuple[bytes, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workbook, "MOST_CELLS", 1000)
    monkeypatch.setattr(workbook, "MOST_ROWS", 1)
    assert refusal(changed(book(ROWS), "xl/worksheets/sheet1.xml", far)) == [
        "t.csv, line 2: the sheet has too many cells for a table; delete what is not needed"
    ]


def test_only_a_workbook_needs_openpyxl() -> None:
    script = (
        "import sys; from survey.files.table_file import TableFile\n"
        "TableFile(b'a,b', file='t.csv'); print('openpyxl' in sys.modules)"
    )
    root = Path(__file__).parents[3]
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=root, capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"
