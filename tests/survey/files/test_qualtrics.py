"""Exports of Qualtrics have up to three rows of headers, and all but the first are not rows."""

import csv
import io
import json

import pytest

from survey.files.problems import DefinitionError, Problems
from survey.files.table_file import TableFile
from tests.workbooks import book

NAMES = ["StartDate", "ResponseId", "Q1"]
TEXTS = ["Start Date", "Response ID", "How warm\nis it?"]
IDS = [
    json.dumps({"ImportId": "startDate", "timeZone": "America/Denver"}),
    json.dumps({"ImportId": "_recordId"}),
    json.dumps({"ImportId": "QID1"}),
]
ANNA = ["2026-03-01 09:00:00", "R_1", "5"]


def table(*rows: list[str]) -> TableFile:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return TableFile(out.getvalue().encode(), file="q.csv")


def records(file: TableFile) -> list[tuple[int, list[str]]]:
    return list(file.records(Problems()))


def test_texts_and_import_ids_are_no_records_and_a_notice_says_so() -> None:
    file = table(NAMES, TEXTS, IDS, ANNA)
    assert records(file) == [(5, ANNA)]
    assert file.notices == [
        "q.csv: this is an export of Qualtrics: lines 2 and 4 are headers, not read as people"
    ]
    assert file.qualtrics
    assert file.qualtrics.time_zone == "America/Denver"


def test_a_workbook_has_no_row_of_import_ids() -> None:
    file = TableFile(book([NAMES, TEXTS, ANNA]), file="q.xlsx")
    assert records(file) == [(3, ANNA)]
    assert file.notices == [
        "q.xlsx: this is an export of Qualtrics: line 2 is a header, not read as people"
    ]


def test_row_of_texts_may_have_been_deleted() -> None:
    assert records(table(NAMES, IDS, ANNA)) == [(3, ANNA)]


@pytest.mark.parametrize("rows", [[], [ANNA], [ANNA, ANNA]])
def test_columns_of_these_names_do_not_make_an_export(rows: list[list[str]]) -> None:
    file = table(NAMES, *rows)
    assert [cells for _, cells in records(file)] == rows
    assert (file.qualtrics, file.notices) == (None, [])


def test_import_ids_of_some_columns_alone_are_refused() -> None:
    with pytest.raises(DefinitionError) as caught:
        table([*NAMES, "Q2", "Q3"], [*TEXTS, "", ""], [*IDS, "", "4"], [*ANNA, "", ""])
    assert caught.value.lines == [
        "q.csv, line 4: this row has Qualtrics' ImportIds, but none for 'Q2', 'Q3'; export the "
        'file again, or fill them with {"ImportId": ""}'
    ]
