"""Reading the form of a block: every kind of task, and everything that can be wrong with it."""

import re
from typing import Any
from urllib.parse import urlencode

import pytest
from django.http import QueryDict

from survey.answers import AnswerKey, BlockAnswers
from survey.content import ResponseContent
from survey.definition.attention_checks import AttentionItem
from survey.definition.tasks import RatingTask
from survey.forms.block import read_block
from survey.forms.checked import CheckedInput
from tests.survey import small_study, task_studies

RESPONSES = [ResponseContent(pk, f"p{pk}", f"text {pk}") for pk in (11, 12, 13, 14, 15)]
CHECK_PLACE = 2


def read(study: str, sent: dict[str, str], *, responses: int = 3, **more: Any) -> Any:
    """What is read from `sent`, by the definition of a study of `task_studies`."""
    form = QueryDict(urlencode(sent))
    definition = small_study.definition(task_studies.yaml_of(study, **more))
    place = CHECK_PLACE if definition.attention_checks else None
    return read_block(form, definition, RESPONSES[:responses], place)


def likert(*values: str) -> dict[str, str]:
    return {f"r-p{11 + i}-warmth": value for i, value in enumerate(values)}


def ranks(*values: str) -> dict[str, str]:
    return {f"rank-p{11 + i}": value for i, value in enumerate(values)}


def cells(checked: CheckedInput[BlockAnswers]) -> dict[AnswerKey, float]:
    assert checked.errors == {}
    return checked.values.ratings


def test_likert_gives_one_value_for_each_response() -> None:
    assert cells(read("likert", likert("3", "1", "2"))) == {
        AnswerKey("likert", 11, "warmth"): 3,
        AnswerKey("likert", 12, "warmth"): 1,
        AnswerKey("likert", 13, "warmth"): 2,
    }


def test_several_dimensions_are_told_apart_and_named_where_missing() -> None:
    sent = {"r-p11-resonance": "0", "r-p11-advice": "10", "r-p12-resonance": "5"}
    checked = read("eleven", sent, responses=2)
    assert checked.values.ratings == {
        AnswerKey("likert", 11, "resonance"): 0,
        AnswerKey("likert", 11, "advice"): 10,
        AnswerKey("likert", 12, "resonance"): 5,
    }
    assert checked.errors == {
        "r-p12-advice-0": "Choose a rating for response 2: How useful is its advice (0 to 10)?"
    }


@pytest.mark.parametrize("value", ["", "0", "4", "2.0", "two", "٢", "1e0", "2\x00"])
def test_what_is_no_point_of_the_scale_is_refused(value: str) -> None:
    checked = read("likert", likert("3", value, "2"))
    assert checked.errors == {"r-p12-warmth-1": "Choose a rating for response 2"}
    assert checked.sent == {"r-p11-warmth": 3, "r-p12-warmth": None, "r-p13-warmth": 2}


@pytest.mark.parametrize(
    ("typed", "value"),
    [("0", 0), ("100", 100), (" 50 ", 50), ("007", 7), ("٥٠", 50), ("５０", 50)],
)
def test_a_number_may_be_typed_in_any_digits(typed: str, value: int) -> None:
    assert cells(read("slider", likert(typed), responses=1)) == {
        AnswerKey("slider", 11, "warmth"): value
    }


def test_a_slider_may_start_below_zero() -> None:
    line = {**task_studies.SLIDER, "minimum": -50, "maximum": 50}
    for typed in ("-50", "−50"):
        checked = read("slider", likert(typed), responses=1, tasks=[line])
        assert cells(checked) == {AnswerKey("slider", 11, "warmth"): -50}


@pytest.mark.parametrize("typed", ["101", "-1", "5.5", "5,5", "50%", "fifty", "1e1", "²", "9" * 9])
def test_what_is_no_number_of_the_line_is_shown_again(typed: str) -> None:
    checked = read("slider", likert(typed), responses=1)
    assert checked.errors == {
        "r-p11-warmth": "The response: enter a whole number from 0 to 100",
    }
    assert checked.sent == {"r-p11-warmth": typed}


