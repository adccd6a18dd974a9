"""Analyses of variance over groups of raters, by rating and by rater."""

import itertools
import random

import numpy as np
import pandas as pd
import pytest
from pandas import DataFrame
from scipy.stats import f_oneway, tukey_hsd

from analysis.not_available import NotAvailable
from analysis.recipe import FactorGroup, Grouping, shipped_recipes
from analysis.stats.multiplicity import Method, adjust
from analysis.study_data import ITEM
from analysis.tables.anova import anova, pairwise

PAPER, SOUND = shipped_recipes().values()
REGIONS = {"a1": "South", "a2": "South", "a3": "South", "b1": "West", "b2": "West", "c1": "Midwest",
           "c2": "Midwest", "c3": "Midwest", "d1": None}  # fmt: skip
PEOPLE = DataFrame({"participant": list(REGIONS), "region": list(REGIONS.values())})


def ratings(seed: int = 1) -> DataFrame:
    """Three responses in each of two scenarios, rated by everybody."""
    draw = random.Random(seed)
    rows = [
        (person, scenario, "", model, "plain", "warmth", draw.randint(1, 5))
        for person in REGIONS
        for scenario in ("S1", "S2")
        for model in ("Ant", "Bee", "Cat")
    ]
    table = DataFrame(rows, columns=["participant", *ITEM, "rating"])
    return table.astype(dict.fromkeys(ITEM, "category"))


def groups(values: "pd.Series") -> list[list[float]]:
    """Values by participant, as lists by region."""
    return [
        [value for person, value in values.items() if REGIONS[str(person)] == region]
        for region in ("Midwest", "South", "West")
    ]


def test_paper_compares_the_ratings_of_a_scenario() -> None:
    data = ratings()
    row = anova(data, PEOPLE, PAPER, raters="included").query("scenario == 'S1' & test == 'anova'")
    values = data[data["scenario"] == "S1"].set_index("participant")["rating"]
    found = f_oneway(*groups(values))
    assert row[["F", "p"]].to_numpy()[0] == pytest.approx([found.statistic, found.pvalue])
    assert row[["df1", "df2", "groups", "n"]].to_numpy()[0].tolist() == [2, 21, 3, 24]


@pytest.mark.parametrize(("test", "equal"), [("anova", True), ("welch", False)])
def test_sound_compares_the_means_of_raters(test: str, equal: bool) -> None:
    data = ratings().iloc[2:]  # one rater gave fewer ratings than others
    table = anova(data, PEOPLE, SOUND, raters="all")
    row = table[(table["scenario"] == "all") & (table["test"] == test)].iloc[0]
    found = f_oneway(*groups(data.groupby("participant")["rating"].mean()), equal_var=equal)
    assert (row.F, row.p) == pytest.approx((found.statistic, found.pvalue))
    assert (row.unit, row.raters, row.n) == ("participant", "all", 8)


def test_scenarios_of_a_group_are_pooled_beside_all_and_each() -> None:
    data = ratings()
    third = data[data["scenario"] == "S1"].assign(scenario="S3", rating=3)
    both = pd.concat([data, third]).astype({"scenario": "category"})
    recipe = PAPER.model_copy(update={"scenario_groups": {"acute": ["S1", "S2"]}})
    table = anova(both, PEOPLE, recipe, raters="included").query("test == 'anova'")
    assert table["scenario"].tolist() == ["all", "acute", "S1", "S2", "S3"]
    found = f_oneway(*groups(data.set_index("participant")["rating"]))
    acute = table.set_index("scenario").loc["acute"]
    assert (acute.F, acute.n) == (pytest.approx(found.statistic), 48)
    # It overlaps with the single scenarios, whose p alone are adjusted together.
    assert pd.isna(acute.p_adjusted_scenarios)


def test_p_is_adjusted_over_the_single_scenarios_beside() -> None:
    table = anova(ratings(), PEOPLE, PAPER, raters="included").query("test == 'anova'")
    assert list(table["p_adjusted"]) == list(table["p"])
    single = table[table["scenario"] != "all"]
    pooled = table[table["scenario"] == "all"]
    by: dict[str, Method] = {
        "p_adjusted_scenarios": "holm",
        "p_bh_scenarios": "benjamini-hochberg",
    }
    for column, method in by.items():
        assert list(single[column]) == list(adjust(single["p"], method).p)
        assert pooled[column].isna().all()
    # of two p values Benjamini and Hochberg's method leaves the larger as it is
    assert single["p_bh_scenarios"].max() == single["p"].max()


