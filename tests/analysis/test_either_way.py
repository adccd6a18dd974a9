"""What is said of two conditions does not depend on which of them the study calls a.

Every sentence is made from real tables of a − b, and again from those of b − a: a number that kept
its sign, or an interval that kept the order of its ends, would differ.
"""

import random
from functools import cache

import pytest
from pandas import DataFrame

from analysis.execution import content_of
from analysis.pipeline import Contrast, StudyData, analyse, analyse_multiverse
from analysis.quality_rules import QualityRules
from analysis.recipe import shipped_recipes
from analysis.study_data import ITEM
from analysis.text.cells import read_tables
from analysis.text.findings import findings
from survey.definition.labels import Labels
from tests.analysis.written import said

pytestmark = pytest.mark.slow  # analyses whole studies

RECIPES = list(shipped_recipes().values())
WORDS = {"plain": 80, "tuned": 60}


def study(a: str, b: str) -> StudyData:
    """Ten raters rate two models in both conditions, tuned mostly higher, in five scenarios."""
    draw = random.Random(20)
    raters, scenarios = [f"r{n}" for n in range(10)], [f"S{n}" for n in range(5)]
    cells = [(s, "1", model, condition) for s in scenarios for model in "mn" for condition in WORDS]
    texts = [(*cell, f"{cell}", WORDS[cell[-1]] + draw.randrange(-30, 30)) for cell in cells]
    rows = [
        (rater, *cell, "warmth", draw.choice([1, 2, 3, 4]) + (cell[-1] == "tuned"))
        for rater in raters
        for cell in cells
    ]
    answers = {"status": "completed", "duration_seconds": 900.0, "attention_checks_failed": 0}
    people = DataFrame({"participant": raters, **answers, "active": False}, index=range(10))
    return StudyData(
        participants=people,
        ratings=DataFrame(rows, columns=["participant", *ITEM, "rating"]),
        gold=DataFrame([], columns=[*ITEM, "gold"]),
        contrast=Contrast(a, b, None),
        scenarios=scenarios,
        models=["m", "n"],
        scale=[(1, "Not at all"), (5, "Extremely")],
        responses=DataFrame(
            texts, columns=["scenario", "set", "model", "condition", "response", "words"]
        ),
    )


@cache
def sentences(a: str, b: str) -> dict[str, list[str]]:
    """What is said by title."""
    data, rules = study(a, b), QualityRules()
    made = analyse(data, rules, RECIPES).tables | analyse_multiverse(data, rules, RECIPES).tables
    contents = {name: content_of(table) for name, table in made.items() if not table.empty}
    tables = read_tables(contents, Labels({}, a.capitalize(), b.capitalize()))
    return {each.title: said([*each.sound, *each.paper]) for each in findings(tables, RECIPES)}


def test_every_sentence_is_the_same_of_a_against_b_and_of_b_against_a() -> None:
    one, other = sentences("plain", "tuned"), sentences("tuned", "plain")
    assert {"Condition against condition", "Length of responses"} < set(one)
    assert one == other


def test_the_higher_side_is_named_first() -> None:
    first, *_ = sentences("plain", "tuned")["Condition against condition"]
    assert first.startswith("Over all models, Tuned is rated")
    assert "higher than Plain" in first
