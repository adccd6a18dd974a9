"""The `judge:` section, and when a judge is another judge."""

from typing import Any

import pytest

from judge.definition import JudgeConfiguration, JudgeDefinition
from survey.definition import DefinitionError, YamlFile


def check(text: str) -> JudgeDefinition:
    yaml = YamlFile(text.encode(), file="study.yaml")
    return yaml.check(JudgeDefinition, yaml.section("judge") or {}, under=("judge",))


def configuration(**changes: Any) -> JudgeConfiguration:
    given = {"base_url": "http://x/v1", "model": "m", "stand_in": False, "prompt_format": 1}
    return JudgeConfiguration.model_validate(given | changes)


def test_judge_without_anything_said_asks_three_times_by_the_papers_criteria() -> None:
    judge = check("slug: x\n")
    assert (judge.name, judge.replicates, judge.temperature) == ("judge", 3, 1.0)
    for criterion in ("warm", "situation", "genuine"):
        assert criterion in judge.rubric


def test_judge_says_what_it_is() -> None:
    text = "judge: {name: llama-4-maverick, replicates: 5, temperature: 0, seed: 3}\n"
    judge = check(text)
    assert (judge.name, judge.replicates, judge.temperature, judge.seed) == (
        "llama-4-maverick",
        5,
        0.0,
        3,
    )


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("replicates: 0", "judge.replicates: Input should be greater than or equal to 1"),
        ("replicates: 2.5", "judge.replicates: Input should be a valid integer"),
        ("temperature: 3", "judge.temperature: Input should be less than or equal to 2"),
        ("max_tokens: 1", "judge.max_tokens: Input should be greater than or equal to 16"),
        ("api_key: abc", "judge.api_key: unknown key"),
        ("name: a b", "judge.name: String should match pattern"),
        ('rubric: ""', "judge.rubric: String should have at least 1 character"),
    ],
)
def test_mistake_is_named_with_its_line(line: str, problem: str) -> None:
    with pytest.raises(DefinitionError) as error:
        check(f"slug: x\njudge:\n  {line}\n")
    (found,) = error.value.problems
    assert (found.line, found.column) == (3, 3)
    assert found.message.startswith(problem)


@pytest.mark.parametrize(
    "change",
    [
        {"base_url": "http://y/v1"},
        {"model": "n"},
        {"rubric": "Be strict."},
        {"temperature": None},
        {"replicates": 5},
        {"seed": 1},
        {"stand_in": True},
        {"prompt_format": 2},
    ],
)
def test_whatever_may_change_a_score_changes_the_fingerprint(change: dict[str, Any]) -> None:
    assert configuration(**change).fingerprint() != configuration().fingerprint()


def test_fingerprint_survives_the_database() -> None:
    stored = JudgeConfiguration.model_validate(configuration(temperature=1).model_dump(mode="json"))
    assert stored.fingerprint() == configuration().fingerprint()
