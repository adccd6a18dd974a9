"""Wins, ties and reference points, exact whatever the decimals."""

from dataclasses import replace
from fractions import Fraction

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas import DataFrame

from analysis.not_available import NotAvailable
from analysis.study_data import ITEM, Contrast
from analysis.tables.items import items, rating_counts
from analysis.tables.wins import wins, wins_summary
from tests.analysis import by_hand

CONTRAST = Contrast("base", "tuned", ("big", "reference"))
Ratings = dict[tuple[str, str, str, str], list[int]]


def item_table(ratings: Ratings) -> DataFrame:
    """Items of one dimension from (scenario, set, model, condition) and their ratings."""
    rows = [(*key, "empathy", value) for key, values in ratings.items() for value in values]
    known = DataFrame([(*key, "empathy", None) for key in ratings], columns=[*ITEM, "gold"])
    return items(rating_counts(DataFrame(rows, columns=[*ITEM, "rating"])), known)


def cell(
    a: list[int], b: list[int], reference: list[int] | None = None, contrast: Contrast = CONTRAST
) -> dict[str, object]:
    """The one row of a study with one model."""
    ratings: Ratings = {("S1", "1", "small", "base"): a, ("S1", "1", "small", "tuned"): b}
    if reference is not None:
        ratings["S1", "1", "big", "reference"] = reference
    (row,) = by_hand.rows_of(wins(item_table(ratings), contrast))
    return row


def test_the_higher_mean_wins() -> None:
    row = cell([1, 2, 3], [3, 4], [5, 5, 4])
    assert row == {
        "model": "small",
        "scenario": "S1",
        "dimension": "empathy",
        "condition_a": "base",
        "condition_b": "tuned",
        "n_a": 3,
        "n_b": 2,
        "mean_a": 2.0,
        "mean_b": 3.5,
        "mean_reference": 14 / 3,
        "winner": "b",
        "reference_points": 2,
        "note": "",
    }
    assert cell([4], [3])["winner"] == "a"


@pytest.mark.parametrize(
    ("reference", "points"),
    [([5], 2), ([4], 1), ([3], 1), ([2], 0), ([1], 0)],
)
def test_the_reference_earns_a_point_for_each_condition_strictly_below_it(
    reference: list[int], points: int
) -> None:
    # a 2, b 4: at 4 it is above a alone, at 3 too, at 2 above neither.
    assert cell([2], [4], reference)["reference_points"] == points


def test_equal_means_of_different_numbers_of_ratings_are_a_tie() -> None:
    # 10/3 = 20/6
    assert cell([3, 3, 4], [3, 3, 4, 4, 3, 3])["winner"] == "tie"


def test_means_that_differ_only_in_floating_point_are_a_tie() -> None:
    # 148/49 = 296/98, but summed up as x/n + x/n + … the two come out unequal.
    a, b = [4] + [3] * 48, [4, 4] + [3] * 96
    by_steps = sum(value / 49 for value in a), sum(value / 98 for value in b)
    assert by_steps[0] != by_steps[1]
    row = cell(a, b, a)
    assert (row["winner"], row["reference_points"]) == ("tie", 0)


def test_a_difference_too_small_for_floats_still_wins() -> None:
    # n·10⁸ ratings could not be written out: items carry their sums.
    n = 10**8
    table = item_table({("S1", "1", "m", "base"): [1], ("S1", "1", "m", "tuned"): [1]})
    table["n"], table["total"] = [n, n + 1], [3 * n + 1, 3 * (n + 1) + 1]
    # 3 + 1/n against 3 + 1/(n + 1): apart by 10⁻¹⁶, one float
    assert (3 * n + 1) / n == (3 * (n + 1) + 1) / (n + 1)
    assert wins(table, CONTRAST).loc[0, "winner"] == "a"