HALVES = {**task_studies.SLIDER, "minimum": -1, "maximum": 5, "step": 0.5}


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("2.5", 2.5),
        ("2,5", 2.5),
        ("2.50", 2.5),
        ("2.0", 2),
        ("−0.5", -0.5),
        ("٢.٥", 2.5),
        ("２．５", 2.5),
        ("－０．５", -0.5),
        ("-0", 0),
    ],
)
def test_halves_are_numbers_of_a_line_of_half_steps(typed: str, value: float) -> None:
    (given,) = cells(read("slider", likert(typed), responses=1, tasks=[HALVES])).values()
    assert given == value
    assert isinstance(given, float) == (value % 1 != 0)


@pytest.mark.parametrize("typed", ["2.3", "2.55", "5.5", ".5", "2.", "2..5", "2.5.0", "nan"])
def test_other_decimals_are_refused_on_it(typed: str) -> None:
    checked = read("slider", likert(typed), responses=1, tasks=[HALVES])
    assert checked.errors == {
        "r-p11-warmth": "The response: enter a whole or half number from -1 to 5",
    }


TENTHS = {**task_studies.SLIDER, "minimum": 0, "maximum": 25, "step": 0.1}


@pytest.mark.parametrize(
    ("typed", "value"),
    [("4.1", 4.1), ("4,10", 4.1), ("0.3", 0.3), ("24.9", 24.9), ("25.00", 25), ("７．７", 7.7)],
)
def test_tenths_are_exact_numbers_of_a_line_of_tenths(typed: str, value: float) -> None:
    (given,) = cells(read("slider", likert(typed), responses=1, tasks=[TENTHS])).values()
    assert given == value


@pytest.mark.parametrize("typed", ["4.15", "25.1", "-0.1", "1e1", "4.1.0"])
def test_other_numbers_are_refused_on_it(typed: str) -> None:
    checked = read("slider", likert(typed), responses=1, tasks=[TENTHS])
    assert checked.errors == {
        "r-p11-warmth": "The response: enter a number from 0 to 25, in steps of 0.1",
    }


@pytest.mark.parametrize("name", ["Cognitive empathy", "Präzision", "流畅", "warmth"])
def test_names_of_inputs_have_no_spaces_whatever_dimensions_are_called(name: str) -> None:
    dimension = {"name": name, "question": "How is it?"}
    sent = {RatingTask.input_name("p11", name): "7"}
    assert re.fullmatch(r"[a-z0-9-]+", next(iter(sent)))
    task = {**task_studies.SLIDER, "dimensions": [dimension]}
    checked = read("slider", sent, responses=1, tasks=[task])
    assert [(key.dimension, value) for key, value in cells(checked).items()] == [(name, 7)]


def test_a_slider_that_was_not_touched_is_missing() -> None:
    checked = read("slider", likert(""), responses=1)
    assert checked.errors == {"r-p11-warmth": "Choose a rating for the response"}


def test_every_response_gets_a_rank() -> None:
    assert cells(read("ranking", ranks("2", "3", "1"))) == {
        AnswerKey("ranking", 11, ""): 2,
        AnswerKey("ranking", 12, ""): 3,
        AnswerKey("ranking", 13, ""): 1,
    }


@pytest.mark.parametrize("value", ["", "0", "4", "first"])
def test_a_rank_that_is_none_is_refused(value: str) -> None:
    checked = read("ranking", ranks("2", value, "1"))
    assert checked.errors == {"rank-p12-1": "Choose a rank for response 2"}


def test_ties_are_refused_where_the_second_stands() -> None:
    checked = read("ranking", ranks("1", "2", "1"))
    assert checked.errors == {
        "rank-p13-1": "Response 3 has rank 1, which another one has",
    }
    assert checked.sent == {"rank-p11": 1, "rank-p12": 2, "rank-p13": 1}


def test_ties_are_taken_where_the_study_allows_them() -> None:
    assert list(cells(read("ties", ranks("1", "1", "3"))).values()) == [1, 1, 3]


def test_labels_in_messages_are_those_of_the_page() -> None:
    checked = read("ties", ranks("1", "", "3"))
    assert checked.errors == {"rank-p12-1": "Choose a rank for response B"}


def test_best_and_worst_are_two_responses() -> None:
    sent = {"best": "p13", "worst": "p11", "text-why": "It listens."}
    checked = read("best-worst", sent)
    assert cells(checked) == {
        AnswerKey("best_worst", 13, "warmth"): 1,
        AnswerKey("best_worst", 11, "warmth"): -1,
    }
    assert checked.values.texts == {"why": "It listens."}


