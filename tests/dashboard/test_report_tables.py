"""How tables stand in the report: rows, columns, captions, and the cell behind each number."""

from typing import Any

from django.template.loader import render_to_string

from dashboard.share.report_tables import (
    MOST_ROWS,
    ReportNumber,
    ShownTable,
    TablePart,
    shown_table,
)
from tests.analysis.written import tables


def table(name: str, *rows: dict[str, Any]) -> ShownTable:
    return shown_table(tables(**{name: list(rows)})[name])


def texts(part: TablePart) -> list[list[str]]:
    return [
        [" to ".join(number.text for number in cell.numbers) or cell.text for cell in row]
        for row in part.rows
    ]


def test_contrasts_stand_together_whatever_their_unit() -> None:
    rows = [
        {"recipe": "sound", "unit": unit, "raters": "included", "generalises_to": whom, "n": n}
        for unit, whom, n in (("participant", "raters", 5), ("scenario", "scenarios", 12))
    ]
    [part] = table("contrasts", *rows).parts
    assert part.caption == "recipe sound; raters included"
    assert texts(part) == [["raters", "5"], ["scenarios", "12"]]


def test_both_ends_of_an_interval_stand_together_wherever_their_names_say_so() -> None:
    rows = [{"difference_with": 0.5, "ci_low_with": 0.1, "ci_high_with": n} for n in (0.9, 0.8)]
    [part] = table("order_conclusions", *rows).parts
    assert [heading.text for heading in part.headings] == [
        "Condition a minus condition b, adjusted for order",
        "Interval of Condition a minus condition b, adjusted for order",
    ]
    assert texts(part)[0] == ["0.50", "0.10 to 0.90"]


def test_parts_are_those_of_recipe_unit_and_raters() -> None:
    rows = [
        {"recipe": recipe, "unit": "participant", "raters": raters, "model": model, "n": 3}
        for recipe in ("sound", "mine")
        for raters in ("included", "all")
        for model in ("Ant", "Bee")
    ]
    parts = table("systems", *rows).parts
    assert [(part.caption, part.is_folded) for part in parts] == [
        ("recipe sound; unit participant; raters included", False),
        ("recipe sound; unit participant; raters all", True),
        ("recipe mine; unit participant; raters included", False),
        ("recipe mine; unit participant; raters all", True),
    ]
    assert [heading.text for heading in parts[0].headings] == ["Model", "n"]
    assert texts(parts[0]) == [["Ant", "3"], ["Bee", "3"]]


def test_numbers_keep_their_exact_value_and_the_cell_of_the_whole_table() -> None:
    rows = [
        {"recipe": "sound", "raters": raters, "model": "Ant", "mean": mean}
        for raters, mean in (("included", 2.0), ("all", 3.14159))
    ]
    cell = table("systems", *rows).parts[1].rows[0][1]
    assert cell.numbers == (ReportNumber("3.14", "3.14159", "systems.csv#cell=3,4"),)


def test_two_ends_of_an_interval_stand_in_one_column() -> None:
    row = {"model": "Ant", "difference": 0.5, "ci_low": -0.25, "ci_high": 1.25}
    part = table("contrasts", row, {**row, "model": "Bee"}).parts[0]
    assert [(heading.text, heading.columns) for heading in part.headings] == [
        ("Model", "model"),
        ("Condition a minus condition b", "difference"),
        ("Interval", "ci_low, ci_high"),
    ]
    assert texts(part)[0] == ["Ant", "0.50", "−0.25 to 1.25"]


def test_columns_are_called_after_what_they_hold_in_their_table() -> None:
    def heads(name: str, **row: Any) -> list[str]:
        rows = [row, {column: value + 1 for column, value in row.items()}]
        return [heading.text for heading in table(name, *rows).parts[0].headings]

    assert heads("contrasts", p=0.1, p_adjusted=0.2) == ["p", "p (Holm)"]
    assert heads("alt_test_raters", p=0.1, p_adjusted=0.2) == ["p", "p (BY)"]
    of_alpha = {"alpha_ordinal": 0.8, "alpha_ordinal_low": 0.7, "alpha_ordinal_high": 0.9}
    assert heads("judge_consistency", **of_alpha) == ["α ordinal", "Interval of α ordinal"]
    limits = {"bias": 0.5, "limits_low": -1.0, "limits_high": 2.0}
    assert heads("judge_bias", **limits) == ["Judge minus people", "Limits of agreement"]


def test_below_a_table_stands_how_many_rows_are_shown_and_which() -> None:
    rows = [{"model": f"m{n}", "mean": float(n)} for n in range(1500)]
    whole, long = table("systems", *rows[:1]), table("systems", *rows)
    assert whole.shown_of_all == "1 row, exact in"
    assert long.shown_of_all == "120 of 1,500 rows, the first of each part. The rest is in"
    assert long.parts[0].counted == "1,500 rows"
    clear = [group(scenario="S1", model=f"m{n}", p_adjusted=0.01) for n in range(130)]
    found = table("group_tests", group(), *clear, group(scenario="S2"))
    said = found.shown_of_all
    assert (
        said.startswith("121 of 132 rows: one t test over all")
        and "131 rows in all, of long parts" in said
    )


