"""Rubrics by name."""

import re

import pytest

from judge.definition import JudgeDefinition
from judge.rubrics import ONE_LINE, PRESETS


def test_one_line_has_the_papers_criteria() -> None:
    text = PRESETS[ONE_LINE].text
    assert "\n" not in text
    for criterion in ("warm", "situation", "genuine"):
        assert criterion in text


@pytest.mark.parametrize(("name", "points"), [("anchored", 5), ("three_components", 3)])
def test_descriptions_are_of_every_point_once_and_in_order(name: str, points: int) -> None:
    preset = PRESETS[name]
    for text in (preset.text, *preset.texts.values()):
        described = [int(value) for value in re.findall(r"^([0-9]+): \S", text, re.MULTILINE)]
        assert described in ([], list(preset.values or ()))
    assert preset.values == tuple(range(1, points + 1))


def test_three_components_are_the_three_kinds_of_empathy() -> None:
    assert list(PRESETS["three_components"].texts) == ["cognitive", "emotional", "behavioral"]


def test_every_preset_can_be_named_in_a_study() -> None:
    for name in PRESETS:
        assert JudgeDefinition.model_validate({"preset": name}).preset == name
