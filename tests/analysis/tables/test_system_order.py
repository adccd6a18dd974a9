"""The order of the systems with its uncertainty, and the win matrix."""

import pandas as pd
import pytest
from pandas import DataFrame

from analysis.not_available import NotAvailable
from analysis.recipe import shipped_recipes
from analysis.study_data import ITEM
from analysis.tables.system_order import system_order, system_wins

SOUND = shipped_recipes()["sound"]


def ratings(*rows: tuple[str, str, str, int]) -> DataFrame:
    """Participant, scenario, model and rating."""
    table = DataFrame(rows, columns=["participant", "scenario", "model", "rating"])
    table = table.assign(set="", condition="base", dimension="quality")
    return table.astype(dict.fromkeys(ITEM, "category"))


def everybody(models: dict[str, int], raters: int = 4, scenarios: int = 3) -> DataFrame:
    """Each model gets its rating from all, but one more from every other rater."""
    return ratings(
        *(
            (f"p{rater}", f"S{scenario}", model, rating + rater % 2)
            for rater in range(raters)
            for scenario in range(scenarios)
            for model, rating in models.items()
        )
    )


def test_highest_mean_comes_first_and_equal_ones_share_a_place() -> None:
    table = system_order(everybody({"Ant": 2, "Bee": 4, "Cat": 2}), SOUND, raters="included")
    assert list(table["model"]) == ["Bee", "Ant", "Cat"]
    assert list(table["place"]) == [1, 2, 2]
    assert list(table["share_first"]) == [1, 0, 0]
    assert set(table["unit"]) == {"both"}
    assert table[["n_raters", "n_scenarios", "n_ratings"]].iloc[0].tolist() == [4, 3, 12]


@pytest.mark.parametrize(
    ("raters", "scenarios", "unit"), [(1, 3, "scenario"), (3, 1, "participant"), (3, 3, "both")]
)
def test_unit_says_what_was_resampled(raters: int, scenarios: int, unit: str) -> None:
    data = everybody({"Ant": 2, "Bee": 4}, raters=raters, scenarios=scenarios)
    assert set(system_order(data, SOUND, raters="all")["unit"]) == {unit}


def test_one_rater_and_one_scenario_give_an_order_without_uncertainty() -> None:
    data = everybody({"Ant": 2, "Bee": 4}, raters=1, scenarios=1)
    table = system_order(data, SOUND, raters="included")
    assert list(table["place"]) == [1, 2] and table["share_first"].isna().all()
    assert set(table["note"]) == {
        "not estimable, because there are no other raters and no other scenarios"
    }


def test_wins_are_counted_by_raters_and_by_scenarios() -> None:
    data = ratings(
        ("p1", "S1", "Ant", 3), ("p1", "S1", "Bee", 1), ("p1", "S2", "Ant", 3),
        ("p1", "S2", "Bee", 4), ("p2", "S1", "Ant", 2), ("p2", "S1", "Bee", 2),
        ("p3", "S2", "Bee", 5),
    )  # fmt: skip
    table = system_wins(data, SOUND, raters="included").set_index("unit")
    columns = ["n", "a_wins", "b_wins", "ties", "share_a", "share_b"]
    assert list(table.loc["participant"][columns]) == [2, 1, 0, 1, 0.5, 0]
    assert list(table.loc["scenario"][columns]) == [2, 1, 1, 0, 0.5, 0.5]


def test_pair_that_no_unit_has_both_of_is_counted_as_none() -> None:
    data = ratings(("p1", "S1", "Ant", 3), ("p2", "S1", "Bee", 1))
    by_raters = system_wins(data, SOUND, raters="").set_index("unit").loc["participant"]
    assert by_raters["n"] == 0 and pd.isna(by_raters["share_a"])


def test_one_system_has_no_order() -> None:
    for make in (system_order, system_wins):
        with pytest.raises(NotAvailable, match="no two systems"):
            make(everybody({"Ant": 2}), SOUND, raters="included")
