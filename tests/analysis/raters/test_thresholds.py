"""The limits in force beside the elbows, and honesty where there is none."""

from typing import Any

import numpy as np
import pytest
from pandas import NA, DataFrame

from analysis.quality_rules import QualityRules
from analysis.raters.thresholds import THRESHOLDS, thresholds

HONEST, CARELESS = 100, 15


def crowd(*, careless: int = CARELESS) -> DataFrame:
    """Honest raters about 1 in σ and 0.6 in MAE; the careless hardly vary and are far away."""
    draw = np.random.default_rng(3)
    sigma = [*draw.normal(1, 0.12, HONEST), *draw.normal(0.2, 0.05, careless)]
    mae = [*draw.normal(0.6, 0.08, HONEST), *draw.normal(1.6, 0.1, careless)]
    return raters(sigma, mae)


def raters(sigma: list[float], mae: list[float]) -> DataFrame:
    columns = {"status": "completed", "active": False, "sigma": sigma, "mae": mae}
    return DataFrame(columns, index=range(len(sigma)))


def row(table: DataFrame, measure: str) -> dict[str, Any]:
    (found,) = table[table["measure"] == measure].to_dict("records")
    return {str(name): value for name, value in found.items()}


def test_a_group_of_careless_raters_has_a_clear_elbow_in_both_measures() -> None:
    everybody = crowd()
    # beyond one limit and one elbow only
    everybody.loc[0, "sigma"], everybody.loc[1, "mae"] = 0.2, 1.6
    table = thresholds(everybody, QualityRules(), seed=1)
    assert list(table) == THRESHOLDS.names
    assert table["measure"].tolist() == ["sigma", "mae", "sigma and mae"]
    sigma, mae, both = (row(table, name) for name in table["measure"])
    assert (sigma["side"], sigma["n"], sigma["in_force"]) == ("below", 115, 0.6)
    assert table["applied"].tolist() == [True] * 3
    assert sigma["clear"] and mae["clear"] and both["clear"]
    assert 0.3 < sigma["elbow"] < 0.8
    assert sigma["ci_low"] <= sigma["elbow"] <= sigma["ci_high"]
    assert 0.8 < mae["elbow"] < 1.4
    assert sigma["removed_at_elbow"] > CARELESS and mae["removed_at_elbow"] > CARELESS
    assert sigma["note"].startswith("clear elbow at ")
    assert both["removed"] == both["removed_at_elbow"] == CARELESS
    assert both["note"] == ""


def test_removed_is_what_lies_beyond_the_limit_in_force_strictly() -> None:
    found = raters([0.5, 0.6 - 1e-12, 0.59, 1.0, 0.1], [1.0, 1.0, 0.9, 2.0, 0.9 + 1e-12])
    table = thresholds(found, QualityRules(), seed=1)
    assert table["removed"].tolist() == [3, 3, 1]


def test_without_a_group_of_its_own_there_is_no_clear_elbow() -> None:
    table = thresholds(crowd(careless=0), QualityRules(), seed=1)
    assert table["clear"].tolist() == [False, False, False]
    assert row(table, "sigma")["note"].startswith(
        "no clear elbow: the tail is not shown to be a group"
    )
    assert row(table, "sigma and mae")["note"] == "no clear elbow of σ or of MAE"


def test_a_rule_that_is_not_applied_has_no_limit_in_force() -> None:
    table = thresholds(crowd(), QualityRules(order=["attention"]), seed=1)
    assert table["in_force"].isna().all() and table["removed"].isna().all()
    assert table["applied"].tolist() == [False] * 3
    assert table["removed_at_elbow"].notna().all()


def test_who_is_not_in_the_funnel_does_not_count() -> None:
    everybody = crowd()
    everybody.loc[:9, "status"] = "withdrawn"
    assert thresholds(everybody, QualityRules(), seed=1)["n"].tolist() == [105] * 3


@pytest.mark.parametrize(
    ("sigma", "mae", "notes"),
    [
        ([], [], ["fewer than 20 values are known: 0"] * 2),
        ([1.0], [0.5], ["fewer than 20 values are known: 1"] * 2),
        ([0.0] * 30, [2.0] * 30, ["all values are the same"] * 2),
    ],
)
def test_nobody_one_rater_or_equal_raters_have_no_elbow(
    sigma: list[float], mae: list[float], notes: list[str]
) -> None:
    table = thresholds(raters(sigma, mae), QualityRules(), seed=1)
    assert table["elbow"].isna().all()
    assert table["removed_at_elbow"].tolist() == [NA] * 3
    assert table["note"].tolist() == [
        *(f"not estimable, because {why}" for why in notes),
        "not estimable, because there is no elbow of σ and of MAE",
    ]
    assert table["removed"].tolist() == [len(sigma) if sigma == [0.0] * 30 else 0] * 3


def test_without_gold_scores_sigma_has_its_row_all_the_same() -> None:
    table = thresholds(crowd().assign(mae=np.nan), QualityRules(), seed=1)
    assert row(table, "sigma")["clear"]
    assert row(table, "mae")["note"] == "not estimable, because fewer than 20 values are known: 0"
    assert row(table, "sigma and mae")["note"] == (
        "not estimable, because there is no elbow of MAE"
    )


def test_a_seed_repeats_the_table() -> None:
    one, again = (thresholds(crowd(), QualityRules(), seed=2) for _ in range(2))
    assert one.equals(again)
