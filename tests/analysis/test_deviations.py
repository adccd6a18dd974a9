"""What an analysis does otherwise than planned, and which rows are exploratory for it."""

from dataclasses import replace
from functools import cache
from typing import Any

import pandas as pd
import pytest
from pandas import DataFrame

from analysis.deviations import TABLES_OF, Deviation, Planned, deviations
from analysis.exploratory import mark
from analysis.pipeline import analyse
from analysis.quality_rules import USUAL_LABELS, QualityRules
from analysis.recipe import Recipe, shipped_recipes
from survey.definition.settings import Places
from tests.analysis.test_by_recipe import study

PAPER, SOUND = shipped_recipes().values()
PLAN = Planned(
    content_hash="abc",
    contrast="plain − tuned",
    places=Places(maximum=40),
    rules=QualityRules(),
    recipes={"paper": PAPER, "sound": SOUND},
    gold="judge@1",
    gold_hash="123",
)


def rules(**changes: Any) -> QualityRules:
    return QualityRules.model_validate(changes)


def changed(recipe: Recipe, **changes: Any) -> Recipe:
    return Recipe.model_validate(recipe.model_dump() | changes)


def said(**changes: Any) -> list[tuple[str, str]]:
    """What is said of a plan with changes, and of which rows."""
    found = deviations(PLAN, replace(PLAN, **changes), USUAL_LABELS)
    return [(deviation.what, deviation.where) for deviation in found]


def with_recipe(**changes: Any) -> list[tuple[str, str]]:
    return said(recipes={"paper": PAPER, "sound": changed(SOUND, **changes)})


def test_what_is_as_planned_deviates_in_nothing() -> None:
    assert said() == []


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"content_hash": "x"}, ("what raters see was loaded again with changes", "every row")),
        ({"contrast": "none"}, ("contrast: plain − tuned → none", "every row")),
        ({"places": Places(maximum=60)}, ("places.maximum: 40 → 60", "every row")),
        ({"decided": 2}, ("2 raters are excluded by decision", "every row")),
        (
            {"composites": {"empathy": ["a", "b"]}},
            ("composite empathy: none → a, b", "rows of dimension empathy"),
        ),
        ({"repeats": "mean"}, ("repeated judgments: first → mean", "every row")),
        ({"gold": "file x"}, ("gold scores: judge@1 → file x", "rows of the included raters")),
        (
            {"gold_hash": "456"},
            ("gold scores: judge@1, asked otherwise", "rows of the included raters"),
        ),
        (
            {"rules": rules(duration_minutes={"maximum": 90.0})},
            (
                "rule “Too fast or too slow”: Longest time: 75 → 90 minutes",
                "rows of the included raters",
            ),
        ),
        (
            {"rules": rules(early_exit={"inactive_minutes": 60.0})},
            ("rule “Left early”: Left early: inactive for: 120 → 60 minutes", "every row"),
        ),
        (
            {"recipes": {"sound": SOUND}},
            ("recipe paper: planned, and not in this analysis", "no row"),
        ),
    ],
)  # fmt: skip
def test_each_change_is_said_with_the_rows_that_come_of_it(
    changes: dict[str, Any], expected: tuple[str, str]
) -> None:
    assert said(**changes) == [expected]


def test_rule_that_is_applied_in_neither_changes_nothing() -> None:
    order = ["attention", "early_exit"]
    plan = replace(PLAN, rules=rules(order=order))
    now = replace(plan, rules=rules(order=order, duration_minutes={"minimum": 1.0}))
    assert deviations(plan, now, USUAL_LABELS) == []


def test_gold_scores_that_no_rule_uses_make_no_row_exploratory() -> None:
    plan = replace(PLAN, rules=rules(order=["duration"]))
    [deviation] = deviations(plan, replace(plan, gold="none"), USUAL_LABELS)
    assert not deviation.rows


def test_places_that_say_nothing_of_how_many_may_change() -> None:
    assert said(places=Places(maximum=40, stale_minutes=60)) == []


def test_setting_of_a_recipe_is_said_with_the_tables_that_depend_on_it() -> None:
    margins = {"given_in": "percent", "reference": 10.0, "groups": 6.25}
    assert with_recipe(margins=margins) == [
        ("recipe sound, margins.reference: 6.25 → 10.0",
         "rows of recipe sound in to_reference, replication")
    ]  # fmt: skip
    assert with_recipe(confidence=0.9) == [
        ("recipe sound, confidence: 0.95 → 0.9", "rows of recipe sound")
    ]
    assert with_recipe(bootstrap=None) == [
        ("recipe sound, bootstrap.resamples: 2000 → none", "rows of recipe sound"),
        ("recipe sound, bootstrap.seed: 1 → none", "rows of recipe sound"),
    ]
    assert with_recipe(title="Another name") == []


def test_title_and_quotes_change_no_number() -> None:
    assert with_recipe(title="Another", quotes={"West": "It helped."}) == []


def test_another_recipe_is_exploratory() -> None:
    mine = changed(SOUND, name="mine")
    assert said(recipes={**PLAN.recipes, "mine": mine}) == [
        ("recipe mine: not in the plan", "rows of recipe mine")
    ]


