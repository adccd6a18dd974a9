"""The win matrix: how often the system of a row has a higher mean than that of a column."""

import pytest
from pandas import DataFrame

from analysis.figures.win_matrix import win_matrix
from analysis.not_available import NotAvailable
from analysis.recipe import shipped_recipes
from analysis.tables.system_wins import SYSTEM_WINS
from analysis.tables.told_apart import SYSTEM_GROUPS
from tests.analysis.figures.drawn import checked, notes

RECIPE = shipped_recipes()["sound"]


def pair(
    a: str, b: str, wins: tuple[int, int], n: int, unit: str = "scenario"
) -> dict[str, object]:
    front = {"recipe": "sound", "unit": unit, "raters": "included", "dimension": "warmth"}
    systems = {"model_a": a, "model_b": b, "condition_a": "base", "condition_b": "base"}
    counts = {"n": n, "a_wins": wins[0], "b_wins": wins[1], "ties": n - sum(wins)}
    return {**front, **systems, **counts}


def table(*rows: dict[str, object]) -> DataFrame:
    return DataFrame(rows, columns=SYSTEM_WINS.names)


PAIRS = [
    pair("Ant", "Bee", (2, 7), 10),
    pair("Ant", "Cow <3", (6, 4), 10),
    pair("Bee", "Cow <3", (9, 1), 10),
]


def test_who_wins_most_is_first_and_each_share_is_of_the_row_over_the_column() -> None:
    (cells,) = checked(win_matrix(table(*PAIRS), None, RECIPE))["data"]
    assert cells["y"] == ["1. Bee, base", "2. Ant, base", "3. Cow &lt;3, base"]
    assert cells["z"] == [[None, 0.7, 0.9], [0.2, None, 0.6], [0.1, 0.4, None]]
    assert cells["text"][0] == ["", ".70", ".90"]
    said = "Ant, base above Bee, base:<br>2 of 10 scenarios; equal in 1"
    assert cells["customdata"][1][0] == said


def test_systems_have_the_order_of_their_estimated_means_where_there_are_any() -> None:
    """So that no two figures number them otherwise."""
    front = {"recipe": "sound", "raters": "included", "dimension": "warmth", "condition": "base"}
    means = [front | {"model": m, "place": at + 1} for at, m in enumerate(["Ant", "Bee", "Cow <3"])]
    groups = DataFrame(means, columns=SYSTEM_GROUPS.names)
    made = checked(win_matrix(table(*PAIRS), groups, RECIPE))
    (cells,) = made["data"]
    assert cells["y"] == ["1. Ant, base", "2. Bee, base", "3. Cow &lt;3, base"]
    assert cells["z"] == [[None, 0.2, 0.6], [0.7, None, 0.9], [0.4, 0.1, None]]
    assert "in the order of their estimated means" in notes(made)["By scenarios"]
    without_cow = checked(win_matrix(table(*PAIRS), groups[:2], RECIPE))
    assert "in the order of their mean share" in notes(without_cow)["By scenarios"]


def test_few_systems_fit_a_phone_and_many_scroll() -> None:
    names = [f"M{n}" for n in range(9)]
    many = [pair(a, b, (6, 4), 10) for at, a in enumerate(names) for b in names[at + 1 :]]
    few, more = (
        checked(win_matrix(table(*rows), None, RECIPE))["layout"] for rows in (PAIRS, many)
    )
    assert (few["meta"]["fits"], "width" in few) == ("phone", False)
    assert "meta" not in more and more["width"] >= 520


def test_raters_and_scenarios_have_a_matrix_each() -> None:
    of_raters = [pair("Ant", "Bee", (3, 0), 3, unit="participant")]
    made = checked(win_matrix(table(*PAIRS, *of_raters), None, RECIPE))
    assert list(notes(made)) == ["By scenarios", "By raters"]
    assert "Share of raters in which" in notes(made)["By raters"]


def test_raters_who_saw_one_system_each_have_no_matrix() -> None:
    alone = [pair(a, b, (0, 0), 0, unit="participant") for a, b in ("AB", "AC", "BC")]
    assert list(notes(checked(win_matrix(table(*PAIRS, *alone), None, RECIPE)))) == ["By scenarios"]


def test_systems_that_never_met_have_an_empty_cell() -> None:
    (cells,) = checked(win_matrix(table(*PAIRS[:2]), None, RECIPE))["data"]
    assert [row.count(None) for row in cells["z"]] == [2, 1, 2]


def test_numbers_are_written_where_there_is_room_else_the_colours_have_a_scale() -> None:
    names = [f"M{n}" for n in range(15)]
    many = [pair(a, b, (6, 4), 10) for at, a in enumerate(names) for b in names[at + 1 :]]
    for rows, written in ((PAIRS, True), (many, False)):
        (cells,) = checked(win_matrix(table(*rows), None, RECIPE))["data"]
        assert (cells.get("texttemplate") is not None) == written
        assert cells["showscale"] == (not written)


@pytest.mark.parametrize("rows", [PAIRS[:1], [pair | {"raters": "all"} for pair in PAIRS]])
def test_fewer_than_three_systems_have_none(rows: list[dict[str, object]]) -> None:
    with pytest.raises(NotAvailable, match="the included raters rated fewer than three systems"):
        win_matrix(table(*rows), None, RECIPE)
