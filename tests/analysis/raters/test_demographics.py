"""Who the included raters are."""

from typing import Any

import pytest
from pandas import DataFrame, Series

from analysis.not_available import NotAvailable
from analysis.raters.demographics import demographics
from tests.analysis import by_hand


def table(
    everyone: dict[str, list[Any]], included: list[bool], **order: list[str]
) -> list[list[Any]]:
    made = demographics(DataFrame(everyone), Series(included), order)
    assert made.columns.tolist() == [
        "characteristic", "category", "n", "percent", "mean", "sd", "min", "max", "note"
    ]  # fmt: skip
    return [list(row.values())[:-1] for row in by_hand.rows_of(made)]


def test_a_number_has_mean_sd_and_range_of_the_included() -> None:
    # (20 + 30 + 40) / 3 = 30; (100 + 0 + 100) / 2 = 10²; the one of 90 is not included
    assert table({"age": [20, 30, 40, 90]}, [True, True, True, False]) == [
        ["age", "", 3, 100.0, 30.0, 10.0, 20.0, 40.0]
    ]


def test_categories_have_counts_and_percentages_of_all_included() -> None:
    sex = ["Male", "Female", "Female", "Female", "Male"]
    assert table({"sex": sex}, [True, True, True, True, False]) == [
        ["sex", "Female", 3, 75.0, None, None, None, None],
        ["sex", "Male", 1, 25.0, None, None, None, None],
    ]


def test_who_skipped_a_question_is_its_last_row() -> None:
    assert table({"age": [20, None], "sex": [None, "Male"]}, [True, True]) == [
        ["age", "", 1, 50.0, 20.0, None, 20.0, 20.0],
        ["age", "Not answered", 1, 50.0, None, None, None, None],
        ["sex", "Male", 1, 50.0, None, None, None, None],
        ["sex", "Not answered", 1, 50.0, None, None, None, None],
    ]


def test_single_answer_says_why_it_has_no_deviation() -> None:
    one = demographics(DataFrame({"age": [20, None], "sex": "Male"}), Series([True, True]), {})
    assert one["note"].tolist() == ["no standard deviation, because there is one answer", "", ""]
    two = demographics(DataFrame({"age": [20, 30]}), Series([True, True]), {})
    assert two["note"].tolist() == [""]


def test_categories_stand_in_the_order_of_the_options_then_by_number() -> None:
    answers = ["x", "low", "y", "y", "high", "high", "high", "z"]
    rows = table({"level": answers}, [True] * 8, level=["low", "middle", "high"])
    assert [row[1] for row in rows] == ["low", "high", "y", "x", "z"]


def test_a_question_that_nobody_was_asked_is_left_out() -> None:
    rows = table({"state": [None, None], "sex": ["Male", "Male"]}, [True, True])
    assert [row[0] for row in rows] == ["sex"]


def test_a_question_that_only_excluded_raters_answered_stays() -> None:
    rows = table({"age": [None, 30], "sex": ["Male", "Male"]}, [True, False])
    assert rows[0] == ["age", "Not answered", 1, 100.0, None, None, None, None]


def test_columns_about_taking_part_are_no_characteristics() -> None:
    rows = table(
        {"participant": ["a"], "status": ["completed"], "duration_seconds": [60.0], "own": ["yes"]},
        [True],
    )
    assert [row[0] for row in rows] == ["own"]


def test_yes_and_no_are_categories() -> None:
    assert table({"hispanic": [True, False, False]}, [True] * 3) == [
        ["hispanic", "False", 2, 200 / 3, None, None, None, None],
        ["hispanic", "True", 1, 100 / 3, None, None, None, None],
    ]


@pytest.mark.parametrize(
    ("answers", "included", "reason"),
    [
        (["Male"], False, "no rater is included"),
        ([None], True, "no demographic question was answered"),
        (None, True, "the study asks no demographic question"),
    ],
)
def test_without_raters_or_answers_there_is_a_reason(
    answers: list[Any] | None, included: bool, reason: str
) -> None:
    people = DataFrame({"participant": ["ada"]} | ({} if answers is None else {"sex": answers}))
    with pytest.raises(NotAvailable, match=reason):
        demographics(people, Series([included]), {})
