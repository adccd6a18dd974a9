"""Printed numbers beside ours."""

import pytest
from pandas import DataFrame
from pydantic import ValidationError

from analysis.not_available import NotAvailable
from analysis.recipe import Printed, shipped_recipes
from analysis.tables.replication import matches, replication
from survey.files.csv_text import to_text

PAPER = shipped_recipes()["paper"]
TABLES = {
    "funnel": DataFrame({"step": ["duration", "attention"], "remaining": [142, 137]}),
    "tests": DataFrame(
        {"model": ["Ant", "Bee", "Bee"], "p": [0.0044, 0.2, 0.3], "note": "", "t": [2.89, None, 1]}
    ),
    "wins": DataFrame({"winner": ["Ant"], "difference": [-0.25], "tie": [False]}),
}


def printed(said: str, table: str = "funnel", column: str = "remaining", **row: str) -> Printed:
    return Printed(item="left", printed=said, table=table, row=row, column=column)


def compared(one: Printed, absent: dict[str, str] | None = None) -> tuple[object, object, str]:
    """Obtained, match and note of one printed number."""
    recipe = PAPER.model_copy(update={"replication": [one]})
    (row,) = replication(TABLES, recipe, absent or {}).astype("object").to_dict("records")
    return row["obtained"], row["match"], row["note"]


def test_number_is_found_by_its_row_and_column() -> None:
    assert compared(printed("142", step="duration")) == (142, True, "")
    assert compared(printed("142", step="attention")) == (137, False, "")


def test_what_was_obtained_is_of_the_kind_that_it_is_in_its_table() -> None:
    found = [
        compared(printed(said, table="wins", column=column))[:2]
        for said, column in (("Ant", "winner"), ("-0.25", "difference"), ("true", "tie"))
    ]
    assert found == [("Ant", True), (-0.25, True), ("false", False)]
    by_flag = printed("Ant", table="wins", column="winner", tie="false")
    assert compared(by_flag) == ("Ant", True, "")
    assert [to_text(obtained) for obtained, _ in found] == ["Ant", "-0.25", "false"]
    recipe = PAPER.model_copy(
        update={"replication": [printed("142", step="duration"), printed("no", step="lunch")]}
    )
    obtained = replication(TABLES, recipe, {})["obtained"]
    assert str(obtained[0]) == "142"  # a count stays whole above an empty cell


@pytest.mark.parametrize(
    ("said", "ours", "match"),
    [
        ("0.004", 0.0044, True),
        ("0.004", 0.0045, True),
        ("0.004", 0.00451, False),
        ("0.004", 0.0035, True),
        ("2.89", 2.885, True),
        ("2.89", 2.8849, False),
        ("-0.26", -0.258, True),
        ("62.5%", 62.5, True),
        ("62.5 %", 62.44, False),
        ("< 0.001", 0.0009, True),
        ("<0.001", 0.001, False),
        ("> 0.15", 0.16, True),
        ("26", 26, True),
        (".004", 0.0044, True),
        (".004", 0.0046, False),
        ("< .001", 0.0009, True),
        ("−0.26", -0.258, True),
        ("1,296", 1296, True),
        ("0,26", 26.0, False),
        ("tie", "tie", True),
        ("b", "a", False),
    ],
)
def test_number_matches_where_it_rounds_to_the_printed_one(
    said: str, ours: float | str, match: bool
) -> None:
    assert matches(printed(said), ours) is match


def test_recipe_may_allow_more() -> None:
    near = Printed(item="t", printed="2.9", table="tests", column="t", within=0.2)
    assert matches(near, 2.7) and not matches(near, 2.69)


def test_share_is_compared_with_a_printed_percentage() -> None:
    tables = {
        "choices": DataFrame({"best": [0.2625, 0.7065], "model": ["Ant", "Bee"], "n": [4, 8]})
    }

    def found(said: str, model: str, column: str = "best") -> tuple[object, object]:
        place = {"table": "choices", "row": {"model": model}, "column": column, "times": 100}
        one = Printed.model_validate({"item": "best", "printed": said} | place)
        recipe = PAPER.model_copy(update={"replication": [one]})
        (row,) = replication(tables, recipe, {}).astype("object").to_dict("records")
        return row["obtained"], row["match"]

    assert found("26.3 %", "Ant") == (26.25, True)
    assert found("70.5 %", "Bee") == (70.65, False)
    assert found("400", "Ant", "n") == (400.0, True)
    assert found("Ant", "Ant", "model") == ("Ant", True)
    for times in (0, -100):
        with pytest.raises(ValidationError, match="greater than 0"):
            Printed(item="t", printed="1", table="wins", column="t", times=times)


def test_number_that_is_not_there_has_a_reason() -> None:
    nothing: tuple[object, object] = (compared(printed("1", table="none"))[0], None)
    assert nothing[0] is None or nothing[0] != nothing[0]
    reasons = {
        "absent": compared(printed("1", table="none"), {"none": "there is no contrast"})[2],
        "no table": compared(printed("1", table="none"))[2],
        "no column": compared(printed("1", column="rest", step="duration"))[2],
        "no row": compared(printed("1", step="lunch"))[2],
        "two rows": compared(printed("1", table="tests", column="p", model="Bee"))[2],
        "empty": compared(
            Printed(item="t", printed="1", table="tests", row={"p": "0.2"}, column="t")
        )[2],
    }
    assert reasons == {
        "absent": "no none: there is no contrast",
        "no table": "no none: no such table was made",
        "no column": "funnel has no column rest",
        "no row": "no row of funnel fit",
        "two rows": "2 rows of tests fit",
        "empty": "t is empty",
    }


def test_recipe_that_quotes_nothing_has_no_table() -> None:
    with pytest.raises(NotAvailable, match="quotes no printed numbers"):
        replication(TABLES, PAPER.model_copy(update={"replication": []}), {})


def test_number_is_not_replicated_for_a_reason_and_never_for_none() -> None:
    one = Printed(item="continuity", printed="0.763", not_replicated="its model has no name")
    obtained, match, note = compared(one)
    assert note == "not replicated: its model has no name"
    assert (str(obtained), match) in [("nan", None), ("None", None)]
    placed = {"not_replicated": "why", "table": "wins", "column": "t"}
    scaled = {"not_replicated": "why", "times": 100}
    for wrong in ({}, {"table": "wins"}, placed, scaled):
        with pytest.raises(ValidationError, match="not_replicated"):
            Printed.model_validate({"item": "t", "printed": "1"} | wrong)