def test_one_response_is_not_both_best_and_worst() -> None:
    checked = read("best-worst", {"best": "p12", "worst": "p12", "text-why": "It listens."})
    assert checked.errors == {"worst-p12": "Choose two different responses"}


@pytest.mark.parametrize("value", ["", "12", "p99", "p12 "])
def test_a_choice_that_is_not_on_the_page_is_refused(value: str) -> None:
    checked = read("best-worst", {"best": value, "worst": "p12", "text-why": "It listens."})
    assert checked.errors == {
        "best-p11": "Choose one of the responses: Which response is the warmest?"
    }


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "Write an answer: Why did you choose so?"),
        (" \r\n\x00 ", "Write an answer: Why did you choose so?"),
        ("so", "Write at least 5 characters: Why did you choose so?"),
        ("x" * 61, "Write at most 60 characters; you wrote 61"),
    ],
)
def test_a_free_answer_keeps_to_its_lengths(text: str, problem: str) -> None:
    checked = read("best-worst", {"best": "p12", "worst": "p13", "text-why": text})
    assert checked.errors == {"text-why": problem}
    assert checked.sent["text-why"] == text.replace("\x00", "").strip()


def test_length_is_that_of_characters_not_of_bytes_or_line_breaks() -> None:
    text = "a\r\nb" + "😀" * 57
    checked = read("best-worst", {"best": "p12", "worst": "p13", "text-why": text})
    assert checked.errors == {}
    assert checked.values.texts == {"why": "a\nb" + "😀" * 57}


def everything(**changed: str) -> dict[str, str]:
    sent = {**likert("1", "2", "3"), **ranks("1", "2", "3"), "best": "p11", "worst": "p12"}
    return {**sent, "text-why": "Because.", "check": "2", **changed}


def test_all_kinds_on_one_page_are_read_together() -> None:
    checked = read("everything", everything())
    assert len(cells(checked)) == 8
    assert checked.values.check == 2
    assert checked.values.texts == {"why": "Because.", "comment": ""}


@pytest.mark.parametrize("typed", ["20", " 020 ", "٢٠"])
def test_a_check_among_sliders_is_a_number_too(typed: str) -> None:
    checked = read("slider-check", {**likert("0", "100"), "check": typed}, responses=2)
    assert (checked.errors, checked.values.check) == ({}, 20)


@pytest.mark.parametrize(
    ("typed", "problem"),
    [
        ("", "Choose an answer: One more item"),
        ("101", "One more item: enter a whole number from 0 to 100"),
        ("much", "One more item: enter a whole number from 0 to 100"),
    ],
)
def test_what_is_no_number_for_a_check_is_shown_again(typed: str, problem: str) -> None:
    checked = read("slider-check", {**likert("0", "100"), "check": typed}, responses=2)
    assert (checked.errors, checked.sent["check"]) == ({"check": problem}, typed)


def test_what_is_wrong_is_told_from_the_top_of_the_page_to_its_foot() -> None:
    checked = read("everything", {"rank-p11": "2", "rank-p12": "2"})
    assert list(checked.errors) == [
        *["r-p11-warmth-1", "check-1", "r-p12-warmth-1", "r-p13-warmth-1"],
        *["rank-p12-2", "rank-p13-1", "best-p11", "worst-p11", "text-why"],
    ]


@pytest.mark.parametrize("value", ["", "7", "x"])
def test_a_check_inside_the_block_has_to_be_answered(value: str) -> None:
    checked = read("everything", everything(check=value))
    assert checked.errors == {
        "check-1": "Choose an answer: One more item",
    }
    assert checked.values.check is None


def test_a_check_answered_wrongly_is_no_mistake_of_the_form() -> None:
    item = AttentionItem.model_validate(task_studies.CHECK)
    checked = read("everything", everything(check="3"))
    assert (checked.errors, checked.values.check) == ({}, 3)
    assert item.right_answer == 2


def test_a_remark_is_never_asked_for() -> None:
    checked = read("everything", everything(**{"text-comment": "A remark."}))
    assert (checked.errors, checked.values.texts["comment"]) == ({}, "A remark.")


def test_what_the_page_does_not_ask_is_not_read() -> None:
    checked = read("likert", {**likert("1", "2", "3"), "best": "p11", "check": "2", "r-p99-x": "1"})
    assert len(cells(checked)) == 3
    assert checked.values == BlockAnswers(ratings=checked.values.ratings)
