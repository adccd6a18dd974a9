"""How often one system has a higher mean than another."""

import pandas as pd
import pytest
from pandas import DataFrame

from analysis.not_available import NotAvailable
from analysis.recipe import shipped_recipes
from analysis.study_data import ITEM
from analysis.tables.system_wins import system_wins

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


def test_one_system_has_nothing_to_win_against() -> None:
    with pytest.raises(NotAvailable, match="no two systems"):
        system_wins(everybody({"Ant": 2}), SOUND, raters="included")
