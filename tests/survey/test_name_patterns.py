"""Names of columns are read by patterns with named parts."""

import re

import pytest

from survey.definition.mapping.patterns import KnownNames, NamePattern, NameReader

KNOWN = {
    "scenario": ["exam", "final_exam"],
    "system": ["A", "A_b"],
    "dimension": ["warm", "b_warm"],
}

ONLY_NAMES = "only a name can stand in braces, as in {name}. Write {{ and }} for braces themselves"


def reader(text: str, known: KnownNames = KNOWN) -> NameReader:
    return NameReader(NamePattern(text), known)


def test_parts_may_contain_what_separates_them() -> None:
    pattern = reader("q_{scenario}_{system}")
    assert pattern.read("q_final_exam_A_b") == [{"scenario": "final_exam", "system": "A_b"}]
    assert pattern.read("q_exam_C") == pattern.read("p_exam_A") == pattern.read("q_exam_A_") == []


def test_name_that_can_be_read_in_two_ways_is_not_guessed() -> None:
    assert reader("{system}_{dimension}").read("A_b_warm") == [
        {"system": "A_b", "dimension": "warm"},
        {"system": "A", "dimension": "b_warm"},
    ]


def test_part_without_known_names_may_be_any_text() -> None:
    pattern = reader("{model}: {condition}", {"condition": ["plain"]})
    assert pattern.read("Willow: 2: plain") == [{"model": "Willow: 2", "condition": "plain"}]
    assert pattern.read("Willow: tuned") == []


def test_braces_of_a_name_are_doubled() -> None:
    pattern = reader("{{{scenario}}} how?")
    assert pattern.read("{exam} how?") == [{"scenario": "exam"}]
    assert NamePattern("Q1 {{x}}").name == "Q1 {x}"


@pytest.mark.parametrize(
    ("text", "name", "near"),
    [
        ("q_{scenario}_{system}", "q_exm_A", ("scenario", "exm")),
        ("q_{scenario}_{system}", "q_exam_Z", ("system", "Z")),
        ("q_{scenario}_{system}", "q_other_things", None),
        ("q_{scenario}", "q_other", ("scenario", "other")),
        ("{scenario}", "Duration", None),
        ("{scenario}", "Exam", ("scenario", "Exam")),
    ],
)
def test_name_that_fits_but_for_one_part_is_no_other_column(
    text: str, name: str, near: tuple[str, str] | None
) -> None:
    assert reader(text).read(name) == []
    assert reader(text).nearly(name) == near


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("q_{scenario", "has a brace without its partner; write {{ or }} for a brace itself"),
        ("q_}", "has a brace without its partner; write {{ or }} for a brace itself"),
        ("q_{}", "has {}; " + ONLY_NAMES),
        ("q_{scenario:>3}", "has {scenario:>3}; " + ONLY_NAMES),
        ("q_{scenario!r}", "has {scenario!r}; " + ONLY_NAMES),
        ("q_{system.model}", "has {system.model}; " + ONLY_NAMES),
        ("{scenario}{system}", "needs a character between {scenario} and {system}"),
        ("{system} {system}", "has {system} twice"),
    ],
)
def test_text_that_is_no_pattern_is_refused(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(reason)}$"):
        NamePattern(text)
