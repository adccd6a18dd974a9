"""Intervals stand behind the number that they enclose."""

import pytest

from analysis.text.interval_columns import enclosed, with_intervals


def test_an_interval_stands_behind_its_number_wherever_its_columns_are() -> None:
    columns = ["n", "rank_biserial", "p", "ci_low", "ci_high", "method"]
    assert with_intervals(columns) == [
        ("n",), ("rank_biserial",), ("ci_low", "ci_high"), ("p",), ("method",),
    ]  # fmt: skip


def test_an_interval_of_nothing_known_stays_where_it_is() -> None:
    columns = ["by", "limits_low", "limits_high", "n"]
    assert with_intervals(columns) == [("by",), ("limits_low", "limits_high"), ("n",)]


@pytest.mark.parametrize(
    ("low", "owner"),
    [
        ("ci_low", "difference"),
        ("ci_low_with", "difference_with"),
        ("d_ci_low", "cohen_d"),
        ("best_ci_low", "share_best"),
        ("w_within_ci_low", "w_within_blocks"),
        ("by_raters_low", "by_raters"),
        ("limits_low", ""),
    ],
)
def test_what_an_interval_encloses(low: str, owner: str) -> None:
    columns = [
        "mean", "difference", "difference_with", "cohen_d", "best", "share_best", "w",
        "w_within_blocks", "by_raters", "rank_biserial",
    ]  # fmt: skip
    assert enclosed(low, columns) == owner
