"""Columns as they are declared: how their values read, what stands together."""

import pytest

from analysis import catalogue
from analysis.catalogue.columns import MEAN, P, interval
from analysis.catalogue.spec import Column, TableSpec, together, unknown
from survey.definition.labels import Labels


@pytest.mark.parametrize(
    ("table", "column", "value", "text"),
    [
        ("contrasts", "p_adjusted", 0.0123, ".012"),
        ("sensitivity", "wins_p", 0.5, ".500"),
        ("systems", "mean", 3.14159, "3.14"),
        ("mixed_systems", "estimate", -0.0012, "−0.001"),
        ("mixed_systems", "estimate", 0.00042, "0.0004"),
        ("mixed_systems", "estimate", 0.00001, "0.00"),
        ("mixed_systems", "estimate", 0.0, "0.00"),
        ("anova", "eta_squared", 0.0123, "0.012"),
        ("wins_summary", "a_percent", 54.1667, "54.2"),
        ("systems", "n_ratings", 13920, "13,920"),
        ("wins_tests", "a_wins", 26.0, "26"),
        ("wins_tests", "b_wins_high", 22.5, "22.5"),
        ("mixed_models", "log_likelihood", -1234.56, "−1,234.6"),
        ("to_reference", "approaches", True, "yes"),
        ("protocol", "value", 1138.0, "1,138"),
        ("protocol", "value", 29.756, "29.76"),
        ("replication", "obtained", -0.041623, "−0.041623"),
        ("replication", "obtained", 1234.56789, "1234.6"),
        ("replication", "obtained", "tie", "tie"),
        ("systems", "model", "Ant", "Ant"),
        ("contrasts", "p", None, "–"),
        ("systems", "note", "", "–"),
    ],
)
def test_cell_is_rounded_as_its_column_asks(
    table: str, column: str, value: object, text: str
) -> None:
    assert catalogue.table(table).column(column).text(value) == text


def test_an_interval_stands_behind_its_number_wherever_its_columns_are() -> None:
    method = Column("method", "")
    found = together([MEAN, P, *interval("mean"), method])
    assert [[column.name for column in group] for group in found] == [
        ["mean"], ["ci_low", "ci_high"], ["p"], ["method"],
    ]  # fmt: skip


def test_an_interval_whose_number_is_not_there_stays_where_it_is() -> None:
    found = together([P, *interval("bias", "limits"), MEAN])
    assert [[column.name for column in group] for group in found] == [
        ["p"], ["limits_low", "limits_high"], ["mean"],
    ]  # fmt: skip


def test_one_end_of_an_interval_stands_alone() -> None:
    low, _ = interval("mean")
    assert together([MEAN, low]) == [(MEAN,), (low,)]


def test_columns_are_called_by_their_label_or_their_name() -> None:
    named = [Column("mean_a", ""), Column("p_adjusted", "", label="p (Holm)"), Column("df", "")]
    assert [column.heading for column in named] == ["Mean a", "p (Holm)", "df"]


def test_column_of_a_family_has_the_rest_of_its_name_in_its_meaning() -> None:
    funnel = catalogue.table("funnel")
    assert funnel.column("excluded_prefer_not_to_answer").meaning.endswith("prefer not to answer")


def test_table_of_all_raters_is_the_same_table_under_its_name() -> None:
    paired, every = catalogue.table("paired"), catalogue.table("paired_all")
    assert (every.columns, every.says) == (paired.columns, paired.says)
    assert every.title == f"{paired.title}, nobody excluded"
    assert catalogue.table("agreement_all").title == "Do raters agree, nobody excluded?"


def test_table_that_is_not_declared_has_its_name() -> None:
    found = unknown("some_more")
    assert (found.title, found.section) == ("some more", "Further tables")
    assert found.column("shoe_size") == Column("shoe_size", "")


def test_declaration_survives_its_file() -> None:
    declared = TableSpec("t", "T", (MEAN, *interval("mean")), question="How?", folded=True)
    assert TableSpec.from_json(declared.as_json()) == declared


def test_notes_show_labels_of_rules_and_names_but_no_words_replaced() -> None:
    labels = Labels(
        {
            "conditions": {"zero_shot": "Zero-shot", "plain": "Plain"},
            "rules": {"sigma_mae": "Far from gold", "duration": "Too fast"},
        }
    )
    note = catalogue.table("wins", labels).column("note")
    assert note.text("no ratings of zero_shot; a plain duration; see sigma_mae") == (
        "no ratings of Zero-shot; a plain duration; see “Far from gold”"
    )
