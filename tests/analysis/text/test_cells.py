"""Numbers in texts, and the cells that they come from."""

from analysis.text.cells import Cited, counted, counted_of, plain, rows_of, values
from tests.analysis.written import tables

WINS = tables(
    wins=[
        {"model": "Ant", "winner": "a", "p": 0.004},
        {"model": "Bee", "winner": "", "p": None},
        {"model": "Ant", "winner": "b", "p": 0.0001},
    ]
)


def test_address_counts_the_header_as_the_first_row_and_columns_from_one() -> None:
    row = rows_of(WINS, "wins", winner="b")[0]
    assert row.cite("p") == Cited("< .001", "0.0001", "wins.csv#cell=4,3")


def test_p_stands_behind_its_letter() -> None:
    assert [plain(row.p()) for row in rows_of(WINS, "wins") if row.has("p")] == [
        "p\u202f=\u202f.004",
        "p\u202f< .001",
    ]


def test_count_leads_to_its_column_and_what_is_derived_to_its_row() -> None:
    rows = rows_of(WINS, "wins", model="Ant")
    assert counted(rows, "winner") == Cited("2", "2", "wins.csv#col=2")
    assert counted_of([], rows, "p") == Cited("0", "0", "wins.csv#col=3")
    assert rows[1].derive("50 %").address == "wins.csv#row=4"


def test_count_of_nothing_leads_nowhere() -> None:
    assert counted([], "p") == Cited("0", "0", "")


def test_rows_of_an_absent_table_are_none() -> None:
    assert rows_of(WINS, "contrasts") == []


def test_column_that_a_table_lacks_tells_nothing_apart() -> None:
    assert len(rows_of(WINS, "wins", recipe="sound", model="Bee")) == 1
    assert rows_of(WINS, "wins")[0]["recipe"] is None


def test_values_stand_once_in_order_without_empty_cells() -> None:
    assert values(rows_of(WINS, "wins"), "model") == ["Ant", "Bee"]
    assert values(rows_of(WINS, "wins"), "p") == [0.004, 0.0001]
