"""Indices of careless responding, by hand; where there is none, a note says why."""

from math import sqrt

import numpy as np
import pytest
from pandas import DataFrame, Series

from analysis.stats.careless import (
    DurationBounds,
    Index,
    consensus_deviation,
    contradictions,
    duration_bounds,
    even_odd,
    intra_individual_variability,
    longstring,
    person_total,
    retest_sd,
    share_of_fast_pages,
)
from analysis.stats.inestimable import Inestimable

_ = np.nan


def table(*rows: list[float]) -> DataFrame:
    return DataFrame(rows, index=[f"r{at}" for at in range(1, len(rows) + 1)], dtype=float)


def assert_index(found: Index, values: list[float], notes: list[str]) -> None:
    assert found.values.tolist() == pytest.approx(values, nan_ok=True)
    assert found.notes.tolist() == notes
    assert found.values.index.equals(found.notes.index)


def test_longstring_is_the_longest_run_and_a_missing_answer_ends_it() -> None:
    answers = table([3, 3, 3, 1, 1], [3, 3, _, 3, 3], [1, 2, 1, 2, 1], [_, _, _, _, 4], [_] * 5)
    assert_index(longstring(answers), [3, 2, 1, 1, _], ["", "", "", "", "no answers"])


def test_variability_is_the_standard_deviation_of_the_answers() -> None:
    answers = table([1, 2, 3, _], [4, 4, 4, 4], [5, _, _, _], [_] * 4)
    assert_index(
        intra_individual_variability(answers),
        [1, 0, _, _],
        ["", "", "one answer has no spread", "no answers"],
    )


def test_person_total_leaves_the_rater_out_of_the_others() -> None:
    ratings = table([1, 2, 3], [1, 3, 5], [3, 2, 1])
    found = person_total(ratings)
    # The others of the first: 2, 2.5, 3; of the second: 2, 2, 2; of the third: 1, 2.5, 4.
    assert found.values.tolist() == pytest.approx([1, _, -1], nan_ok=True)
    assert found.notes.tolist() == ["", "the others' means are all the same", ""]


def test_person_total_says_why_there_is_none() -> None:
    ratings = table([1, 2, 4, _], [3, 3, 3, _], [_, _, 1, 2], [_] * 4)
    assert person_total(ratings).notes.tolist() == [
        "",
        "the rater's ratings are all the same",
        "fewer than three items with other raters",
        "no answers",
    ]


def test_consensus_is_the_mean_of_the_others() -> None:
    ratings = table([1, 5, _, 2], [2, 3, _, _], [3, _, 4, _], [_] * 4)
    assert_index(
        consensus_deviation(ratings),
        [(1.5 + 2) / 2, (0 + 2) / 2, 1.5, _],
        ["", "", "", "no answers"],
    )
    alone = table([1, 2])
    assert_index(consensus_deviation(alone), [_], ["nobody else rated the same items"])


BLOCKS = ["b1", "b1", "b1", "b2", "b2", "b3", "b3", "b4"]


def test_even_odd_correlates_the_halves_of_blocks() -> None:
    # Odd and even means: (2, 2), (4, 5), (3, 2); b4 has no even half.
    found = even_odd(table([1, 2, 3, 4, 5, 3, 2, 5]), BLOCKS)
    r = np.corrcoef([2, 4, 3], [2, 5, 2])[0, 1]
    assert_index(found, [2 * r / (1 + r)], [""])


def test_even_odd_has_a_floor_and_says_why_there_is_none() -> None:
    ratings = table(
        [1, 3, 1, 2, 2, 3, 1, 5],  # r = −1
        [1, 3, 1, 2, 3, 3, 3, 5],
        [1, 3, 1, _, 2, 3, 1, 5],
        [_] * 8,
    )
    assert_index(
        even_odd(ratings, BLOCKS),
        [-1, _, _, _],
        [
            "",
            "one half is the same in every block",
            "fewer than three blocks with both halves",
            "no answers",
        ],
    )
    with pytest.raises(ValueError, match="8 columns need as many blocks, not 2"):
        even_odd(ratings, ["b1", "b2"])


