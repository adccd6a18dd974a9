"""How alike a rater's first and second ratings of a response are."""

import pytest
from pandas import DataFrame

from analysis.not_available import NotAvailable
from analysis.repeats import one_of_each
from analysis.tables.self_agreement import self_agreement

PLACE = {"scenario": "S1", "set": "1", "condition": "plain"}


def rated(*values: tuple[str, str, int, int]) -> DataFrame:
    """Participant, model, repeat and rating of one dimension."""
    return DataFrame(
        {"participant": who, "model": model, **PLACE, "dimension": "warmth"}
        | {"repeat": repeat, "rating": rating}
        for who, model, repeat, rating in values
    )


NO_RANKS = DataFrame(columns=["participant"])
RATINGS = rated(
    ("a", "M1", 2, 3), ("a", "M1", 1, 2), ("a", "M2", 1, 5), ("a", "M2", 2, 5), ("a", "M2", 3, 1),
    ("b", "M1", 1, 1), ("b", "M1", 2, 1), ("b", "M2", 1, 4), ("b", "M2", 2, 3), ("b", "M3", 1, 4),
)  # fmt: skip


def test_first_and_second_ratings_are_compared() -> None:
    again = one_of_each({"ratings": RATINGS, "ranks": NO_RANKS}, "first").repeats.again
    row = self_agreement(again).iloc[0]
    assert (row["n"], row["n_raters"], row["same"]) == (4, 2, 50)
    assert (row["difference"], row["distance"]) == (0, 0.5)
    # McGraw & Wong's ICC(A,1) of cbind(c(2, 5, 1, 4), c(3, 5, 1, 3)), computed in R
    assert row["icc"] == pytest.approx(0.91428571, abs=1e-8)
    assert row["ci_low"] < row["icc"] < row["ci_high"]


@pytest.mark.parametrize(
    ("taken", "expected"),
    [("first", [2, 5, 1, 4, 4]), ("last", [3, 1, 1, 3, 4]), ("mean", [2.5, 11 / 3, 1, 3.5, 4])],
)
def test_one_rating_of_each_is_taken(taken: str, expected: list[float]) -> None:
    one_each = one_of_each({"ratings": RATINGS, "ranks": NO_RANKS}, taken)  # type: ignore[arg-type]
    table = one_each.ratings.sort_values(["participant", "model"])
    assert table["rating"].tolist() == pytest.approx(expected)
    assert "repeat" not in table
    repeats = one_each.repeats
    assert (repeats.ratings, repeats.ranks, repeats.raters) == (5, 0, 2)


def test_of_ranks_a_whole_page_is_taken() -> None:
    ranks = rated(
        ("a", "M1", 1, 1), ("a", "M2", 1, 2), ("a", "M1", 2, 2), ("a", "M3", 2, 1)
    ).rename(columns={"rating": "rank"})  # fmt: skip
    for taken, models in (("first", ["M1", "M2"]), ("mean", ["M1", "M2"]), ("last", ["M1", "M3"])):
        of_page = one_of_each({"ratings": RATINGS[:0], "ranks": ranks}, taken).ranks  # type: ignore[arg-type]
        assert of_page["model"].tolist() == models


def test_nobody_rated_twice() -> None:
    with pytest.raises(NotAvailable, match="no included rater rated a response twice"):
        self_agreement(DataFrame())


def test_what_cannot_be_estimated_has_a_reason() -> None:
    twice = DataFrame({"participant": ["a"], "dimension": "x", "first": 3.0, "second": 3.0})
    row = self_agreement(twice).iloc[0]
    assert (row["same"], row["note"]) == (
        100, "not estimable, because fewer than 3 responses were rated twice"
    )  # fmt: skip
