"""Who is excluded, by which rule, and what each rule would do alone."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas import DataFrame

from analysis.quality_rules import QualityRules
from analysis.raters.funnel import apply_rules, exclusions, in_funnel, not_entered

GOOD: dict[str, Any] = {
    "status": "completed",
    "active": False,
    "duration_seconds": 1400.0,
    "attention_checks_failed": 0.0,
    "sigma": 1.0,
    "mae": 0.5,
    "sex": "Female",
}
LEFT = {"status": "in_progress"}
FLAT = {"sigma": 0.2, "mae": 2.0}


def raters(*different: dict[str, Any]) -> DataFrame:
    """Raters whom no rule matches, but for what is said of each."""
    rows = [GOOD | each for each in different]
    return DataFrame(rows).assign(participant=[f"r{n}" for n in range(len(rows))])


def rule_of(different: dict[str, Any], **rules: Any) -> str:
    """The first rule that matches one such rater."""
    checked = QualityRules.model_validate(rules)
    return str(apply_rules(raters(different), checked).exclusion[0])


def test_decisions_come_before_the_rules_which_are_about_the_others() -> None:
    quick = {"duration_seconds": 5.0}
    table = raters({}, quick, quick, quick | LEFT).assign(
        excluded_by_decision=["", "invented", "", ""]
    )
    table.loc[0, "sex"] = "Male"
    found = apply_rules(table, QualityRules(order=["duration", "early_exit"]))
    assert found.steps.drop(columns="excluded_unspecified").to_numpy().tolist() == [
        ["decision", 1, 3, 1, 1, 0],
        ["duration", 2, 1, 2, 2, 0],
        ["early_exit", 0, 1, 1, 0, 0],
    ]
    assert found.exclusion.tolist() == ["", "decision", "duration", "duration"]
    [decided] = exclusions(table, found.exclusion, QualityRules()).to_dict("records")[:1]
    assert (decided["value"], decided["threshold"]) == ({"reason": "invented"}, {})


def test_who_is_still_at_it_is_in_no_step_whatever_was_decided() -> None:
    still = LEFT | {"active": True}
    table = raters({}, still).assign(excluded_by_decision=["", "invented"])
    found = apply_rules(table, QualityRules())
    assert "decision" not in found.steps["step"].tolist()
    assert found.included.tolist() == [True, False]


@pytest.mark.parametrize(
    ("seconds", "rule"),
    [
        (599.0, "duration"),
        (599.999, "duration"),
        (600.0, ""),
        (4500.0, ""),
        (4500.001, "duration"),
        (None, ""),
    ],
)
def test_the_window_of_10_to_75_minutes_includes_both_ends(
    seconds: float | None, rule: str
) -> None:
    assert rule_of({"duration_seconds": float("nan") if seconds is None else seconds}) == rule


def test_a_duration_at_an_end_of_the_window_but_for_floating_point_is_inside() -> None:
    assert rule_of({"duration_seconds": 599.9999999999999}) == ""
    assert rule_of({"duration_seconds": 4500.000000000001}) == ""


@pytest.mark.parametrize(("failed", "rule"), [(0, ""), (1, "attention"), (float("nan"), "")])
def test_more_failed_checks_than_allowed(failed: float, rule: str) -> None:
    assert rule_of({"attention_checks_failed": failed}) == rule


def test_allowed_failures_are_a_setting() -> None:
    allowed = {"failures_allowed": 1}
    assert rule_of({"attention_checks_failed": 1.0}, attention=allowed) == ""
    assert rule_of({"attention_checks_failed": 2.0}, attention=allowed) == "attention"


def test_who_left_early_without_a_duration_is_an_early_exit() -> None:
    assert rule_of(LEFT | {"duration_seconds": float("nan")}) == "early_exit"


@pytest.mark.parametrize(
    ("sigma", "mae", "rule"),
    [
        (0.59, 0.91, "sigma_mae"),
        (0.6, 0.91, ""),  # both comparisons are strict
        (0.59, 0.9, ""),
        (0.6, 0.9, ""),
        (0.59, 0.2, ""),  # flat, but near the gold scores
        (1.4, 1.8, ""),  # far, but not flat
        (float("nan"), 2.0, ""),
        (0.0, float("nan"), ""),
    ],
)
def test_flat_and_far_at_once(sigma: float, mae: float, rule: str) -> None:
    assert rule_of({"sigma": sigma, "mae": mae}) == rule


def test_a_mae_or_sigma_at_its_threshold_but_for_floating_point_is_equal_to_it() -> None:
    # test_report has ratings whose MAE is 9/10 and comes out as this:
    assert rule_of({"sigma": 0.1, "mae": 0.9000000000000001}) == ""
    assert rule_of({"sigma": 0.5999999999999999, "mae": 2.0}) == ""


def test_thresholds_are_settings() -> None:
    assert rule_of(FLAT, sigma_mae={"sigma_below": 0.2}) == ""
    assert rule_of(FLAT, sigma_mae={"mae_above": 2.0}) == ""


@pytest.mark.parametrize(
    ("person", "enters"),
    [
        ({"status": "completed"}, True),
        ({"status": "in_progress"}, True),
        ({"status": "in_progress", "active": True}, False),
        ({"status": "declined"}, False),
        ({"status": "screened_out"}, False),
        ({"status": "withdrawn"}, False),
    ],
)
def test_who_enters_the_funnel(person: dict[str, Any], enters: bool) -> None:
    # Whoever does not enter is in no step, whatever the rules would say.
    table = raters(person | {"duration_seconds": 30.0, "attention_checks_failed": 3.0} | FLAT)
    assert in_funnel(table).tolist() == [enters]
    funnel = apply_rules(table, QualityRules())
    assert funnel.steps["remaining"].tolist() == [0] * 4
    assert funnel.steps["alone"].sum() == (4 if person == LEFT else 3 if enters else 0)
    assert funnel.exclusion.tolist() == (["duration"] if enters else [""])


def test_the_first_matching_rule_in_the_order_counts() -> None:
    everything = LEFT | FLAT | {"duration_seconds": 60.0, "attention_checks_failed": 1.0}
    for first in ("duration", "attention", "early_exit", "sigma_mae"):
        others = [r for r in ("sigma_mae", "attention", "early_exit", "duration") if r != first]
        assert rule_of(everything, order=[first, *others]) == first


def test_a_rule_that_is_not_in_the_order_is_no_step() -> None:
    table = raters({"duration_seconds": 60.0}, FLAT)
    funnel = apply_rules(table, QualityRules(order=["sigma_mae"]))
    assert funnel.steps["step"].tolist() == ["sigma_mae"]
    assert funnel.exclusion.tolist() == ["", "sigma_mae"]
    assert apply_rules(table, QualityRules(order=[])).steps.empty


def test_steps_count_the_excluded_the_remaining_and_what_each_rule_does_alone() -> None:
    table = raters(
        {},
        {"duration_seconds": 60.0} | FLAT,
        {"duration_seconds": 5000.0, "attention_checks_failed": 1.0},
        {"attention_checks_failed": 2.0, "sex": "Male"},
        LEFT | {"sex": None},
        FLAT | {"sex": "Prefer not to say"},
    )
    steps = apply_rules(table, QualityRules()).steps
    assert steps.columns.tolist() == [
        "step",
        "excluded",
        "remaining",
        "alone",
        "excluded_female",
        "excluded_male",
        "excluded_prefer_not_to_say",
        "excluded_unspecified",
    ]
    assert steps.to_numpy().tolist() == [
        ["duration", 2, 4, 2, 2, 0, 0, 0],
        ["attention", 1, 3, 2, 0, 1, 0, 0],
        ["early_exit", 1, 2, 1, 0, 0, 0, 1],
        ["sigma_mae", 1, 1, 2, 0, 0, 1, 0],
    ]


def test_where_sex_was_not_asked_all_are_unspecified() -> None:
    table = raters(FLAT, {}).drop(columns="sex")
    steps = apply_rules(table, QualityRules(order=["sigma_mae"])).steps
    assert steps.columns.tolist()[4:] == ["excluded_unspecified"]
    assert steps["excluded_unspecified"].tolist() == [1]


def test_an_empty_funnel_counts_nobody() -> None:
    steps = apply_rules(raters(GOOD).iloc[:0], QualityRules()).steps
    assert steps["remaining"].tolist() == [0] * 4


def test_exclusions_hold_what_was_measured_and_what_is_allowed() -> None:
    rules = QualityRules()
    table = raters({"duration_seconds": 252.0}, {}, {"attention_checks_failed": 1.0}, LEFT, FLAT)
    funnel = apply_rules(table, rules)
    assert exclusions(table, funnel.exclusion, rules).to_dict("records") == [
        {
            "participant": "r0",
            "rule": "duration",
            "value": {"minutes": 4.2},
            "threshold": {"minimum": 10, "maximum": 75},
        },
        {
            "participant": "r2",
            "rule": "attention",
            "value": {"failures": 1},
            "threshold": {"failures_allowed": 0},
        },
        {
            "participant": "r3",
            "rule": "early_exit",
            "value": {"status": "in_progress"},
            "threshold": {"inactive_minutes": 120},
        },
        {
            "participant": "r4",
            "rule": "sigma_mae",
            "value": {"sigma": 0.2, "mae": 2.0},
            "threshold": QualityRules().sigma_mae.model_dump(),
        },
    ]


def test_no_exclusions_are_a_table_without_rows() -> None:
    rules = QualityRules()
    table = raters({})
    left_out = exclusions(table, apply_rules(table, rules).exclusion, rules)
    assert left_out.columns.tolist() == ["participant", "rule", "value", "threshold"]
    assert left_out.empty


unknown = st.just(float("nan"))
anybody = st.fixed_dictionaries(
    {
        "status": st.sampled_from(["completed", "in_progress", "declined", "withdrawn"]),
        "active": st.booleans(),
        "duration_seconds": st.sampled_from([0.0, 599.0, 600.0, 1000.0, 4500.0, 4501.0]) | unknown,
        "attention_checks_failed": st.sampled_from([0.0, 1.0, 2.0]) | unknown,
        "sigma": st.sampled_from([0.0, 0.5, 0.6, 1.2]) | unknown,
        "mae": st.sampled_from([0.0, 0.9, 1.0, 3.0]) | unknown,
        "sex": st.sampled_from(["Female", "Male", None]),
    }
)
orders = st.permutations(["duration", "attention", "early_exit", "sigma_mae"]).flatmap(
    lambda order: st.integers(0, 4).map(lambda n: order[:n])
)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.lists(anybody, min_size=1, max_size=25), orders)
def test_nobody_gets_lost_in_the_funnel(people: list[dict[str, Any]], order: list[Any]) -> None:
    table = raters(*people)
    funnel = apply_rules(table, QualityRules(order=order))
    steps = funnel.steps
    if order:
        assert steps[["excluded", "remaining"]].iloc[0].sum() == in_funnel(table).sum()
    assert (steps["remaining"].diff().dropna() == -steps["excluded"].iloc[1:]).all()
    assert (steps["alone"] >= steps["excluded"]).all()
    assert (steps.filter(like="excluded_").sum(axis=1) == steps["excluded"]).all()
    # Who is left does not depend on the order, only on the rules in it.
    other = apply_rules(table, QualityRules(order=sorted(order)))
    assert ((funnel.exclusion == "") == (other.exclusion == "")).all()
    if order:
        assert steps["alone"].iloc[0] == steps["excluded"].iloc[0]


def test_who_is_in_no_step_is_counted_with_the_reason() -> None:
    people = raters(
        {}, LEFT, LEFT | {"active": True}, {"status": "declined"}, {"status": "screened_out"},
        {"status": "declined"},
    )  # fmt: skip
    assert not_entered(people) == {"declined": 2, "screened out": 1, "still taking the survey": 1}
    assert not_entered(raters({})) == {}
