"""Numbers as people read them."""

import pytest

from analysis.catalogue.number_text import decimals, degrees, p_text, percent, tally


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (0.004, ".004"),
        (0.0409, ".041"),
        (0.05, ".050"),
        (0.000999, "< .001"),
        (0.001, ".001"),
        (0.0, "< .001"),
        (0.9996, "> .999"),
        (1.0, "> .999"),
    ],
)
def test_p_has_three_decimals_and_no_zero_in_front(p: float, text: str) -> None:
    assert p_text(p) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(2.345, "2.35"), (-0.5, "−0.50"), (-0.001, "0.00"), (0.0, "0.00"), (-12345.678, "−12,345.68")],
)
def test_decimals_have_a_real_minus_and_none_before_zero(value: float, text: str) -> None:
    assert decimals(value) == text


def test_percent_is_not_torn_from_its_sign() -> None:
    assert percent(54.1667) == "54.2\u202f%"


def test_degrees_are_whole_where_they_are() -> None:
    assert [degrees(115), degrees(115.0), degrees(5.24)] == ["115", "115", "5.2"]


def test_tally_shows_half_a_win() -> None:
    assert [tally(26), tally(26.0), tally(26.5)] == ["26", "26", "26.5"]
