"""Profile files: what they may hold, and what is said about mistakes."""

import re
from pathlib import Path

import pytest
from pydantic import BaseModel

from survey.files.problems import DefinitionError
from survey.files.yaml_file import YamlFile
from survey.simulated.profile import (
    AtProlific,
    Behaviour,
    Behaviours,
    DemographicAnswers,
    Devices,
    Effects,
    GroupShift,
    SimulationProfile,
    SystemShift,
    Times,
)

ROOT = Path(__file__).parents[2]
PROFILES = ROOT / "examples" / "profiles"
DOCS = re.sub(r"(?s)```.*?```", "", (ROOT / "docs" / "simulated-raters.md").read_text())


def read(text: str) -> SimulationProfile:
    file = YamlFile(text.encode(), file="p.yaml")
    return file.check(SimulationProfile, file.plain())


def problems(text: str) -> list[str]:
    with pytest.raises(DefinitionError) as caught:
        read(text)
    return [str(problem) for problem in caught.value.problems]


@pytest.mark.parametrize("path", sorted(PROFILES.glob("*.yaml")), ids=lambda path: path.stem)
def test_example_profiles_are_valid(path: Path) -> None:
    file = YamlFile.read(path)
    assert file.check(SimulationProfile, file.plain()) != SimulationProfile()


def test_empty_parts_leave_everybody_careful() -> None:
    assert set(read("behaviours: {}").behaviours.shares().values()) == {0}


def test_shares_are_exact() -> None:
    shares = read("behaviours: {speeder: 0.1, staller: 0.2, decliner: 0.7}").behaviours.shares()
    assert sum(shares.values()) == 1
    assert shares[Behaviour.SPEEDER] * 10 == 1


def test_every_careless_behaviour_has_a_share() -> None:
    assert set(SimulationProfile().behaviours.shares()) == set(Behaviour) - {Behaviour.CAREFUL}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "behaviours:\n  speeder: 0.6\n  staller: 0.5\n",
            "p.yaml, line 1, column 1: behaviours: the shares add up to 1.1, more than 1",
        ),
        (
            "behaviours:\n  speeders: 0.1\n",
            "p.yaml, line 2, column 3: behaviours.speeders: unknown key; did you mean 'speeder'?",
        ),
        (
            "behaviours: {speeder: 5}",
            "p.yaml, line 1, column 14: behaviours.speeder: "
            "Input should be less than or equal to 1",
        ),
        (
            "effects:\n  rater_sd: -1\n",
            "p.yaml, line 2, column 3: effects.rater_sd: "
            "Input should be greater than or equal to 0",
        ),
        (
            "effects:\n  conditions:\n    tuned: .nan\n",
            "p.yaml, line 3, column 5: effects.conditions.tuned: Input should be a finite number",
        ),
        (
            "effects:\n  systems:\n    - {condition: tuned, shift: 0.1}\n",
            "p.yaml, line 3, column 7: effects.systems.0.model: is missing",
        ),
        (
            "effects:\n  groups:\n    - {question: age, shift: 0.1}\n",
            "p.yaml, line 3, column 7: effects.groups.0: "
            "define the group: either values, or at_least and below",
        ),
        (
            "effects:\n  groups:\n    - {question: age, at_least: 60, below: 50, shift: 0.1}\n",
            "p.yaml, line 3, column 7: effects.groups.0: no number is at least 60 and below 50",
        ),
        (
            "minutes:\n  careful: [45, 15]\n",
            "p.yaml, line 1, column 1: minutes: "
            "careful: give two numbers of minutes, the smaller first",
        ),
        (
            "demographics:\n  answers:\n    age: {mean: 40}\n",
            "p.yaml, line 3, column 5: demographics.answers.age: give mean and sd together",
        ),
        (
            "demographics:\n  answers:\n    sex: {second: 0.1}\n",
            "p.yaml, line 3, column 5: demographics.answers.sex: "
            "give either mean and sd, or shares of options",
        ),
        (
            "demographics:\n  answers:\n    sex: {shares: {Female: 0}}\n",
            "p.yaml, line 3, column 5: demographics.answers.sex: "
            "at least one share must be above 0",
        ),
    ],
)
def test_mistake_is_named_with_its_place(text: str, said: str) -> None:
    assert problems(text) == [said]


@pytest.mark.parametrize(
    "part",
    [
        SimulationProfile,
        Behaviours,
        Devices,
        Effects,
        SystemShift,
        GroupShift,
        Times,
        DemographicAnswers,
        AtProlific,
    ],
)
def test_every_key_is_documented(part: type[BaseModel]) -> None:
    words = set(re.findall(r"\w+", " ".join(re.findall("`[^`]+`", DOCS))))
    assert set(part.model_fields) <= words
