"""The cases whose ratings differ most, against scipy and by hand."""

from collections.abc import Mapping, Sequence

import pytest
from pandas import DataFrame
from scipy.stats import ttest_rel

from analysis.not_available import NotAvailable
from analysis.tables.largest_differences import CASES_KEPT, largest_differences

SYSTEMS = [("Bee", "plain"), ("Ant", "plain"), ("Ant", "tuned")]


def tables(
    given: Mapping[str, Mapping[int, Sequence[float | None]]],
) -> tuple[DataFrame, DataFrame]:
    """Ratings by scenario and system, one per rater, and all items."""
    ratings = [
        (f"r{rater}", scenario, "", *SYSTEMS[system], "warmth", value)
        for scenario, by_system in given.items()
        for system, values in by_system.items()
        for rater, value in enumerate(values)
        if value is not None
    ]
    columns = ["participant", "scenario", "set", "model", "condition", "dimension", "rating"]
    known = [(s, "", *system, "warmth") for s in given for system in SYSTEMS]
    return DataFrame(ratings, columns=columns), DataFrame(known, columns=columns[1:-1])


def test_a_case_has_the_paired_interval_of_those_who_rated_both() -> None:
    a, b = [1.0, 2.0, 2.0, 3.0], [4.0, 5.0, 3.0, 5.0]
    found = largest_differences(*tables({"S1": {0: [*a, 5.0], 2: [*b, None]}}))
    (row,) = found.to_dict("records")
    names = (row["model_a"], row["condition_a"], row["model_b"], row["condition_b"])
    assert names == ("Bee", "plain", "Ant", "tuned")  # in the order of the study
    assert (row["n"], row["mean_a"], row["mean_b"], row["difference"]) == (4, 2.0, 4.25, -2.25)
    low, high = ttest_rel(a, b).confidence_interval(0.95)
    assert (row["ci_low"], row["ci_high"]) == pytest.approx((low, high))
    assert row["mean_a_low"] < 2 < row["mean_a_high"]


def test_largest_come_first_and_each_pair_keeps_ten() -> None:
    given = {f"S{n:02}": {0: [1.0, 1.0], 1: [1 + n / 10, 1 + n / 10], 2: [1.0, 1.0]}
             for n in range(15)}  # fmt: skip
    ratings, known = tables(given)
    found = largest_differences(ratings, known)
    assert list(found["difference"].abs()) == sorted(found["difference"].abs(), reverse=True)
    assert (
        found.groupby(["model_a", "condition_a", "model_b", "condition_b"]).size().tolist()
        == [CASES_KEPT] * 3
    )
    assert (found["cases"] == 15).all()
    assert found["scenario"].iloc[0] == "S14"
    assert largest_differences(ratings.sample(frac=1, random_state=1), known).equals(found)


def test_one_rater_makes_no_case() -> None:
    with pytest.raises(NotAvailable, match="no two included raters"):
        largest_differences(*tables({"S1": {0: [1.0, None], 1: [2.0, 3.0]}}))
