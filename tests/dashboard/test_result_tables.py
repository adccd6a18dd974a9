"""Stored tables as pages show them: rows chosen, recipes together, numbers with what belongs to
them.
"""

from typing import Any

import pytest

from analysis import catalogue
from dashboard.shared.result_tables import (
    EVERY,
    ResultTable,
    asked_of,
    choices,
    compared,
    grouped,
    rows_with,
    shown,
)
from dashboard.shared.stored_tables import StoredTable

SPEC = catalogue.table("group_tests")
COLUMNS = [
    "recipe", "unit", "raters", "factor", "group_a", "group_b", "scenario", "n_a", "n_b", "mean_a",
    "sd_a", "test", "t", "df", "p", "difference", "ci_low", "ci_high", "u", "note",
]  # fmt: skip


def row(recipe: str, scenario: str = "all", p: float | None = 0.2, **values: Any) -> list[Any]:
    unit = "rating" if recipe == "paper" else "participant"
    usual = dict(zip(COLUMNS, [
        recipe, unit, "included", "age", "60+", "under 60", scenario, 96, 1296, 2.6666, 1.0826,
        "welch", -2.02793, 1390.0, p, -0.22686, -0.4463, -0.0074, None, "",
    ], strict=True))  # fmt: skip
    return list((usual | values).values())


def table(*rows: list[Any]) -> StoredTable:
    return StoredTable.from_content({"columns": COLUMNS, "rows": list(rows)})


def shown_of(of: StoredTable, name: str = "group_tests") -> ResultTable:
    spec = catalogue.table(name)
    return shown(of, spec, grouped(of.rows, spec))


def headings(found: ResultTable) -> list[str]:
    return [column.header for column in found.columns]


def cells(found: ResultTable) -> list[list[str]]:
    return [[str(cell) for cell in row.cells] for row in found.rows]


def choices_of(of: StoredTable, name: str = "group_tests") -> dict[str, list[str]]:
    found = choices({name: of}, catalogue.tables())
    return {column.name: values for column, values in found.items()}


def test_places_on_a_page_are_rows_of_their_own() -> None:
    columns = ["recipe", "answer", "set", "response_position", "n_raters", "value", "ci_low"]
    rows = [["sound", "best", "all", place, 34, 0.2, 0.1] for place in (1, 2)]
    of = StoredTable.from_content({"columns": columns, "rows": rows})
    found = shown_of(of, "position_effects")
    assert headings(found)[0] == "Response position"
    assert [row[0] for row in cells(found)] == ["1", "2"]


def test_choices_are_the_values_of_columns_that_tell_rows_apart() -> None:
    of = table(row("paper"), row("sound", scenario="S1"), row("sound", raters="all"))
    assert choices_of(of) == {
        "raters": ["included", "all"],
        "unit": ["rating", "participant"],
        "scenario": ["all", "S1"],
    }


def test_row_of_several_units_is_shown_with_each_of_them() -> None:
    columns = ["recipe", "unit", "variant", "n_raters"]
    of = StoredTable.from_content(
        {"columns": columns, "rows": [["sound", "comparison, participant", "no rule", 40]]}
    )
    assert choices_of(of, "sensitivity") == {"unit": ["comparison", "participant"]}
    assert rows_with(of, {"unit": "participant"}) == of.rows
    assert rows_with(of, {"unit": "rating"}) == []


@pytest.mark.parametrize(
    ("chosen", "found"),
    [
        ({}, {"raters": "included", "scenario": "all"}),
        ({"scenario": "S1"}, {"raters": "included", "scenario": "S1"}),
        ({"scenario": EVERY, "raters": EVERY}, {}),
        ({"recipe": "paper", "scenario": EVERY}, {"raters": "included", "recipe": "paper"}),
        ({"model": "Ant"}, {"raters": "included", "scenario": "all"}),
    ],
)
def test_rows_over_all_are_shown_unless_others_are_asked_for(
    chosen: dict[str, str], found: dict[str, str]
) -> None:
    of = table(row("paper"), row("sound", scenario="S1"))
    assert asked_of(of, SPEC, chosen) == found


