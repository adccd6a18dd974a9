"""Which ways of writing are flagged: by counts and times, never by the text."""

from dataclasses import replace
from typing import Any

import pytest
from pydantic import ValidationError

from analysis.deviations import deviations
from analysis.quality_rules import USUAL_LABELS, QualityRules, changes_in_words
from analysis.writing_rules import WritingRules, WrittenAnswer, writing_changes
from tests.analysis.test_deviations import PLAN

RULES = WritingRules()
TYPED = {"typed_characters": 200, "typing_seconds": 50.0, "largest_insertion": 1}


def flags(characters: int = 200, **counted: Any) -> list[str]:
    return RULES.flags(WrittenAnswer(characters, TYPED | counted))


def test_typed_answer_is_not_flagged() -> None:
    assert flags() == []


@pytest.mark.parametrize(
    ("counted", "expected"),
    [
        ({"pasted_characters": 99}, []),
        ({"pasted_characters": 100}, ["pasted"]),
        ({"pasted_characters": 60, "dropped_characters": 40}, ["pasted"]),
        ({"returned_characters": 39}, []),
        ({"returned_characters": 40}, ["returned"]),
        ({"largest_insertion": 159}, []),
        ({"largest_insertion": 160}, ["at_once"]),
        ({"typing_seconds": 13.4}, []),
        ({"typing_seconds": 13.3}, ["too_fast"]),
        ({"typing_seconds": 0.0}, ["too_fast"]),
        ({"own_pastes": 9, "deletions": 400, "focus_losses": 30, "away_seconds": 900.0}, []),
        (
            {"pasted_characters": 200, "returned_characters": 200, "largest_insertion": 200},
            ["pasted", "returned", "at_once"],
        ),
    ],
)
def test_threshold_itself_is_flagged_and_less_is_not(
    counted: dict[str, Any], expected: list[str]
) -> None:
    assert flags(**counted) == expected


def test_short_answer_is_never_flagged() -> None:
    everything = {"pasted_characters": 300, "largest_insertion": 300, "typing_seconds": 0.1}
    assert flags(50, **everything) == ["pasted", "at_once", "too_fast"]
    assert flags(49, **everything) == []


@pytest.mark.parametrize("unknown", [None, float("nan")])
def test_what_was_not_counted_is_not_flagged(unknown: float | None) -> None:
    assert RULES.flags(WrittenAnswer(200, {})) == []
    nothing = dict.fromkeys([*TYPED, "pasted_characters", "returned_characters"], unknown)
    assert flags(**nothing) == []
    assert flags(typing_seconds=unknown) == [], "without its time, typing has no speed"


def test_thresholds_are_those_of_the_file() -> None:
    rules = QualityRules.model_validate(
        {"writing": {"least_characters": 10, "pasted": {"share": 0.9}}}
    ).writing
    assert rules.flags(WrittenAnswer(20, {"pasted_characters": 17})) == []
    assert rules.flags(WrittenAnswer(20, {"pasted_characters": 18})) == ["pasted"]
    for wrong in ({"pasted": {"share": 0}}, {"pasted": {"share": 1.1}}, {"least_characters": 0}):
        with pytest.raises(ValidationError):
            WritingRules.model_validate(wrong)


def test_changed_thresholds_are_said_and_make_only_the_rows_without_flagged_exploratory() -> None:
    before = QualityRules()
    after = QualityRules.model_validate({"writing": {"too_fast": {"characters_per_second": 12}}})
    said = "Typed too fast, characters per second: 15 → 12"
    assert list(writing_changes(before.writing, after.writing)) == [said]
    assert changes_in_words(before, after, USUAL_LABELS) == [said]
    (deviation,) = deviations(PLAN, replace(PLAN, rules=after), USUAL_LABELS)
    assert deviation.where == "rows in sensitivity, without_flagged"
