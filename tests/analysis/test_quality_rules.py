"""The `quality:` section: the published rules by default, and every wrong value refused."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from analysis.quality_rules import QualityRules
from survey.files.problems import DefinitionError
from survey.files.yaml_file import YamlFile

RULES = ["duration", "attention", "early_exit", "sigma_mae"]
PUBLISHED = {
    "order": RULES,
    "duration_minutes": {"minimum": 10, "maximum": 75},
    "attention": {"failures_allowed": 0},
    "early_exit": {"inactive_minutes": 120},
    "sigma_mae": {"sigma_below": 0.6, "mae_above": 0.9, "ddof": 1, "sigma_over": "ratings"},
}


def test_rules_without_a_section_are_the_published_ones() -> None:
    excluding = QualityRules().model_dump(mode="json", exclude={"writing"})
    assert excluding == PUBLISHED


def test_rules_written_out_as_published_equal_the_defaults_in_json_too() -> None:
    written = QualityRules.model_validate(PUBLISHED)
    assert written == QualityRules()
    # Minutes are numbers with decimals whether 10 or 10.0 is written, so that hashes agree.
    assert written.model_dump_json() == QualityRules().model_dump_json()


def test_a_part_of_the_section_leaves_the_rest_as_published() -> None:
    rules = QualityRules.model_validate({"sigma_mae": {"ddof": 0}})
    assert rules.sigma_mae.ddof == 0
    assert rules.sigma_mae.sigma_below == 0.6
    assert rules.duration_minutes == QualityRules().duration_minutes


def test_a_rule_left_out_of_the_order_is_not_applied() -> None:
    assert QualityRules.model_validate({"order": ["attention"]}).order == ["attention"]
    assert QualityRules.model_validate({"order": []}).order == []


def test_rules_stored_before_sigma_over_existed_are_over_ratings() -> None:
    stored = {**PUBLISHED, "sigma_mae": {"sigma_below": 0.6, "mae_above": 0.9, "ddof": 1}}
    assert QualityRules.model_validate(stored) == QualityRules()


positive = st.floats(min_value=0.001, max_value=1e6)


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(
    order=st.permutations(RULES).flatmap(lambda rules: st.integers(0, 4).map(lambda n: rules[:n])),
    window=st.tuples(positive, positive).map(sorted),
    failures=st.integers(0, 20),
    inactive=positive,
    sigma=positive,
    mae=positive,
    ddof=st.sampled_from([0, 1]),
    sigma_over=st.sampled_from(["ratings", "blocks"]),
)
def test_rules_survive_json(
    order: list[str],
    window: list[float],
    failures: int,
    inactive: float,
    sigma: float,
    mae: float,
    ddof: int,
    sigma_over: str,
) -> None:
    rules = QualityRules.model_validate(
        {
            "order": order,
            "duration_minutes": {"minimum": window[0], "maximum": window[1]},
            "attention": {"failures_allowed": failures},
            "early_exit": {"inactive_minutes": inactive},
            "sigma_mae": {
                "sigma_below": sigma,
                "mae_above": mae,
                "ddof": ddof,
                "sigma_over": sigma_over,
            },
        }
    )
    stored = json.loads(json.dumps(rules.model_dump(mode="json")))
    assert QualityRules.model_validate(stored) == rules


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ({"order": ["duration", "duration"]}, "duration is repeated"),
        ({"order": ["speed"]}, "Input should be 'duration'"),
        ({"duration_minutes": {"minimum": 75, "maximum": 10}}, "minimum is greater than maximum"),
        ({"duration_minutes": {"minimum": -1}}, "greater than or equal to 0"),
        ({"duration_minutes": {"maximum": float("inf")}}, "finite number"),
        ({"duration_minutes": {"minimum": "10"}}, "valid number"),
        ({"duration_minutes": [10, 75]}, "valid dictionary"),
        ({"attention": {"failures_allowed": -1}}, "greater than or equal to 0"),
        ({"attention": {"failures_allowed": True}}, "valid integer"),
        ({"early_exit": {"inactive_minutes": 0}}, "greater than 0"),
        ({"sigma_mae": {"sigma_below": float("nan")}}, "finite number"),
        ({"sigma_mae": {"mae_above": -0.1}}, "greater than or equal to 0"),
        ({"sigma_mae": {"ddof": 2}}, "Input should be 0 or 1"),
        ({"sigma_mae": {"sigma_over": "sets"}}, "Input should be 'ratings' or 'blocks'"),
        ({"speed": {}}, "Extra inputs are not permitted"),
    ],
)
def test_a_wrong_value_is_refused(section: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        QualityRules.model_validate(section)


def test_a_wrong_value_in_study_yaml_is_named_with_its_line() -> None:
    text = b"slug: s\nquality:\n  sigma_mae:\n    sigma_below: much\n"
    file = YamlFile(text, file="study.yaml")
    with pytest.raises(DefinitionError) as refused:
        file.check(QualityRules, file.section("quality"), under=("quality",))
    (problem,) = refused.value.problems
    assert (problem.line, problem.column) == (4, 5)
    assert problem.message.startswith("quality.sigma_mae.sigma_below: ")