def test_all_leaves_no_row_out_of_a_table_that_has_only_parts() -> None:
    of = table(row("sound", scenario="S1"), row("sound", scenario="S2"))
    assert asked_of(of, SPEC, {"scenario": "all"}) == {"raters": "included"}
    assert len(rows_with(of, {"scenario": "S2"})) == 1


def test_a_row_of_both_recipes_stands_together_with_what_they_do_not_share() -> None:
    found = shown_of(table(row("paper", p=0.043), row("sound", p=0.11), row("sound", "S1")))
    assert headings(found) == [
        "Scenario", "Recipe (unit)", "n of group a / n of group b", "Mean of group a", "t (df)",
        "p", "Group a minus group b [interval]",
        "p < .05",
    ]  # fmt: skip
    assert cells(found) == [
        ["All scenarios", "paper (rating)", "96 / 1,296", "2.67", "−2.03 (1,390)", ".043",
         "−0.23 [−0.45, −0.01]", '<span class="pill warn">not in sound</span>'],
        ["All scenarios", "sound (participant)", "96 / 1,296", "2.67", "−2.03 (1,390)", ".110",
         "−0.23 [−0.45, −0.01]", ""],
        ["S1", "sound (participant)", "96 / 1,296", "2.67", "−2.03 (1,390)", ".200",
         "−0.23 [−0.45, −0.01]", ""],
    ]  # fmt: skip
    assert ["same" in row.attrs.get("class", "") for row in found.rows] == [False, True, False]
    assert found.constants == [
        ("Raters", "included"),
        ("Factor", "Age"),
        ("Group a / Group b", "60+ / under 60"),
        ("Test", "Welch's t"),
    ]


def test_cells_tell_their_exact_values() -> None:
    [row_of_paper] = shown_of(table(row("paper"))).rows
    titles = [column.attrs["td"].get("title") for column, _ in row_of_paper.items()]
    assert titles[-1] == "difference -0.22686, ci_low -0.4463, ci_high -0.0074"


def test_what_is_not_estimable_is_empty_and_says_why() -> None:
    because = "not estimable, because there is one rater in 60+"
    empty: Any = dict.fromkeys(["t", "df", "p", "difference", "ci_low", "ci_high"])
    found = shown_of(table(row("paper"), row("sound", **empty, note=because)))
    assert headings(found)[-1] == "Note"
    assert cells(found)[1][3:] == ["–", "–", "–", because]


def test_rows_that_are_sorted_stand_alone() -> None:
    found = shown_of(table(row("paper", t=1.0), row("sound", t=-2.0), row("sound", "S1", t=None)))
    found.order_by = "t"
    assert [row[4].split()[0] for row in cells(found)][-2:] == ["−2.00", "1.00"]
    assert not any("same" in row.attrs.get("class", "") for row in found.rows)


def test_recipes_are_compared_by_what_they_call_small() -> None:
    rows = table(
        row("paper", "S1", 0.01), row("sound", "S1", 0.02),
        row("paper", "S2", 0.01), row("sound", "S2", 0.3),
        row("paper", "S3", 0.4), row("sound", "S3", None),
    )  # fmt: skip
    found = compared(grouped(rows.rows, SPEC), 0.05)
    assert found is not None
    assert (found.groups, found.all_small, found.small_in) == (2, 1, {"paper": 1})
    assert (found.differing, found.none_small) == (1, 0)
    both_large = table(row("paper", "S4", 0.4), row("sound", "S4", 0.5))
    found = compared(grouped(both_large.rows, SPEC), 0.05)
    assert found is not None
    assert (found.differing, found.none_small) == (0, 1)


def test_columns_that_are_in_the_file_alone_are_named() -> None:
    found = shown_of(table(row("paper", u=1.0)))
    assert found.left_out == ["SD of group a", "u"]
    assert headings(found) == [
        "n of group a / n of group b",
        "Mean of group a",
        "t (df)",
        "p",
        "Group a minus group b [interval]",
    ]
