"""Drop-out and exclusion by parts of the design: what is planted is found and named."""

from typing import Any

import numpy as np
import pytest
from pandas import DataFrame

from analysis.study_data import ProtocolData
from analysis.tables.design_health import DESIGN_HEALTH, design_health, independent

SHARED = [(s, "", "Ant", c) for s in ("S1", "S2") for c in ("plain", "tuned")]
BETWEEN = [(s, c, "Ant", c) for s in ("S1", "S2") for c in ("plain", "tuned")]
Person = tuple[str, str, str, list[str]]


def table(
    people: list[Person], *, cells: Any = SHARED, excluded: set[str] | None = None
) -> DataFrame:
    """People: name, status, set, and scenarios in their order."""
    shown = [
        (name, scenario, of, place)
        for name, _, of, order in people
        for place, scenario in enumerate(order, start=1)
    ]
    seen = [
        (name, *cell)
        for name, _, of, order in people
        for cell in cells
        if cell[0] in order and cell[1] == of
    ]
    nothing = DataFrame()
    data = ProtocolData(
        DataFrame([p[:2] for p in people], columns=["participant", "status"]),
        nothing,
        nothing,
        DataFrame(shown, columns=["participant", "scenario", "set", "block_position"]),
        nothing,
        DataFrame(seen, columns=["participant", "scenario", "set", "model", "condition"]),
    )
    return design_health(data, excluded or set())


def row(found: DataFrame, outcome: str, part: str) -> dict[Any, Any]:
    (only,) = found[(found["outcome"] == outcome) & (found["part"] == part)].to_dict("records")
    return dict(only)


def people(left: dict[str, int], n: int = 30, *, of: str = "") -> list[Person]:
    """n people begin with S1 and n with S2; so many of them leave."""
    return [
        (f"{first}-{k}", "in_progress" if k < left[first] else "completed", of, order)
        for first, order in (("S1", ["S1", "S2"]), ("S2", ["S2", "S1"]))
        for k in range(n)
    ]


def test_scenario_that_drives_people_away_is_named() -> None:
    found = table(people({"S1": 2, "S2": 16}))
    assert list(found) == DESIGN_HEALTH.names
    of_order = row(found, "dropped_out", "first_scenario")
    assert (of_order["n"], of_order["count"], of_order["groups"]) == (60, 18, 2)
    assert (of_order["lowest"], of_order["lowest_share"]) == ("S1", pytest.approx(2 / 30))
    assert (of_order["highest"], of_order["highest_share"]) == ("S2", pytest.approx(16 / 30))
    assert of_order["test"] == "chi_squared" and of_order["p_adjusted"] < 0.001
    excluded = row(found, "excluded", "first_scenario")
    assert excluded["n"] == 42 and "nobody" in excluded["note"]
    assert set(found["part"]) == {"first_scenario"}  # everybody sees both conditions


def test_exclusion_is_of_those_who_finished() -> None:
    those = people({"S1": 5, "S2": 5})
    gone = {f"S2-{k}" for k in range(5, 20)} | {"S1-0"}  # who left is in the other count
    found = row(table(those, excluded=gone), "excluded", "first_scenario")
    assert (found["n"], found["count"], found["highest"]) == (50, 15, "S2")
    assert found["p"] < 0.001


def test_between_subject_conditions_are_compared_where_each_person_sees_one() -> None:
    those = [
        (f"{of}-{k}", "in_progress" if of == "tuned" and k < 9 else "completed", of, ["S1", "S2"])
        for of in ("plain", "tuned")
        for k in range(15)
    ]
    found = table(those, cells=BETWEEN)
    condition = row(found, "dropped_out", "condition")
    assert (condition["highest"], condition["count"]) == ("tuned", 9)
    assert condition["test"] == "fisher" and condition["p"] < 0.01
    assert set(found["part"]) == {"condition", "set", "first_set"}


def test_people_who_are_still_active_or_were_screened_out_are_not_counted() -> None:
    those = [*people({"S1": 3, "S2": 3}), ("new", "screened_out", "", ["S1", "S2"])]
    assert row(table(those), "dropped_out", "first_scenario")["n"] == 60


def test_alone_or_empty_studies_say_why() -> None:
    one = table([("a", "completed", "", ["S1", "S2"]), ("b", "completed", "", ["S2", "S1"])])
    assert row(one, "dropped_out", "first_scenario")["note"].startswith("not estimable")
    assert table([]).empty


def test_more_than_two_groups_are_tested_exactly_and_the_same_every_time() -> None:
    counts = np.array([[3, 17], [9, 11], [1, 19]])
    test, p = independent(counts)
    assert test == "fisher" and p == independent(counts)[1]
    assert p == pytest.approx(0.0114, abs=0.004)  # R: fisher.test
    assert independent(10 * counts)[0] == "chi_squared"


@pytest.mark.slow
def test_equal_rates_are_seldom_called_different(long_run: bool) -> None:
    studies = 300 if long_run else 100
    draw = np.random.default_rng(5)
    small = 0
    for _ in range(studies):
        left = {name: int(draw.binomial(30, 0.2)) for name in ("S1", "S2")}
        p = row(table(people(left)), "dropped_out", "first_scenario")["p_adjusted"]
        small += p < 0.05
    assert small / studies < 0.08
