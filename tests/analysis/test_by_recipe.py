"""Tables of recipes: every one of them is there, or the reason why it is not."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import pandas as pd
import pytest
from pandas import DataFrame

from analysis.catalogue.subjects import OF_WRITING
from analysis.declarations import NAMES
from analysis.pipeline import Contrast, Results, StudyData, analyse
from analysis.quality_rules import QualityRules
from analysis.recipe import (
    MarginOutsideScale,
    Margins,
    MixedModels,
    Recipe,
    shipped_recipes,
)
from analysis.study_data import ITEM

pytestmark = pytest.mark.slow  # each analyses a whole study

PAPER, SOUND = shipped_recipes().values()
SYSTEMS = [("m", "plain"), ("m", "tuned"), ("big", "plain")]
PLACE = ["block_position", "response_position"]
CONTRAST = Contrast("plain", "tuned", ("big", "plain"))
Rate = Callable[[int, int, int], int | None]


def study(
    rate: Rate,
    *,
    raters: int = 6,
    scenarios: int = 3,
    contrast: Contrast = CONTRAST,
    people: Mapping[str, Any] | None = None,
    scale: bool = True,
) -> StudyData:
    """Rater r gives `rate(r, scenario, system)` to three systems in each scenario, or nothing."""
    names = [f"r{number}" for number in range(raters)]

    def shown(r: int, scenario: int, system: int) -> tuple[int, int]:
        return 1 + (scenario + r) % scenarios, 1 + (system + r + scenario) % len(SYSTEMS)

    rows = [
        (name, f"S{scenario}", "1", *system, "empathy", rating, *shown(r, scenario, s))
        for r, name in enumerate(names)
        for scenario in range(scenarios)
        for s, system in enumerate(SYSTEMS)
        if (rating := rate(r, scenario, s)) is not None
    ]
    answers = {"status": "completed", "duration_seconds": 900.0, "attention_checks_failed": 0}
    columns = {
        "participant": names,
        **answers,
        "age": [str(55 + number) for number in range(raters)],
        "gender": ["Woman", "Man"] * (raters // 2) + ["Woman"] * (raters % 2),
        "region": ["South", "West", "South", "West", "Midwest", "Midwest"][:raters],
        **(people or {}),
    }
    participants = DataFrame(columns, index=range(raters))
    return StudyData(
        participants=participants.astype({"participant": "str"}),
        ratings=DataFrame(rows, columns=["participant", *ITEM, "rating", *PLACE]),
        gold=DataFrame([], columns=[*ITEM, "gold"]),
        contrast=contrast,
        scenarios=[f"S{scenario}" for scenario in range(scenarios)],
        models=["m", "big"],
        scale=[(1, "Not at all"), (5, "Extremely")] if scale else [],
    )


def mixed(r: int, scenario: int, system: int) -> int:
    """Ratings of every kind, the same in every run."""
    return 1 + (3 * r + 5 * scenario + 2 * system + r * scenario * system) % 5


def two_sets() -> StudyData:
    """A tie beside a low reference in set 1, and a win of b beside a high one in set 2."""
    data = study(lambda r, scenario, system: (3, 3, 2)[system], scenarios=1)
    first, second = data.ratings, data.ratings.assign(set="2", rating=[2, 4, 5] * 6)
    second["model"] = second["model"].replace("m", "n")
    ratings = pd.concat([first, second], ignore_index=True)
    return replace(data, ratings=ratings, models=["m", "n", "big"])


def nobody_in_a_cell(r: int, scenario: int, system: int) -> int | None:
    return None if (scenario, system) == (0, 1) else mixed(r, scenario, system)


THIN: dict[str, StudyData] = {
    "constant raters": study(lambda r, scenario, system: 1 + r % 5),
    "one rater": study(mixed, raters=1),
    "one scenario": study(mixed, scenarios=1),
    "an empty cell": study(nobody_in_a_cell),
    "every rater saw another part": study(
        lambda r, scenario, system: mixed(r, scenario, system) if system == r % 3 else None
    ),
    "a single group": study(mixed, people={"age": "30", "gender": "Woman", "region": "South"}),
    "all ties": study(lambda r, scenario, system: 3),
    "missing demographics": study(mixed, people={"age": None, "gender": None, "region": None}),
    "nobody included": study(mixed, people={"duration_seconds": 1.0}),
    "nobody": study(mixed, raters=0),
    "no ratings": study(lambda r, scenario, system: None),
    "no scale": study(lambda r, scenario, system: None, scale=False),
    "no contrast": study(mixed, contrast=Contrast(None, None, None)),
    "no reference": study(mixed, contrast=Contrast("plain", "tuned", None)),
    "two extremes": study(lambda r, scenario, system: 5 if system else 1),
}


def results(data: StudyData, *recipes: Recipe) -> Results:
    return analyse(data, QualityRules(), recipes or (PAPER, SOUND))


#: All raters once more take as long again; where nobody is included they have tables alone.
INCLUDED = SOUND.model_copy(update={"raters": ["included"]})


@cache
def thin(name: str) -> Results:
    return results(THIN[name], PAPER, SOUND if name == "nobody included" else INCLUDED)


@pytest.mark.parametrize("thin_study", THIN)
def test_thin_study_has_every_table_or_the_reason_why_not(thin_study: str) -> None:
    found = thin(thin_study)
    for name in set(NAMES) - set(OF_WRITING):
        if name in found.tables:
            assert not found.tables[name].empty, name
        else:
            assert found.not_available[name], name


@pytest.mark.parametrize("thin_study", THIN)
def test_row_of_a_thin_study_has_its_p_or_says_why_not(thin_study: str) -> None:
    for name, table in thin(thin_study).tables.items():
        if name in NAMES and {"p", "note"} <= set(table.columns):
            without = table[table["p"].isna()]
            assert (without["note"].fillna("") != "").all(), name
            for column in without.select_dtypes("number"):
                if column in ("t", "F", "wilcoxon", "u", "p_adjusted"):
                    assert without[column].isna().all(), (name, column)


@pytest.mark.parametrize("thin_study", THIN)
def test_row_of_a_recipe_says_which_unit_it_counts(thin_study: str) -> None:
    for name, table in thin(thin_study).tables.items():
        if "recipe" in table and name != "replication":
            assert table["unit"].notna().all() and (table["unit"] != "").all(), name
            assert [column for column in table if re.match("n$|n_|pages", str(column))], name


def test_table_has_the_rows_of_each_recipe_in_order() -> None:
    table = results(study(mixed)).tables["group_tests"]
    assert table[["recipe", "unit", "raters"]].drop_duplicates().to_numpy().tolist() == [
        ["paper", "rating", "included"],
        ["sound", "participant", "included"],
        ["sound", "participant", "all"],
    ]


def test_what_counts_participants_is_not_made_by_a_recipe_that_counts_ratings() -> None:
    found = results(study(mixed), PAPER)
    assert "group_tests" in found.tables
    assert not {"contrasts", "win_differences"} & set(found.tables)


@pytest.mark.parametrize("recipe", [PAPER, SOUND])
def test_every_recipe_counts_wins_and_points_in_its_own_way(recipe: Recipe) -> None:
    wins = {"reference": "pooled", "ties": "half"}
    other = Recipe.model_validate(recipe.model_dump() | {"name": "other", "wins": wins})
    table = results(two_sets(), recipe, other).tables["wins_tests"]
    whole = table[(table["scenario"] == "all") & (table["raters"] == "included")]
    columns = ["recipe", "reference", "reference_points", "ties_count", "a_wins", "a_percent"]
    assert whole[columns].to_numpy().tolist() == [
        [recipe.name, "own_set", 2, "neither", 0.0, 0.0],
        ["other", "pooled", 3, "half", 0.5, 25.0],
    ]
    assert whole["reference_percent"].tolist() == [50.0, 75.0]


def test_paired_table_is_of_the_included_raters_and_another_of_all() -> None:
    data = study(mixed, people={"duration_seconds": [900.0, 900.0, 900.0, 900.0, 1.0, 1.0]})
    tables = results(data).tables
    assert {name: tables[name]["n"].tolist() for name in ("paired", "paired_all")} == {
        "paired": [4],
        "paired_all": [6],
    }
    assert "recipe" not in tables["paired"]


def test_part_of_a_table_that_is_missing_is_named() -> None:
    found = thin("nobody included")
    assert found.not_available["systems (sound, included raters)"] == "no rater is included"
    assert found.tables["systems"]["raters"].unique().tolist() == ["all"]


def test_where_nobody_is_included_no_table_says_that_nobody_answered() -> None:
    assert thin("nobody included").not_available["agreement"] == "no rater is included"
    data = THIN["nobody included"]
    ranks = data.ratings.rename(columns={"rating": "rank"}).assign(choice="best")
    absent = results(replace(data, ranks=ranks), SOUND.model_copy(update={"raters": ["included"]}))
    for name in ("agreement", "rankings", "choices", "position_tests"):
        assert absent.not_available[name] == "no rater is included", name


def test_linear_models_are_said_to_have_no_shares() -> None:
    linear = SOUND.model_copy(update={"mixed_models": MixedModels(links=["linear"])})
    for contrast in (CONTRAST, Contrast(None, None, None)):
        absent = results(study(mixed, contrast=contrast), linear).not_available
        reason = "linear models have no shares of the points of the scale"
        assert absent["mixed_shares"] == reason


@pytest.mark.parametrize(
    ("points", "between", "link", "margin"),
    [(7, False, "probit", 0.375), (11, False, "linear", 0.625), (101, True, "linear", 6.25)],
)
def test_shipped_recipes_analyse_every_scale_by_its_own_kind_of_model_and_margin(
    points: int, between: bool, link: str, margin: float
) -> None:
    def rate(r: int, scenario: int, system: int) -> int:
        return (13 * r + 29 * scenario + 7 * system + r * scenario * system) % points

    values = [0, points - 1] if between else range(points)
    scale = [(value, f"label {value}") for value in values]
    found = results(replace(study(rate), scale=scale, between=between))
    assert set(found.tables["mixed_models"]["link"]) == {link}
    assert set(found.tables["sensitivity"]["link"]) == {link}
    assert ("mixed_shares" in found.tables) == (link == "probit")
    assert set(found.tables["to_reference"]["margin"]) == {margin}
    assert found.tables["group_tests"].query("recipe == 'sound'")["margin"].max() == margin


def test_margin_of_another_scale_is_refused() -> None:
    small = SOUND.model_copy(update={"margins": Margins(groups=0.25)})
    slider = replace(study(mixed), scale=[(0, "Not at all"), (100, "Fully")], between=True)
    with pytest.raises(MarginOutsideScale, match=r"0\.25 on a scale from 0 to 100"):
        results(slider, small)


def test_rows_of_the_input_may_stand_in_any_order() -> None:
    data = study(mixed)
    shuffled = StudyData(
        **{
            **data.__dict__,
            "ratings": data.ratings.sample(frac=1, random_state=1),
            "participants": data.participants.sample(frac=1, random_state=2),
        }
    )
    one, other = results(data), results(shuffled)
    assert one.not_available == other.not_available
    for name, table in one.tables.items():
        assert table.to_csv() == other.tables[name].to_csv(), name


def test_factor_that_nobody_answered_is_named_beside_one_that_was() -> None:
    both = PAPER.model_copy(update={"anova": ["region", "education"]})
    found = results(study(mixed), both)
    assert set(found.tables["anova"]["factor"]) == {"region"}
    assert found.not_available["anova.education"] == "the study asks for no education"
    assert "anova.region" not in found.not_available


def test_factor_of_which_no_group_knows_an_answer_is_named_with_the_answers() -> None:
    found = results(study(mixed, people={"gender": ["Female", "Female", "Male"] * 2}), PAPER)
    assert set(found.tables["group_tests"]["factor"]) == {"age"}
    assert found.not_available["group_tests.gender (paper, included raters)"] == (
        "nobody is in the groups Woman and Man; 'Female' (4) and 'Male' (2) are in no group"
    )


def test_study_without_a_contrast_says_so_where_it_lacks_a_difference() -> None:
    found = thin("no contrast")
    for name in ("mixed_contrasts", "contrasts", "order_conclusions"):
        assert found.not_available[name] == "the study names no two conditions to compare"


def test_single_system_has_no_pairs_of_systems() -> None:
    only = study(
        lambda r, scenario, system: mixed(r, scenario, system) if system == 0 else None,
        contrast=Contrast(None, None, None),
    )
    found = results(only, INCLUDED)
    assert len(found.tables["system_groups"]) == 1
    assert found.not_available["system_pairs"] == "there are no two systems to compare"


def test_quotes_of_any_recipe_are_on_the_map_of_regions() -> None:
    quoting = PAPER.model_copy(update={"quotes": {"West": "It made me feel heard."}})
    assert "It made me feel heard." in str(
        results(study(mixed), quoting, SOUND).figures["region_map"]
    )
