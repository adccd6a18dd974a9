"""Indices of careless responding, by hand; where there is none, a note says why."""

from collections.abc import Sequence
from math import sqrt
from typing import Any

import numpy as np
import pandas as pd
import pytest
from pandas import DataFrame, Index, Series

from analysis.stats import careless
from analysis.stats.careless import (
    DurationBounds,
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
Answers = tuple[DataFrame, "Index[str]"]


def table(*rows: list[float], **columns: Sequence[Any]) -> Answers:
    """What raters answered, and what is said about each place: its item, its block, …"""
    width = len(rows[0]) if rows else 0
    about = DataFrame({"place": range(width), "item": range(width), **columns})
    raters = Index([f"r{at}" for at in range(1, len(rows) + 1)], dtype="str")
    answers = [
        DataFrame({**about, "rater": name, "value": row})
        for name, row in zip(raters, rows, strict=True)
    ]
    nothing = DataFrame(columns=[*about, "rater", "value"])
    # the order of the rows means nothing
    return pd.concat([nothing, *answers]).iloc[::-1].infer_objects(), raters


def assert_index(found: careless.Index, values: list[float], notes: list[str]) -> None:
    assert found.values.tolist() == pytest.approx(values, nan_ok=True)
    assert found.notes.tolist() == notes
    assert found.values.index.equals(found.notes.index)


def test_longstring_is_the_longest_run_and_a_missing_answer_ends_it() -> None:
    answers = table([3, 3, 3, 1, 1], [3, 3, _, 3, 3], [1, 2, 1, 2, 1], [_, _, _, _, 4], [_] * 5)
    assert_index(longstring(*answers), [3, 2, 1, 1, _], ["", "", "", "", "no answers"])


def test_variability_is_the_standard_deviation_of_the_answers() -> None:
    answers = table([1, 2, 3, _], [4, 4, 4, 4], [5, _, _, _], [_] * 4)
    assert_index(
        intra_individual_variability(*answers),
        [1, 0, _, _],
        ["", "", "one answer has no spread", "no answers"],
    )


def test_person_total_leaves_the_rater_out_of_the_others() -> None:
    ratings = table([1, 2, 3], [1, 3, 5], [3, 2, 1])
    found = person_total(*ratings)
    # The others of the first: 2, 2.5, 3; of the second: 2, 2, 2; of the third: 1, 2.5, 4.
    assert found.values.tolist() == pytest.approx([1, _, -1], nan_ok=True)
    assert found.notes.tolist() == ["", "the others' means are all the same", ""]


def test_who_rated_an_item_twice_counts_with_the_mean() -> None:
    ratings = table([1, 3, 3, 4], [2, _, 4, 6], item=["x", "x", "y", "z"])
    # of the first: 2, 3 and 4 beside the second's 2, 4 and 6
    assert_index(person_total(*ratings), [1, 1], ["", ""])
    assert_index(consensus_deviation(*ratings), [1, 1], ["", ""])


def test_person_total_says_why_there_is_none() -> None:
    ratings = table([1, 2, 4, _], [3, 3, 3, _], [_, _, 1, 2], [_] * 4)
    assert person_total(*ratings).notes.tolist() == [
        "",
        "the rater's ratings are all the same",
        "fewer than three items with other raters",
        "no answers",
    ]


def test_consensus_is_the_mean_of_the_others() -> None:
    ratings = table([1, 5, _, 2], [2, 3, _, _], [3, _, 4, _], [_] * 4)
    assert_index(
        consensus_deviation(*ratings),
        [(1.5 + 2) / 2, (0 + 2) / 2, 1.5, _],
        ["", "", "", "no answers"],
    )
    alone = table([1, 2])
    assert_index(consensus_deviation(*alone), [_], ["nobody else rated the same items"])


BLOCKS: dict[str, list[Any]] = {
    "block": ["b1", "b1", "b1", "b2", "b2", "b3", "b3", "b4"],
    "half": [0, 1, 0, 0, 1, 0, 1, 0],
}


def test_even_odd_correlates_the_halves_of_blocks() -> None:
    # The means of halves: (2, 2), (4, 5), (3, 2); b4 has one half.
    ratings = table([1, 2, 3, 4, 5, 3, 2, 5], **BLOCKS)
    r = np.corrcoef([2, 4, 3], [2, 5, 2])[0, 1]
    assert_index(even_odd(*ratings), [2 * r / (1 + r)], [""])


def test_even_odd_has_a_floor_and_says_why_there_is_none() -> None:
    ratings = table(
        [1, 3, 1, 2, 2, 3, 1, 5],  # r = −1
        [1, 3, 1, 2, 3, 3, 3, 5],
        [1, 3, 1, _, 2, 3, 1, 5],
        [_] * 8,
        **BLOCKS,
    )
    assert_index(
        even_odd(*ratings),
        [-1, _, _, _],
        [
            "",
            "one half is the same in every block",
            "fewer than three blocks with both halves",
            "no answers",
        ],
    )


def test_retest_pools_what_lies_within_items() -> None:
    ratings = table(
        [1, 4, 3, 5, 2, 1],
        [2, 4, 2, 4, 2, 5],
        [1, 2, _, _, _, 3],
        [_] * 6,
        item=["x", "y", "x", "y", "x", "z"],
    )
    assert_index(
        retest_sd(*ratings),
        [sqrt((2 + 0.5) / 3), 0, _, _],
        ["", "", "nothing was rated twice", "no answers"],
    )


def test_contradictions_are_pairs_that_ratings_and_ranks_order_oppositely() -> None:
    answers = DataFrame(
        {
            "rater": ["r1"] * 5 + ["r2"] * 2 + ["r3"],
            "block": ["b1"] * 3 + ["b2"] * 2 + ["b1"] * 3,
            "rating": [5, 3, 3, 1, 4, 2, 2, _],
            "rank": [1, 2, 3, 1, 2, 1, 2, 1],
        }
    )
    raters = Index(["r1", "r2", "r3", "r4"])
    found = contradictions(answers, raters)
    # r1: 5 before 3 twice agrees, 3 and 3 says nothing; 1 before 4 is the wrong way round.
    assert found["pairs"].to_dict() == {"r1": 3, "r2": 0, "r3": 0, "r4": 0}
    assert found["contradictions"].to_dict() == {"r1": 1, "r2": 0, "r3": 0, "r4": 0}
    assert found.loc["r1", "share"] == pytest.approx(1 / 3)
    assert found["share"].isna().tolist() == [False, True, True, True]
    assert found["note"].tolist() == [
        "",
        "no two responses differ in rating and in rank",
        "nothing was both rated and ranked",
        "nothing was both rated and ranked",
    ]
    assert contradictions(answers.iloc[:0], raters[:0]).empty
    with pytest.raises(ValueError, match="not among the raters"):
        contradictions(answers, raters[:1])
    with pytest.raises(ValueError, match="infinite values"):
        contradictions(answers.assign(rating=np.inf), raters)


def test_fast_pages_took_less_than_two_seconds_for_each_item() -> None:
    pages = DataFrame(
        {
            "rater": ["r1"] * 4 + ["r2"] * 2 + ["r3"],
            "seconds": [9, 10, 30, _, 3.9, 4.1, _],
            "items": [5, 5, 5, 5, 2, 2, 5],
        }
    )
    raters = Index(["r1", "r2", "r3"])
    assert_index(
        share_of_fast_pages(pages, raters), [1 / 3, 1 / 2, _], ["", "", "no page has a time"]
    )
    assert share_of_fast_pages(pages, raters, seconds_per_item=3).values.tolist()[:2] == [2 / 3, 1]
    with pytest.raises(ValueError, match="more than 0 seconds"):
        share_of_fast_pages(pages, raters, seconds_per_item=0)


def test_durations_beyond_three_deviations_are_outside() -> None:
    seconds = Series({f"r{at}": 600.0 + at for at in range(20)} | {"slow": 9000.0, "gone": _})
    found = duration_bounds(seconds)
    assert isinstance(found, DurationBounds)
    known = seconds.dropna()
    assert found.n == 21
    assert (found.mean, found.sd) == pytest.approx((seconds.mean(), seconds.std()))
    assert found.upper == pytest.approx(known.mean() + 3 * known.std())
    assert found.lower == pytest.approx(known.mean() - 3 * known.std())
    assert found.outside == ("slow",)


def test_among_few_nobody_can_be_three_deviations_away() -> None:
    few = duration_bounds(Series([1.0] * 9 + [1e9]))
    because = "among 10 raters nobody can be further than 2.85 SDs from the mean"
    assert few == Inestimable("too_few", because)
    assert duration_bounds(Series(dtype=float)) == Inestimable("no_values", "no duration is known")
    assert isinstance(duration_bounds(Series([1.0] * 10 + [1e9])), DurationBounds)
    one = Inestimable("too_few", "one duration has no spread")
    assert duration_bounds(Series([600.0])) == one
    same = Inestimable("constant", "all durations are the same")
    assert duration_bounds(Series([600.1] * 30)) == same


INDICES = [
    longstring,
    intra_individual_variability,
    person_total,
    consensus_deviation,
    even_odd,
    retest_sd,
]


@pytest.mark.parametrize("index", INDICES)
def test_nobody_has_no_indices(index: careless.IndexOf) -> None:
    found = index(*table(block=[], half=[]))
    assert found.values.empty
    assert found.notes.empty


@pytest.mark.parametrize("index", INDICES)
def test_raters_of_nothing_have_no_answers(index: careless.IndexOf) -> None:
    assert_index(index(*table([], [], block=[], half=[])), [_, _], ["no answers"] * 2)


@pytest.mark.parametrize("index", INDICES)
def test_what_cannot_be_an_answer_is_refused(index: careless.IndexOf) -> None:
    infinite, raters = table([1, np.inf], block=[1, 1], half=[0, 1])
    with pytest.raises(ValueError, match=r"infinite values.* in value"):
        index(infinite, raters)
    with pytest.raises(ValueError, match="not among the raters"):
        index(infinite.assign(value=1.0), Index(["somebody else"]))


def test_infinite_durations_are_refused() -> None:
    with pytest.raises(ValueError, match="infinite"):
        duration_bounds(Series([1, np.inf]))
