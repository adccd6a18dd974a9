"""Item means against arithmetic done by hand."""

import math

import pytest
from pandas import DataFrame

from analysis.study_data import ITEM
from analysis.tables.items import items, rating_counts
from tests.analysis.by_hand import rows_of


def ratings(*rows: tuple[str, str, int]) -> DataFrame:
    """Ratings as (set, condition, rating); all else is the same."""
    return DataFrame(
        [("S1", name, "m", condition, "empathy", rating) for name, condition, rating in rows],
        columns=[*ITEM, "rating"],
    )


def known(*rows: tuple[str, str, float | None]) -> DataFrame:
    return DataFrame(
        [("S1", name, "m", condition, "empathy", gold) for name, condition, gold in rows],
        columns=[*ITEM, "gold"],
    ).astype({"gold": "float64"})


def test_counts_of_each_value_of_each_item() -> None:
    counts = rating_counts(ratings(("1", "a", 2), ("1", "a", 5), ("1", "a", 2), ("2", "a", 2)))
    assert counts[["set", "rating", "n"]].to_numpy().tolist() == [
        ["1", 2, 2],
        ["1", 5, 1],
        ["2", 2, 1],
    ]


def test_n_mean_and_sd_of_an_item() -> None:
    counts = rating_counts(ratings(("1", "a", 1), ("1", "a", 2), ("1", "a", 2), ("1", "a", 5)))
    item = items(counts, known(("1", "a", 11 / 3))).iloc[0]
    assert (item["n"], item["total"], item["mean"]) == (4, 10, 2.5)
    # deviations −1.5, −0.5, −0.5, 2.5: (2.25 + 0.25 + 0.25 + 6.25) / 3 = 3
    assert item["sd"] == math.sqrt(3)
    assert item["gold"] == 11 / 3
    assert item["note"] == ""


def test_a_response_in_two_sets_is_an_item_in_each() -> None:
    counts = rating_counts(ratings(("1", "reference", 4), ("2", "reference", 5)))
    table = items(counts, known(("1", "reference", 4.0), ("2", "reference", 4.0)))
    assert table[["set", "n", "mean", "gold"]].to_numpy().tolist() == [
        ["1", 1, 4.0, 4.0],
        ["2", 1, 5.0, 4.0],
    ]


def test_one_rating_has_no_deviation() -> None:
    (item,) = rows_of(items(rating_counts(ratings(("1", "a", 4))), known(("1", "a", None))))
    assert (item["mean"], item["sd"], item["gold"]) == (4.0, None, None)
    assert item["note"] == "no standard deviation, because there is one rating"


def test_equal_ratings_have_deviation_0_exactly() -> None:
    counts = rating_counts(ratings(*[("1", "a", 3)] * 7))
    assert items(counts, known(("1", "a", None))).loc[0, "sd"] == 0.0


def test_an_item_without_ratings_keeps_its_row_and_its_gold_score() -> None:
    counts = rating_counts(ratings(("1", "a", 4)))
    table = items(counts, known(("1", "b", 3.0), ("1", "a", 2.0)))
    assert table["condition"].tolist() == ["b", "a"]  # the order of the known items
    assert table["n"].tolist() == [0, 1]
    assert table["gold"].tolist() == [3.0, 2.0]
    assert rows_of(table)[0]["mean"] is None
    assert rows_of(table)[0]["note"] == "no included rater rated it"


def test_an_item_known_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="not unique"):
        items(rating_counts(ratings(("1", "a", 4))), known(("1", "a", 1.0), ("1", "a", 2.0)))
