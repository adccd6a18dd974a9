"""How far ratings are from the gold scores: of raters, and of single ratings."""

import statistics
from typing import Any

import pytest

from analysis.not_available import NotAvailable
from analysis.quality_rules import QualityRules
from analysis.raters.filtering import filtered
from analysis.raters.gold_distance import gold_distance
from tests.analysis.test_pipeline import study

RATINGS = {"near": [1, 2, 3], "far": [5, 5, 1], "quick": [2, 2, 2]}
GOLD = [1.5, 2.0, 4.0]
DISTANCES = {
    name: [abs(rating - gold) for rating, gold in zip(given, GOLD, strict=True)]
    for name, given in RATINGS.items()
}


def rows(gold: list[float | None]) -> dict[tuple[str, str], Any]:
    """The table's rows by unit and raters; `quick` is excluded by the duration."""
    people = {"quick": {"duration_seconds": 1.0}}
    who = filtered(study(RATINGS, people=people, gold=gold), QualityRules(order=["duration"]))
    table = gold_distance(who.raters, who.checked.ratings)
    return {(row["unit"], row["raters"]): row for row in table.to_dict("records")}


@pytest.mark.parametrize(("raters", "names"), [("included", ["near", "far"]), ("all", [*RATINGS])])
def test_mean_and_deviation_are_of_raters_and_of_single_ratings(
    raters: str, names: list[str]
) -> None:
    found = rows([*GOLD])
    expected = {
        "participant": [statistics.mean(DISTANCES[name]) for name in names],
        "rating": [distance for name in names for distance in DISTANCES[name]],
    }
    for unit, values in expected.items():
        row = found[unit, raters]
        assert row["n"] == len(values)
        assert row["mean"] == pytest.approx(statistics.mean(values))
        assert row["sd"] == pytest.approx(statistics.stdev(values))
        assert (row["min"], row["max"]) == (min(values), max(values))


def test_ratings_without_a_gold_score_do_not_count() -> None:
    assert rows([1.5, None, 4.0])["rating", "all"]["n"] == 6


def test_without_gold_scores_there_is_no_distance() -> None:
    with pytest.raises(NotAvailable, match="no rating has a gold score"):
        rows([None, None, None])