def test_the_reference_is_that_of_the_models_own_set() -> None:
    table = wins(
        item_table(
            {
                ("S1", "1", "m1", "base"): [3],
                ("S1", "1", "m1", "tuned"): [3],
                ("S1", "1", "big", "reference"): [5],
                ("S1", "2", "m2", "base"): [3],
                ("S1", "2", "m2", "tuned"): [3],
                ("S1", "2", "big", "reference"): [1],
            }
        ),
        CONTRAST,
    )
    assert table[["model", "mean_reference", "reference_points"]].to_numpy().tolist() == [
        ["m1", 5.0, 2],
        ["m2", 1.0, 0],
    ]


def test_a_model_in_two_sets_is_compared_over_both_with_the_reference_of_both() -> None:
    (row,) = by_hand.rows_of(
        wins(
            item_table(
                {
                    ("S1", "1", "m", "base"): [1, 1],
                    ("S1", "2", "m", "base"): [4],
                    ("S1", "1", "m", "tuned"): [2, 2],
                    ("S1", "2", "m", "tuned"): [2],
                    ("S1", "1", "big", "reference"): [1],
                    ("S1", "2", "big", "reference"): [4],
                    ("S1", "3", "big", "reference"): [5],
                }
            ),
            CONTRAST,
        )
    )
    # (1 + 1 + 4) / 3 = 2 = (2 + 2 + 2) / 3; the reference (1 + 4) / 2, without set 3
    assert (row["mean_a"], row["mean_b"], row["winner"]) == (2.0, 2.0, "tie")
    assert (row["mean_reference"], row["reference_points"]) == (2.5, 2)


@pytest.mark.parametrize(
    ("a", "b", "note"),
    [
        ([3], [], "no ratings of tuned"),
        ([], [3], "no ratings of base"),
        ([], [], "no ratings of base and tuned"),
    ],
)
def test_a_condition_without_ratings_is_no_comparison_and_says_so(
    a: list[int], b: list[int], note: str
) -> None:
    row = cell(a, b, [5])
    assert (row["winner"], row["reference_points"], row["note"]) == ("", None, note)


def test_a_condition_that_a_model_lacks_in_one_scenario_is_said_too() -> None:
    of_model = {("S1", "", "m", "tuned"): [3]}
    elsewhere = {("S2", "", "m", condition): [2] for condition in ("base", "tuned")}
    table = wins(item_table({**of_model, **elsewhere}), replace(CONTRAST, reference=None))
    assert table[["mean_b", "winner", "note"]].to_numpy().tolist() == [
        [3.0, "", "no ratings of base"],
        [2.0, "tie", ""],
    ]


def test_a_model_without_one_of_the_conditions_is_never_compared() -> None:
    of_other = {("S1", "", "other", condition): [2] for condition in ("base", "tuned")}
    table = wins(item_table({("S1", "", "m", "tuned"): [3], **of_other}), CONTRAST)
    assert set(table["model"]) == {"other"}


def test_where_no_model_has_both_conditions_nothing_is_compared() -> None:
    apart = item_table({("S1", "", "m", "tuned"): [3], ("S1", "", "other", "base"): [3]})
    with pytest.raises(NotAvailable, match="no model is in both compared conditions"):
        wins(apart, CONTRAST)


def test_a_reference_without_ratings_in_the_set_leaves_the_winner() -> None:
    row = cell([1], [2], [])
    assert (row["winner"], row["reference_points"]) == ("b", None)
    assert row["note"] == "the reference has no ratings in the model's own set"


def test_a_study_without_a_reference_has_no_points() -> None:
    contrast = Contrast("base", "tuned", None)
    row = cell([1], [2], contrast=contrast)
    assert (row["winner"], row["reference_points"], row["note"]) == ("b", None, "")
    both = {("S", "", "m", condition): [1] for condition in ("base", "tuned")}
    summary = wins_summary(wins(item_table(both), contrast))
    assert summary["reference_points_max"].tolist() == [0, 0]
    assert summary["reference_percent"].isna().all()


@pytest.mark.parametrize(
    ("contrast", "reason"),
    [
        (Contrast(None, None, None), "the study names no two conditions to compare"),
        (Contrast("x", "y", None), "no response is in either compared condition"),
    ],
)
def test_a_study_without_the_contrast_has_no_wins_and_a_reason(
    contrast: Contrast, reason: str
) -> None:
    with pytest.raises(NotAvailable, match=reason):
        wins(item_table({("S1", "1", "m", "base"): [3]}), contrast)