# ── Rows ──────────────────────────────────────────────────────────────────────────────────────────


def marked(name: str, table: DataFrame, *found: Deviation) -> list[tuple[str, str]]:
    tables = {name: table}
    mark(tables, found, SOUND)
    return list(zip(tables[name]["plan"], tables[name]["plan_differs"], strict=True))


BOTH = DataFrame({"recipe": ["paper", "sound", "sound"], "raters": ["included", "included", "all"]})
PLANNED_ROW = ("as planned", "")


def test_rows_of_the_included_raters_come_of_a_rule() -> None:
    rule = ("exploratory", "a rule")
    assert marked("contrasts", BOTH, Deviation("a rule", included=True)) == [
        rule, rule, PLANNED_ROW
    ]  # fmt: skip


def test_rows_of_a_recipe_come_of_its_settings_in_tables_that_depend_on_them() -> None:
    deviation = Deviation("a setting", recipe="sound", tables=("group_tests",))
    setting = ("exploratory", "a setting")
    assert marked("group_tests", BOTH, deviation) == [PLANNED_ROW, setting, setting]
    assert marked("contrasts", BOTH, deviation) == [PLANNED_ROW] * 3


def test_rows_of_a_dimension_come_of_its_composite() -> None:
    table = DataFrame({"dimension": ["empathy", "warmth"]})
    deviation = Deviation("a composite", dimension="empathy")
    assert marked("items", table, deviation) == [("exploratory", "a composite"), PLANNED_ROW]
    assert marked("contrasts", BOTH, deviation) == [PLANNED_ROW] * 3


def test_several_deviations_are_named_together_and_those_of_no_row_are_not() -> None:
    found = [
        Deviation("one", included=True),
        Deviation("two", recipe="sound"),
        Deviation("three", rows=False),
    ]
    assert marked("contrasts", BOTH, *found) == [
        ("exploratory", "one"), ("exploratory", "one; two"), ("exploratory", "two")
    ]  # fmt: skip


def test_tables_without_recipe_follow_the_one_that_makes_them() -> None:
    one = DataFrame({"n": [1]})
    of_sound = Deviation("x", recipe="sound")
    assert marked("paired", one, of_sound) == [("exploratory", "x")]
    assert marked("paired", one, Deviation("x", recipe="paper")) == [PLANNED_ROW]
    assert marked("wins", one, of_sound) == [PLANNED_ROW]
    assert marked("wins", one, Deviation("x", included=True)) == [("exploratory", "x")]
    assert marked("paired_all", one, Deviation("x", included=True)) == [PLANNED_ROW]


def test_tables_of_what_there_was_are_not_marked() -> None:
    tables = {"funnel": DataFrame({"step": ["duration"]})}
    mark(tables, [Deviation("x")], SOUND)
    assert list(tables["funnel"]) == ["step"]


#: Another value for each setting that few tables depend on, in points of a scale from 1 to 5.
OTHER_VALUES: dict[str, dict[str, Any]] = {
    "groups": {"groups": {}},
    "group_tests": {"group_tests": ["welch"]},
    "each_condition": {"each_condition": False},
    "conditions_in_scenarios": {"conditions_in_scenarios": True},
    "adjust_over": {"adjust_over": ["scenario"]},
    "each_scenario": {"each_scenario": False},
    "anova": {"anova": []},
    "wins": {"wins": {"reference": "pooled", "ties": "half"}},
    "margins": {"margins": {"reference": 0.25, "groups": 0.25}},
    "margins.reference": {"margins": {"given_in": "percent", "reference": 20.0, "groups": 6.25}},
    "margins.groups": {"margins": {"given_in": "percent", "reference": 6.25, "groups": 20.0}},
    "replication": {
        "replication": [
            {"item": "wins", "printed": "26", "table": "wins_summary", "column": "a_wins"}
        ]
    },
}


@cache
def small() -> Any:
    return study(lambda r, scenario, system: 1 + (r + scenario * 2 + system) % 5)


@cache
def tables_before() -> dict[str, DataFrame]:
    return analyse(small(), QualityRules(), [without_models(SOUND)]).tables


def without_models(recipe: Recipe) -> Recipe:
    return changed(recipe, mixed_models=None, bootstrap={"resamples": 200, "seed": 1})


def test_every_setting_of_few_tables_is_tried_below() -> None:
    assert OTHER_VALUES.keys() == TABLES_OF.keys()


@pytest.mark.slow
@pytest.mark.parametrize("key", TABLES_OF)
def test_tables_that_are_said_not_to_depend_on_a_setting_stay_the_same(key: str) -> None:
    recipe = changed(without_models(SOUND), **OTHER_VALUES[key])
    after = analyse(small(), QualityRules(), [recipe]).tables
    for name, table in tables_before().items():
        if name not in TABLES_OF[key]:
            pd.testing.assert_frame_equal(table, after[name], obj=name)
    others = {name for name in after if name not in tables_before()}
    assert others <= set(TABLES_OF[key])
