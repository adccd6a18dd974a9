"""Numbers in texts, and the cells that they come from."""

from dataclasses import astuple

from markupsafe import escape

from analysis.text.cells import Some, from_column, rows_of, values
from tests.analysis.written import tables

CONTRASTS = tables(
    contrasts=[
        {"model": "Ant", "winner": "a", "p": 0.004},
        {"model": "Bee", "winner": "", "p": None},
        {"model": "Ant", "winner": "b", "p": 0.0001},
    ]
)


def test_address_counts_the_header_as_the_first_row_and_columns_from_one() -> None:
    row = rows_of(CONTRASTS, "contrasts", winner="b")[0]
    assert astuple(row.cite("p")) == ("< .001", "0.0001", "contrasts.csv#cell=4,3", 0.0001)


def test_count_leads_to_its_column_and_what_is_derived_to_its_row() -> None:
    rows = rows_of(CONTRASTS, "contrasts", model="Ant")
    assert astuple(from_column(rows, "winner", 2)) == ("2", "2", "contrasts.csv#col=2", 2)
    assert astuple(Some([], rows, "p").n) == ("0", "0", "contrasts.csv#col=3", 0)
    assert astuple(Some([], rows, "p").of) == ("2", "2", "contrasts.csv#col=3", 2)
    assert rows[1].derive("50 %").address == "contrasts.csv#row=4"


def test_number_is_a_link_to_its_cell_and_in_a_condition_its_value() -> None:
    p = rows_of(CONTRASTS, "contrasts", winner="b")[0].cite("p")
    assert escape(p) == '<a href="contrasts.csv#cell=4,3" title="0.0001">&lt; .001</a>'
    assert (p < 0.05, p == 0.0001, p > 0, bool(p)) == (True, True, True, True)
    assert not rows_of(CONTRASTS, "contrasts", winner="")[0].cite("p")  # an empty cell


def test_rows_of_an_absent_table_are_none() -> None:
    assert rows_of(CONTRASTS, "systems") == []


def test_column_that_a_table_lacks_tells_nothing_apart() -> None:
    assert len(rows_of(CONTRASTS, "contrasts", recipe="sound", model="Bee")) == 1
    assert rows_of(CONTRASTS, "contrasts")[0]["recipe"] is None


def test_values_stand_once_in_order_without_empty_cells() -> None:
    assert values(rows_of(CONTRASTS, "contrasts"), "model") == ["Ant", "Bee"]
    assert values(rows_of(CONTRASTS, "contrasts"), "p") == [0.004, 0.0001]