@pytest.mark.slow
def test_pairs_are_those_of_games_and_howell() -> None:
    data = ratings()
    table = pairwise(data, PEOPLE, PAPER, raters="included").query("scenario == 'S2'")
    values = data[data["scenario"] == "S2"].set_index("participant")["rating"]
    found = tukey_hsd(*groups(values), equal_var=False)
    assert list(zip(table["group_a"], table["group_b"], strict=True)) == [
        ("Midwest", "South"),
        ("Midwest", "West"),
        ("South", "West"),
    ]
    expected = [found.pvalue[0, 1], found.pvalue[0, 2], found.pvalue[1, 2]]
    assert list(table["p"]) == pytest.approx(expected)
    interval = found.confidence_interval()
    first = table.iloc[0]
    assert (first.n_a, first.n_b) == (9, 9)
    assert first.difference == pytest.approx(first.mean_a - first.mean_b)
    assert first.ci_low == pytest.approx(np.asarray(interval.low)[0, 1])
    assert first.ci_high == pytest.approx(np.asarray(interval.high)[0, 1])


def test_region_with_one_rater_has_no_variance() -> None:
    regions: list[str | None] = ["South", "South", "South", "West", *[None] * 5]
    alone = PEOPLE.assign(region=pd.Series(regions))
    table = anova(ratings(), alone, SOUND, raters="included").query("scenario == 'all'")
    notes = dict(zip(table["test"], table["note"], strict=True))
    assert notes["anova"] == ""
    assert notes["welch"] == "not estimable, because a single rater has no variance (West)"
    pairs = pairwise(ratings(), alone, SOUND, raters="included").query("scenario == 'all'")
    assert pairs["note"].iloc[0] == notes["welch"] and pairs["p"].isna().all()


def test_column_of_a_grouping_is_compared_by_its_answers_and_not_by_its_two_groups() -> None:
    """Whoever the grouping counts together, or leaves out, is a group of their own here."""
    answers = ["Master", "Master", "None", "Bachelor", "Doctor", "Doctor", "Bachelor", "None", None]
    people = PEOPLE.assign(degree=pd.Series(answers))
    grouping = Grouping(
        column="degree",
        a=FactorGroup(label="graduate", values=["Master", "Doctor"]),
        b=FactorGroup(label="other", others=True),
        left_out=["None"],
    )
    update = {"groups": {"studied": grouping}, "anova": ["degree", "region"]}
    data, recipe = ratings(), SOUND.model_copy(update=update)
    table = anova(data, people, recipe, raters="all").query("scenario == 'all' & test == 'anova'")
    assert list(table["factor"]) == ["degree", "region"]
    means = data.groupby("participant")["rating"].mean()
    names = ["Bachelor", "Doctor", "Master", "None"]
    found = f_oneway(*(means[(people["degree"] == name).to_numpy()] for name in names))
    row = table.iloc[0]
    assert (row.F, row.p) == pytest.approx((found.statistic, found.pvalue))
    assert (row.groups, row.n) == (4, 8)
    pairs = pairwise(data, people, recipe, raters="all").query("scenario == 'all'")
    named = pairs[pairs["factor"] == "degree"]
    assert list(zip(named["group_a"], named["group_b"], strict=True)) == list(
        itertools.combinations(names, 2)
    )


def test_groups_by_a_number_are_named_as_it_was_given() -> None:
    ages = PEOPLE.assign(age=[30.0, 30.0, 41.0, 41.0, 41.0, 25.5, 25.5, 30.0, np.nan])
    recipe = SOUND.model_copy(update={"anova": ["age"]})
    pairs = pairwise(ratings(), ages, recipe, raters="all").query("scenario == 'all'")
    assert list(pairs["group_a"]) == ["25.5", "25.5", "30"]
    assert list(pairs["group_b"]) == ["30", "41", "41"]


def test_single_region_is_said_to_be_one() -> None:
    one = PEOPLE.assign(region="West")
    table = anova(ratings(), one, PAPER, raters="included")
    assert set(table["note"]) == {"not estimable, because West is the only group with values"}


def test_table_is_absent_with_its_reason() -> None:
    with pytest.raises(NotAvailable, match="nobody answered region"):
        anova(ratings(), PEOPLE.assign(region=None), PAPER, raters="included")
    without = PAPER.model_copy(update={"anova": []})
    with pytest.raises(NotAvailable, match="names no factor"):
        pairwise(ratings(), PEOPLE, without, raters="included")
    with pytest.raises(NotAvailable, match="no ratings"):
        anova(ratings().head(0), PEOPLE, PAPER, raters="included")