def test_summary_counts_wins_and_ties_per_scenario_and_over_all() -> None:
    ratings: Ratings = {}
    scenarios: dict[str, list[tuple[list[int], list[int]]]] = {
        "S1": [([4], [2]), ([2], [4]), ([3], [3])],  # a, b, tie
        "S2": [([4], [2]), ([5], [2]), ([3], [])],  # a, a, not compared
    }
    for scenario, cells in scenarios.items():
        ratings[scenario, "1", "big", "reference"] = [3]
        for number, (a, b) in enumerate(cells):
            ratings[scenario, "1", f"m{number}", "base"] = a
            ratings[scenario, "1", f"m{number}", "tuned"] = b
    summary = wins_summary(wins(item_table(ratings), CONTRAST))
    # The reference, 3, is above one of 4 and 2 each time, and above neither of 3 and 3.
    assert by_hand.rows_of(summary) == [
        _summary("S1", 1, 1, 1, points=2, most=6),
        _summary("S2", 2, 0, 0, points=2, most=4, not_compared=1),
        _summary("all", 3, 1, 1, points=4, most=10, not_compared=1),
    ]


def _summary(
    scenario: str, a: int, b: int, ties: int, *, points: int, most: int, not_compared: int = 0
) -> dict[str, object]:
    return {
        "scenario": scenario,
        "dimension": "empathy",
        "a_wins": a,
        "b_wins": b,
        "ties": ties,
        "a_percent": 100 * a / (a + b + ties),
        "b_percent": 100 * b / (a + b + ties),
        "reference_points": points,
        "reference_points_max": most,
        "reference_percent": 100 * points / most,
        "not_compared": not_compared,
    }


def test_rows_follow_the_order_of_the_study() -> None:
    ratings: Ratings = {(name, "1", "m", c): [3] for name in ("S1", "S2", "S3") for c in "ab"}
    order = ["S3", "S1", "S2"]
    table = item_table(ratings).astype({"scenario": pd.CategoricalDtype(order, ordered=True)})
    found = wins(table, Contrast("a", "b", None))
    assert found["scenario"].tolist() == order
    assert wins_summary(found)["scenario"].tolist() == [*order, "all"]


def test_each_dimension_is_summed_up_on_its_own() -> None:
    table = item_table({("S1", "", "m", "base"): [4], ("S1", "", "m", "tuned"): [2]})
    other = table.assign(dimension="advice", total=[2, 4])
    both = items_of_two(table, other)
    summary = wins_summary(wins(both, CONTRAST))
    assert summary[["scenario", "dimension", "a_wins", "b_wins"]].to_numpy().tolist() == [
        ["S1", "advice", 0, 1],
        ["S1", "empathy", 1, 0],
        ["all", "advice", 0, 1],
        ["all", "empathy", 1, 0],
    ]


def items_of_two(one: DataFrame, other: DataFrame) -> DataFrame:
    return DataFrame([*by_hand.rows_of(one), *by_hand.rows_of(other)])


some = st.lists(st.integers(1, 5), min_size=1, max_size=30)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(some, some, some)
def test_winner_and_points_are_those_of_exact_fractions(
    a: list[int], b: list[int], reference: list[int]
) -> None:
    means = [Fraction(sum(values), len(values)) for values in (a, b, reference)]
    row = cell(a, b, reference)
    assert row["winner"] == by_hand.winner(means[0], means[1])
    assert row["reference_points"] == by_hand.reference_points(*means)
    assert [row["mean_a"], row["mean_b"], row["mean_reference"]] == [float(m) for m in means]


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(some, some)
def test_exchanging_the_conditions_exchanges_the_winner(a: list[int], b: list[int]) -> None:
    exchanged = {"a": "b", "b": "a", "tie": "tie"}
    assert cell(b, a)["winner"] == exchanged[str(cell(a, b)["winner"])]
