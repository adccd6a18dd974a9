"""Replies made to mislead are asked again, genuine text is left as it is."""

import pytest

from judge.completions import read_text
from judge.doubts import Unusable
from judge.literals import score_in_literal
from judge.parsing import parse_scores
from judge.refusing import may_refuse
from survey.definition.points import Point
from tests.judge.misleading import (
    GIVES_ANOTHER,
    GIVES_FOUR,
    GIVES_THREE,
    HAS_MORE,
    IN_LITERALS,
    IS_GENUINE,
    IS_GENUINE_AFTER_THINKING,
    LEAVES_DOUBT,
    REFUSES,
    REFUSES_NOTHING,
)

LABELS = ["Not at all", "Slightly", "Moderately", "Very", "Extremely"]
FIVE = [
    Point(value=value, label=f"{label} empathetic") for value, label in enumerate(LABELS, start=1)
]


def score_of(reply: str) -> int | None:
    said = read_text(reply)
    if not said.is_whole:
        return None
    try:
        return parse_scores(said.answer, FIVE, names=("empathy",))[0].score
    except Unusable:
        return None


@pytest.mark.parametrize(
    ("reply", "score"),
    [*((reply, 4) for reply in GIVES_FOUR), *((reply, 3) for reply in GIVES_THREE), *GIVES_ANOTHER],
)
def test_score_without_doubt_is_read(reply: str, score: int) -> None:
    assert score_of(reply) == score


@pytest.mark.parametrize("reply", LEAVES_DOUBT)
def test_no_score_is_read_where_another_may_be_meant(reply: str) -> None:
    assert score_of(reply) is None


@pytest.mark.parametrize("reply", HAS_MORE)
def test_thinking_and_tokens_are_taken_off_a_text(reply: str) -> None:
    assert read_text(reply).answer == "I hear you."


@pytest.mark.parametrize("text", IS_GENUINE)
def test_text_about_tags_is_kept(text: str) -> None:
    assert read_text(text).answer == text


@pytest.mark.parametrize("text", IS_GENUINE_AFTER_THINKING)
def test_text_about_tags_is_kept_behind_thinking(text: str) -> None:
    said = read_text(f"<think>The user asks about the <think> tag.</think>\n\n{text}")
    assert said.answer == text
    assert said.thinking == "The user asks about the <think> tag."


@pytest.mark.parametrize("text", REFUSES)
def test_refusals_are_noticed(text: str) -> None:
    assert may_refuse(text)


@pytest.mark.parametrize("text", REFUSES_NOTHING)
def test_empathy_is_no_refusal(text: str) -> None:
    assert not may_refuse(text)


@pytest.mark.parametrize(("literal", "reply", "score"), IN_LITERALS)
def test_literal_is_read_where_nothing_goes_on(literal: str, reply: str, score: int | None) -> None:
    try:
        read: int | None = score_in_literal(reply, literal, FIVE, others=["clarity"])[0].score
    except Unusable:
        read = None
    assert read == score


@pytest.mark.parametrize(
    ("reply", "score"),
    [("Score: \u20132", None), ("\u20132", None), ("Score: - 2", None), ("Score: -2", -2)],
)
def test_dash_may_be_a_sign_where_points_are_negative(reply: str, score: int | None) -> None:
    scale = [Point(value=value, label=f"point {value}") for value in range(-2, 3)]
    try:
        found = parse_scores(reply, scale)[0].score
    except Unusable:
        found = None
    assert found == score


def test_digits_are_not_joined_by_what_wraps_them() -> None:
    scale = [Point(value=value, label=str(value)) for value in range(0, 101, 10)]
    for reply in ("<score>7</score><score>0</score>", "5*0", "1`0"):
        with pytest.raises(Unusable):
            parse_scores(reply, scale)


def test_parts_may_not_say_that_they_are_about_others() -> None:
    form = '{"A": {"response": "%s", "score": 4}, "B": {"response": "%s", "score": 2}}'
    with pytest.raises(Unusable, match="A is about B"):
        parse_scores(form % ("B", "A"), FIVE, letters=("A", "B"))
    scores = parse_scores(form % ("A", "B"), FIVE, letters=("A", "B"))
    assert [each.score for each in scores] == [4, 2]