def test_text_that_is_the_same_in_all_rows_stands_in_the_caption_and_numbers_do_not() -> None:
    rows = [{"condition": "zero_shot", "model": model, "n": 30} for model in ("Ant", "Bee")]
    part = table("systems", *rows).parts[0]
    assert part.caption == "condition Zero shot"
    assert texts(part) == [["Ant", "30"], ["Bee", "30"]]


def test_numbers_and_texts_below_each_other_beside_printed_ones_are_each_what_they_are() -> None:
    rows: list[dict[str, Any]] = [
        {"item": "t", "obtained": 2.8912345678},
        {"item": "winner", "obtained": "tie"},
    ]
    part = table("replication", *rows).parts[0]
    assert part.rows[0][1].numbers == (
        ReportNumber("2.8912", "2.8912345678", "replication.csv#cell=2,2"),
    )
    assert part.rows[1][1].text == "tie"


def test_counts_among_means_are_whole_numbers() -> None:
    rows = [{"measure": "completed", "value": 1138.0}, {"measure": "minutes", "value": 29.756}]
    assert texts(table("protocol", *rows).parts[0]) == [
        ["Completed", "1,138"],
        ["Minutes", "29.76"],
    ]


def test_empty_columns_are_left_out_and_empty_cells_have_a_dash() -> None:
    rows: list[dict[str, Any]] = [
        {"model": "Ant", "p": None, "df": None},
        {"model": "Bee", "p": 0.5, "df": None},
    ]
    part = table("anova", *rows).parts[0]
    assert [heading.text for heading in part.headings] == ["Model", "p"]
    assert [(cell.text, cell.kind) for cell in part.rows[0]] == [("Ant", "text"), ("–", "number")]


def group(**changes: Any) -> dict[str, Any]:
    row = {"recipe": "sound", "unit": "participant", "raters": "included", "factor": "age"}
    row |= {"model": "Ant", "condition": "all", "scenario": "all", "test": "welch"}
    return row | {"n_a": 3, "n_b": 4, "p": 0.5, "p_adjusted": 0.9} | changes


def test_group_tests_show_what_is_pooled_then_what_is_clear() -> None:
    found = table(
        "group_tests",
        group(),
        group(model="Bee"),
        group(test="student"),
        group(scenario="S1", p_adjusted=0.01),
        group(scenario="S2"),
        group(scenario="S3", p_adjusted=None),
    )
    assert (found.n_shown, found.n_rows) == (3, 6)
    assert found.kept.startswith("one t test over all conditions and scenarios")
    assert [texts(part) for part in found.parts] == [
        [["Ant", "3", "4", ".500", ".900"], ["Bee", "3", "4", ".500", ".900"]],
        [["Age", "Ant", "All conditions", "S1", "Welch's t", "3", "4", ".500", ".010"]],
    ]


def test_long_parts_are_cut() -> None:
    found = table("items", *({"model": "Ant", "n": n} for n in range(MOST_ROWS + 5)))
    assert (found.n_shown, found.n_rows) == (MOST_ROWS, MOST_ROWS + 5)
    assert found.parts[0].n_rows == MOST_ROWS + 5


def html(found: ShownTable) -> str:
    return " ".join(
        render_to_string("dashboard/share/_report_table.html", {"table": found}).split()
    )


def test_table_says_that_of_chosen_rows_only_the_first_are_shown() -> None:
    many = [group(scenario=f"S{n}", p_adjusted=0.01) for n in range(MOST_ROWS + 5)]
    found = html(table("group_tests", *many, group(scenario="S")))
    assert f"<caption><span>the first {MOST_ROWS} of {MOST_ROWS + 5} rows; " in found
    assert f"{MOST_ROWS} of {MOST_ROWS + 6} rows: one t test" in found
    assert f"p below .05, {MOST_ROWS + 5} rows in all, of long parts the first alone. The" in found
    whole = html(table("group_tests", group(scenario="S1", p_adjusted=0.01), group(scenario="S")))
    assert "p below .05. The rest is in" in whole and "first" not in whole


def test_long_folded_part_says_so_before_it_is_opened() -> None:
    rows = [{"model": "Ant", "n": n, "raters": "all"} for n in range(MOST_ROWS + 5)]
    found = html(table("items", *rows))
    assert f"({MOST_ROWS + 5} rows, of which the first {MOST_ROWS} are shown)</summary>" in found


def test_no_row_that_is_to_be_shown_is_no_part() -> None:
    found = table("raters", {"participant": "ann", "exclusion": ""})
    assert (found.parts, found.n_shown, found.n_rows) == ([], 0, 1)


def test_raters_show_few_columns_and_name_the_others() -> None:
    row = {"participant": "ann", "exclusion": "duration", "sigma": 0.5, "longstring": 9}
    found = table("raters", row)
    assert [heading.text for heading in found.parts[0].headings] == [
        "Participant",
        "Exclusion",
        "σ",
    ]
    assert found.aside == ["longstring"]


def test_table_that_is_not_declared_stands_under_its_name() -> None:
    assert table("some_more", {"n": 1}).title == "some more"
