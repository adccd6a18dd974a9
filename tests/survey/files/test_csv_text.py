"""CSV text: exact values, no formulas, and back."""

import csv
import io
from datetime import UTC, datetime, timedelta, timezone

import pytest

from survey.files.csv_text import csv_lines, from_text, time_text, to_text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""),
        (float("nan"), ""),
        (True, "true"),
        (False, "false"),
        (-3, "-3"),
        (1 / 3, "0.3333333333333333"),
        (-0.5, "-0.5"),
        ("plain", "plain"),
        ("", ""),
    ],
)
def test_value_as_a_cell(value: object, text: str) -> None:
    assert to_text(value) == text


@pytest.mark.parametrize(
    ("given", "written"),
    [
        ("=1+1", "'=1+1"),
        ("+1", "'+1"),
        ("-model", "'-model"),
        ("@sum", "'@sum"),
        ("＝1", "'＝1"),
        ("'=1", "''=1"),
        ("''=1", "'''=1"),
        ("'90s", "'90s"),
        ("it's =", "it's ="),
        ("'", "'"),
    ],
)
def test_text_like_a_formula_is_guarded_and_comes_back(given: str, written: str) -> None:
    assert to_text(given) == written
    assert from_text(written) == given


def test_time_is_utc_and_to_the_microsecond() -> None:
    berlin = timezone(timedelta(hours=1))

    assert time_text(None) is None
    assert time_text(datetime(2026, 3, 1, 9, 0, tzinfo=berlin)) == "2026-03-01T08:00:00Z"
    assert time_text(datetime(2026, 3, 1, 9, 0, 0, 5, UTC)) == "2026-03-01T09:00:00.000005Z"


@pytest.mark.parametrize("n", [0, 1, 499, 500, 501, 1000])
def test_lines_come_in_pieces_and_lose_nothing(n: int) -> None:
    rows = [[number, f'"{number}",\nx'] for number in range(n)]

    pieces = list(csv_lines(("number", "text"), rows))

    assert len(pieces) == n // 500 + 1
    read = list(csv.reader(io.StringIO("".join(pieces), newline="")))
    assert read == [["number", "text"], *([str(number), text] for number, text in rows)]