def test_retest_pools_what_lies_within_items() -> None:
    items = ["x", "y", "x", "y", "x", "z"]
    ratings = table([1, 4, 3, 5, 2, 1], [2, 4, 2, 4, 2, 5], [1, 2, _, _, _, 3], [_] * 6)
    assert_index(
        retest_sd(ratings, items),
        [sqrt((2 + 0.5) / 3), 0, _, _],
        ["", "", "nothing was rated twice", "no answers"],
    )
    with pytest.raises(ValueError, match="need as many items"):
        retest_sd(ratings, ["x"])


def test_contradictions_are_pairs_that_ratings_and_ranks_order_oppositely() -> None:
    answers = DataFrame(
        {
            "rater": ["r1"] * 5 + ["r2"] * 2 + ["r3"],
            "block": ["b1"] * 3 + ["b2"] * 2 + ["b1"] * 3,
            "rating": [5, 3, 3, 1, 4, 2, 2, _],
            "rank": [1, 2, 3, 1, 2, 1, 2, 1],
        }
    )
    found = contradictions(answers).set_index("rater")
    # r1: 5 before 3 twice agrees, 3 and 3 says nothing; 1 before 4 is the wrong way round.
    assert found["pairs"].to_dict() == {"r1": 3, "r2": 0, "r3": 0}
    assert found["contradictions"].to_dict() == {"r1": 1, "r2": 0, "r3": 0}
    assert found.loc["r1", "share"] == pytest.approx(1 / 3)
    assert found["share"].isna().tolist() == [False, True, True]
    assert (found["note"] == "").tolist() == [True, False, False]
    assert contradictions(answers.iloc[:0]).empty


def test_fast_pages_are_those_below_the_fewest_seconds() -> None:
    seconds = table([9, 10, 30, _], [10, 10, 10, 10], [_] * 4)
    assert_index(
        share_of_fast_pages(seconds, fewest=10), [1 / 3, 0, _], ["", "", "no page has a time"]
    )
    with pytest.raises(ValueError, match="more than 0 seconds"):
        share_of_fast_pages(seconds, fewest=0)


def test_durations_beyond_three_deviations_are_outside() -> None:
    seconds = Series({f"r{at}": 600.0 + at for at in range(20)} | {"slow": 9000.0, "gone": _})
    found = duration_bounds(seconds)
    assert isinstance(found, DurationBounds)
    known = seconds.dropna()
    assert found.n == 21
    assert found.upper == pytest.approx(known.mean() + 3 * known.std())
    assert found.lower == pytest.approx(known.mean() - 3 * known.std())
    assert found.outside == ("slow",)


def test_among_few_nobody_can_be_three_deviations_away() -> None:
    few = duration_bounds(Series([1.0] * 9 + [1e9]))
    because = "among 10 raters nobody can be further than 2.85 SDs from the mean"
    assert few == Inestimable("too_few", because)
    assert duration_bounds(Series(dtype=float)) == Inestimable("no_values", "no duration is known")
    assert isinstance(duration_bounds(Series([1.0] * 10 + [1e9])), DurationBounds)
    same = Inestimable("constant", "all durations are the same")
    assert duration_bounds(Series([600.1] * 30)) == same


def test_nobody_has_no_indices() -> None:
    nobody = DataFrame(columns=["a", "b"], dtype=float)
    for found in (
        longstring(nobody),
        intra_individual_variability(nobody),
        person_total(nobody),
        consensus_deviation(nobody),
        even_odd(nobody, ["b1", "b1"]),
        retest_sd(nobody, ["x", "x"]),
    ):
        assert found.values.empty
        assert found.notes.empty


def test_raters_without_any_columns_have_no_answers() -> None:
    for found in (longstring(table([], [])), even_odd(table([], []), [])):
        assert found.notes.tolist() == ["no answers"] * 2


def test_infinite_answers_are_refused() -> None:
    with pytest.raises(ValueError, match="infinite"):
        longstring(table([1, np.inf]))
    with pytest.raises(ValueError, match="finite"):
        duration_bounds(Series([1, np.inf]))
