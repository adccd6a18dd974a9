"""F1, F2 and min F′: hand arithmetic, empty cells, one rater, one item."""

import numpy as np
import pytest
from pandas import DataFrame

from analysis.stats.inestimable import Inestimable
from analysis.stats.min_f_prime import MinF, min_f_prime
from analysis.stats.paired import PairedT

_ = np.nan
#: Three raters, two items.
TABLE = DataFrame({"S1": [1.0, 2, 0], "S2": [2.0, 3, 1]}, index=["r1", "r2", "r3"])


def test_raters_and_items_are_tested_by_their_means() -> None:
    found = min_f_prime(TABLE)
    assert isinstance(found.by_raters, PairedT)
    assert isinstance(found.by_items, PairedT)
    # Raters' means 1.5, 2.5, 0.5; items' means 1, 2.
    assert found.by_raters.t == pytest.approx(1.5 / (1 / np.sqrt(3)))
    assert found.by_items.t == pytest.approx(1.5 / (np.sqrt(0.5) / np.sqrt(2)))
    assert (found.by_raters.df, found.by_items.df) == (2, 1)


def test_min_f_is_below_both_with_clarks_degrees_of_freedom() -> None:
    found = min_f_prime(TABLE).min_f
    assert isinstance(found, MinF)
    F1, F2 = 6.75, 9.0
    assert pytest.approx(F1 * F2 / (F1 + F2)) == found.F
    assert found.df2 == pytest.approx((F1 + F2) ** 2 / (F1**2 / 1 + F2**2 / 2))
    assert found.p > 0.05


def test_empty_cells_are_counted_and_raters_without_any_left_out() -> None:
    table = DataFrame({"S1": [1.0, 2, _, _], "S2": [3.0, _, 1, _], "S3": [_, _, _, _]})
    found = min_f_prime(table)
    assert (found.empty_raters, found.empty_items, found.empty_cells) == (1, 1, 2)
    assert isinstance(found.by_raters, PairedT)
    assert isinstance(found.by_items, PairedT)
    assert found.by_raters.difference == pytest.approx((2 + 2 + 1) / 3)
    assert found.by_items.difference == pytest.approx((1.5 + 2) / 2)


def test_one_item_leaves_raters_and_one_rater_items() -> None:
    alone = min_f_prime(TABLE[["S1"]])
    assert isinstance(alone.by_raters, PairedT)
    assert alone.by_items == Inestimable("too_few", "there is one item")
    assert alone.min_f == alone.by_items
    single = min_f_prime(TABLE.iloc[:1])
    assert single.by_raters == Inestimable("too_few", "there is one rater")
    assert isinstance(single.by_items, PairedT)
    assert single.min_f == single.by_raters
    named = min_f_prime(TABLE[["S1"]], units=("student", "lecturer"))
    assert named.by_items == Inestimable("too_few", "there is one lecturer")


@pytest.mark.parametrize("table", [TABLE.iloc[:0], TABLE * _, DataFrame()])
def test_without_differences_nobody_has_both_conditions(table: DataFrame) -> None:
    found = min_f_prime(table.astype(float))
    because = "no rater has both conditions of the same item"  # others may have rated the other one
    assert found.by_raters == found.by_items == Inestimable("no_values", because)
    assert found.min_f == found.by_raters


def test_the_same_difference_everywhere_has_no_error() -> None:
    # That 0.3 − 0.2 is not 0.1 in its last digit is no error either.
    found = min_f_prime(TABLE * 0 + np.array([[0.1], [0.3 - 0.2], [0.1]]))
    assert found.by_raters == Inestimable(
        "constant", "the mean difference is the same for all 3 raters"
    )


def test_no_difference_on_average_leaves_min_f_without_degrees_of_freedom() -> None:
    found = min_f_prime(DataFrame({"S1": [1.0, 0], "S2": [0.0, -1]}))
    assert isinstance(found.by_raters, PairedT)
    assert found.by_raters.p == 1
    assert isinstance(found.min_f, Inestimable)
    assert found.min_f.kind == "no_difference"
