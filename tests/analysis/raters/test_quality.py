"""σ_r and MAE_r against arithmetic done by hand."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas import DataFrame

from analysis.quality_rules import QualityRules
from analysis.raters.quality import quality_under, rater_quality


def quality(given: dict[str, list[tuple[int, float | None]]], *, ddof: int = 1) -> DataFrame:
    """The indices of raters who gave these (rating, gold) pairs; one row per rater, by name."""
    participants = DataFrame({"participant": list(given)}, dtype="str")
    rows = [(who, rating, gold) for who, pairs in given.items() for rating, gold in pairs]
    ratings = DataFrame(rows, columns=["participant", "rating", "gold"])
    ratings = ratings.astype({"participant": "str", "rating": "int64", "gold": "float64"})
    return rater_quality(participants, ratings, ddof=ddof).set_index("participant")


def test_sigma_and_mae_of_four_ratings() -> None:
    rater = quality({"r": [(1, 2.0), (2, 4.0), (4, 3.0), (5, 5.0)]}).loc["r"]
    # mean 3; (4 + 1 + 1 + 4) / (4 − 1) = 10/3
    assert rater["sigma"] == math.sqrt(10 / 3)
    # distances 1, 2, 1 and 0: 4 / 4
    assert rater["mae"] == 1.0
    assert (rater["n_ratings"], rater["n_gold"], rater["note"]) == (4, 4, "")


def test_sigma_with_ddof_0_divides_by_n() -> None:
    rater = quality({"r": [(1, 3.0), (2, 3.0), (4, 3.0), (5, 3.0)]}, ddof=0).loc["r"]
    assert rater["sigma"] == math.sqrt(10 / 4)


def test_the_same_rating_everywhere_has_sigma_0_exactly() -> None:
    rater = quality({"r": [(3, 11 / 3)] * 120}).loc["r"]
    assert rater["sigma"] == 0.0
    assert rater["mae"] == pytest.approx(2 / 3, rel=1e-15)


def test_both_indices_are_over_the_scored_ratings_only() -> None:
    rater = quality({"r": [(1, 1.0), (3, 2.0), (5, None), (5, None)]}).loc["r"]
    # of 1 and 3: mean 2, (1 + 1) / 1 = 2; |1 − 1| + |3 − 2| = 1 over 2
    assert rater["sigma"] == math.sqrt(2)
    assert rater["mae"] == 0.5
    assert (rater["n_ratings"], rater["n_gold"]) == (4, 2)


def test_without_any_gold_sigma_is_over_all_ratings_and_mae_says_why_it_is_empty() -> None:
    rater = quality({"r": [(1, None), (3, None), (5, None)]}).loc["r"]
    # mean 3; (4 + 0 + 4) / 2
    assert rater["sigma"] == 2.0
    assert np.isnan(rater["mae"])
    assert rater["note"] == "none of the ratings has a gold score"


@pytest.mark.parametrize(
    ("pairs", "note"),
    [
        ([], "no ratings"),
        ([(3, None), (4, None)], "none of the ratings has a gold score"),
        ([(3, 3.0)], "one rating has no spread"),
    ],
)
def test_an_index_that_cannot_be_computed_says_why(
    pairs: list[tuple[int, float | None]], note: str
) -> None:
    table = quality({"other": [(1, 1.0), (2, 2.0)], "r": pairs})
    assert np.isnan(table.loc["r"]["sigma"])
    assert table.loc["r", "note"] == note


def test_without_gold_a_single_rating_has_two_reasons() -> None:
    assert quality({"r": [(3, None)]}).loc["r", "note"] == (
        "one rating has no spread; none of the ratings has a gold score"
    )


def test_without_gold_who_gave_no_ratings_has_one_reason() -> None:
    assert quality({"r": []}).loc["r", "note"] == "no ratings"


def test_with_ddof_0_a_single_rating_has_sigma_0() -> None:
    rater = quality({"r": [(3, 3.0)]}, ddof=0).loc["r"]
    assert (rater["sigma"], rater["note"]) == (0.0, "")


def test_columns_of_participants_are_kept_in_their_order() -> None:
    participants = DataFrame({"participant": ["b", "a"], "duration_seconds": [700.0, 900.0]})
    ratings = DataFrame({"participant": ["a"], "rating": [1], "gold": [1.0]})
    table = rater_quality(participants, ratings, ddof=1)
    assert table["participant"].tolist() == ["b", "a"]
    assert table["duration_seconds"].tolist() == [700.0, 900.0]
    assert table["n_ratings"].tolist() == [0, 1]


pairs = st.lists(st.tuples(st.integers(0, 100), st.integers(0, 300)), min_size=2, max_size=40)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(pairs)
def test_indices_agree_with_the_textbook_formulas(thirds: list[tuple[int, int]]) -> None:
    rater = quality({"r": [(x, g / 3) for x, g in thirds]}).loc["r"]
    values = [x for x, _ in thirds]
    mean = math.fsum(values) / len(values)
    sigma = math.sqrt(math.fsum((x - mean) ** 2 for x in values) / (len(values) - 1))
    mae = math.fsum(abs(x - g / 3) for x, g in thirds) / len(values)
    assert rater["sigma"] == pytest.approx(sigma, rel=1e-12, abs=1e-12)
    assert rater["mae"] == pytest.approx(mae, rel=1e-12, abs=1e-12)


def over_blocks(
    given: dict[str, list[tuple[str, str, int, float | None]]], *, ddof: int = 1
) -> DataFrame:
    """σ over blocks of raters who gave these (scenario, set, rating, gold)."""
    participants = DataFrame({"participant": list(given)}, dtype="str")
    rows = [(who, *row) for who, answers in given.items() for row in answers]
    ratings = DataFrame(rows, columns=["participant", "scenario", "set", "rating", "gold"])
    ratings = ratings.astype({"rating": "int64", "gold": "float64"})
    rules = QualityRules.model_validate({"sigma_mae": {"sigma_over": "blocks", "ddof": ddof}})
    return quality_under(rules, participants, ratings).set_index("participant")


def test_sigma_over_blocks_is_that_of_the_means_of_blocks() -> None:
    rater = over_blocks(
        {"r": [("S1", "1", 1, 1.0), ("S1", "1", 3, 1.0), ("S1", "2", 5, 5.0), ("S2", "1", 2, 2.0)]}
    ).loc["r"]
    # the means of blocks are 2, 5 and 2: mean 3, (1 + 4 + 1) / (3 − 1) = 3
    assert rater["sigma"] == math.sqrt(3)
    # MAE is over ratings as ever: |3 − 1| = 2 over 4
    assert (rater["mae"], rater["n_ratings"], rater["note"]) == (0.5, 4, "")


def test_sigma_over_blocks_may_be_the_populations() -> None:
    given: dict[str, list[tuple[str, str, int, float | None]]] = {
        "r": [("S1", "1", 2, None), ("S1", "2", 5, None), ("S2", "1", 2, None)]
    }
    # mean 3, (1 + 4 + 1) / 3 = 2
    assert over_blocks(given, ddof=0).loc["r", "sigma"] == pytest.approx(math.sqrt(2))


def test_equal_means_of_blocks_have_sigma_0_exactly() -> None:
    thirds: list[tuple[str, str, int, float | None]] = [
        ("S1", str(n), rating, 2.0) for n in range(7) for rating in (1, 2, 2)
    ]
    assert over_blocks({"r": thirds}).loc["r", "sigma"] == 0.0


def test_one_block_has_no_spread() -> None:
    table = over_blocks({"r": [("S1", "1", 1, 1.0), ("S1", "1", 5, 1.0)], "none": []})
    assert table["sigma"].isna().all()
    assert table["note"].tolist() == ["one block has no spread", "no ratings"]
