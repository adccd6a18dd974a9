"""Numbers from keyboards of other scripts."""

import pytest

from survey.files.digits import ascii_digits, ascii_number


@pytest.mark.parametrize(
    ("typed", "number"),
    [
        ("３４", "34"),
        ("٣٤", "34"),  # Arabic-Indic
        ("۳۴", "34"),  # Persian
        ("३४", "34"),  # Devanagari
        ("－３．５", "-3.5"),
        ("−3", "-3"),
        ("＋３，５", "+3,5"),
        ("٣٫٥", "3.5"),
        ("34", "34"),
    ],
)
def test_number_is_read_as_it_is_meant(typed: str, number: str) -> None:
    assert ascii_number(typed) == number


@pytest.mark.parametrize("text", ["", "forty", "四", "³", "½", "Ⅳ", "①", "３４岁"])
def test_what_is_no_decimal_digit_stays(text: str) -> None:
    assert ascii_number(text) == text.replace("３４", "34")


def test_signs_stay_where_a_text_only_has_its_digits_changed() -> None:
    assert ascii_digits("评分：４．５") == "评分：4．5"
